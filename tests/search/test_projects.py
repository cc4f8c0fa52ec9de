from __future__ import annotations

from pathlib import Path

import pytest

from penstock.errors import ArgumentError, StoreError
from penstock.search.projects import ProjectFolder
from penstock.search.sqlite import SqliteIndex


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "-a", "a b", "é", "x" * 101, "a\n", 5])
def test_name_that_is_no_file_name_is_refused(tmp_path: Path, name: str) -> None:
    projects = ProjectFolder(tmp_path)
    for way in (projects.opened, projects.made):
        with pytest.raises(ArgumentError, match="project_id"):
            way(name)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["con", "NUL.", "Aux.v2", "com1"])
def test_name_that_is_a_device_on_windows_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(ArgumentError, match="no name of a device of Windows"):
        ProjectFolder(tmp_path).made(name)


@pytest.mark.parametrize("name", ["console", "com10", "nullable.x"])
def test_name_that_only_begins_like_a_device_is_one(tmp_path: Path, name: str) -> None:
    projects = ProjectFolder(tmp_path)
    projects.made(name).close()
    assert projects.names() == [name]


def test_folder_that_cannot_be_read_is_not_told_to_be_empty(tmp_path: Path) -> None:
    folder = tmp_path / ("x" * 300)  # which nobody may read, root included
    with pytest.raises(StoreError, match=r"x cannot be read: "):
        ProjectFolder(folder).names()
    with pytest.raises(StoreError, match=r"shop\.sqlite cannot be opened: "):
        SqliteIndex(folder / "shop.sqlite", create=True)


def test_many_projects_are_named_in_part(tmp_path: Path) -> None:
    for number in range(60):
        (tmp_path / f"p{number:02}.sqlite").touch()
    with pytest.raises(ArgumentError, match="p49 and 10 more"):
        ProjectFolder(tmp_path).opened("none")


def test_index_stays_open_until_it_is_closed(tmp_path: Path) -> None:
    projects = ProjectFolder(tmp_path)
    projects.made("shop").close()
    assert projects.opened("shop") is projects.opened("shop")
    projects.close()
    assert projects.opened("shop").repositories() == []
    projects.close()


def test_forgotten_project_leaves_no_file(tmp_path: Path) -> None:
    projects, other = ProjectFolder(tmp_path), ProjectFolder(tmp_path)
    projects.made("shop").close()
    other.opened("shop").begin("main", "/x")
    assert (tmp_path / "shop.sqlite-wal").exists()
    assert projects.forget("shop")
    assert list(tmp_path.iterdir()) == []
    other.close()
    assert list(tmp_path.iterdir()) == []


def test_damaged_index_is_forgotten_too(tmp_path: Path) -> None:
    (tmp_path / "shop.sqlite").write_bytes(b"no database" * 1_000)
    assert ProjectFolder(tmp_path).forget("shop")


def test_index_that_cannot_be_deleted_is_told_and_stays_whole(tmp_path: Path) -> None:
    projects = ProjectFolder(tmp_path)
    projects.made("shop").close()
    # A folder in its place is what every user may be kept from deleting, root included.
    (tmp_path / "shop.sqlite-wal").mkdir()
    with pytest.raises(StoreError, match=r"shop\.sqlite cannot be deleted, perhaps as another process has it open"):
        projects.forget("shop")
    (tmp_path / "shop.sqlite-wal").rmdir()
    assert projects.opened("shop").repositories() == []
    projects.close()


def test_index_that_cannot_be_looked_at_is_told(tmp_path: Path) -> None:
    (tmp_path / "shop.sqlite").symlink_to("shop.sqlite")
    with pytest.raises(StoreError, match=r"shop\.sqlite cannot be read: Too many levels"):
        ProjectFolder(tmp_path).opened("shop")


def test_place_that_can_be_no_folder_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ArgumentError, match="there is none yet"):
        ProjectFolder(tmp_path / "file").opened("shop")
    assert not ProjectFolder(tmp_path / "file").forget("shop")
    with pytest.raises(StoreError, match=r"the folder of indexes .* cannot be made"):
        ProjectFolder(tmp_path / "file").made("shop")


def test_index_that_is_made_beside_what_an_old_one_left_begins_without_it(tmp_path: Path) -> None:
    """As when a process was killed while it deleted one, or opened it just then."""
    index = SqliteIndex(tmp_path / "shop.sqlite", create=True)
    index.begin("main", "/x")
    left = (tmp_path / "shop.sqlite-wal").read_bytes()
    index.close()
    ProjectFolder(tmp_path).forget("shop")
    (tmp_path / "shop.sqlite-wal").write_bytes(left)
    again = SqliteIndex(tmp_path / "shop.sqlite", create=True)
    assert again.repositories() == []
    again.begin("other", "/y")
    assert again.names() == ["other"]
    again.close()
