from __future__ import annotations

from pathlib import Path

import pytest

from penstock.errors import ArgumentError
from penstock.search.projects import Projects


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "-a", "a b", "é", "x" * 101, "a\n", 5])
def test_name_that_is_no_file_name_is_refused(tmp_path: Path, name: str) -> None:
    projects = Projects(tmp_path)
    for way in (projects.opened, projects.made):
        with pytest.raises(ArgumentError, match="project_id"):
            way(name)
    assert list(tmp_path.iterdir()) == []


def test_many_projects_are_named_in_part(tmp_path: Path) -> None:
    for number in range(60):
        (tmp_path / f"p{number:02}.sqlite").touch()
    with pytest.raises(ArgumentError, match="p49 and 10 more"):
        Projects(tmp_path).opened("none")


def test_index_stays_open_until_it_is_closed(tmp_path: Path) -> None:
    projects = Projects(tmp_path)
    projects.made("shop").close()
    assert projects.opened("shop") is projects.opened("shop")
    projects.close()
    assert projects.opened("shop").repositories() == []
    projects.close()
