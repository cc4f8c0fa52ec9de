"""What holds for every format: however the text is cut, whatever stands around, and nothing of prose is eaten."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.stream.feeding import called, fed, letters, shown
from core.stream.samples import OWN_NAME, WRITERS, Call
from penstock.core.stream import Text
from penstock.core.stream.formats import ALL

FULL: dict[str, Any] = {
    "path": "a.py",
    "text": 'x < y & "q" \\ done\nnext',
    "n": 3,
    "ok": True,
    "list": [1, "two"],
    "o": {"k": "v"},
}
FORMATS = sorted(WRITERS)
# How a value is cut off where it holds what ends it is no fault of the filter.
VALUES = st.text(
    st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="<>[]{}|｜`"), min_size=1, max_size=30
)
PLAIN = VALUES.map(lambda value: "v" + value)


def two(name: str) -> list[Call]:
    own = OWN_NAME.get(name)
    return [(own or "write", FULL), (own or "get_weather", {"city": "Köln 🙂"})]


@pytest.mark.parametrize("name", FORMATS)
def test_calls_of_a_format_are_found_and_the_text_around_them_is_kept(name: str) -> None:
    calls = two(name)
    events = fed(f"Before. \n{WRITERS[name](calls)}\nAfter `x`.")
    assert called(events) == calls
    assert shown(events) == "Before. \n\nAfter `x`."


def short(name: str) -> list[Call]:
    return [(OWN_NAME.get(name, "f"), {"a": 'x<"y', "n": 3}), (OWN_NAME.get(name, "g"), {"b": "🙂"})]


@pytest.mark.parametrize("name", FORMATS)
def test_events_do_not_depend_on_where_the_text_is_cut(name: str) -> None:
    text = f"A.\n{WRITERS[name](short(name))} B."
    whole = fed(text)
    assert called(whole) == short(name)
    assert fed(text, letters(text)) == whole
    for cut in letters(text):
        assert fed(text, [cut]) == whole, cut


@pytest.mark.parametrize("name", FORMATS)
def test_a_stream_that_ends_anywhere_loses_nothing_and_depends_on_no_cut(name: str) -> None:
    text = WRITERS[name](short(name))
    for stop in range(0, len(text), 11):
        assert fed(text[:stop], letters(text[:stop])) == fed(text[:stop]), stop


@pytest.mark.parametrize("name", FORMATS)
@settings(max_examples=5, deadline=None)
@given(data=st.data())
def test_generated_calls_come_through_random_cuts(name: str, data: st.DataObject) -> None:
    tool = OWN_NAME.get(name, "tool")
    count = data.draw(st.integers(1, 3))
    calls = [(tool, {"a": data.draw(PLAIN), "b": data.draw(st.integers(-9, 9))}) for _ in range(count)]
    text = WRITERS[name](calls)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=8)))
    whole = fed(text)
    assert [(name, {**given, "a": given["a"].strip()}) for name, given in called(whole)] == [
        (name, {**given, "a": given["a"].strip()}) for name, given in calls
    ]
    assert fed(text, cuts) == whole


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("around", ["Write `{}` to call it.", "Write ``{}`` to call it.", "So:\n```\n{}\n```\nDone."])
def test_an_example_in_code_is_text_and_the_text_goes_on(name: str, around: str) -> None:
    example = WRITERS[name](two(name)[1:])
    text = f"{around.format(example)} Then go on.\n\nMore text."
    assert fed(text) == [Text(text, 0, len(text))]
    assert fed(text, letters(text)) == [Text(text, 0, len(text))]


@pytest.mark.parametrize("opener", sorted({opener for known in ALL if known.default for opener in known.openers}))
def test_a_sentence_that_mentions_a_marker_is_text_and_goes_on(opener: str) -> None:
    text = f"The model writes {opener} and then the rest of it. That is all, {opener} it said.\n\nMore text."
    assert fed(text) == [Text(text, 0, len(text))]
    assert fed(text, letters(text)) == [Text(text, 0, len(text))]


@pytest.mark.parametrize("name", FORMATS)
def test_a_call_to_a_tool_that_is_not_declared_is_text(name: str) -> None:
    example = WRITERS[name](two(name)[1:])
    assert called(fed(f"So. {example}", tools=["other"])) == []


@pytest.mark.parametrize("name", FORMATS)
def test_a_declared_tool_is_called(name: str) -> None:
    calls = two(name)
    assert called(fed(WRITERS[name](calls), tools=[call[0] for call in calls])) == calls


@settings(max_examples=150, deadline=None)
@given(
    pieces=st.lists(
        st.sampled_from(
            [opener for known in ALL for opener in known.openers]
            + [
                "</tool_call>",
                '{"name": "f", ',
                '"arguments": {',
                '"a": 1}}',
                "f",
                "\n",
                " ",
                "`",
                "```\n",
                '"',
                "}",
                "]",
            ]
            + ["</function>", "<parameter=a>", "</parameter>", "(a=", "1)", "\\", "\ud83d", "x y"]
        ),
        max_size=12,
    ),
    cuts=st.lists(st.integers(0, 200), max_size=6),
)
def test_any_heap_of_markers_gives_the_same_events_in_any_cut(pieces: list[str], cuts: list[int]) -> None:
    text = "".join(pieces)
    whole = fed(text)
    assert fed(text, sorted(min(cut, len(text)) for cut in cuts)) == whole
    assert fed(text, letters(text)) == whole
