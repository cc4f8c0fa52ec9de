from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.content import Span, content_of_bytes
from penstock.core.flow import Case, bound
from penstock.core.limits import Limits
from penstock.core.measure import Size
from penstock.core.policy import Policy
from penstock.core.reduce.contract import Ask, Choice, Plan, Room
from penstock.core.reduce.prefixes import prefix_of, with_prefix_once

ROOM = Room(4_000, None, None, Size(20, 1, 20))
POD = "[pod/spillway-7d9f/keeper] "
LINES = [f"2031-04-05 06:{n // 60 % 60:02d}:{n % 60:02d} INFO gate {n * 7 % 50} opened by hand" for n in range(2_000)]
LINES[900] = "2031-04-05 06:15:00 ERROR gate 12 is stuck: no pressure"


@pytest.mark.parametrize(
    ("lines", "prefix"),
    [
        ([POD + line for line in LINES[:9]], POD + "2031-04-05 "),
        (["", POD + "a", "   ", POD + "b", ""], POD),
        (LINES[:9], ""),  # the date alone is too short
        ([POD + "a", "b"], ""),
        ([POD + "a"], ""),
        ([], ""),
        (["job\tset up the runner\t" + "x" * 40 * n for n in range(1, 30)], ""),  # hardly any of all that is there
        (["\x1b[1m[pod/spillway]\x1b[0m a", "\x1b[1m[pod/spillway]\x1b[0m b"], ""),
        (["a word that all of them share0", "a word that all of them share1"], "a word that all of them "),
        (["nothing-at-which-it-could-end-0", "nothing-at-which-it-could-end-1"], ""),
    ],
)
def test_prefix_is_what_all_lines_begin_with_up_to_the_end_of_a_word(lines: list[str], prefix: str) -> None:
    assert prefix_of("".join(line + "\n" for line in lines).encode()) == prefix.encode()


def view_of(text: str, chars: int = 8_000, layout: str = "auto") -> str:
    policy = Policy(Limits(chars=chars), layout=layout)  # type: ignore[arg-type]  # one of the two
    return bound(Case(content_of_bytes(text.encode()), policy, "chars")).text


def test_prefix_of_a_log_is_shown_once_and_more_lines_fit() -> None:
    text = "".join(f"{POD}{line}\n" for line in LINES)
    view, verbatim = view_of(text), view_of(text, layout="verbatim")
    assert view.startswith(f"prefix: {POD}2031-04-05 \n06:00:00 INFO gate 0 opened by hand\n")
    assert view.count(POD) == 1
    assert "\n06:15:00 ERROR gate 12 is stuck: no pressure\n" in view
    assert "Layout changed: what lines begin with alike is shown once" in view
    assert f"{POD}2031-04-05 06:15:00 ERROR" in verbatim
    assert view.count("opened by hand") > 1.3 * verbatim.count("opened by hand")


@given(st.lists(st.sampled_from([POD + "a", POD + "bb", "", POD.strip()]), min_size=2, max_size=30), st.data())
def test_parts_are_the_spans_without_their_prefixes(lines: list[str], data: st.DataObject) -> None:
    content = content_of_bytes("\n".join(lines).encode())
    size = len(content.data)
    places = sorted(data.draw(st.sets(st.integers(0, size), max_size=8)))
    spans = [Span(a, b) for a, b in zip(places[::2], places[1::2], strict=False)]
    plan = with_prefix_once(content, Ask(), Plan(lambda room: Choice(spans)))
    choice = plan.choose(ROOM)
    if plan.layout == "verbatim":
        assert choice.parts is None
        return
    assert choice.parts is not None
    prefix = prefix_of(content.data).decode()
    for span, parts in zip(choice.spans, choice.parts, strict=True):
        told = "".join(part if isinstance(part, str) else content.text(part) for part in parts)
        whole = content.text(span)
        starts_line = span.start == 0 or content.data[span.start - 1 : span.start] == b"\n"
        first, *others = whole.split("\n")
        bare = [first.removeprefix(prefix) if starts_line else first, *(line.removeprefix(prefix) for line in others)]
        bare_text = "\n".join(bare)
        assert told.removeprefix(f"prefix: {prefix}\n") == bare_text + ("" if whole.endswith("\n") else "\n")


def test_line_that_is_no_more_than_the_prefix_is_nothing_without_it() -> None:
    content = content_of_bytes(f"{POD}a\n{POD}bb\n{POD}".encode())
    plan = with_prefix_once(content, Ask(), Plan(lambda room: Choice([Span(0, len(content.data))])))
    size = len(POD)
    assert plan.choose(ROOM).parts == [
        [f"prefix: {POD}\n", Span(size, size + 2), Span(2 * size + 2, 2 * size + 5), "\n"],
    ]


def test_layout_that_nobody_wants_is_not_made() -> None:
    content = content_of_bytes("".join(f"{POD}{line}\n" for line in LINES).encode())
    plan = Plan(lambda room: Choice([]))
    assert with_prefix_once(content, Ask(compact=False), plan) is plan
    assert with_prefix_once(content, Ask(), plan).choose(ROOM).parts == []
