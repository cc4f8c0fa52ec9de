"""Handles name content by what it is."""

from __future__ import annotations

import hashlib
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.entry import Entry
from penstock.core.handle import handle_for, handle_of, parse_handle
from penstock.core.measure import Size
from penstock.errors import HandleError


@given(st.binary())
def test_same_bytes_have_the_same_handle(data: bytes) -> None:
    handle = handle_for(data)
    assert re.fullmatch("ps-[a-z2-7]{16}", handle)
    assert handle == handle_for(bytes(data)) == handle_of(hashlib.sha256(data).digest())
    assert parse_handle(f" {handle}\n") == handle


def test_handle_is_the_same_in_every_version() -> None:
    assert handle_for(b"") == "ps-4oymiquy7qobjgx3"


@pytest.mark.parametrize(
    "text",
    ["", "ps-", "ps-ABCDEFGH23456777", "ps-abcdefgh2345677", "ps-abcdefgh234567777", "ps-abcdefgh23456771", "x" * 9_000,
     "ps-../../../../../e", "ps-abcdefgh2345677é"],
)  # fmt: skip
def test_text_that_is_no_handle_is_refused(text: str) -> None:
    with pytest.raises(HandleError, match="is not a handle") as caught:
        parse_handle(text)
    assert len(str(caught.value)) < 250


@pytest.mark.parametrize(
    ("value", "told"), [(None, "a view that was not cut has none"), (["x"] * 9_000, "a list is not")]
)
def test_value_that_is_no_text_is_no_handle(value: object, told: str) -> None:
    with pytest.raises(HandleError, match=told) as caught:
        parse_handle(value)
    assert len(str(caught.value)) < 250


def test_entry_knows_whether_something_was_cut() -> None:
    entry = Entry("run", "", "log", "auto", "lines", Size(), Size())
    assert entry.truncated
    assert not Entry("run", "", "text", "", "fits", Size(), Size()).truncated
    assert not Entry("run", "", "text", "", "skip", Size(), Size()).truncated
