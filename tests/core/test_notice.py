"""The words to the model."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.hurtful import HANDLE, PATH
from penstock.core.census import Census
from penstock.core.measure import Size, measure
from penstock.core.notice import (
    READ_LESS,
    SUMMARY_MISSING,
    Facts,
    Step,
    gap_mark,
    usual_mark,
    widest,
    widest_mark,
    write,
)
from penstock.core.policy import LANGUAGES, READERS, Language, Reader

FACTS = Facts(
    total=Size(240_000, 4_000, 240_000),
    shown=Size(6_000, 100, 6_000),
    hidden=Census(3, 1),
    reader="penstock",
    language="en",
    handle=HANDLE,
    path=PATH,
    first_hidden_line=51,
    first_hidden_byte=3_000,
)


@pytest.mark.parametrize(
    ("reader", "hint"),
    [
        (
            "penstock",
            f' The whole is kept: call read_output(handle="{HANDLE}", start=51) for more lines, or'
            f' grep_output(handle="{HANDLE}", pattern="...") to search it.',
        ),
        ("files", f" The whole is in {PATH}: use Read with offset 51 and a limit, or Grep, on that file."),
        ("task", f" The whole is in {PATH}: use Task to have a subagent process that file instead of reading it here."),
        (
            "cli",
            f" The whole is kept: penstock read {HANDLE} --start 51 shows more lines, penstock grep {HANDLE} PATTERN"
            " searches it.",
        ),
        ("none", ""),
    ],
)
def test_notice_says_what_is_hidden_and_how_this_reader_gets_it(reader: Reader, hint: str) -> None:
    assert write(replace(FACTS, reader=reader), Step.FULL) == (
        f"[Truncated: 100 of 4,000 lines shown, 6,000 of 240,000 bytes; hidden: 3 errors, 1 warning.{hint}]"
    )


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("reader", READERS)
def test_notice_for_the_inside_of_a_line_speaks_of_bytes(language: Language, reader: Reader) -> None:
    facts = replace(FACTS, language=language, reader=reader, first_hidden_line=None)
    told = write(facts, Step.FULL)
    if reader in ("penstock", "cli"):
        assert "3000" in told and HANDLE in told
    assert "None" not in told and ("51" not in told)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("step", list(Step))
def test_notice_names_only_what_its_reader_can_use(language: Language, reader: Reader, step: Step) -> None:
    told = write(replace(FACTS, language=language, reader=reader), step)
    said = step in (Step.FULL, Step.SHORT)
    assert (HANDLE in told) == (said and reader in ("penstock", "cli"))
    assert (PATH in told) == (said and reader in ("files", "task"))
    for facts in (
        replace(FACTS, language=language, reader=reader, kept=False, handle=None, path=None),
        replace(FACTS, language=language, reader="files", path=None),
        replace(FACTS, language=language, reader="cli", handle=None),
    ):
        told = write(facts, step)
        assert HANDLE not in told and PATH not in told and "None" not in told and "{" not in told


def test_notice_of_what_was_not_kept_says_so() -> None:
    lost = replace(FACTS, kept=False, handle=None, path=None)
    assert write(lost, Step.FULL).endswith("1 warning. The rest was not kept.]")
    assert write(lost, Step.SHORT) == "[Truncated: 6,000 of 240,000 bytes shown; the rest was not kept]"
    assert "未保存" in write(replace(lost, language="zh"), Step.FULL)
    assert "未保存" in write(replace(lost, language="zh"), Step.SHORT)


def test_notice_of_one_line_does_not_speak_of_lines() -> None:
    one = replace(FACTS, total=Size(100, 1, 100), shown=Size(50, 1, 50), hidden=Census())
    assert write(replace(one, reader="none"), Step.FULL) == "[Truncated: 50 of 100 bytes shown.]"
    assert "行" not in write(replace(one, reader="none", language="zh"), Step.FULL)


def test_short_notice_says_where_the_whole_is() -> None:
    assert write(FACTS, Step.SHORT) == f"[Truncated: 6,000 of 240,000 bytes shown; {HANDLE}]"
    assert write(replace(FACTS, reader="none"), Step.SHORT) == "[Truncated: 6,000 of 240,000 bytes shown]"


def test_notice_gives_way_to_a_mark_and_to_nothing() -> None:
    assert [write(FACTS, Step.BARE), write(FACTS, Step.NOTHING)] == ["[truncated]", ""]
    assert write(replace(FACTS, language="zh"), Step.BARE) == "[已截断]"


def test_remark_stands_before_the_hint() -> None:
    for language in LANGUAGES:
        told = write(replace(FACTS, remark=SUMMARY_MISSING[language], language=language), Step.FULL)
        assert told.index(SUMMARY_MISSING[language]) < told.index(HANDLE)
        assert READ_LESS[language]


def test_count_that_stopped_is_told_as_at_least() -> None:
    told = write(replace(FACTS, hidden=Census(1_000, 0, complete=False)), Step.FULL)
    assert "hidden: at least 1,000 errors." in told
    told = write(replace(FACTS, language="zh", hidden=Census(1_000, 0, complete=False)), Step.FULL)
    assert "隐藏部分含 至少 1,000 处错误" in told
    assert gap_mark("en", 5, 9, Census(7, 7, complete=False), by_bytes=False) == "[... 5-9, at least 7 errors]"
    assert gap_mark("en", 5, 5, Census(0, 7), by_bytes=True) == "[... bytes 5]"


counts = st.integers(0, 10**12)
sizes = st.builds(Size, counts, counts, counts)


@given(sizes, st.sampled_from(READERS), st.sampled_from(LANGUAGES), st.data(), st.sampled_from(list(Step)))
def test_no_notice_is_wider_than_the_widest(
    total: Size, reader: Reader, language: Language, draw: st.DataObject, step: Step
) -> None:
    part = draw.draw(st.floats(0, 1))
    facts = replace(FACTS, total=total, reader=reader, language=language, kept=draw.draw(st.booleans()))
    real = replace(
        facts,
        shown=Size(*(int(n * part) for n in (total.chars, total.lines, total.bytes))),
        hidden=Census(draw.draw(st.integers(0, 2_000)), draw.draw(st.integers(0, 2_000)), draw.draw(st.booleans())),
        first_hidden_line=draw.draw(st.none() | st.integers(1, max(1, total.lines))),
        first_hidden_byte=draw.draw(st.integers(0, total.bytes)),
    )
    most, told = measure(widest(facts, step)), measure(write(real, step))
    assert told.chars <= most.chars and told.bytes <= most.bytes and told.lines == most.lines <= 1


@given(sizes, st.sampled_from(LANGUAGES), st.integers(0, 2_000), st.booleans(), st.data())
def test_no_mark_is_wider_than_the_widest(
    total: Size, language: Language, errors: int, complete: bool, draw: st.DataObject
) -> None:
    by_bytes = draw.draw(st.booleans())
    last = draw.draw(st.integers(0, total.bytes if by_bytes else total.lines))
    mark = measure(gap_mark(language, last // 2, last, Census(errors, 0, complete), by_bytes=by_bytes))
    most = measure(widest_mark(language, total))
    assert mark.chars <= most.chars and mark.bytes <= most.bytes


def test_every_step_has_its_words_in_every_language() -> None:
    assert get_args(Language) == LANGUAGES
    for language in LANGUAGES:
        told = [write(replace(FACTS, language=language), step) for step in Step]
        assert [len(text) for text in told] == sorted((len(text) for text in told), reverse=True)


def test_usual_mark_is_by_lines_where_there_are_lines() -> None:
    assert usual_mark("en", Size(900, 40, 900)) == "[... 40-41]"
    assert usual_mark("en", Size(900, 1, 900)) == "[... bytes 900-901]"
