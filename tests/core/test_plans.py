"""What a reducer plans, as a view shows it: layouts, counts, effort, content with holes."""

from __future__ import annotations

import dataclasses

import pytest

from penstock.core import flow
from penstock.core.content import Content, Hole, Span, content_of_text
from penstock.core.flow import Case, bound
from penstock.core.limits import Limits
from penstock.core.measure import Size
from penstock.core.notice import TOO_MUCH_EFFORT
from penstock.core.policy import Language, Policy
from penstock.core.reduce.contract import Ask, Choice, EffortSpent, Plan, Reducer, Room, Tally
from penstock.core.reduce.lines import Lines
from penstock.core.reduce.pick import picked
from penstock.core.view import View

HITS = "".join(f"src/valve.py:{n}:open({n})\n" for n in range(1, 400))


def _fit(_: object) -> float:
    return 1.0


def grouped(content: Content, ask: Ask) -> Plan:
    """The path once, then the hits below it: as many of the first hits as fit."""
    lines = Lines(content)
    ask.effort.spend(len(lines))
    totals = (Tally("matches", len(lines)), Tally("files", 1))

    def choose(room: Room) -> Choice:
        shown = int(sum(picked(content, lines.units(), range(len(lines)), room)))
        stop = lines.span(0, shown).stop
        if not shown:
            return Choice([])
        hidden = {1: Tally("matches", len(lines) - shown)} if shown < len(lines) else {}
        if not ask.compact:
            return Choice([Span(0, stop)], hidden=hidden, shown=(shown, 1))
        parts: list[str | Span] = [Span(0, 12), "\n"]
        parts += [Span(lines.starts[n] + 13, lines.starts[n + 1]) for n in range(shown)]
        return Choice([Span(0, stop)], [parts], "paths", hidden, (shown, 1))

    return Plan(choose, totals, "paths" if ask.compact else "verbatim")


def exhausted(content: Content, ask: Ask) -> Plan:
    ask.effort.spend(ask.effort.left + 1)
    raise AssertionError("unreachable")


def across(content: Content, ask: Ask) -> Plan:
    """All in one span, as if there were no holes."""
    return Plan(lambda room: Choice([Span(0, len(content.data))], hidden={0: Tally("rows", 3)}))


@pytest.fixture
def reducer(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    made = Reducer("made", _fit, request.param)
    monkeypatch.setattr(flow, "reducer_for", lambda *_: made)


def view_of(policy: Policy, text: str = HITS) -> View:
    return bound(Case(content_of_text(text), policy, "chars", remark=""))


@pytest.mark.parametrize("reducer", [grouped], indirect=True)
def test_layout_shows_more_and_is_declared_with_what_is_hidden(reducer: None) -> None:
    view = view_of(Policy(Limits(chars=2_000)))
    body, _, notice = view.text.rpartition("\n")
    assert body.startswith("src/valve.py\n1:open(1)\n2:open(2)\n")
    shown = body.count("open(")
    assert shown > 100, "most of 2,000 characters is used"
    assert f"[... {shown + 1}-399, {399 - shown} matches]" in body
    assert f"hidden: {399 - shown} matches. Layout changed: paths are shown once" in notice
    assert "file" not in notice.replace("files", ""), "the one file is shown"
    assert len(view.text) <= 2_000
    assert view.kind == "made"


@pytest.mark.parametrize("reducer", [grouped], indirect=True)
@pytest.mark.parametrize("chars", range(1, 700, 13))
def test_layout_is_within_every_limit_and_declared_by_any_notice(reducer: None, chars: int) -> None:
    view = view_of(Policy(Limits(chars=chars)))
    assert len(view.text) <= chars
    if "\n2:open" in view.text:
        assert "layout changed" in view.text.lower()


@pytest.mark.parametrize("reducer", [grouped], indirect=True)
def test_verbatim_layout_shows_lines_as_they_were(reducer: None) -> None:
    view = view_of(Policy(Limits(chars=2_000), layout="verbatim"))
    assert view.text.startswith("src/valve.py:1:open(1)\nsrc/valve.py:2:open(2)\n")
    assert "ayout" not in view.text


@pytest.mark.parametrize("reducer", [grouped], indirect=True)
def test_layout_is_declared_in_chinese(reducer: None) -> None:
    view = view_of(Policy(Limits(chars=2_000), language="zh"))
    assert "排版已变" in view.text and "处匹配" in view.text


@pytest.mark.parametrize("reducer", [exhausted], indirect=True)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_content_that_takes_too_much_effort_shows_its_ends_and_says_so(reducer: None, language: Language) -> None:
    view = view_of(Policy(Limits(chars=2_000), language=language))
    assert TOO_MUCH_EFFORT[language] in view.text
    assert view.text.startswith("src/valve.py:1:") and "open(399)" in view.text
    assert view.kind == "head_tail"


@pytest.mark.parametrize("reducer", [exhausted], indirect=True)
def test_remark_of_too_much_effort_stands_beside_another(reducer: None) -> None:
    case = Case(content_of_text(HITS), Policy(Limits(chars=2_000)), "chars", remark="No summary.")
    assert f"No summary. {TOO_MUCH_EFFORT['en']}" in bound(case).text


@pytest.mark.parametrize("reducer", [across], indirect=True)
def test_span_over_a_hole_is_shown_as_two_with_a_mark(reducer: None) -> None:
    content = Content(b"one\ntwo\n", Size(99, 9, 99), holes=(Hole(4, 91, 7, ends_line=True),))
    view = bound(Case(content, Policy(Limits(chars=900)), "chars"))
    assert view.text.startswith("one\n[... 2-8]\ntwo\n")
    assert view.spans == ((0, 4), (95, 99))


@pytest.mark.parametrize("reducer", [grouped], indirect=True)
def test_envelope_of_a_large_view_is_made_of_what_it_shows(reducer: None, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = view_of(Policy(Limits(chars=2_000)))
    monkeypatch.setattr(flow, "HELD", 100)
    view = view_of(Policy(Limits(chars=2_000)))
    assert view.text == whole.text
    for envelope in (whole.envelope(), view.envelope()):
        assert envelope["status"] == "partial"
        assert "open(1)" in envelope["data"]["preview"]


def test_effort_is_spent_to_its_end_and_no_further() -> None:
    ask = dataclasses.replace(Ask(), query="x")
    ask.effort.spend(ask.effort.left)
    with pytest.raises(EffortSpent):
        ask.effort.spend(1)
