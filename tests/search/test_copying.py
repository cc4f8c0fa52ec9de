from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from penstock.search.contract import Batch
from penstock.search.copying import BATCH_FILES, copied, later
from penstock.search.sqlite import SqliteIndex

from .test_index_contract import file


@pytest.fixture
def source(tmp_path: Path) -> Iterator[SqliteIndex]:
    """Two repositories, each of more than one batch."""
    index = SqliteIndex(tmp_path / "source.sqlite", create=True)
    for name in ("a", "b"):
        index.begin(name, f"/{name}")
        index.write(
            name, Batch(files=[file(f"f{n:03}.py", f"def f{n}():\n    pass\n") for n in range(BATCH_FILES + 1)])
        )
        index.finish(name, 7.0)
    yield index
    index.close()


@pytest.fixture
def target(tmp_path: Path) -> Iterator[SqliteIndex]:
    index = SqliteIndex(tmp_path / "target.sqlite", create=True)
    yield index
    index.close()


@pytest.mark.parametrize("steps", range(7))
def test_copy_that_is_stopped_at_any_step_goes_on_from_there(
    source: SqliteIndex, target: SqliteIndex, steps: int
) -> None:
    asked = iter([*[False] * steps, True])
    first = copied(source, target, stop=lambda: next(asked, False))
    there = target.repositories()
    assert sum(repository.files for repository in there) == first
    assert all((repository.indexed_at is not None) == (repository.files > BATCH_FILES) for repository in there)
    assert first + copied(source, target) == 2 * (BATCH_FILES + 1)
    assert target.repositories() == source.repositories()


def test_copy_that_is_stopped_at_once_has_begun_nothing(source: SqliteIndex, target: SqliteIndex) -> None:
    assert copied(source, target, stop=lambda: True) == 0
    assert target.repositories() == []


def test_repositories_that_the_source_has_not_stay(source: SqliteIndex, target: SqliteIndex) -> None:
    target.begin("own", "/own")
    copied(source, target)
    assert target.names() == ["a", "b", "own"]


def test_later_runs_are_told_of_repositories_that_both_have(source: SqliteIndex, target: SqliteIndex) -> None:
    assert later(target, source) == later(source, target) == []
    copied(source, target)
    assert later(target, source) == later(source, target) == []
    target.finish("b", 8.0)
    target.begin("own", "/own")
    target.finish("own", 9.0)
    assert later(target, source) == ["b"]
    source.finish("b", 9.0)
    assert (later(target, source), later(source, target)) == ([], ["b"])


def test_run_that_did_not_end_is_no_later_one(source: SqliteIndex, target: SqliteIndex) -> None:
    target.begin("a", "/a")
    assert (later(target, source), later(source, target)) == ([], ["a"])
