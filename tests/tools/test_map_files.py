from __future__ import annotations

import logging
import os
import time
from pathlib import Path

import pytest

from penstock.tools.map_files import DAYS, swept
from penstock.tools.tag_file import TagFile

from .conftest import write
from .test_tagging import run

DAY = 86_400


def age(folder: Path, days: float) -> None:
    for path in folder.glob("*.sqlite"):
        os.utime(path, (time.time() - days * DAY,) * 2)


@pytest.fixture
def maps(tmp_path: Path) -> Path:
    return tmp_path / "maps"


def test_map_that_nobody_asked_for_is_deleted(maps: Path, tmp_path: Path) -> None:
    TagFile.of(maps, tmp_path / "gone").close()
    age(maps, DAYS - 1)
    assert swept(maps) == 0
    for ending in ("-wal", "-shm"):
        next(maps.glob("*.sqlite")).with_name(next(maps.glob("*.sqlite")).name + ending).touch()
    age(maps, DAYS + 1)
    assert swept(maps) == 1
    assert list(maps.iterdir()) == []
    assert swept(maps) == 0


def test_map_that_is_drawn_from_stays(maps: Path, root: Path) -> None:
    write(root, {"a.py": "class Valve: ...\n"})
    run(root, maps)
    age(maps, DAYS + 1)
    assert run(root, maps).parsed == 0
    assert swept(maps) == 0


def test_map_of_another_tree_takes_old_ones_away(maps: Path, root: Path, tmp_path: Path) -> None:
    write(root, {"a.py": "class Valve: ...\n"})
    TagFile.of(maps, tmp_path / "gone").close()
    age(maps, DAYS + 1)
    run(root, maps)
    assert [path.name.rpartition("-")[0] for path in maps.glob("*.sqlite")] == [root.name]


def test_what_is_no_map_is_left_alone(maps: Path) -> None:
    maps.mkdir()
    (maps / "shop.sqlite").touch()
    (maps / "notes-0123456789abcdef.txt").touch()
    age(maps, DAYS + 1)
    assert swept(maps) == 0
    assert len(list(maps.iterdir())) == 2


def test_folder_that_is_not_there_is_not_made(maps: Path) -> None:
    assert swept(maps) == 0
    assert not maps.exists()


def test_map_that_cannot_be_deleted_is_told_and_no_other_stays_for_it(
    maps: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    for name in ("one", "two"):
        TagFile.of(maps, tmp_path / name).close()
    (path,) = maps.glob("one-*.sqlite")
    path.with_name(path.name + "-wal").mkdir()  # not even root can unlink a folder
    age(maps, DAYS + 1)
    with caplog.at_level(logging.WARNING):
        assert swept(maps) == 1
    assert f"the map {path} cannot be deleted" in caplog.text
    assert path.exists() and not list(maps.glob("two-*.sqlite"))
