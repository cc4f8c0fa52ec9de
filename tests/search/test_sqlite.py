"""What `contract` promises, of the embedded engine. Another engine should pass the same tests."""

from __future__ import annotations

import sqlite3
import stat
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from penstock.errors import StoreError
from penstock.search import sqlite_file
from penstock.search.contract import Batch, Chunk, FileState, Filters, IndexedFile, Sought
from penstock.search.sqlite import SqliteIndex

STATE = FileState(10, 1, b"digest")


def chunk(text: str, *symbols: str, start: int = 1) -> Chunk:
    return Chunk(start, start + text.count("\n"), text, symbols, ())


def file(path: str, *chunks: Chunk, language: str = "python", state: FileState = STATE) -> IndexedFile:
    return IndexedFile(path, language, state, chunks)


@pytest.fixture
def index(tmp_path: Path) -> Iterator[SqliteIndex]:
    made = SqliteIndex(tmp_path / "shop.sqlite", create=True)
    made.begin("code", "/code")
    yield made
    made.close()


def found(index: SqliteIndex, *terms: str, names: tuple[str, ...] = (), filters: Filters = Filters()) -> list[str]:  # noqa: B008
    return [candidate.path for candidate in index.candidates(Sought(terms, names), filters, 50)]


def test_chunks_are_found_by_text_path_and_name(index: SqliteIndex) -> None:
    index.write("code", Batch([file("pay/card.py", chunk("alpha beta\n", "Charge")), file("b.py", chunk("gamma\n"))]))
    assert found(index, "alpha") == found(index, "pay") == found(index, "charg") == ["pay/card.py"]
    assert found(index, names=("charge",)) == ["pay/card.py"]
    assert set(found(index, "alpha", "gamma")) == {"b.py", "pay/card.py"}
    assert found(index, "delta") == []


def test_candidate_has_all_but_its_text_which_comes_on_request(index: SqliteIndex) -> None:
    text = "def open():\n    pass\n"
    index.write("code", Batch([file("a.py", Chunk(3, 4, text, ("open",), ("Box",)))]))
    [candidate] = index.candidates(Sought(("open",), ()), Filters(), 5)
    assert candidate[1:8] == ("code", "a.py", "python", 3, 4, ("open",), ("Box",))
    assert candidate.bm25 > 0
    assert index.contents([candidate.id, 999]) == {candidate.id: text}


def test_file_written_again_replaces_what_was_there(index: SqliteIndex) -> None:
    index.write("code", Batch([file("a.py", chunk("alpha\n", "One"))]))
    index.write("code", Batch([file("a.py", chunk("beta\n", "Two"))]))
    assert found(index, "alpha") == found(index, names=("one",)) == []
    assert found(index, "beta") == found(index, names=("two",)) == ["a.py"]
    assert index.rarity(["alpha", "beta"]) == {"alpha": 0.0, "beta": 1.0}


def test_removed_file_leaves_nothing_behind(index: SqliteIndex) -> None:
    index.write("code", Batch([file("a.py", chunk("alpha 连接池 x_y9\n", "One")), file("b.py", chunk("beta\n"))]))
    index.write("code", Batch(removed=["a.py", "never.py"]))
    assert set(index.states("code")) == {"b.py"}
    connection = sqlite3.connect(index._file.path)
    assert connection.execute("SELECT count(*) FROM definitions").fetchone() == (0,)
    connection.execute("INSERT INTO terms (terms) VALUES ('integrity-check')")
    words = {row[0] for row in connection.execute("SELECT term FROM vocabulary")}
    assert words.isdisjoint({"alpha", "连接", "x"})
    connection.close()


def test_write_is_all_or_nothing(index: SqliteIndex) -> None:
    index.write("code", Batch([file("a.py", chunk("alpha\n"))]))
    broken = IndexedFile("b.py", "python", STATE, [Chunk(1, 1, object(), (), ())])  # type: ignore[arg-type]
    with pytest.raises((StoreError, TypeError)):
        index.write("code", Batch([file("c.py", chunk("beta\n")), broken], removed=["a.py"]))
    assert set(index.states("code")) == {"a.py"}


def test_time_of_a_file_is_renewed_only_with_its_content(index: SqliteIndex) -> None:
    index.write("code", Batch([file("a.py", chunk("x\n")), file("b.py", chunk("x\n"))]))
    index.write("code", Batch(touched={"a.py": FileState(10, 7, b"digest"), "b.py": FileState(10, 7, b"other")}))
    assert index.states("code") == {"a.py": FileState(10, 7, b"digest"), "b.py": STATE}


@pytest.mark.parametrize(
    ("filters", "places"),
    [
        (Filters("code"), {"code/a/x.py", "code/a/b/x.ts", "code/ab/x.py"}),
        (Filters("other"), {"other/a/x.py"}),
        (Filters(extension="ts"), {"code/a/b/x.ts"}),
        (Filters(extension="TS"), {"code/a/b/x.ts"}),
        (Filters(language="typescript"), {"code/a/b/x.ts"}),
        (Filters(directory="a"), {"code/a/x.py", "code/a/b/x.ts", "other/a/x.py"}),
        (Filters("code", directory="a/b"), {"code/a/b/x.ts"}),
        (Filters("code", extension="py", directory="a"), {"code/a/x.py"}),
        (Filters(directory="_"), set()),
        (Filters(directory="%"), set()),
    ],
)
@pytest.mark.parametrize("sought", [Sought(("alpha",), ()), Sought((), ("alpha",))])
def test_filters_narrow_what_is_found_by_terms_and_by_names(
    index: SqliteIndex, sought: Sought, filters: Filters, places: set[str]
) -> None:
    one, two, three = (file(path, chunk("alpha\n", "Alpha")) for path in ("a/x.py", "a/b/x.ts", "ab/x.py"))
    index.write("code", Batch([one, two._replace(language="typescript"), three]))
    index.begin("other", "/other")
    index.write("other", Batch([file("a/x.py", chunk("alpha\n", "Alpha"))]))
    assert {f"{c.repository}/{c.path}" for c in index.candidates(sought, filters, 50)} == places


def test_lines_around_a_chunk_come_from_its_neighbours(index: SqliteIndex) -> None:
    parts = [chunk("1\n2\n", start=1), chunk("3\n4\n", start=3), chunk("5", start=5)]
    parts = [part._replace(end_line=part.start_line + part.content.rstrip().count("\n")) for part in parts]
    index.write("code", Batch([file("a.py", *parts)]))
    assert index.lines("code", "a.py", 2, 4) == "2\n3\n4\n"
    assert index.lines("code", "a.py", 5, 99) == "5"
    assert index.lines("code", "a.py", 6, 9) == index.lines("code", "none.py", 1, 9) == ""


def test_repositories_are_told_with_their_sizes(index: SqliteIndex) -> None:
    index.write("code", Batch([file("a.py", chunk("x\n"), chunk("y\n", start=2))]))
    assert index.repositories() == [("code", "/code", 1, 2, None)]
    index.finish("code", 5.0)
    index.begin("code", "/moved")
    assert index.repositories() == [("code", "/moved", 1, 2, 5.0)]
    assert index.names() == ["code"]


def test_forgotten_repository_is_gone_and_others_stay(index: SqliteIndex) -> None:
    index.begin("other", "/other")
    for name in ("code", "other"):
        index.write(name, Batch([file("a.py", chunk("alpha\n"))]))
    assert index.forget("code") and not index.forget("code")
    assert [c.repository for c in index.candidates(Sought(("alpha",), ()), Filters(), 9)] == ["other"]
    with pytest.raises(StoreError, match="removed"):
        index.write("code", Batch())


def test_other_process_sees_what_was_written_and_counts_it(index: SqliteIndex) -> None:
    reader = SqliteIndex(index._file.path)
    assert reader.rarity(["alpha"]) == {"alpha": 0.0}
    index.write("code", Batch([file("a.py", chunk("alpha\n"))]))
    assert reader.rarity(["alpha"]) == {"alpha": 1.0}
    assert found(reader, "alpha") == ["a.py"]
    reader.close()


def test_searchers_do_not_wait_for_a_writer(index: SqliteIndex) -> None:
    index.write("code", Batch([file("a.py", chunk("alpha\n"))]))
    writer = sqlite3.connect(index._file.path, isolation_level=None)
    writer.execute("BEGIN IMMEDIATE")
    writer.execute("DELETE FROM files")
    assert found(index, "alpha") == ["a.py"]
    writer.execute("ROLLBACK")
    writer.close()


def test_threads_share_one_index(index: SqliteIndex) -> None:
    index.write("code", Batch([file(f"{n}.py", chunk("alpha\n")) for n in range(20)]))
    counts: list[int] = []
    threads = [threading.Thread(target=lambda: counts.append(len(found(index, "alpha")))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert counts == [20] * 8


def test_file_is_for_its_owner_alone(tmp_path: Path) -> None:
    index = SqliteIndex(tmp_path / "new" / "shop.sqlite", create=True)
    index.close()
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o700
    assert stat.S_IMODE((tmp_path / "new" / "shop.sqlite").stat().st_mode) == 0o600


def test_index_that_is_not_there_is_not_made_by_looking(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="there is no index"):
        SqliteIndex(tmp_path / "none.sqlite")
    assert list(tmp_path.iterdir()) == []


def test_index_of_another_version_is_refused_to_searchers_and_made_anew_by_indexers(
    index: SqliteIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    index.write("code", Batch([file("a.py", chunk("alpha\n"))]))
    monkeypatch.setattr(sqlite_file, "VERSION", "later")
    with pytest.raises(StoreError, match="another version"):
        SqliteIndex(index._file.path)
    anew = SqliteIndex(index._file.path, create=True)
    assert anew.repositories() == []
    anew.close()


def test_damaged_index_is_told_with_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "shop.sqlite"
    path.write_bytes(b"no database" * 1_000)
    with pytest.raises(StoreError, match="delete it and index the project again"):
        SqliteIndex(path)


def test_index_that_is_damaged_in_the_middle_is_told_with_what_to_do(tmp_path: Path) -> None:
    whole, broken = tmp_path / "whole.sqlite", tmp_path / "broken.sqlite"
    index = SqliteIndex(whole, create=True)
    index.begin("code", "/code")
    index.write("code", Batch([file(f"{number}.py", chunk("alpha\n")) for number in range(500)]))
    index.close()
    data, page = whole.read_bytes(), 4_096
    told = 0
    for at in range(4 * page, len(data), page):  # the first pages tell that it is a database
        broken.write_bytes(data[:at] + b"\xff" * page + data[at + page :])
        index = SqliteIndex(broken)
        for question in (index.states, index.forget):
            try:
                question("code")
            except StoreError as error:
                assert "delete it and index the project again" in str(error)
                told += 1
        index.close()
    assert told > 10


def test_folder_in_the_place_of_an_index_is_told(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="cannot be opened"):
        SqliteIndex(tmp_path)


def test_index_that_somebody_is_making_just_now_is_not_ready(tmp_path: Path) -> None:
    path = tmp_path / "new.sqlite"
    path.touch()
    with pytest.raises(StoreError, match=r"new\.sqlite is not ready yet"):
        SqliteIndex(path)
    SqliteIndex(path, create=True).close()
    SqliteIndex(path).close()
