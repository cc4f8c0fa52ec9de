"""An index into another one, of whichever engines: from the embedded to the shared one, or back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Final

from penstock.search.contract import Batch, Index, IndexedFile

BATCH_FILES: Final = 200


def copied(
    source: Index,
    target: Index,
    progress: Callable[[int], None] = lambda _: None,
    stop: Callable[[], bool] = lambda: False,
) -> int:
    """Copy all repositories; the number of files.

    What a killed copy has written stays, and is not written again. One that is asked to stop does so at a batch's end.
    """
    files = 0
    for repository in source.repositories():
        if stop():
            return files
        target.begin(repository.name, repository.root)
        there = target.states(repository.name)
        kept = source.states(repository.name)
        target.write(repository.name, Batch(removed=sorted(there.keys() - kept.keys())))
        wanted = (file for file in source.files(repository.name) if there.get(file.path) != file.state)
        for some in _batches(wanted):
            if stop():
                return files
            target.write(repository.name, Batch(files=some))
            files += len(some)
            progress(files)
        if repository.indexed_at is not None:
            target.finish(repository.name, repository.indexed_at)
    return files


def later(one: Index, other: Index) -> list[str]:
    """The repositories of both of which `one` has had a later run."""
    before = {repository.name: repository.indexed_at for repository in other.repositories()}
    return [
        repository.name
        for repository in one.repositories()
        if repository.name in before and (repository.indexed_at or 0.0) > (before[repository.name] or 0.0)
    ]


def _batches(files: Iterable[IndexedFile]) -> Iterator[list[IndexedFile]]:
    rest = iter(files)
    while some := list(islice(rest, BATCH_FILES)):
        yield some
