from __future__ import annotations

import hashlib
import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.errors import StoreError
from penstock.stores import blocks
from penstock.stores.blocks import BlockTable, Digester, facts_of
from penstock.stores.contract import BLOCK

TEXT = b"".join(b"%d\n" % number for number in range(200_000))


def lengths() -> st.SearchStrategy[list[int]]:
    near = st.sampled_from([0, 1, 1000, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK])
    return st.lists(near, max_size=12)


@pytest.fixture(params=[0, 10**9], ids=["two threads", "one thread"])
def threads(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "_ALONE", request.param)


@pytest.mark.usefixtures("threads")
@pytest.mark.parametrize("piece", [997, BLOCK - 1, BLOCK, BLOCK + 1, 5 * BLOCK])
def test_table_is_the_same_for_every_split(piece: int) -> None:
    facts = facts_of(iter([TEXT[start : start + piece] for start in range(0, len(TEXT), piece)]))
    assert facts.digest == hashlib.sha256(TEXT).digest()
    assert (facts.size, facts.newlines) == (len(TEXT), TEXT.count(b"\n"))
    starts = range(0, len(TEXT), BLOCK)
    assert facts.table.prefixes == b"".join(hashlib.sha256(TEXT[s : s + BLOCK]).digest()[:16] for s in starts)
    assert facts.table.counts == b"".join(TEXT.count(b"\n", 0, s).to_bytes(8, "little") for s in starts)
    assert facts.table.fits(len(TEXT))
    assert not facts.table.fits(len(TEXT) + BLOCK)


@settings(max_examples=50, deadline=None)
@given(lengths())
def test_split_at_block_borders_changes_nothing(lengths: list[int]) -> None:
    pieces, start = [], 0
    for length in lengths:
        pieces.append(TEXT[start : start + length])
        start += length
    assert facts_of(iter(pieces)) == facts_of(iter([TEXT[:start]]))


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 4 * BLOCK - 1), st.integers(0, 7))
def test_one_flipped_bit_is_found_in_its_block(place: int, bit: int) -> None:
    data = bytearray(TEXT[: 4 * BLOCK])
    table = facts_of(iter([bytes(data)])).table
    assert table.wrong_block(0, data) is None
    data[place] ^= 1 << bit
    assert table.wrong_block(0, data) == place // BLOCK
    first = place // BLOCK
    assert table.wrong_block(first, data[first * BLOCK : (first + 1) * BLOCK]) == first


def test_blocks_in_another_order_are_found() -> None:
    table = facts_of(iter([TEXT])).table
    assert table.wrong_block(0, TEXT[BLOCK : 2 * BLOCK]) == 0
    assert table.wrong_block(1, TEXT[BLOCK : 2 * BLOCK]) is None


def test_a_block_after_the_end_is_wrong() -> None:
    assert facts_of(iter([b"abc"])).table.wrong_block(1, b"") is None
    assert facts_of(iter([b"abc"])).table.wrong_block(1, b"x") == 1


def test_empty_content_has_no_blocks() -> None:
    facts = facts_of(iter([]))
    assert facts.table == BlockTable(b"", b"")
    assert facts.table.seek(1) == facts.table.seek(100) == (0, 0)


def test_a_failure_in_the_second_thread_is_raised_and_does_not_hang(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(self: object, data: object) -> None:
        raise MemoryError("no room")

    monkeypatch.setattr(blocks, "_ALONE", 0)
    monkeypatch.setattr(blocks._Blocks, "update", fail)
    digester = Digester()
    for _ in range(50):
        digester.update(b"x")
    with pytest.raises(StoreError, match="no room"):
        digester.facts()


def test_a_stopped_digester_leaves_no_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "_ALONE", 0)
    before = threading.active_count()
    digester = Digester()
    digester.update(TEXT)
    digester.stop()
    digester.stop()
    assert threading.active_count() == before
