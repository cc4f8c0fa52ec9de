"""What only the engine in PostgreSQL has: schemas, connections, what its text cannot hold."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from penstock.errors import ArgumentError, StoreError
from penstock.search.contract import Batch, Filters, Sought
from penstock.search.copying import copied
from penstock.search.embedding import embed_index

from .models import ByWords
from .test_index_contract import VALVE, file

psycopg = pytest.importorskip("psycopg")
from penstock.search.code_search import CodeSearch  # noqa: E402  # after it is known to be there
from penstock.search.postgres import PostgresIndex, projects_in, schema_of  # noqa: E402  # as above
from penstock.search.shared import SharedProjects  # noqa: E402  # as above
from penstock.search.sqlite import SqliteIndex  # noqa: E402  # as above


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


@pytest.mark.parametrize("url", ["postgresql://me:secret@127.0.0.1:9/x", "postgresql://me:secret@[::1/x"])
@pytest.mark.parametrize(
    "use",
    [
        lambda url: PostgresIndex(url, "p"),
        lambda url: SharedProjects(url).names(),
        lambda url: SharedProjects(url).forget("p"),
    ],
)
def test_server_that_is_not_there_is_one_sentence_without_the_password(url: str, use: Callable[[str], object]) -> None:
    with pytest.raises(StoreError) as raised:
        use(url)
    assert "cannot be" in str(raised.value)
    assert "secret" not in str(raised.value)
    assert "\n" not in str(raised.value)


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


def test_vectors_that_are_too_long_for_an_index_are_compared_one_by_one(postgres: str) -> None:
    index = PostgresIndex(postgres, "long-vectors", create=True)
    index.begin("main", "/x")
    index.write("main", Batch(files=[VALVE]))
    vectors = index.vectors("large")
    first, second = vectors.missing(0, 9)
    vectors.add({first.id: [1.0] + [0.0] * 4_999, second.id: [0.0] * 4_999 + [1.0]})
    found = vectors.nearest([0.1] * 4_999 + [0.9], Filters(), 9)
    assert [candidate.id for candidate in found] == [second.id, first.id]
    index.close()


def test_narrow_filter_finds_what_is_far_from_the_query(postgres: str) -> None:
    """HNSW looks at the nearest first, and all of them are elsewhere."""
    index = PostgresIndex(postgres, "narrow", create=True)
    index.begin("main", "/x")
    index.write("main", Batch(files=[file(f"a/{n}.py", "def f():\n    pass\n") for n in range(1_500)]))
    index.write("main", Batch(files=[file("b/far.py", "def g():\n    pass\n")]))
    vectors = index.vectors("m")
    ids = [chunk.id for chunk in vectors.missing(0, 2_000)]
    vectors.add({at: [1.0, n / 10_000] for n, at in enumerate(ids[:-1])} | {ids[-1]: [0.0, 1.0]})
    assert [one.path for one in vectors.nearest([1.0, 0.0], Filters(directory="b"), 5)] == ["b/far.py"]
    assert len(vectors.nearest([1.0, 0.0], Filters(), 150)) == 150
    index.close()


def test_pgvector_is_found_in_whatever_schema_it_is(postgres: str) -> None:
    other = _database(postgres, "elsewhere")
    with psycopg.connect(other, autocommit=True) as connection:
        connection.execute("CREATE SCHEMA extensions")
        connection.execute("CREATE EXTENSION vector SCHEMA extensions")
    index = PostgresIndex(other, "shop", create=True)
    index.begin("main", "/x")
    index.write("main", Batch(files=[VALVE]))
    vectors = index.vectors("m")
    vectors.add({chunk.id: [1.0, 0.0] for chunk in vectors.missing(0, 9)})
    assert len(vectors.nearest([1.0, 0.0], Filters(), 9)) == 2
    index.close()


def test_tables_of_others_that_are_called_like_ours_stay_as_they_are(postgres: str) -> None:
    other = _database(postgres, "occupied")
    with psycopg.connect(other, autocommit=True) as connection:
        for name in ("vectors", "meta", "repositories"):
            connection.execute(f"CREATE TABLE public.{name} (key text, value text, name text, root text)")
            connection.execute(f"INSERT INTO public.{name} VALUES ('a', 'b', 'c', 'd')")
        index = PostgresIndex(other, "shop", create=True)
        index.begin("main", "/x")
        index.write("main", Batch(files=[VALVE]))
        assert embed_index(index, ByWords())
        SharedProjects(other).forget("shop")
        for use in (index.names, lambda: index.begin("other", "/y"), lambda: index.vectors("m").missing(0, 1)):
            with pytest.raises(StoreError, match="was removed meanwhile"):
                use()
        for name in ("vectors", "meta", "repositories"):
            assert connection.execute(f"SELECT * FROM public.{name}").fetchall() == [("a", "b", "c", "d")]
    index.close()


def test_pgvector_may_come_and_go_under_an_open_index(postgres: str) -> None:
    other = _database(postgres, "changing")
    index = PostgresIndex(other, "shop", create=True)
    index.begin("main", "/x")
    index.write("main", Batch(files=[VALVE]))
    assert index.vectors("by-words").nearest([1.0, 0.0, 0.0], Filters(), 9) == []
    with psycopg.connect(other, autocommit=True) as connection:
        connection.execute('CREATE SCHEMA "Ext. 100%s"')
        connection.execute('CREATE EXTENSION vector SCHEMA "Ext. 100%s"')
        for _ in range(2):
            assert embed_index(index, ByWords())
            assert len(index.vectors("by-words").nearest([1.0, 0.0, 0.0], Filters(), 9)) == 2
            connection.execute("DROP EXTENSION vector CASCADE")
            assert index.vectors("by-words").nearest([1.0, 0.0, 0.0], Filters(), 9) == []
            assert len(index.vectors("by-words").missing(0, 9)) == 2
    index.close()


def test_search_that_meets_who_removes_vectors_is_asked_again(postgres: str) -> None:
    index = PostgresIndex(postgres, "meeting", create=True)
    index.begin("main", "/x")
    index.write("main", Batch(files=[VALVE]))
    embed_index(index, ByWords())
    found: list[int] = []
    reader = threading.Thread(target=lambda: found.append(len(index.vectors("by-words").missing(0, 9))))
    with psycopg.connect(postgres) as connection:
        connection.execute("SET deadlock_timeout = '1min'")  # the other one gives way
        connection.execute("LOCK TABLE penstock_meeting.vectors")
        reader.start()
        _wait_until_locked(postgres, "SELECT c.id%", reader)
        connection.execute("LOCK TABLE penstock_meeting.chunks")
    reader.join()
    assert found == [0]
    index.close()


def test_project_is_forgotten_though_a_search_is_in_the_way(postgres: str) -> None:
    PostgresIndex(postgres, "searched", create=True).close()
    forgotten: list[bool] = []
    other = threading.Thread(target=lambda: forgotten.append(SharedProjects(postgres).forget("searched")))
    with psycopg.connect(postgres) as search:
        search.execute("SET deadlock_timeout = '1min'")  # the other one gives way
        search.execute("SELECT count(*) FROM penstock_searched.vocabulary")
        other.start()
        _wait_until_locked(postgres, "DROP SCHEMA%", other)
        search.execute("SELECT count(*) FROM penstock_searched.meta")
    other.join()
    assert forgotten == [True]
    assert "searched" not in projects_in(postgres)


def test_who_may_not_make_pgvector_is_told_and_the_index_stays(postgres: str) -> None:
    other = _database(postgres, "guarded")
    with psycopg.connect(other, autocommit=True) as connection:
        connection.execute("CREATE ROLE guest LOGIN PASSWORD 'guest'")
        connection.execute("GRANT CREATE ON DATABASE guarded TO guest")
    index = PostgresIndex(psycopg.conninfo.make_conninfo(other, user="guest", password="guest"), "shop", create=True)
    index.begin("main", "/x")
    index.write("main", Batch(files=[VALVE]))
    vectors = index.vectors("m")
    missing = vectors.missing(0, 9)
    with pytest.raises(StoreError, match='permission denied to create extension "vector"'):
        vectors.add({chunk.id: [1.0, 0.0] for chunk in missing})
    assert vectors.nearest([1.0, 0.0], Filters(), 9) == []
    assert index.names() == ["main"]
    index.close()


def _database(url: str, name: str) -> str:
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f"DROP DATABASE IF EXISTS {name}")
        connection.execute(f"CREATE DATABASE {name}")
    return psycopg.conninfo.make_conninfo(url, dbname=name)


def _wait_until_locked(url: str, statement: str, thread: threading.Thread) -> None:
    waits = "SELECT 1 FROM pg_stat_activity WHERE query LIKE %s AND wait_event_type = 'Lock'"
    with psycopg.connect(url, autocommit=True) as connection:  # in a transaction it would see the same each time
        while not connection.execute(waits, (statement,)).fetchone():
            assert thread.is_alive()
