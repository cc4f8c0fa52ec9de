"""The command line. Read `root` first: it has the table of commands, each of which is one file."""

from penstock.cli.root import main

__all__ = ["main"]
