"""Whole records, best first, within the limits, and the pages that follow."""

from __future__ import annotations

import json
import math
import random
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.hurtful import Bytes, Jumpy
from penstock.core.limits import Limits
from penstock.core.records import Packed, SampledEstimate, Scored, by_field, pack
from penstock.core.tokens import Estimate, TokenCounter
from penstock.errors import CallerError, ContinuationError, LimitError, ResultError
from strategies import Fourths, json_values, texts, utf8_size

INFO_FIELDS = [
    "reason",
    "original_count",
    "returned_count",
    "estimated_chars",
    "limit_chars",
    "estimated_tokens",
    "limit_tokens",
]


def hits(count: int, size: int = 500) -> list[Scored]:
    """Search results of one length, the best one last."""
    return [
        Scored(
            place / count,
            {"path": f"src/file_{place:03d}.py", "start_line": place, "content": "x = call(y)\n" * (size // 12)},
        )
        for place in range(count)
    ]


def paths(packed: Packed) -> list[str]:
    return [result["path"] for result in packed.results]


def test_warnings_stand_in_the_response_before_its_own() -> None:
    packed = pack(hits(1, 5_000), limits=Limits(chars=2_000), warnings=["Half of it was not looked at."])
    assert packed.warnings[0] == "Half of it was not looked at."
    assert "Result 1 alone" in packed.warnings[1]
    assert json.loads(packed.text)["warnings"] == list(packed.warnings)
    assert pack(hits(1), warnings=["x"]).warnings == ("x",)
    assert json.loads(pack(hits(1), warnings=["x"]).text)["warnings"] == ["x"]


# -- what fits ---------------------------------------------------------------------------------------------------------


def test_results_that_fit_are_all_shown_best_first() -> None:
    packed = pack(hits(3))
    assert paths(packed) == ["src/file_002.py", "src/file_001.py", "src/file_000.py"]
    assert not packed.truncated and packed.continuation is None and packed.warnings == () and packed.notes == ()
    assert json.loads(packed.text) == packed.as_dict()
    assert list(packed.as_dict()) == ["results", "total_count", "returned_count", "truncated", "truncation_info"]
    assert packed.info.as_dict() == {
        "reason": None,
        "original_count": 3,
        "returned_count": 3,
        "estimated_chars": len(packed.text),
        "limit_chars": 80_000,
        "estimated_tokens": packed.info.estimated_tokens,
        "limit_tokens": 20_000,
    }
    assert packed.info.estimated_tokens == pytest.approx(Estimate().count(str(packed)), rel=0.02)


def test_no_results_are_a_response_too() -> None:
    packed = pack([])
    assert packed.results == () and not packed.truncated
    assert json.loads(packed.text)["truncation_info"]["original_count"] == 0


def test_equal_scores_keep_their_order_and_what_is_not_a_number_comes_last() -> None:
    scored = [Scored(score, {"path": str(place)}) for place, score in enumerate([0.5, math.nan, 0.9, 0.5, 0.5, 0.9])]
    assert paths(pack(scored)) == ["2", "5", "0", "3", "4", "1"]


def test_further_fields_stand_in_the_response_and_count() -> None:
    packed = pack(hits(2), extra={"project_id": "p-1", "latency_ms": 12})
    response = json.loads(packed.text)
    assert (response["project_id"], response["latency_ms"]) == ("p-1", 12)
    assert packed.info.estimated_chars == len(packed.text)


@pytest.mark.parametrize("name", ["results", "truncated", "continuation"])
def test_further_field_by_a_name_of_the_response_is_refused(name: str) -> None:
    with pytest.raises(CallerError, match=name):
        pack([], extra={name: 1})


def test_score_can_stand_in_the_record() -> None:
    records = [{"path": "a", "similarity_score": 0.2}, {"path": "b", "similarity_score": 1}]
    assert paths(pack(by_field(records))) == ["b", "a"]
    assert by_field([{"rank": 3}], "rank") == [Scored(3, {"rank": 3})]


@pytest.mark.parametrize("score", [None, True, "0.5"])
def test_record_without_a_number_as_its_score_is_named(score: Any) -> None:
    with pytest.raises(CallerError, match=r"record 1 has no number as its 'score'"):
        by_field([{"score": 1}, {"score": score}], "score")


@pytest.mark.parametrize("margin", [0, -0.1, 1.01, math.nan])
def test_margin_is_a_share(margin: float) -> None:
    with pytest.raises(LimitError, match="margin"):
        pack([], margin=margin)


def test_record_without_a_json_form_is_refused() -> None:
    with pytest.raises(ResultError):
        pack([Scored(1, {"content": object()})])


# -- what is cut -------------------------------------------------------------------------------------------------------


def test_over_the_characters_the_best_whole_results_are_shown() -> None:
    scored = hits(50, 2_000)
    packed = pack(scored, limits=Limits(chars=50_000))
    assert packed.info.reason == "character_limit"
    assert packed.info.limit_chars == 40_000 and packed.info.limit_tokens is None
    assert len(packed.text) == packed.info.estimated_chars <= 40_000
    # One more would not have fitted.
    assert len(packed.text) + len(json.dumps(scored[0].record, separators=(",", ":"))) + 1 > 40_000
    assert list(packed.results) == [hit.record for hit in reversed(scored)][: len(packed.results)]
    assert packed.truncated and json.loads(packed.text) == packed.as_dict()


def test_over_the_tokens_fewer_are_shown_than_the_characters_allow() -> None:
    packed = pack(hits(50, 2_000), limits=Limits(chars=100_000, tokens=6_000), counter=Fourths())
    assert packed.info.reason == "token_estimate"
    assert packed.info.limit_tokens == 4_800
    assert 4_200 < Fourths().count(packed.text) <= 4_800
    assert packed.info.estimated_tokens == pytest.approx(Fourths().count(packed.text), abs=3)


class Late(Bytes):
    """Sees that a response with a result is too large only once the numbers stand in it."""

    def count(self, text: str) -> int:
        return 10_000 if '"estimated_chars":0' not in text and '"path"' in text else 700


def test_tokens_that_only_the_finished_text_has_are_counted() -> None:
    for count in (0, 1, 3):
        packed = pack(hits(count), limits=Limits(tokens=1_000), counter=Late())
        assert packed.results == () and packed.info.estimated_tokens == 700
        assert packed.truncated == (count > 0)


def test_limit_on_bytes_counts_as_one_on_characters() -> None:
    scored = [Scored(1, {"path": str(place), "content": "中" * 500}) for place in range(20)]
    packed = pack(scored, limits=Limits(chars=50_000, bytes=10_000))
    assert packed.info.reason == "character_limit"
    assert 6_000 < utf8_size(packed.text) <= 8_000


def test_result_that_does_not_fit_ends_the_page_though_smaller_ones_follow() -> None:
    scored = [Scored(3, {"path": "a"}), Scored(2, {"path": "b", "content": "x" * 5_000}), Scored(1, {"path": "c"})]
    first = pack(scored, limits=Limits(chars=2_000))
    assert paths(first) == ["a"] and first.info.reason == "character_limit"
    second = pack(scored, limits=Limits(chars=2_000), continuation=first.continuation)
    assert paths(second) == ["b"] and second.info.reason == "single_result_too_large"
    third = pack(scored, limits=Limits(chars=2_000), continuation=second.continuation)
    assert paths(third) == ["c"] and not third.truncated and third.continuation is None


def test_margin_of_one_uses_the_whole_limit() -> None:
    packed = pack(hits(50, 2_000), limits=Limits(chars=50_000), margin=1)
    assert 47_000 < len(packed.text) <= 50_000


def test_sizes_are_within_a_fifth_of_the_json_that_others_write() -> None:
    packed = pack(hits(40))
    assert packed.info.estimated_chars == pytest.approx(len(json.dumps(packed.as_dict())), rel=0.2)


def test_truncation_is_worth_a_line_in_the_log() -> None:
    (note,) = pack(hits(50, 2_000), limits=Limits(chars=50_000)).notes
    assert note.level == "warning"
    assert note.text.startswith("results truncated: 50 -> 17 (34 %), ")
    assert " of 40,000 characters, about " in note.text and note.text.endswith(" tokens, character_limit")


@pytest.mark.parametrize(("limit", "said"), [(22_500, True), (26_500, False)])
def test_from_seventy_percent_of_the_limit_on_there_is_a_line_in_the_log(limit: int, said: bool) -> None:
    packed = pack(hits(24), limits=Limits(chars=limit))
    full = len(packed.text) / int(limit * 0.8)
    assert not packed.truncated and (0.7 <= full < 0.82) == said
    levels = [note.level for note in packed.notes]
    assert levels == (["info"] if said else [])
    assert not said or f"results fill {100 * full:.0f} % of their limit" in packed.notes[0].text


# -- one result that is too large --------------------------------------------------------------------------------------


def test_result_too_large_by_itself_is_shown_with_its_long_fields_cut_and_a_warning() -> None:
    content = "".join(f"line {number} of it\n" for number in range(9_000))
    scored = [Scored(0.9, {"path": "big.py", "start_line": 7, "content": content}), Scored(0.1, {"path": "small.py"})]
    packed = pack(scored, limits=Limits(chars=10_000))
    (result,) = packed.results
    assert (result["path"], result["start_line"]) == ("big.py", 7)
    head, _, tail = result["content"].partition("[... bytes ")
    assert content.startswith(head) and content.endswith(tail.partition("]")[2]) and len(head) > 3_000
    assert 7_900 < len(packed.text) <= 8_000
    assert packed.info.reason == "single_result_too_large" and packed.info.returned_count == 1
    assert packed.warnings == (
        "Result 1 alone is over the limit: its long fields are shown in part, with a mark for what is left out.",
    )
    assert json.loads(packed.text)["warnings"] == list(packed.warnings)
    assert [note.level for note in packed.notes] == ["warning", "warning"]
    assert paths(pack(scored, limits=Limits(chars=10_000), continuation=packed.continuation)) == ["small.py"]


def test_warning_is_in_the_language_asked_for() -> None:
    packed = pack([Scored(1, {"content": "x" * 9_000})], limits=Limits(chars=1_000), language="zh")
    assert "第 1 条结果" in packed.warnings[0]
    assert "[... 字节 " in packed.results[0]["content"]


def test_result_too_large_in_tokens_is_cut_too() -> None:
    scored = [Scored(1, {"path": "a", "content": "中" * 30_000})]
    packed = pack(scored, limits=Limits(tokens=2_000), counter=Bytes())
    assert packed.info.reason == "single_result_too_large"
    assert 1_500 < utf8_size(packed.text) <= 1_600


def test_result_too_large_however_it_is_cut_is_passed_over_with_a_warning() -> None:
    scored = [Scored(2, {"k" * 3_000: 1}), Scored(1, {"path": "b"})]
    packed = pack(scored, limits=Limits(chars=2_000))
    assert packed.results == () and packed.info.reason == "single_result_too_large"
    assert "Result 1 is over the limit even with its long fields cut" in packed.warnings[0]
    following = pack(scored, limits=Limits(chars=2_000), continuation=packed.continuation)
    assert paths(following) == ["b"] and following.skipped == 1


def test_result_that_is_no_mapping_is_cut_as_text() -> None:
    packed = pack([Scored(1, "x" * 9_000)], limits=Limits(chars=1_000))
    assert packed.results[0].startswith("xxx") and "[... bytes " in packed.results[0]


# -- limits too small for what is told beside --------------------------------------------------------------------------


def test_what_is_told_beside_the_results_gives_way_in_steps() -> None:
    scored = [Scored(-place, {"path": "x" * 60 + str(place)}) for place in range(9)]
    steps: dict[str, int] = {}
    for chars in range(1, 700):
        packed = pack(scored, limits=Limits(chars=chars), margin=1)
        assert packed.info.estimated_chars == len(packed.text) <= chars
        response = json.loads(packed.text) if packed.text else {}
        assert response == packed.as_dict()
        steps.setdefault(",".join(response), chars)
    assert list(steps) == [
        "",
        "results,truncated",
        "results,truncated,continuation",
        "results,total_count,returned_count,truncated,truncation_info,continuation",
    ]
    assert steps["results,truncated"] < 40 and steps["results,truncated,continuation"] < 170


def test_nothing_at_all_is_shown_where_nothing_fits() -> None:
    for scored in ([], hits(1)):
        packed = pack(scored, limits=Limits(chars=3))
        assert packed.text == "" and packed.results == () and packed.continuation is None
        assert packed.truncated == bool(scored)


def test_further_fields_that_take_all_the_room_give_way_to_results() -> None:
    packed = pack(hits(1), limits=Limits(chars=2_000), extra={"log": "x" * 5_000})
    assert paths(packed) == ["src/file_000.py"]
    assert list(packed.as_dict()) == ["results", "truncated"]


# -- pages -------------------------------------------------------------------------------------------------------------


def all_pages(scored: list[Scored], **options: Any) -> list[Packed]:
    pages = [pack(scored, **options)]
    while pages[-1].continuation is not None:
        pages.append(pack(scored, continuation=pages[-1].continuation, **options))
    return pages


def test_pages_together_show_every_result_once_in_order() -> None:
    scored = hits(50, 2_000)
    pages = all_pages(scored, limits=Limits(chars=30_000), query="needle")
    assert [path for page in pages for path in paths(page)] == [hit.record["path"] for hit in reversed(scored)]
    assert [page.skipped for page in pages] == [0, 10, 20, 30, 40]
    assert json.loads(pages[1].text)["skipped_count"] == 10
    assert [page.truncated for page in pages] == [True, True, True, True, False]
    assert all(page.info.original_count == 50 for page in pages)


def test_page_after_other_results_came_is_refused() -> None:
    scored = hits(50, 2_000)
    first = pack(scored, limits=Limits(chars=30_000), query="needle")
    better = [*scored, Scored(5.0, {"path": "new.py"})]
    with pytest.raises(ContinuationError, match="the results have changed"):
        pack(better, limits=Limits(chars=30_000), query="needle", continuation=first.continuation)


def test_page_of_another_query_is_refused() -> None:
    first = pack(hits(50, 2_000), limits=Limits(chars=30_000), query="needle")
    with pytest.raises(ContinuationError, match="belongs to another query"):
        pack(hits(50, 2_000), query="haystack", continuation=first.continuation)


def test_only_as_many_results_become_json_as_a_page_needs() -> None:
    asked = []

    class Watched(dict[str, Any]):
        def items(self) -> Any:
            asked.append(self["path"])
            return super().items()

    scored = [Scored(-place, MappingProxyType(Watched(hit.record))) for place, hit in enumerate(hits(500, 2_000))]
    pack(scored, limits=Limits(chars=20_000))
    assert len(set(asked)) < 12


# -- whatever comes in -------------------------------------------------------------------------------------------------

records = st.one_of(
    st.dictionaries(st.sampled_from(["path", "content", "context", "n", "è", "\ud800"]), json_values, max_size=5),
    st.builds(lambda path, content, line: {"path": path, "content": content, "line": line},
              st.text(max_size=12), texts(3_000), st.integers()),
    st.builds(lambda path, inner: {"path": path, "chunk": {"body": inner, "also": [inner]}},
              st.text(max_size=5), texts(900)),
)  # fmt: skip
scores = st.one_of(st.sampled_from([0.1, 0.5, 0.9]), st.floats(), st.integers(-3, 3))
scored_lists = st.lists(st.builds(Scored, scores, records), max_size=12)
limit_values = st.one_of(st.none(), st.integers(1, 600), st.integers(600, 9_000))
all_limits = st.builds(Limits, chars=limit_values, lines=st.just(None), bytes=limit_values, tokens=limit_values)
counters: st.SearchStrategy[TokenCounter] = st.sampled_from(
    [Fourths(), Bytes(), Jumpy(), SampledEstimate(), Estimate()]
)


def decoded(value: Any) -> Any:
    """What a record is once it has been JSON: keys are text, what is not a number is null."""
    return json.loads(json.dumps(value), parse_constant=lambda _: None)


@given(scored_lists, all_limits, counters, st.sampled_from([0.8, 1.0, 0.33]))
def test_response_is_within_every_limit_and_is_json(
    scored: list[Scored], limits: Limits, counter: TokenCounter, margin: float
) -> None:
    packed = pack(scored, limits=limits, counter=counter, margin=margin, query="q", extra={"project_id": "p"})
    allowed = limits.part(margin)
    assert allowed.chars is None or len(packed.text) <= allowed.chars
    assert allowed.bytes is None or utf8_size(packed.text) <= allowed.bytes
    assert allowed.tokens is None or counter.count(packed.text) <= allowed.tokens
    assert packed.text.count("\n") == 0
    assert packed.info.estimated_chars == len(packed.text)
    assert list(packed.info.as_dict()) == INFO_FIELDS
    response = json.loads(packed.text) if packed.text else {"results": []}
    shown = response["results"]
    best = [hit.record for hit in sorted(scored, key=lambda hit: -hit.score if hit.score == hit.score else math.inf)]
    assert packed.truncated == (packed.info.reason is not None)
    if packed.info.reason == "single_result_too_large":
        assert len(shown) <= 1 and packed.warnings
    else:
        assert shown == decoded(best[: len(shown)])
        assert packed.truncated == (len(shown) < len(scored))
    assert packed.info.returned_count == len(shown) == len(packed.results)


@given(scored_lists, st.integers(300, 4_000), st.integers(0, 2**32))
def test_pages_pass_over_nothing_and_repeat_nothing_though_equals_change_places(
    scored: list[Scored], chars: int, seed: int
) -> None:
    # Every result can be told from every other.
    told = [Scored(hit.score, {"path": str(place), **hit.record}) for place, hit in enumerate(scored)]
    named = [Scored(score, {**record, "path": str(place)}) for place, (score, record) in enumerate(told)]
    order = random.Random(seed)
    seen: list[str] = []
    continuation = None
    while True:
        order.shuffle(named)
        page = pack(named, limits=Limits(chars=chars), margin=1, continuation=continuation)
        assert page.skipped == len(seen)
        best = sorted(
            (hit for hit in named if hit.record["path"] not in seen),
            key=lambda hit: -hit.score if hit.score == hit.score else math.inf,
        )
        # A result that is too large to be shown is passed over, and counts as seen.
        seen += [hit.record["path"] for hit in best[: max(1, len(page.results))]]
        if page.info.reason != "single_result_too_large":
            assert [hit["path"] for hit in page.results] == [hit.record["path"] for hit in best[: len(page.results)]]
        continuation = page.continuation
        if continuation is None:
            break
    assert sorted(seen) == sorted(hit.record["path"] for hit in named)


def test_hundred_thousand_results_take_time_in_proportion() -> None:
    scored: list[Scored] = [Scored(0.5, {"n": place}) for place in range(100_000)]
    packed = pack(scored, limits=Limits(chars=100_000, tokens=5_000))
    assert packed.info.reason == "token_estimate" and len(packed.results) > 500
    assert packed.info.original_count == 100_000
