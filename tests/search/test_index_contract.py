"""What every engine of the code index does alike."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from penstock.errors import StoreError, UpstreamError
from penstock.search.contract import Batch, Chunk, FileState, Filters, Index, IndexedFile, Sought
from penstock.search.copying import copied
from penstock.search.sqlite import SqliteIndex

from .conftest import Opener

ANY = Filters()


def state(number: int = 1) -> FileState:
    return FileState(100 + number, 10**18 + number, bytes([number % 256]) * 16)


def file(path: str, *texts: str, number: int = 1, language: str = "python") -> IndexedFile:
    chunks, line = [], 1
    for text in texts:
        end = line + text.count("\n") - text.endswith("\n")
        names = tuple(word.partition("(")[0] for word in text.split("def ")[1:])
        chunks.append(Chunk(line, end, text, names, ("Outer",) if "self" in text else ()))
        line = end + 1
    return IndexedFile(path, language, state(number), chunks)


VALVE = file("src/valve.py", "def open_valve(pressure):\n    return pressure\n", "def shut_valve():\n    pass\n")
PUMP = file("src/pump/engine.py", "def start(self):\n    run the pump slowly\n")
STYLE = file("web/style.ts", "const valve = 'a colour'\n", language="typescript")


@pytest.fixture
def index(opener: Opener) -> Index:
    index = opener()
    index.begin("main", "/somewhere")
    index.write("main", Batch(files=[VALVE, PUMP, STYLE]))
    return index


def paths(index: Index, *terms: str, names: tuple[str, ...] = (), filters: Filters = ANY, most: int = 10) -> list[str]:
    found = index.candidates(Sought(terms, names), filters, most)
    return [candidate.path for candidate in found]


def test_candidates_are_found_by_their_terms_with_all_that_ranking_looks_at(index: Index) -> None:
    found = index.candidates(Sought(["pressur"], ()), ANY, 10)
    assert len(found) == 1
    best = found[0]
    assert (best.repository, best.path, best.language) == ("main", "src/valve.py", "python")
    assert (best.start_line, best.end_line, best.symbols, best.scope) == (1, 2, ("open_valve",), ())
    assert best.bm25 > 0
    assert index.contents([best.id, best.id + 10**6]) == {best.id: VALVE.chunks[0].content}
    assert paths(index, "nowhere") == []


def test_who_has_a_term_in_path_or_symbols_is_found_before_who_has_it_in_the_text(index: Index) -> None:
    found = index.candidates(Sought(["valv"], ()), ANY, 10)
    assert [candidate.path for candidate in found[:2]] == ["src/valve.py"] * 2
    assert found[0].bm25 >= found[1].bm25 >= found[2].bm25


def test_term_that_stands_there_more_often_counts_more_as_bm25_has_it(opener: Opener) -> None:
    index = opener()
    index.begin("main", "/somewhere")
    often = file("a.txt", "spring water " * 6)
    once = file("b.txt", "spring " + "water " * 11)
    others = [file(f"c{number}.txt", "nothing of it here\n") for number in range(20)]
    index.write("main", Batch(files=[often, once, *others]))
    found = index.candidates(Sought(["spring"], ()), ANY, 10)
    assert [candidate.path for candidate in found] == ["a.txt", "b.txt"]
    assert 2 < found[0].bm25 / found[1].bm25 < 3


def test_definitions_are_found_by_their_names_whatever_their_terms_are(index: Index) -> None:
    assert paths(index, names=("start",)) == ["src/pump/engine.py"]
    assert [candidate.bm25 for candidate in index.candidates(Sought((), ("start",)), ANY, 10)] == [0.0]


@pytest.mark.parametrize(
    ("filters", "wanted"),
    [
        (Filters(extension="ts"), {"web/style.ts"}),
        (Filters(language="python"), {"src/valve.py"}),
        (Filters(directory="src"), {"src/valve.py"}),
        (Filters(directory="sr"), set()),
        (Filters(repository="main", directory="web"), {"web/style.ts"}),
    ],
)
def test_filters_narrow_what_is_found(index: Index, filters: Filters, wanted: set[str]) -> None:
    assert set(paths(index, "valv", filters=filters)) == wanted
    assert set(paths(index, names=("open_valve",), filters=filters)) == wanted & {"src/valve.py"}


def test_rarity_is_the_share_of_chunks(index: Index) -> None:
    assert index.rarity(["valv", "pump", "nowhere"]) == {"valv": 3 / 4, "pump": 1 / 4, "nowhere": 0.0}
    index.write("main", Batch(removed=["src/valve.py"]))
    assert index.rarity(["valv"]) == {"valv": 1 / 2}


def test_file_that_is_written_again_replaces_what_was_there(index: Index) -> None:
    again = file("src/valve.py", "def turn():\n    pass\n", number=2)
    index.write("main", Batch(files=[again]))
    assert paths(index, "pressur") == []
    assert paths(index, names=("open_valve",)) == []
    assert paths(index, names=("turn",)) == ["src/valve.py"]
    assert index.states("main")["src/valve.py"] == state(2)
    assert index.repositories()[0][:4] == ("main", "/somewhere", 3, 3)


def test_touched_file_has_a_new_time_and_the_same_chunks(index: Index) -> None:
    same = VALVE.state._replace(mtime_ns=5)
    other = PUMP.state._replace(mtime_ns=5, digest=b"x" * 16)  # another content by now
    index.write("main", Batch(touched={"src/valve.py": same, "src/pump/engine.py": other}))
    assert index.states("main")["src/valve.py"] == same
    assert index.states("main")["src/pump/engine.py"] == PUMP.state
    assert paths(index, "pressur") == ["src/valve.py"]


def test_lines_are_those_of_the_file(index: Index) -> None:
    whole = "".join(chunk.content for chunk in VALVE.chunks).splitlines(True)
    for first, last in ((1, 4), (2, 3), (4, 9), (1, 1)):
        assert index.lines("main", "src/valve.py", first, last) == "".join(whole[first - 1 : last])
    assert index.lines("main", "gone.py", 1, 5) == ""


def test_repositories_are_told_with_their_numbers_and_forgotten(index: Index) -> None:
    index.begin("other", "/elsewhere")
    index.write("other", Batch(files=[file("a.py", "def start():\n    pump()\n")]))
    index.finish("other", 1_234.5)
    assert index.repositories() == [("main", "/somewhere", 3, 4, None), ("other", "/elsewhere", 1, 1, 1_234.5)]
    assert index.names() == ["main", "other"]
    assert index.forget("main")
    assert not index.forget("main")
    assert [repository.name for repository in index.repositories()] == ["other"]
    assert paths(index, "valv", names=("start",)) == ["a.py"]
    with pytest.raises(StoreError, match="'main' was removed"):
        index.write("main", Batch(files=[VALVE]))


def test_batch_that_fails_has_written_nothing(index: Index) -> None:
    broken = file("b.py", "def b():\n    pass\n")._replace(language=None)  # type: ignore[arg-type]  # on purpose
    with pytest.raises(StoreError):
        index.write(
            "main", Batch(files=[file("a.py", "def brandnew():\n    pass\n"), broken], removed=["web/style.ts"])
        )
    assert paths(index, names=("brandnew",)) == []
    assert "web/style.ts" in index.states("main")
    assert index.rarity(["brandnew"]) == {"brandnew": 0.0}


def test_what_one_wrote_another_finds(index: Index, opener: Opener) -> None:
    other = opener(create=False)
    assert paths(other, "pump") == ["src/pump/engine.py"]
    other.write("main", Batch(removed=["src/pump/engine.py"]))
    assert paths(index, "pump") == []
    assert index.name == other.name


def test_indexers_at_once_lose_nothing(opener: Opener) -> None:
    opener().begin("main", "/x")

    def write(number: int) -> None:
        index = opener(create=False)
        for batch in range(5):
            files = [file(f"d{number}/f{batch}-{n}.py", f"def shared_{number}():\n    word\n") for n in range(4)]
            index.write("main", Batch(files=[*files, file("same.py", f"def last():\n    {number}\n")]))

    threads = [threading.Thread(target=write, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    index = opener(create=False)
    assert index.repositories()[0][2:4] == (81, 81)
    assert index.rarity(["word"]) == {"word": 80 / 81}
    assert paths(index, names=("last",)) == ["same.py"]


def test_odd_text_comes_back_as_it_was(opener: Opener) -> None:
    index = opener()
    index.begin("main", "/x")
    text = "def naïve():\n    '中文字' \\ 'quote' \"double\" | & ! <-> : *\t\r\n    😀 $1 %s {}\n"
    index.write("main", Batch(files=[file("o'dd %_\\ päth.py", text), file("empty.py")]))
    (found,) = index.candidates(Sought(["中文"], ()), ANY, 10)
    assert index.contents([found.id]) == {found.id: text}
    assert found.path == "o'dd %_\\ päth.py"
    assert paths(index, "naïve") or paths(index, names=("naïve",))
    assert set(index.states("main")) == {"o'dd %_\\ päth.py", "empty.py"}


def test_index_that_is_not_there_is_told(opener: Opener) -> None:
    with pytest.raises(StoreError, match=r"is not there|there is no index"):
        opener(create=False)


def test_index_of_another_version_is_refused_and_made_anew_by_an_indexer(
    opener: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = opener()
    index.begin("main", "/x")
    monkeypatch.setattr("penstock.search.sqlite_file.VERSION", "2/x")
    if type(index).__name__ == "PostgresIndex":
        monkeypatch.setattr("penstock.search.postgres.VERSION", "2/x")
    with pytest.raises(StoreError, match="another version of Penstock: index the project again"):
        opener(create=False)
    assert opener().repositories() == []


def test_copy_has_all_that_the_original_has_and_is_brought_up_to_date(index: Index, tmp_path: Path) -> None:
    index.finish("main", 77.0)
    copy = SqliteIndex(tmp_path / "copy.sqlite", create=True)
    assert copied(index, copy) == 3
    assert copy.repositories() == index.repositories()
    assert list(copy.files("main")) == list(index.files("main"))
    assert paths(copy, "pressur") == ["src/valve.py"]
    assert copied(index, copy) == 0
    index.write("main", Batch(files=[file("new.py", "def fresh():\n    pass\n")], removed=["web/style.ts"]))
    assert copied(index, copy) == 1
    assert list(copy.files("main")) == list(index.files("main"))
    copy.close()


# -- vectors -----------------------------------------------------------------------------------------------------------

EAST, NORTH, BETWEEN = [1.0, 0.0], [0.0, 1.0], [0.6, 0.8]


def embedded(index: Index, model: str = "compass") -> dict[str, int]:
    """One vector a chunk; the chunks by their paths and first lines."""
    vectors = index.vectors(model)
    chunks = {f"{chunk.path}:{chunk.content.split()[1]}": chunk.id for chunk in vectors.missing(0, 99)}
    directions = (EAST, BETWEEN, NORTH, NORTH)
    vectors.add(dict(zip(chunks.values(), directions, strict=True)))
    return chunks


def near(
    index: Index, vector: list[float], filters: Filters = ANY, most: int = 10, model: str = "compass"
) -> list[int]:
    return [candidate.id for candidate in index.vectors(model).nearest(vector, filters, most)]


def test_nearest_come_first_and_equals_in_their_order(index: Index) -> None:
    first, second, third, fourth = embedded(index).values()
    assert near(index, EAST) == [first, second, third, fourth]
    assert near(index, NORTH) == [third, fourth, second, first]
    assert near(index, NORTH, most=1) in ([third], [fourth])
    found = index.vectors("compass").nearest(EAST, ANY, 1)[0]
    assert found == index.candidates(Sought((), ("open_valve",)), ANY, 1)[0]


def test_chunks_without_a_vector_are_told_once(index: Index) -> None:
    missing = index.vectors("compass").missing(0, 99)
    assert [chunk.id for chunk in missing] == sorted(chunk.id for chunk in missing)
    assert [(chunk.path, chunk.symbols, chunk.scope) for chunk in missing[:1]] == [
        ("src/valve.py", VALVE.chunks[0].symbols, VALVE.chunks[0].scope)
    ]
    assert missing[0].content == VALVE.chunks[0].content
    assert index.vectors("compass").missing(missing[1].id, 1) == [missing[2]]
    embedded(index)
    assert index.vectors("compass").missing(0, 99) == []
    assert len(index.vectors("another").missing(0, 99)) == 4


@pytest.mark.parametrize(
    ("filters", "wanted"),
    [
        (Filters(extension="TS"), {"web/style.ts"}),
        (Filters(language="python"), {"src/valve.py", "src/pump/engine.py"}),
        (Filters(directory="src/pump/"), {"src/pump/engine.py"}),
        (Filters(directory="sr"), set()),
        (Filters(repository="main", directory="web"), {"web/style.ts"}),
    ],
)
def test_filters_narrow_what_is_near(index: Index, filters: Filters, wanted: set[str]) -> None:
    embedded(index)
    found = index.vectors("compass").nearest(BETWEEN, filters, 10)
    assert {candidate.path for candidate in found} == wanted


def test_vectors_go_with_their_chunks(index: Index) -> None:
    chunks = embedded(index)
    index.write(
        "main", Batch(files=[file("src/valve.py", "def turn():\n    pass\n", number=2)], removed=["web/style.ts"])
    )
    assert set(near(index, EAST)) < set(chunks.values())
    assert [chunk.path for chunk in index.vectors("compass").missing(0, 99)] == ["src/valve.py"]
    assert index.forget("main")
    assert near(index, EAST) == []


def test_vector_of_a_chunk_that_is_gone_is_not_kept(index: Index) -> None:
    chunks = embedded(index)
    index.write("main", Batch(removed=["src/valve.py"]))
    before = near(index, EAST)
    index.vectors("compass").add({min(chunks.values()): EAST})
    assert near(index, EAST) == before


def test_query_of_another_length_is_the_fault_of_the_model(index: Index) -> None:
    assert near(index, [1.0, 0.0, 0.0]) == []
    embedded(index)
    with pytest.raises(UpstreamError, match=r"compass gave .* its vector has 3 numbers, and those of the index have 2"):
        near(index, [1.0, 0.0, 0.0])


def test_vector_that_points_nowhere_is_near_to_nothing(index: Index) -> None:
    first, second, *_ = (chunk.id for chunk in index.vectors("compass").missing(0, 99))
    index.vectors("compass").add({first: [0.0, 0.0], second: [-1.0, 0.0]})
    assert near(index, EAST) == [second]
    assert near(index, [0.0, 0.0]) == []
    assert first not in [chunk.id for chunk in index.vectors("compass").missing(0, 99)]


@pytest.mark.parametrize(("model", "vector"), [("another", EAST), ("compass", [1.0, 0.0, 0.0])])
def test_run_whose_vectors_another_one_replaced_does_not_replace_them_again(
    index: Index, model: str, vector: list[float]
) -> None:
    one, other = index.vectors("compass"), index.vectors(model)
    first, second, *_ = (chunk.id for chunk in one.missing(0, 99))
    one.add({first: EAST})
    other.add({first: vector})
    with pytest.raises(StoreError, match="another run makes vectors for this index now"):
        one.add({second: EAST}, anew=False)
    other.add({second: vector}, anew=False)
    assert near(index, vector, model=model) == [first, second]


def test_query_of_another_model_finds_nothing(index: Index) -> None:
    assert near(index, EAST) == []
    embedded(index)
    assert near(index, EAST, model="another") == []
    index.vectors("compass").add({})
    assert len(near(index, EAST)) == 4


def test_vectors_that_another_process_adds_are_found(opener: Opener) -> None:
    one, two = opener(), opener()
    one.begin("main", "/somewhere")
    one.write("main", Batch(files=[VALVE, PUMP, STYLE]))
    assert near(two, EAST) == []
    embedded(one)
    assert len(near(two, EAST)) == 4
