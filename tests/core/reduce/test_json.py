"""What of JSON is shown: its shape, what is asked for, errors, what is rare or far out, and as many records as fit."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from bench.anomalies import Layout, records

from penstock.core.content import Content, Hole, Span, content_of_bytes, content_of_text
from penstock.core.flow import Case, bound
from penstock.core.limits import Limits
from penstock.core.measure import Size
from penstock.core.policy import Policy
from penstock.core.reduce import sample_of
from penstock.core.reduce.contract import Ask, Room, Sample
from penstock.core.reduce.json import JSON, fit
from penstock.core.view import View

SLUICES: list[dict[str, Any]] = [
    {
        "id": f"sl-{n:04d}", "keeper": ["ada", "bo", "cy"][n % 3], "state": "open", "litres": 500 + n * 37 % 90,
        "note": f"checked in round {n % 9}, all is well", "at": {"x": n, "y": n * 3}, "error": None,
    }
    for n in range(1_000)
]  # fmt: skip


def changed(numbers: dict[int, dict[str, Any]]) -> list[dict[str, Any]]:
    return [sluice | numbers.get(n, {}) for n, sluice in enumerate(SLUICES)]


def view_of(value: Any, chars: int = 6_000, query: str = "", indent: int | None = 2, layout: Any = "auto") -> View:
    text = value if isinstance(value, str) else json.dumps(value, indent=indent)
    view = bound(Case(content_of_text(text), Policy(Limits(chars=chars), layout=layout), "chars", query=query))
    assert view.kind == "json"
    assert len(view.text) <= chars
    return view


@pytest.mark.parametrize("layout", ["one line", "pretty", "ndjson"])
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("asked", [False, True])
def test_error_outlier_and_rare_category_in_a_megabyte_are_all_shown(layout: Layout, seed: int, asked: bool) -> None:
    planted = records(seed, layout)
    assert planted.lost(view_of(planted.text, 16_000, planted.query if asked else "").text) == []
    assert planted.lost(view_of(planted.text, 16_000, planted.query if asked else "", layout="verbatim").text) == []


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("layout", ["auto", "verbatim"])
def test_record_that_is_asked_for_is_shown_with_its_keys(indent: int | None, layout: str) -> None:
    for value in (SLUICES, {"items": SLUICES, "next": None}, {sluice["id"]: sluice for sluice in SLUICES}):
        text = view_of(value, query="details of sluice sl-0717", indent=indent, layout=layout).text
        assert '"id":"sl-0717","keeper":"ada"' in "".join(text.split())


def test_shape_first_and_last_records_are_shown() -> None:
    text = view_of({"status": "ok", "items": SLUICES, "next": "page-2"}, layout="verbatim").text
    assert text.startswith('{\n  "status": "ok",\n  "items": [\n    {\n      "id": "sl-0000"')
    assert '"id": "sl-0999"' in text and text.index('"next": "page-2"') > text.index("sl-0999")


def test_long_words_before_the_records_are_shown_in_part() -> None:
    log = "".join(f"a line of log, number {n}\n" for n in range(300))
    body = json.dumps(SLUICES * 3, indent=2) + "\n"
    for layout in ("auto", "verbatim"):
        text = view_of(log + body + log, layout=layout).text
        assert text.startswith("a line of log, number 0\na line of log, number 1\n") and "sl-0000" in text
        assert "number 299\n[Truncated" in text
    assert "sl-0000" in view_of("{" + '"a":"' + "x" * 900 + '","items":' + json.dumps(SLUICES) + "}").text


def test_every_error_is_shown_while_there_is_room() -> None:
    bad = {n: {"state": "failed", "error": f"no water in {n}"} for n in range(100, 120)}
    text = view_of(changed(bad), 12_000).text
    assert all(f"no water in {n}" in text for n in bad)


def test_question_does_not_lose_the_errors() -> None:
    text = view_of(changed({400: {"error": "no water"}}), query="what does keeper cy note of sluice sl-0900?").text
    assert "no water" in text and "sl-0900" in text


def test_keys_are_shown_once_where_more_records_fit() -> None:
    compact, verbatim = view_of(SLUICES), view_of(SLUICES, layout="verbatim")
    assert "keys: {id,keeper,state,litres,note,at:{x,y},error}\n" in compact.text
    assert '#1 {"sl-0000","ada","open",500,"checked in round 0, all is well",{0,0},null}\n' in compact.text
    assert "Layout changed: keys that repeat are shown once" in compact.text
    assert "keys:" not in verbatim.text and "ayout" not in verbatim.text
    assert compact.text.count("sl-") > 2 * verbatim.text.count("sl-")


def test_wrapper_stands_before_the_rows() -> None:
    assert view_of({"page": 1, "items": SLUICES}).text.startswith('{\n  "page": 1,\n  "items": [\nkeys: {id,')


def test_hidden_records_are_counted_in_both_layouts() -> None:
    for layout in ("auto", "verbatim"):
        view = view_of(SLUICES, 8_000, layout=layout)
        shown = sum(f'"sl-{n:04d}"' in view.text for n in range(1_000))
        hidden = sum(gap.tally.many for gap in view.gaps if gap.tally)
        assert shown - 1 <= 1_000 - hidden <= shown
        assert f"hidden: {hidden:,} records" in view.text


def test_records_that_are_all_different_keep_their_keys() -> None:
    value = [{f"{n}-{k}": "some words" for k in range(3)} for n in range(300)]
    assert '#2 {"1-0":"some words","1-1":"some words","1-2":"some words"}\n' in view_of(value, 3_000).text


def test_header_that_would_fill_the_room_is_not_shown() -> None:
    value = [{f"a_very_long_name_of_a_field_{k}": n for k in range(90)} for n in range(50)]
    assert "keys:" not in view_of(value, 2_000).text
    assert "keys:" in view_of(value, 16_000).text


def test_large_record_that_is_asked_for_is_shown_by_the_fields_that_speak_of_it() -> None:
    large = [{f"field {k} of {n}": f"some words, number {k * n}" for k in range(300)} for n in range(9)]
    large[4]["place of the spare key"] = "under the third stone"
    for indent in (None, 1):
        text = view_of(large, 3_000, query="where is the spare key?", indent=indent).text
        assert '"place of the spare key": "under the third stone"' in text
    many = [{f"{'spare key' if k % 3 == 0 else 'door'} {k} of {n}": f"stone {k}" for k in range(400)} for n in range(9)]
    many += [{"a": "b"}] * 12
    assert view_of(many, 2_000, query="where is the spare key?", indent=2).text.count("spare key") > 8


def test_field_of_a_very_large_line_is_found() -> None:
    line = json.dumps(
        {"words": ["some words"] * 20_000, "spare": {"key": "under the stone"}, "more": ["words"] * 9_000}
    )
    text = view_of(f"{line}\n" + '{"a":1}\n' * 50, 3_000, query="where is the spare key?").text
    assert "under the stone" in text


def test_long_string_is_shown_by_both_ends_and_where_it_speaks_of_the_question() -> None:
    log = "it begins " + "x " * 4_000 + "the valve is stuck" + " y" * 4_000 + " it ends"
    value = [*SLUICES[:9], {"id": "report", "log": log}, *SLUICES[9:20]]
    view = view_of(value, 4_000, query="which valve is stuck?")
    assert "it begins" in view.text and "it ends" in view.text and "the valve is stuck" in view.text
    assert "it begins" in view_of(value, 4_000).text


@pytest.mark.parametrize("layout", ["auto", "verbatim"])
def test_long_string_is_cut_between_whole_characters(layout: str) -> None:
    family = "\N{MAN}\N{ZERO WIDTH JOINER}\N{WOMAN}\N{ZERO WIDTH JOINER}\N{GIRL}"
    value = [*SLUICES[:30], {"id": "report", "log": family * 400}, *SLUICES[30:]]
    text = json.dumps(value, ensure_ascii=False)
    view = view_of(text, 5_000, query="report", layout=layout)
    start = view.text.index('"log"')
    shown = view.text[start:].split("[...")[0].removeprefix('"log": "').removeprefix('"log":"').rstrip()
    assert shown and shown == family * (len(shown) // len(family))


def test_answer_that_is_in_no_list_is_shown_verbatim() -> None:
    value = {"about": {"spare key": "under the third stone", "more": "x" * 500}, "items": SLUICES}
    view = view_of(value, 4_000, query="where is the spare key?")
    assert "under the third stone" in view.text and "keys:" not in view.text


def test_row_too_large_for_the_room_is_passed_over() -> None:
    value = [{"id": n, "text": ("word " * 3_000 if n in (0, 3) else "short")} for n in range(200)]
    text = view_of(value, 3_000).text
    assert '#200 {199,"short"}' in text and "#1 {" in text and "bytes" in text


def test_rows_that_cannot_be_taken_apart_are_passed_over() -> None:
    deep: Any = 1
    for _ in range(60):
        deep = [deep]
    value = [{"id": n, "deep": deep, "note": "some more words of it"} for n in range(60)]
    assert view_of(value, 3_000).text.startswith('[\n  {\n    "id": 0,\n    "deep": [\n      [\n')
    some = [{"id": n, "deep": deep if n == 30 else 1, "n": "words and words"} for n in range(300)]
    assert "keys: {id,deep" in view_of(some, 3_000).text


def test_json_that_is_broken_off_shows_its_records() -> None:
    text = json.dumps({"items": changed({200: {"error": "no water"}})}, indent=2)[:90_000]
    assert "no water" in view_of(text).text


def test_lines_of_json_with_lines_of_log_between_are_shown() -> None:
    lines = [json.dumps(sluice) for sluice in changed({200: {"error": "no water"}})]
    lines[10] = "2026-03-01 a line of log"
    lines[20] = '{"broken": '
    lines[30] = "[1, 2]"
    assert "no water" in view_of("\n".join(lines)).text


def test_content_with_a_hole_keeps_it() -> None:
    data = json.dumps(SLUICES, indent=2).encode()
    content = Content(data, Size(len(data), 9_000, len(data)), holes=(Hole(5_000, 400, 9, ends_line=True),))
    view = bound(Case(content, Policy(Limits(chars=4_000)), "chars"))
    assert view.kind == "json" and any(gap.stop - gap.start >= 400 for gap in view.gaps)


@pytest.mark.parametrize(
    ("text", "least"),
    [
        ('{"a": {"b": 1}, "c": "d"}', 0.9),
        ('[{"a": 1}, {"a": 2}]', 0.9),
        ("[1, 2, 3, 4, 5, 6]", 0.9),
        ('\ufeff{"a": 1}', 0.9),
        ('GET /a\n{"a": 1, "b": 2}\n', 0.7),
        ('{"a prose of sorts" ' + "and more words " * 90, 0.4),
    ],
)
def test_json_is_told(text: str, least: float) -> None:
    assert fit(sample_of(content_of_text(text), "text")) >= least


@pytest.mark.parametrize(
    "text", ["", "[12:00] it starts\n[12:01] it ends\n", "[INFO] a\n", "{ x }", "plain\n", 'a "word": b\n{"a":1}']
)
def test_what_is_no_json_is_left_to_others(text: str) -> None:
    assert fit(sample_of(content_of_text(text), "text")) == 0


def test_json_that_its_sender_calls_so_is_taken_for_it() -> None:
    assert fit(Sample(b"17", "json")) > 0.95


def test_json_whose_middle_is_something_else_is_less_sure() -> None:
    assert fit(Sample(b'{"a": 1, "b": 2}', "text", middle=b"plain words of text\n" * 9)) < 0.6


def test_ten_times_as_many_records_take_about_ten_times_as_long() -> None:
    def seconds(count: int) -> float:
        content = content_of_bytes(json.dumps(SLUICES * count).encode())
        best = 99.0
        for _ in range(3):
            began = time.process_time()
            JSON.reduce(content, Ask("sl-0717")).choose(Room(8_000, None, None, Size(20, 1, 20)))
            best = min(best, time.process_time() - began)
        return best

    assert seconds(100) < 25 * seconds(10)


def test_hardly_anything_is_shown_all_the_same() -> None:
    for data in (b"", b"[]", b'"' * 40, b"{" * 40, b'{"a":1}', b"[" + b'{"a":1},' * 4, b"17"):
        content = content_of_bytes(data)
        choice = JSON.reduce(content, Ask("a")).choose(Room(900, None, None, Size(20, 1, 20)))
        assert choice.spans == ([Span(0, len(data))] if data else [])
