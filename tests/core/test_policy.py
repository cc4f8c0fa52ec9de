"""How a result is to be shown, as a value."""

from __future__ import annotations

from typing import Any

import pytest

from penstock.core.limits import DEFAULT_LIMITS, Limits
from penstock.core.policy import Policy
from penstock.core.rules import PlainRules
from penstock.errors import CallerError, LimitError


@pytest.mark.parametrize(
    ("name", "value", "allowed"),
    [
        ("strategy", "middle", "one of auto, head, tail, head_tail, summarize"),
        ("reader", "human", "one of penstock, files, task, cli, none"),
        ("language", "de", "one of en, zh"),
        ("notice", "middle", "one of end, head"),
        ("ratio", 1.5, "a number from 0 to 1"),
        ("ratio", True, "a number from 0 to 1"),
        ("ratio", "0.5", "a number from 0 to 1"),
        ("media_bytes", -1, "a whole number from 0 on, or None"),
        ("media_bytes", 1.5, "a whole number from 0 on, or None"),
    ],
)
def test_wrong_value_is_refused_with_what_is_allowed(name: str, value: Any, allowed: str) -> None:
    with pytest.raises(LimitError) as caught:
        Policy(**{name: value})
    assert (caught.value.name, caught.value.value, caught.value.allowed) == (name, value, allowed)


def test_policy_is_tightened_not_widened() -> None:
    policy = Policy(Limits(chars=100), media_bytes=None, ratio=1)
    assert policy.tightened(None) is policy
    assert policy.tightened(Limits(chars=500, lines=3)).limits == Limits(100, 3)


def test_rules_without_settings_are_the_defaults() -> None:
    rules = PlainRules(agents={"small": 500})
    assert rules.limits_for("anything") == DEFAULT_LIMITS
    assert rules.limits_for("read_file") == Limits(5_000, 200, 51_200)
    assert (rules.strategy_for("x"), rules.ratio_for("x")) == ("auto", 0.5)
    assert rules.agent_limits("small") == Limits(chars=1_000)
    with pytest.raises(CallerError, match="no agent 'large' in the settings; there are: small"):
        rules.agent_limits("large")
    with pytest.raises(CallerError, match="there are: none"):
        PlainRules().agent_limits("large")
