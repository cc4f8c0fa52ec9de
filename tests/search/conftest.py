"""Trees of source files, made and indexed in a temporary folder; the engines of the index."""

from __future__ import annotations

import json
import os
import uuid
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

for name in ("tree_sitter", "semble_grammars", "pathspec"):
    pytest.importorskip(name, reason="the code index needs penstock[search]")

from penstock.search.code_search import CodeSearch  # noqa: E402  # after it is known that it can be
from penstock.search.contract import Index  # noqa: E402  # as above
from penstock.search.indexing import Report, index_tree  # noqa: E402  # as above

Files = Mapping[str, str | bytes]


def lay(root: Path, files: Files) -> Path:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return root


class Workshop:
    """A project with its index."""

    def __init__(self, home: Path) -> None:
        self.root = home / "code"
        self.root.mkdir()
        self.folder = home / "indexes"
        self.search = CodeSearch(self.folder)

    def lay(self, files: Files) -> None:
        lay(self.root, files)

    def index(self, project: str = "shop", repository: str = "code", **options: Any) -> Report:
        index = self.search.projects.made(project)
        try:
            # In this process, as most tests are not of the children.
            return index_tree(index, self.root, repository, **{"workers": 0, **options})
        finally:
            index.close()

    def ask(self, query: str, project: str = "shop", **arguments: Any) -> dict[str, Any]:
        page: dict[str, Any] = json.loads(self.search.search_code(query, project, **arguments).text)
        return page

    def found(self, query: str, **arguments: Any) -> list[str]:
        return [result["file_path"] for result in self.ask(query, **arguments)["results"]]


@pytest.fixture
def workshop(tmp_path: Path) -> Iterator[Workshop]:
    made = Workshop(tmp_path)
    yield made
    made.search.close()


@pytest.fixture
def write(tmp_path: Path) -> Callable[[Files], Path]:
    return lambda files: lay(tmp_path, files)


# -- engines -----------------------------------------------------------------------------------------------------------


Opener = Callable[..., Index]


@pytest.fixture(params=["sqlite", "postgres"])
def opener(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Opener]:
    """Opens the index of one project, again and again; `create` as an indexer does."""
    opened: list[Index] = []

    if request.param == "sqlite":
        from penstock.search.sqlite import SqliteIndex

        def open_index(*, create: bool = True) -> Index:
            opened.append(SqliteIndex(tmp_path / "project.sqlite", create=create))
            return opened[-1]
    else:
        from penstock.search.postgres import PostgresIndex

        url = request.getfixturevalue("postgres")
        project = f"p-{uuid.uuid4().hex[:12]}-{os.getpid()}"

        def open_index(*, create: bool = True) -> Index:
            opened.append(PostgresIndex(url, project, create=create))
            return opened[-1]

    yield open_index
    for index in opened:
        index.close()
