"""The laws, for one view: whatever comes in, whatever the limits are."""

from __future__ import annotations

import json
import re
import time
from dataclasses import replace

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from core.hurtful import (
    HANDLE,
    PATH,
    Bytes,
    assert_within,
    case_of,
    cases,
    collected,
    kept,
    logs,
    policies,
    raw_of,
    safe_cuts,
)
from penstock.core.content import Content, Hole, content_of_bytes, content_of_text
from penstock.core.envelope import CARRIED, Frame
from penstock.core.flow import Case, bound, size_in, size_of_content, untouched
from penstock.core.jsontext import to_json
from penstock.core.limits import UNITS, Limits
from penstock.core.measure import Size, measure
from penstock.core.policy import STRATEGIES, Language, Policy
from penstock.core.result import result_of
from penstock.core.tokens import Estimate
from penstock.core.view import View
from strategies import byte_strings, line_count, outputs, texts, utf8_size

BARE = {"en": "[truncated]", "zh": "[已截断]"}
LOG = "".join(
    f"{n:05} INFO  orders.api request=1a2b3c4d status=200 GET /v2/orders/{n * 7919 % 991}\n" for n in range(3_000)
)


def marks_in(view: View, language: Language) -> list[str]:
    """The marks that the gaps of a view must have, but for their counts of errors."""
    marks = []
    for gap in view.gaps:
        first, last = (gap.first_line, gap.last_line) if gap.whole_lines else (gap.start, gap.stop - 1)
        where = str(first) if first == last else f"{first}-{last}"
        marks.append(where if gap.whole_lines else f"{'bytes' if language == 'en' else '字节'} {where}")
    return marks


def assert_honest(view: View, data: bytes, case: Case) -> None:
    """Shown and hidden are the whole, in order; the text is what is shown, with a right mark for what is hidden."""
    place = 0
    pattern = []
    marks = iter(marks_in(view, case.policy.language))
    entries = [*((s.start, s.stop, None) for s in view.spans), *((g.start, g.stop, g) for g in view.gaps)]
    for start, stop, gap in sorted(entries, key=lambda entry: entry[:2]):
        assert start == place < stop
        place = stop
        piece = data[start:stop]
        if gap is None:
            pattern.append(re.escape(piece.decode("utf-8", case.content.errors)))
            continue
        assert (gap.first_line, gap.newlines) == (data[:start].count(b"\n") + 1, piece.count(b"\n"))
        assert gap.last_line == gap.first_line + gap.newlines - piece.endswith(b"\n")
        at_start = data[:start].endswith(b"\n") or start == 0
        assert gap.whole_lines == (at_start and (piece.endswith(b"\n") or stop == len(data)))
        line_end = "\n" if piece.endswith(b"\n") and stop < len(data) else ""
        pattern.append(rf"\[\.\.\. {re.escape(next(marks))}(?:(?:, |、)[^\]\n]+)?\]{line_end}")
    assert place == len(data)
    if case.frame is None:
        full = re.compile("".join(pattern))
        bare = BARE[case.policy.language]
        shown = [data[s.start : s.stop].decode("utf-8", case.content.errors) for s in view.spans]
        told = "".join(shown)
        # Marked, or with no room for marks one piece with a bare mark or none, or nothing at all.
        assert full.search(view.text) or (len(shown) < 2 and view.text in (told, told + bare, bare + told))


def assert_whole_units(view: View, data: bytes) -> None:
    inner = {place for span in view.spans for place in span} - {0, len(data)}
    assert not inner or inner <= safe_cuts(data)


# -- 1: the bound ------------------------------------------------------------------------------------------------------


@given(cases())
@settings(max_examples=400)
def test_view_is_within_every_limit(case: Case) -> None:
    assert_within(bound(case).text, case.policy)


@given(cases(collected()))
def test_view_of_content_with_holes_is_within_every_limit(case: Case) -> None:
    assert_within(bound(case).text, case.policy)


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("framed", [False, True])
def test_view_is_within_each_limit_from_one_upward(unit: str, strategy: str, framed: bool) -> None:
    for text in (LOG[:4_000], "one 👩‍👩‍👧‍👦 long line " * 200, "\n" * 900, "\0" * 700, "\ud800é\r\n" * 300):
        for most in [*range(1, 32), *range(32, 600, 29)]:
            policy = Policy(Limits(**{unit: most}), strategy=strategy, counter=Bytes())  # type: ignore[arg-type]
            case = case_of(text, policy, frame=Frame() if framed else None)
            assert_within(bound(case).text, policy)


@given(cases())
def test_envelope_of_a_view_is_within_every_limit_as_json(case: Case) -> None:
    view = bound(case)
    envelope = view.envelope()
    assert envelope["status"] in ("partial", "error")
    if envelope != {"status": "partial"}:
        assert_within(json.dumps(envelope, separators=(",", ":"), ensure_ascii=False), case.policy, framed=True)


@pytest.mark.parametrize("reader", ["penstock", "files", "task", "cli", "none"])
@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("notice", ["end", "head"])
def test_notice_gives_way_step_by_step(reader: str, language: str, notice: str) -> None:
    steps = []
    for most in range(1, 1_000, 7):
        policy = Policy(Limits(chars=most), reader=reader, language=language, notice=notice)  # type: ignore[arg-type]
        text = bound(case_of(LOG, policy)).text
        told = text.partition("\n")[0] if notice == "head" else text.rpartition("\n")[2]
        bare = BARE[policy.language]
        step = 0 if LOG[0] in told[:1] and bare not in text else 1 if bare in text else 2
        steps.append(step)
    assert steps == sorted(steps)
    assert set(steps) == {0, 1, 2}


# -- 3: no empty promise -----------------------------------------------------------------------------------------------


@given(cases())
def test_notice_names_only_what_was_kept_and_what_its_reader_can_use(case: Case) -> None:
    assume(case.frame is None)
    text = bound(case).text
    if case.kept is None:
        assert HANDLE not in text and PATH not in text
    if case.policy.reader not in ("penstock", "cli"):
        assert HANDLE not in text
    if case.policy.reader not in ("files", "task"):
        assert PATH not in text


def test_view_of_what_was_not_kept_says_so_and_has_no_handle() -> None:
    view = bound(case_of(LOG, Policy(Limits(chars=1_000)), kept=None, failure="the disk is full"))
    assert (view.handle, view.path, view.failure) == (None, None, "the disk is full")
    assert view.text.endswith("The rest was not kept.]")
    short = bound(case_of(LOG, Policy(Limits(chars=150)), kept=None))
    assert short.text.endswith("the rest was not kept]")


# -- 4: what fits is untouched -----------------------------------------------------------------------------------------


@given(outputs, policies)
def test_what_fits_is_untouched_and_what_does_not_is_not(output: str | bytes, policy: Policy) -> None:
    view = untouched(result_of(output), policy)
    text = output if isinstance(output, str) else output.decode("utf-8", "replace")
    size = Size(len(text), line_count(text), utf8_size(text), policy.counter.count(text))
    if size.over(policy.limits) is None:
        assert view is not None and (view.text, view.truncated, view.reason) == (text, False, "fits")
        assert bytes(view) == raw_of(output)
    else:
        assert view is None


def test_envelope_that_asks_to_skip_passes_only_where_its_sender_is_trusted() -> None:
    result = result_of({"status": "success", "data": "x" * 100, "context": {"truncation_skip": True}})
    view = untouched(result, Policy(Limits(chars=10)))
    assert view is not None and view.reason == "skip" and not view.truncated
    assert untouched(result, Policy(Limits(chars=10), trust_skip=False)) is None


def test_tokens_are_not_counted_where_bytes_say_that_they_fit_or_do_not() -> None:
    class Never(Estimate):
        def count(self, text: str) -> int:
            raise AssertionError

        count_up_to = count  # type: ignore[assignment]

    policy = Policy(Limits(tokens=100), counter=Never())
    assert untouched(result_of("é" * 50), policy) is not None
    assert untouched(result_of("é" * 12_801), policy) is None


# -- 5: honest gaps ----------------------------------------------------------------------------------------------------


@given(outputs | logs, policies)
@settings(max_examples=300)
def test_shown_and_hidden_are_the_whole_and_every_gap_says_where(output: str | bytes, policy: Policy) -> None:
    case = case_of(output, policy)
    assert_honest(bound(case), raw_of(output), case)


@given(st.data(), policies)
def test_gaps_over_holes_say_where_in_the_original_they_are(data: st.DataObject, policy: Policy) -> None:
    output = data.draw(byte_strings() | logs.map(str.encode))
    content = data.draw(collected(st.just(output)))
    case = Case(content, policy, "bytes", kept=kept())
    assert_honest(bound(case), output, case)


@given(outputs | logs, policies)
def test_preview_in_an_envelope_is_as_honest_as_a_view(output: str | bytes, policy: Policy) -> None:
    case = case_of(output, policy)
    view = bound(case)
    assume(view.framed is not None)
    framed = view.framed()  # type: ignore[misc]
    data = raw_of(output)
    assert framed.form == "envelope"
    assert_honest(framed, data, replace(case, frame=Frame()))
    preview = framed.envelope().get("data", {}).get("preview", "")
    for span in framed.spans:
        # JSON has no way to tell two halves of a character that stand side by side from the character.
        shown = json.loads(json.dumps(data[span.start : span.stop].decode("utf-8", case.content.errors)))
        assert shown in preview


@given(st.integers(200, 900), st.sets(st.integers(1, 900)), st.integers(700, 4_000), st.sampled_from(STRATEGIES))
def test_gap_and_notice_count_the_errors_that_are_hidden(count: int, bad: set[int], most: int, strategy: str) -> None:
    lines = [f"{n}: error: bad\n" if n in bad else f"{n}: fine and dandy, all is well\n" for n in range(1, count + 1)]
    view = bound(case_of("".join(lines), Policy(Limits(chars=most), strategy=strategy)))  # type: ignore[arg-type]
    hidden = 0
    for gap in view.gaps:
        errors = sum(gap.first_line <= n <= gap.last_line for n in bad if n <= count)
        hidden += errors
        assert gap.whole_lines and (gap.census.errors, gap.census.complete) == (errors, True)
        mark = f"[... {gap.first_line}-{gap.last_line}" + (f", {errors:,} error" if errors else "]")
        assert mark in view.text
    told = re.search(r"hidden: ([\d,]+) errors?", view.text)
    assert (int(told[1].replace(",", "")) if told else 0) == hidden


# -- 6: whole units ----------------------------------------------------------------------------------------------------


@given(outputs, policies)
def test_no_cut_is_inside_a_unit(output: str | bytes, policy: Policy) -> None:
    assert_whole_units(bound(case_of(output, policy)), raw_of(output))


@given(cases().filter(lambda case: case.frame is not None))
def test_envelope_parses_and_keeps_an_error_an_error(case: Case) -> None:
    text = bound(case).text
    assume(text)
    assert case.frame is not None
    shown = json.loads(text)
    assert shown["status"] == ("error" if case.frame.status == "error" else "partial")
    for name in ("stats", "context", "error"):
        value = getattr(case.frame, name)
        # With a notice, what is short carries over; a long one only where there is room for a full notice.
        if name in shown or ("text" in shown and value and len(to_json(value)) <= CARRIED):
            assert shown[name] == value


# -- 7: same in, same out ----------------------------------------------------------------------------------------------


@given(outputs, policies)
def test_same_content_and_policy_give_the_same_view(output: str | bytes, policy: Policy) -> None:
    first, second = bound(case_of(output, policy)), bound(case_of(output, policy))
    assert first == second and first.envelope() == second.envelope()


# -- 10: linear time ---------------------------------------------------------------------------------------------------

SLOW = {
    "log": LOG[:100],
    "newlines": "\n",
    "one line": "0123456789abcdef",
    "errors": "error\n",
    "no errors": "0 errors ",
    "errors in one line": "error ",
    "marks": "\u0301",
    "zeros": "\0",
    "escapes": "\x1b[31mred\x1b[0m ",
    "half an escape": "\x1b]8;;",
    "carriage returns": "\r 10 %",
}


@pytest.mark.parametrize("kind", SLOW)
@pytest.mark.parametrize("limits", [Limits(chars=8_000), Limits(tokens=2_000), Limits(lines=300)], ids=repr)
def test_time_grows_no_faster_than_the_content(kind: str, limits: Limits) -> None:
    def seconds(size: int) -> float:
        case = case_of(SLOW[kind] * (size // len(SLOW[kind])), Policy(limits))
        best = 1e9
        for _ in range(3):
            began = time.perf_counter()
            bound(case)
            best = min(best, time.perf_counter() - began)
        return best

    # Sixteen times as much would take 256 times as long if it were quadratic.
    assert seconds(1_600_000) <= 64 * max(seconds(100_000), 0.002)


# -- how well the room is used -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("strategy", ["head", "tail", "head_tail", "auto"])
@pytest.mark.parametrize(
    "limits", [Limits(chars=4_000), Limits(bytes=9_000), Limits(tokens=2_000), Limits(lines=60)], ids=repr
)
def test_nine_tenths_of_a_limit_are_used(strategy: str, limits: Limits) -> None:
    view = bound(case_of(LOG, Policy(limits, strategy=strategy, counter=Estimate())))  # type: ignore[arg-type]
    used = size_in(view.text, limits, Estimate())
    unit = next(unit for unit in UNITS if getattr(limits, unit))
    assert getattr(used, unit) >= 0.9 * getattr(limits, unit)


@given(st.lists(st.integers(0, 98), min_size=120, max_size=200), st.integers(4_000, 6_000), st.floats(0.2, 0.8))
def test_nine_tenths_of_the_room_show_content_of_short_lines(lengths: list[int], most: int, ratio: float) -> None:
    text = "".join("x" * length + "\n" for length in lengths) * 3
    assume(len(text) > most)
    view = bound(case_of(text, Policy(Limits(chars=most), strategy="head_tail", ratio=ratio)))
    notice = view.text[view.text.rindex("\n[Truncated") :]
    shown = sum(span.stop - span.start for span in view.spans)
    assert shown >= 0.9 * (most - len(notice))
    assert all(gap.whole_lines for gap in view.gaps)


@given(logs, st.integers(2_000, 3_000))
def test_envelope_uses_nearly_all_of_its_limit(text: str, most: int) -> None:
    view = bound(case_of(LOG[:2_000] + text + LOG[:2_000], Policy(Limits(chars=most)), frame=Frame()))
    assert len(view.text) >= 0.8 * most


def test_short_notice_is_used_where_the_full_one_would_take_half_of_the_tokens() -> None:
    view = bound(case_of(LOG, Policy(Limits(tokens=300))))
    assert "call read_output" in view.text
    assert view.size.tokens == Estimate().count(view.text) <= 300


# -- named cases -------------------------------------------------------------------------------------------------------


def test_head_and_tail_of_a_log_stand_around_one_mark() -> None:
    view = bound(case_of(LOG, Policy(Limits(lines=10), strategy="head_tail")))
    shown = LOG.splitlines()[:4], LOG.splitlines()[-4:]
    count = sum(len(line) + 1 for part in shown for line in part)
    assert view.text.splitlines() == [
        *shown[0],
        "[... 5-2996]",
        *shown[1],
        f"[Truncated: 8 of 3,000 lines shown, {count:,} of {len(LOG):,} bytes. The whole is kept: call"
        f' read_output(handle="{HANDLE}", start=5) for more lines, or grep_output(handle="{HANDLE}", pattern="...") to'
        " search it.]",
    ]


def test_notice_at_the_head_stands_before_the_content() -> None:
    view = bound(case_of(LOG, Policy(Limits(chars=1_000), notice="head")))
    assert view.text.startswith("[Truncated: ") and view.text.endswith(LOG[-40:])


def test_bare_piece_is_from_the_end_when_the_tail_was_asked_for() -> None:
    policy = Policy(Limits(chars=28), strategy="tail")
    view = bound(case_of("the first line\nthe second line\nthe last line\n", policy))
    assert view.text == "the last line[truncated]"


def test_bytes_of_a_view_are_those_of_the_output_where_they_are_no_utf8() -> None:
    output = b"\xff\xfe caf\xc3\xa9\n" * 300
    view = bound(Case(content_of_bytes(output), Policy(Limits(chars=900)), "chars", kept=kept()))
    assert "\ufffd" in view.text
    assert output[:9] == bytes(view)[:9]
    assert bytes(view).decode("utf-8", "replace") == view.text


def test_path_with_undecodable_bytes_does_not_break_a_view_of_bytes() -> None:
    case = Case(
        content_of_bytes(b"\xff\n" * 900), Policy(Limits(chars=900), reader="files"), "chars", kept=kept("/t/\udcff")
    )
    assert "/t/\udcff".encode("utf-8", "surrogatepass") in bytes(bound(case))


def test_content_of_nothing_gives_an_empty_piece() -> None:
    case = case_of("", Policy(Limits(chars=5)), frame=Frame())
    assert bound(case).text == ""
    assert bound(replace(case, policy=Policy(Limits(chars=25)))).text == '{"status":"partial"}'


def test_view_says_what_it_was_taken_for_and_how_much_was_cut() -> None:
    view = bound(case_of(LOG, Policy(Limits(chars=1_000), strategy="tail")))
    assert (view.kind, view.strategy, view.form) == ("text", "tail", "text")
    assert bound(case_of(LOG, Policy(Limits(chars=1_000)))).kind == "head_tail"
    cut = view.truncation
    assert cut is not None
    assert (cut.original_chars, cut.original_lines, cut.original_bytes) == (len(LOG), 3_000, len(LOG))
    assert cut.kept_bytes == sum(s.stop - s.start for s in view.spans) == cut.kept_chars
    assert cut.kept_lines == len(view.spans and LOG[view.spans[0].start :].splitlines())
    assert view.tokens is not None and abs(view.tokens / Estimate().count(LOG) - 1) < 0.2


def test_line_in_two_pieces_counts_once() -> None:
    view = bound(case_of("x" * 5_000, Policy(Limits(chars=1_000))))
    assert len(view.spans) == 2
    assert view.truncation is not None and view.truncation.kept_lines == 1


def test_remark_is_part_of_the_notice() -> None:
    view = bound(replace(case_of(LOG, Policy(Limits(chars=1_000))), remark="No summary could be made."))
    assert "No summary could be made." in view.text


@given(texts(), st.none() | st.integers(1, 2_000))
def test_size_in_counts_tokens_where_they_are_limited(text: str, most: int | None) -> None:
    size = size_in(text, Limits(tokens=most), Bytes())
    assert size == measure(text)._replace(tokens=None if most is None else utf8_size(text))


@given(texts())
def test_size_of_content_is_over_a_limit_that_its_text_is_over(text: str) -> None:
    content = content_of_text(text)
    for most in (1, 10, 100, 1_000):
        limits = Limits(tokens=most)
        size = size_of_content(content, limits, Bytes())
        assert (size.over(limits) is None) == (utf8_size(text) <= most)
    assert size_of_content(content, Limits(chars=1), Bytes()) == content.size


def test_tokens_of_content_with_holes_are_over_any_limit() -> None:
    content = Content(b"abc", Size(100, 1, 100), holes=(Hole(3, 97, 0, ends_line=False),))
    assert size_of_content(content, Limits(tokens=200), Bytes()).tokens == 201
