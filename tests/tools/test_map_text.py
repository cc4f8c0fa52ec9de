from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.flow import size_in
from penstock.core.limits import Limits
from penstock.core.tokens import Estimate
from penstock.search.languages import Language
from penstock.search.walk import Source
from penstock.tools.map_text import Counts, Drawn, Sheet
from penstock.tools.references import Ranked
from penstock.tools.tags import tags_of

TEXT = "class Valve:\n    def turn(\n        self,\n    ): ...\n\n    def shut(self): ...\n\n\ndef open_gate(): ...\n"
FILES = [
    (path, tags_of(Source(Language("python"), TEXT), time.monotonic() + 60)) for path in ("a.py", "b/ü.py", "c.py")
]
ALL = [Ranked(1.0, file, number) for number in (3, 1, 0, 2) for file in (1, 0, 2)]
COUNTS = Counts(12, 3, ("partial: so it is",), partial=True)

LIMITS = st.builds(
    Limits, *(st.one_of(st.none(), st.integers(1, most)) for most in (700, 60, 700, 300))
)  # chars, lines, bytes, tokens


def drawn(limits: Limits, ranked: list[Ranked] = ALL, counts: Counts = COUNTS) -> Drawn:
    sheet = Sheet(limits, lambda text, limits: size_in(text, limits, Estimate()), lambda told: told)
    return sheet.drawn(FILES, ranked, counts)


def test_map_has_headings_numbers_scopes_gaps_and_a_note() -> None:
    assert drawn(Limits(), [Ranked(3, 1, 1), Ranked(2, 0, 3), Ranked(1, 1, 3)], Counts(12, 3)).text == (
        "b/ü.py:\n1  class Valve:\n2      def turn(\n3          self,\n4      ): ...\n...\n9  def open_gate(): ...\n\n"
        "a.py:\n9  def open_gate(): ...\n\n[4 of 12 definitions in 2 of 3 files]"
    )


def test_numbers_stand_under_one_another() -> None:
    found = drawn(Limits()).text
    assert " 1  class" not in found  # nine lines need one digit


@given(LIMITS)
def test_map_is_within_any_limits(limits: Limits) -> None:
    found = drawn(limits)
    assert size_in(found.text, limits, Estimate()).over(limits) is None


@given(LIMITS)
def test_next_definition_would_not_have_fitted(limits: Limits) -> None:
    found = drawn(limits)
    shown = {(section.path, tag.line) for section in found.sections for tag in section.tags}
    full = drawn(Limits())
    if found.text and len(shown) < sum(len(section.tags) for section in full.sections) and "partial: so" in found.text:
        more = next(n for n in range(len(ALL) + 1) if not _shown(drawn(Limits(), ALL[:n])) <= shown)
        assert size_in(drawn(Limits(), ALL[:more]).text, limits, Estimate()).over(limits) is not None


def _shown(found: Drawn) -> set[tuple[str, int]]:
    return {(section.path, tag.line) for section in found.sections for tag in section.tags}


@pytest.mark.parametrize(
    ("chars", "text"),
    [
        (70, "[0 of 12 definitions in 0 of 3 files; partial: so it is]"),
        (30, "[partial: 0 of 12]"),
        (18, "[partial: 0 of 12]"),
        (17, ""),
        (1, ""),
    ],
)
def test_note_gives_way_in_steps(chars: int, text: str) -> None:
    assert drawn(Limits(chars=chars)).text == text


def test_nothing_to_show_is_said() -> None:
    assert drawn(Limits(), [], Counts(0, 0)).text == "[0 of 0 definitions in 0 of 0 files]"
    assert drawn(Limits(), [], Counts(1, 1)).text == "[0 of 1 definition in 0 of 1 file]"
