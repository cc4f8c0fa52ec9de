"""Limits and their layers."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.limits import (
    AGENT_CHARS,
    CONTEXT_WINDOWS,
    DEFAULT_LIMITS,
    RESULT_TOKENS_LEAST,
    TOOL_LIMITS,
    UNITS,
    Limits,
    checked_limits,
    window_of,
)
from penstock.errors import LimitError

some = st.none() | st.integers(1, 100)
limits = st.builds(Limits, some, some, some, some)


@pytest.mark.parametrize("value", [0, -1, True, 1.0, "10", [], float("nan")])
@pytest.mark.parametrize("unit", UNITS)
def test_what_is_no_limit_is_refused_by_name(unit: str, value: Any) -> None:
    with pytest.raises(LimitError, match=f"^{unit} = .*a whole number from 1 on, or None") as caught:
        Limits(**{unit: value})
    assert (caught.value.name, caught.value.value) == (unit, value)


@given(limits, limits)
def test_tighter_of_two_is_tighter_in_every_unit(a: Limits, b: Limits) -> None:
    both = a & b
    for unit in UNITS:
        given = [n for n in (getattr(a, unit), getattr(b, unit)) if n is not None]
        assert getattr(both, unit) == (min(given) if given else None)
    assert both == b & a and both & a == both


def test_limits_are_tightened_by_limits_only() -> None:
    with pytest.raises(TypeError):
        Limits() & 5  # type: ignore[operator]


@given(limits, limits)
def test_override_puts_what_is_set_in_place(a: Limits, b: Limits) -> None:
    over = a.override(b)
    for unit in UNITS:
        assert getattr(over, unit) == (getattr(b, unit) or getattr(a, unit))


def test_less_is_what_is_left_and_at_least_one() -> None:
    assert Limits(10, 5, 20, 7).less(chars=4, lines=9, bytes=3) == Limits(6, 1, 17, 7)
    assert Limits().less(chars=4) == Limits()


def test_unlimited_is_without_any() -> None:
    assert Limits().unlimited
    assert not any(Limits(**{unit: 1}).unlimited for unit in UNITS)


@pytest.mark.parametrize(
    ("asked", "chars"), [(0, AGENT_CHARS), (-5, AGENT_CHARS), (1, 1_000), (999, 1_000), (5_000, 5_000)]
)
def test_profile_of_an_agent_has_a_least_and_a_default(asked: int, chars: int) -> None:
    assert Limits.for_agent(asked) == Limits(chars=chars)


@pytest.mark.parametrize("asked", [None, "5000", 1.5, True])
def test_profile_of_an_agent_is_a_whole_number(asked: Any) -> None:
    with pytest.raises(LimitError, match="max_tool_result_length"):
        Limits.for_agent(asked)


def test_result_takes_a_share_of_the_window_and_of_what_is_left() -> None:
    assert Limits.for_model("claude-sonnet-4-5") == Limits(tokens=30_000)
    assert Limits.for_model("claude-sonnet-4-5", used_tokens=160_000) == Limits(tokens=10_000)
    assert Limits.for_model("claude-sonnet-4-5", used_tokens=10**9) == Limits(tokens=RESULT_TOKENS_LEAST)
    assert Limits.for_model("mine", windows={"mine": 10_000}) == Limits(tokens=1_500)


@pytest.mark.parametrize("used", [-1, 1.5, None, True])
def test_tokens_that_are_used_are_a_whole_number(used: Any) -> None:
    with pytest.raises(LimitError, match="used_tokens"):
        Limits.for_model("gpt-4o", used_tokens=used)


def test_model_is_told_by_its_name() -> None:
    with pytest.raises(LimitError, match="model = None is not allowed"):
        Limits.for_model(None)  # type: ignore[arg-type]  # what people hand on without a look


@pytest.mark.parametrize("value", [5, {"chars": 5}, (1, 2), "5000"])
def test_what_stands_in_for_limits_is_refused(value: object) -> None:
    with pytest.raises(LimitError, match=r"limits = .* it must be Limits\("):
        checked_limits(value)
    assert checked_limits(DEFAULT_LIMITS) is DEFAULT_LIMITS


def test_window_is_that_of_the_longest_start_of_the_name() -> None:
    assert window_of("gpt-4-32k-0613") == 32_768
    assert window_of("gpt-4-0613") == 8_192
    assert window_of("openai/GPT-4o-mini") == CONTEXT_WINDOWS["gpt-4o"]
    assert window_of("gpt-4o", {"GPT-4": 77}) == 77
    with pytest.raises(LimitError, match=r"a model whose name starts with one of: .*mine"):
        window_of("nobody", {"mine": 1})


def test_tools_that_come_along_have_limits_of_their_own() -> None:
    assert Limits(lines=2_000, bytes=51_200) == DEFAULT_LIMITS
    assert DEFAULT_LIMITS.override(TOOL_LIMITS["read_file"]) == Limits(5_000, 200, 51_200)


def test_part_of_limits_is_never_less_than_one() -> None:
    assert Limits(chars=100, tokens=3).part(0.25) == Limits(chars=25, tokens=1)
    assert Limits().part(0.5) == Limits()
