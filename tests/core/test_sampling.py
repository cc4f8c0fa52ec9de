"""The token estimate from a small sample."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given

from penstock.core import records, tokens
from penstock.core.sampling import SampledEstimate
from penstock.core.tokens import Estimate, estimate_tokens
from strategies import texts


@given(texts(4_000))
def test_of_a_small_text_it_is_the_estimate(text: str) -> None:
    data = text.encode("utf-8", "surrogatepass")
    if len(data) <= 4_096:
        assert SampledEstimate().count(text) == estimate_tokens(data)


@pytest.mark.parametrize("module", [records, tokens])
def test_of_a_large_text_it_is_near_the_estimate(module: object) -> None:
    text = Path(str(module.__file__)).read_text(encoding="utf-8") * 6  # type: ignore[attr-defined]
    assert SampledEstimate().count(text) == pytest.approx(Estimate().count(text), rel=0.1)


def test_counting_up_to_a_limit_is_none_above_it() -> None:
    text = "word " * 40
    count = SampledEstimate().count(text)
    assert SampledEstimate().count_up_to(text, count) == count
    assert SampledEstimate().count_up_to(text, count - 1) is None


def test_it_is_labelled_as_an_estimate() -> None:
    assert SampledEstimate().name == "estimate" and not SampledEstimate().exact
