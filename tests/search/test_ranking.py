from __future__ import annotations

from penstock.search.contract import Candidate
from penstock.search.query import analysed, weights
from penstock.search.ranking import ranked


def candidate(path: str, bm25: float = 1.0, *symbols: str, line: int = 1) -> Candidate:
    return Candidate(line, "code", path, "python", line, line + 9, symbols, (), bm25)


def order(query: str, *candidates: Candidate) -> list[str]:
    asked = analysed(query)
    rarity = dict.fromkeys(asked.words, 0.01)
    return [one.candidate.path for one in ranked(asked, weights(asked, rarity), candidates)]


def test_definition_of_a_name_goes_before_its_uses() -> None:
    assert order("Router", candidate("uses.py", 9.0), candidate("other.py", 1.0, "Router"))[0] == "other.py"


def test_exact_name_goes_before_one_in_another_case() -> None:
    assert order("Router", candidate("a.py", 1.0, "router"), candidate("b.py", 1.0, "Router"))[0] == "b.py"


def test_name_written_in_a_sentence_helps_its_definition() -> None:
    found = order("how load_all reads", candidate("a.py", 1.0), candidate("b.py", 0.9, "load_all"))
    assert found[0] == "b.py"


def test_file_that_is_called_after_the_question_goes_first() -> None:
    assert order("route matching", candidate("tree.py", 5.0), candidate("router.py", 3.0))[0] == "router.py"


def test_name_that_says_more_than_was_asked_helps_less() -> None:
    found = order("router", candidate("router_group_options.py", 3.0), candidate("router.py", 3.0))
    assert found[0] == "router.py"


def test_name_counts_less_where_the_text_says_little() -> None:
    text = [candidate("task.py", 5.0), candidate("task.py", 4.0, line=11)]
    assert order("lock of the pool while workers wait", candidate("lock.py", 0.2), *text)[0] == "task.py"
    assert order("lock of the pool while workers wait", candidate("lock.py", 2.0), *text)[0] == "lock.py"


def test_abbreviated_file_name_counts() -> None:
    assert order("websocket client", candidate("pool.py", 3.0), candidate("client_ws.py", 3.0))[0] == "client_ws.py"


def test_file_with_many_hits_goes_before_one_with_one() -> None:
    many = [candidate("many.py", 2.0, line=line) for line in (1, 11, 21)]
    assert order("alpha beta", candidate("one.py", 2.2), *many)[0] == "many.py"


def test_tests_follow_the_code() -> None:
    assert order("router", candidate("tests/test_router.py", 3.0), candidate("router.py", 2.0))[0] == "router.py"


def test_tests_that_are_asked_for_stand_with_the_code() -> None:
    found = order("tests of the router", candidate("tests/test_router.py", 3.0), candidate("router.py", 2.0))
    assert found[0] == "tests/test_router.py"


def test_different_files_come_before_the_next_chunk_of_one() -> None:
    several = [candidate("a.py", 5.0, line=line) for line in (1, 11, 21)]
    assert order("alpha", *several, candidate("b.py", 4.0))[:2] == ["a.py", "b.py"]


def test_what_a_vector_finds_is_added_by_its_place() -> None:
    asked = analysed("how pressure is let off")
    weighed = weights(asked, dict.fromkeys(asked.words, 0.01))
    by_words = [candidate("a.py", 2.0, line=1), candidate("b.py", 1.9, line=2)]
    near = [candidate("b.py", 0.0, line=2), candidate("c.py", 0.0, line=3), candidate("d.py", 0.0, line=4)]
    best = ranked(asked, weighed, by_words, near)
    assert [one.candidate.path for one in best] == ["b.py", "a.py", "c.py", "d.py"]
    assert best[0].candidate.bm25 == 1.9
    alone = ranked(asked, weights(asked, {}), [], near)
    assert [one.candidate.path for one in alone] == ["b.py", "c.py", "d.py"]
    assert alone[0].similarity > alone[1].similarity > 0


def test_equals_come_in_the_order_of_their_places() -> None:
    assert order("x", candidate("b.py"), candidate("a.py"), candidate("c.py")) == ["a.py", "b.py", "c.py"]


def test_similarity_falls_from_one_result_to_the_next_and_is_a_share() -> None:
    asked = analysed("alpha beta")
    candidates = [candidate(f"f{n}.py", float(n)) for n in range(1, 20)]
    told = [one.similarity for one in ranked(asked, weights(asked, dict.fromkeys(asked.words, 0.1)), candidates)]
    assert told == sorted(told, reverse=True)
    assert 0 < told[-1] <= told[0] < 1


def test_similarity_is_less_where_half_of_the_question_is_unknown() -> None:
    asked = analysed("alpha zebra")
    whole = ranked(asked, weights(asked, dict.fromkeys(asked.words, 0.1)), [candidate("a.py")])
    half = ranked(asked, weights(asked, {"alpha": 0.1}), [candidate("a.py")])
    assert half[0].similarity < whole[0].similarity


def test_nothing_found_is_nothing() -> None:
    assert order("alpha") == []
