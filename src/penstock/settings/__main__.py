"""`python -m penstock.settings` prints the tables of docs/settings.md; given the page, it brings it up to date."""

from __future__ import annotations

import sys
from pathlib import Path

from penstock.settings.page import refreshed, rendered


def main(arguments: list[str]) -> None:
    if not arguments:
        sys.stdout.write(rendered())
    for name in arguments:
        page = Path(name)
        page.write_text(refreshed(page.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
