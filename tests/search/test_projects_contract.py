"""What the projects of a folder and those of a database do alike."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from penstock.errors import ArgumentError, StoreError
from penstock.search.contract import Batch, Projects
from penstock.search.projects import ProjectFolder

from .test_index_contract import VALVE, file

Place = Callable[[], Projects]


@pytest.fixture(params=["folder", "database"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    """Gives the projects of one place, to each who asks as another process has them."""
    given: list[Projects] = []

    def give() -> Projects:
        if request.param == "folder":
            given.append(ProjectFolder(tmp_path / "indexes"))
        else:
            url = request.getfixturevalue("postgres")
            from penstock.search.shared import SharedProjects

            given.append(SharedProjects(url))
        return given[-1]

    yield give
    for projects in given:
        projects.close()


@pytest.fixture
def project(place: Place) -> str:
    """A project with one repository, whose name no other test has."""
    name = f"shop-{uuid.uuid4().hex[:12]}"
    fill(place(), name)
    return name


def fill(projects: Projects, name: str, *names: str) -> None:
    index = projects.made(name)
    for repository in names or ("main",):
        index.begin(repository, "/somewhere")
        index.write(repository, Batch(files=[VALVE]))
    index.close()


def test_project_that_is_forgotten_is_gone(place: Place, project: str) -> None:
    projects = place()
    assert project in projects.names()
    assert projects.forget(project)
    assert project not in projects.names()
    assert not projects.forget(project)
    with pytest.raises(ArgumentError, match=f"project_id = '{project}'"):
        projects.opened(project)


def test_other_projects_stay(place: Place, project: str) -> None:
    projects = place()
    fill(projects, f"{project}-2")
    assert projects.forget(project)
    assert projects.opened(f"{project}-2").names() == ["main"]
    assert projects.forget(f"{project}-2")


@pytest.mark.parametrize("name", ["", "../shop", "a b", "x" * 101])
def test_what_is_no_project_is_refused(place: Place, name: str) -> None:
    with pytest.raises(ArgumentError, match="project_id"):
        place().forget(name)


def test_who_has_it_open_is_told_that_there_is_no_such_project(place: Place, project: str) -> None:
    server, other = place(), place()
    assert server.opened(project).names() == ["main"]
    assert other.forget(project)
    for _ in range(2):
        with pytest.raises(ArgumentError, match=f"project_id = '{project}'"):
            server.opened(project)


def test_project_that_is_indexed_anew_is_found_by_who_had_the_old_one_open(place: Place, project: str) -> None:
    server, other = place(), place()
    server.opened(project)
    assert other.forget(project)
    fill(other, project, "one", "two")
    assert server.opened(project).names() == ["one", "two"]
    server.close()
    assert other.opened(project).names() == ["one", "two"]
    assert place().opened(project).repositories()[0][2:4] == (1, 2)
    assert other.forget(project)


def test_indexer_is_told_that_its_project_was_forgotten(place: Place, project: str) -> None:
    index = place().made(project)
    assert place().forget(project)
    for change in (
        lambda: index.write("main", Batch(files=[file("new.py", "def new():\n    pass\n")])),
        lambda: index.begin("other", "/x"),
        lambda: index.finish("main", 5.0),
    ):
        with pytest.raises(StoreError, match="was removed meanwhile"):
            change()
    index.close()
    with pytest.raises(ArgumentError):
        place().opened(project)


def test_index_of_another_version_is_forgotten_too(place: Place, project: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("penstock.search.sqlite_file.VERSION", "0/x")
    if type(place()).__name__ == "SharedProjects":
        monkeypatch.setattr("penstock.search.postgres.VERSION", "0/x")
    with pytest.raises(StoreError, match="another version"):
        place().opened(project)
    assert place().forget(project)


def test_long_name_is_opened_and_forgotten_as_it_was_given(place: Place) -> None:
    name = f"{uuid.uuid4().hex}-{'long' * 16}"
    fill(place(), name)
    assert place().opened(name).names() == ["main"]
    assert place().forget(name)
    assert not place().forget(name)
