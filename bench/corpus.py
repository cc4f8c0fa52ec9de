"""A corpus: real outputs of tools in a folder, and in `manifest.jsonl` one row for each, which says what matters in it.

A row has `id`, `kind`, `file` (within the folder), `query` (the question that the call was to answer) and `needles`:
`text` (or any of `alts`) holds an answer, `chars` is its length, `lines` where it stands.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.scoring import Needle, needles_of

MANIFEST = "manifest.jsonl"


@dataclass(frozen=True, slots=True)
class Item:
    id: str
    kind: str
    query: str
    path: Path
    needles: tuple[Needle, ...]

    def text(self) -> str:
        """As the tool gave it: no line ending is translated, what is not UTF-8 is replaced."""
        return self.path.read_bytes().decode("utf-8", "replace")


class NoCorpus(Exception):
    """The folder that was named holds no corpus."""


def load(folder: Path, kinds: Sequence[str] = (), ids: Sequence[str] = ()) -> list[Item]:
    """The items with a needle that counts, of these kinds and with one of these words in the id if any are given."""
    manifest = folder / MANIFEST
    if not manifest.is_file():
        raise NoCorpus(f"{folder} is no corpus: it has no {MANIFEST}")
    rows = map(json.loads, manifest.read_text(encoding="utf-8").splitlines())
    items = [
        Item(row["id"], row["kind"], row["query"], folder / row["file"], tuple(needles_of(row)))
        for row in rows
        if (not kinds or row["kind"] in kinds) and (not ids or any(part in row["id"] for part in ids))
    ]
    return [item for item in items if item.needles]


def kinds_of(items: Iterable[Item]) -> list[str]:
    return sorted({item.kind for item in items})
