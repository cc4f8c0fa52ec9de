"""What only the engine in PostgreSQL has: schemas, connections, what its text cannot hold."""

from __future__ import annotations

from pathlib import Path

import pytest

from penstock.errors import ArgumentError, StoreError
from penstock.search.contract import Batch, Filters, Sought
from penstock.search.copying import copied

from .test_index_contract import VALVE, file

pytest.importorskip("psycopg")
from penstock.search.code_search import CodeSearch
from penstock.search.postgres import PostgresIndex, projects_in, schema_of  # after it is known to be there
from penstock.search.shared import SharedProjects
from penstock.search.sqlite import SqliteIndex


def test_each_project_has_a_schema_of_its_own(postgres: str) -> None:
    one, two = PostgresIndex(postgres, "one", create=True), PostgresIndex(postgres, "Two.x", create=True)
    one.begin("main", "/1")
    one.write("main", Batch(files=[VALVE]))
    two.begin("main", "/2")
    assert (one.name, two.name) == ("postgres.penstock_one", "postgres.penstock_Two.x")
    assert two.candidates(Sought(["valv"], ["open_valve"]), Filters(), 9) == []
    assert {"one", "Two.x"} <= set(projects_in(postgres))
    one.close()
    two.close()


def test_long_project_names_that_begin_alike_have_different_schemas() -> None:
    names = {schema_of("p" * 99 + end) for end in "ab"}
    assert len(names) == 2
    assert all(len(name) == 63 for name in names)


def test_long_project_is_opened_by_the_name_that_is_listed_too(postgres: str) -> None:
    projects = SharedProjects(postgres)
    projects.made("long" * 25).close()
    (listed,) = [name for name in projects.names() if name.startswith("longlong")]
    assert len(listed) < 100
    assert projects.opened(listed).name == projects.opened("long" * 25).name
    assert projects.forget(listed)
    projects.close()


def test_nul_is_kept_as_a_replacement_character(postgres: str) -> None:
    index = PostgresIndex(postgres, "nul", create=True)
    index.begin("main", "/x")
    index.write("main", Batch(files=[file("a.py", "def a():\n    'x\0y'\n")]))
    (found,) = index.candidates(Sought((), ["a"]), Filters(), 9)
    assert index.contents([found.id]) == {found.id: "def a():\n    'x\N{REPLACEMENT CHARACTER}y'\n"}
    index.close()


def test_lost_connection_is_made_again(postgres: str) -> None:
    index, other = PostgresIndex(postgres, "lost", create=True), PostgresIndex(postgres, "lost", create=True)
    index.begin("main", "/x")
    (pid,) = index._rows("SELECT pg_backend_pid()")[0]
    other._rows("SELECT pg_terminate_backend(%s)", pid)
    with pytest.raises(StoreError, match="the index in PostgreSQL cannot be used"):
        index.repositories()
    assert [repository.name for repository in index.repositories()] == ["main"]
    index.close()
    other.close()


def test_server_that_is_not_there_is_one_sentence_without_the_password() -> None:
    with pytest.raises(StoreError) as raised:
        PostgresIndex("postgresql://me:secret@127.0.0.1:9/x", "p")
    assert "cannot be used" in str(raised.value)
    assert "secret" not in str(raised.value)
    assert "\n" not in str(raised.value)
    with pytest.raises(StoreError, match="cannot be used"):
        projects_in("postgresql://127.0.0.1:9/x")


def test_embedded_index_moves_to_the_server(postgres: str, tmp_path: Path) -> None:
    embedded = SqliteIndex(tmp_path / "p.sqlite", create=True)
    embedded.begin("main", "/x")
    embedded.write("main", Batch(files=[VALVE, *(file(f"f{n}.py", f"def f{n}():\n    pass\n") for n in range(450))]))
    embedded.finish("main", 5.0)
    shared = PostgresIndex(postgres, "moved", create=True)
    steps: list[int] = []
    assert copied(embedded, shared, steps.append) == 451
    assert steps == [200, 400, 451]
    assert shared.repositories() == embedded.repositories()
    assert shared.rarity(["valv"]) == embedded.rarity(["valv"])
    embedded.close()
    shared.close()


def test_code_is_searched_in_the_shared_database_like_in_the_folder(postgres: str, tmp_path: Path) -> None:
    responses = []
    for projects in (SharedProjects(postgres), tmp_path / "folder"):
        with CodeSearch(projects, clock=lambda: 0.0) as search:
            index = search.projects.made("shop")
            index.begin("main", "/x")
            index.write("main", Batch(files=[VALVE]))
            index.close()
            page = search.search_code("how is the valve opened", "shop")
            responses.append([(result["file_path"], result["start_line"]) for result in page.results])
            assert search.projects.opened("shop") is search.projects.opened("shop")
            with pytest.raises(ArgumentError, match=r"project_id = 'gone' .* indexed: .*shop"):
                search.search_code("x", "gone")
            with pytest.raises(ArgumentError, match="1 to 100 of A-Z"):
                search.search_code("x", "../shop")
    assert responses[0] == responses[1] == [("src/valve.py", 1), ("src/valve.py", 3)]
