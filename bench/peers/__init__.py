"""Other projects that bound tool output, each measured in an environment of its own."""

from bench.peers.environments import Unavailable, ensure, home, measure, requirements

__all__ = ["Unavailable", "ensure", "home", "measure", "requirements"]
