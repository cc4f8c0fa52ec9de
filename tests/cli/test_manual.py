from __future__ import annotations

from pathlib import Path

from penstock.cli import manual, projects
from penstock.cli.root import COMMANDS

PAGE = Path(__file__).resolve().parents[2] / "docs" / "cli.md"


def test_page_is_what_the_help_pages_say() -> None:
    assert PAGE.read_text(encoding="utf-8") == manual.page(), "run: python -m penstock.cli.manual > docs/cli.md"


def test_page_has_every_command() -> None:
    at = list(COMMANDS).index("projects") + 1
    names = [*list(COMMANDS)[:at], *(f"projects {name}" for name in projects.COMMANDS), *list(COMMANDS)[at:]]
    assert [line for line in manual.page().splitlines() if line.startswith("## ")] == [
        "## penstock",
        *(f"## penstock {name}" for name in names),
    ]
