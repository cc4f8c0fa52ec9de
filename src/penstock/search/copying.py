"""An index into another one, of whichever engines: from the embedded to the shared one, or back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Final

from penstock.search.contract import Batch, Index, IndexedFile

BATCH_FILES: Final = 200


def copied(source: Index, target: Index, progress: Callable[[int], None] = lambda _: None) -> int:
    """Copy all repositories; the number of files. What a killed copy has written stays, and is not written again."""
    files = 0
    for repository in source.repositories():
        target.begin(repository.name, repository.root)
        there = target.states(repository.name)
        kept = source.states(repository.name)
        target.write(repository.name, Batch(removed=sorted(there.keys() - kept.keys())))
        wanted = (file for file in source.files(repository.name) if there.get(file.path) != file.state)
        for some in _batches(wanted):
            target.write(repository.name, Batch(files=some))
            files += len(some)
            progress(files)
        if repository.indexed_at is not None:
            target.finish(repository.name, repository.indexed_at)
    return files


def _batches(files: Iterable[IndexedFile]) -> Iterator[list[IndexedFile]]:
    rest = iter(files)
    while some := list(islice(rest, BATCH_FILES)):
        yield some
