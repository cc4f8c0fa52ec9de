"""What `stores/contract.py` promises, of every store in STORES."""

from __future__ import annotations

import bisect
import hashlib
import math
import threading
from collections.abc import Callable

import pytest

from penstock.core.handle import Handle, handle_for
from penstock.errors import Damaged, ExpiredHandle, LimitError, StoreError, StoreFull, UnknownHandle
from penstock.stores.contract import BLOCK, Record, Store, keep

from .conftest import Clock

Make = Callable[..., Store]

LINES = b"".join(b"line %d\n" % number for number in range(120_000))  # over 5 blocks

CONTENTS = {
    "empty": b"",
    "one byte": b"x",
    "NUL": b"a\0b",
    "invalid UTF-8": b"\xff\xfe\xc3",
    "newlines only": b"\n" * 1000,
    "carriage returns": b"1%\r2%\r3%\r\n",
    "a byte less than a block": b"a" * (BLOCK - 1),
    "a block": b"b" * BLOCK,
    "a byte more than a block": b"c" * (BLOCK + 1),
    "blocks with a newline at each end": (b"d" * (BLOCK - 1) + b"\n") * 3,
    "lines": LINES,
    "so much that two threads digest it": LINES * 6,
}


def put(store: Store, data: bytes, tool: str = "Bash") -> Record:
    return keep(store, data, tool=tool, media="text")


def whole(store: Store, handle: Handle) -> bytes:
    return store.read(handle, 0, store.stat(handle).size)


@pytest.mark.parametrize("content", list(CONTENTS))
def test_kept_content_reads_back_as_the_same_bytes(store: Store, content: str) -> None:
    data = CONTENTS[content]
    record = put(store, data)
    assert whole(store, record.handle) == data
    assert store.stat(record.handle) == record


@pytest.mark.parametrize("content", list(CONTENTS))
def test_record_tells_what_was_kept(store: Store, clock: Clock, content: str) -> None:
    data = CONTENTS[content]
    record = keep(store, data, tool="Grep", media="json")
    assert record.handle == handle_for(data)
    assert record.digest == hashlib.sha256(data).hexdigest()
    assert (record.size, record.newlines) == (len(data), data.count(b"\n"))
    assert (record.media, record.tool, record.kept_at) == ("json", "Grep", clock.now)
    assert record.name.endswith("_Grep.json")


@pytest.mark.parametrize("size", [1, 7, 1000, BLOCK - 1, BLOCK + 1, 3 * BLOCK, 2_000_000])
def test_content_in_pieces_is_the_same_as_at_once(store: Store, size: int) -> None:
    data = LINES[:9_000] if size < 1000 else LINES * 6
    writer = store.open()
    for start in range(0, len(data), size):
        writer.write(data[start : start + size])
    record = writer.commit(tool="Bash", media="text")
    assert record.handle == handle_for(data)
    assert record.newlines == data.count(b"\n")
    assert whole(store, record.handle) == data
    assert store.seek_line(record.handle, 100_000)[1] < 100_000


def test_a_buffer_that_its_owner_uses_again_is_kept_as_it_was_when_written(store: Store) -> None:
    buffer = bytearray(b"a" * 3_000_000)
    writer = store.open()
    for letter in b"bcd":
        writer.write(buffer)  # type: ignore[arg-type]  # what readers into one buffer do
        buffer[:] = bytes([letter]) * len(buffer)
    record = writer.commit(tool="Bash", media="text")
    assert record.handle == handle_for(b"a" * 3_000_000 + b"b" * 3_000_000 + b"c" * 3_000_000)
    assert store.read(record.handle, 2_999_999, 2) == b"ab"


@pytest.mark.parametrize("offset", [0, 1, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK - 7, len(LINES) - 1, len(LINES)])
@pytest.mark.parametrize("size", [0, 1, 2, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK, 10**12])
def test_read_gives_exactly_what_is_asked_for(store: Store, offset: int, size: int) -> None:
    handle = put(store, LINES).handle
    assert store.read(handle, offset, size) == LINES[offset : offset + size]


def test_read_past_the_end_is_empty(store: Store) -> None:
    handle = put(store, b"abc").handle
    assert store.read(handle, 3, 10) == b""
    assert store.read(handle, 10**12, 10) == b""


def test_read_of_a_negative_range_is_the_callers_error(store: Store) -> None:
    handle = put(store, b"abc").handle
    with pytest.raises(LimitError):
        store.read(handle, -1, 2)
    with pytest.raises(LimitError):
        store.read(handle, 0, -1)


@pytest.mark.parametrize("content", list(CONTENTS))
def test_seek_finds_the_last_block_that_surely_starts_before_the_line(store: Store, content: str) -> None:
    data = CONTENTS[content]
    handle = put(store, data).handle
    ends = [place for place, byte in enumerate(data) if byte == ord("\n")]
    starts = [0, *(end + 1 for end in ends)]
    for line in {1, 2, 3, len(starts) // 3, len(starts) // 2, len(starts)} & set(range(1, len(starts) + 1)):
        offset, newlines = store.seek_line(handle, line)
        assert offset <= starts[line - 1]
        assert newlines == bisect.bisect_left(ends, offset)
        assert offset % BLOCK == 0
        # One block further it might be too late: the line begins there, or that block is inside the line.
        assert offset + BLOCK >= len(data) or bisect.bisect_left(ends, offset + BLOCK) >= line - 1


def test_seek_past_the_last_line_is_at_the_last_block(store: Store) -> None:
    handle = put(store, LINES).handle
    last = len(LINES) // BLOCK * BLOCK
    assert store.seek_line(handle, 10**9) == (last, LINES.count(b"\n", 0, last))


def test_seek_in_one_line_of_many_blocks_starts_at_its_head(store: Store) -> None:
    data = b"first\n" + b"x" * (4 * BLOCK) + b"\nlast"
    handle = put(store, data).handle
    assert store.seek_line(handle, 2) == (0, 0)
    assert store.seek_line(handle, 3) == (4 * BLOCK, 1)


def test_seek_to_line_zero_is_the_callers_error(store: Store) -> None:
    handle = put(store, b"abc").handle
    with pytest.raises(LimitError):
        store.seek_line(handle, 0)


def test_the_same_content_again_is_one_result_with_a_new_date(store: Store, clock: Clock) -> None:
    first = put(store, b"same")
    clock.forward(seconds=5)
    second = keep(store, b"same", tool="Other", media="json")
    assert (second.handle, second.name, second.path) == (first.handle, first.name, first.path)
    assert second.kept_at == clock.now
    assert list(store.records()) == [second]


def test_keeping_again_puts_off_expiry(store: Store, clock: Clock) -> None:
    handle = put(store, b"again and again").handle
    for _ in range(4):
        clock.forward(days=6)
        put(store, b"again and again")
        store.sweep()
    assert whole(store, handle) == b"again and again"


def test_a_handle_that_was_never_kept_is_unknown(store: Store) -> None:
    handle = handle_for(b"never kept")
    put(store, b"something else")
    for ask in (lambda: store.read(handle, 0, 1), lambda: store.stat(handle), lambda: store.seek_line(handle, 1)):
        with pytest.raises(UnknownHandle):
            ask()


def test_an_empty_store_answers(store: Store) -> None:
    with pytest.raises(UnknownHandle):
        store.read(handle_for(b""), 0, 1)
    with pytest.raises(UnknownHandle):
        store.delete(handle_for(b""))
    assert list(store.records()) == []
    assert (store.sweep().results, store.check(read_data=True)) == (0, [])


def test_a_result_is_readable_up_to_its_retention_and_then_expired(make: Make, clock: Clock) -> None:
    store = make(retention_days=2)
    record = put(store, b"two days")
    clock.forward(days=2)
    assert whole(store, record.handle) == b"two days"
    clock.forward(seconds=1)
    with pytest.raises(ExpiredHandle):
        store.read(record.handle, 0, 1)
    with pytest.raises(ExpiredHandle):
        store.stat(record.handle)
    with pytest.raises(ExpiredHandle):
        store.seek_line(record.handle, 1)
    assert list(store.records()) == []


def test_sweep_deletes_what_has_expired_and_nothing_else(store: Store, clock: Clock) -> None:
    old = put(store, b"old" * 100)
    clock.forward(days=6)
    new = put(store, b"new" * 100)
    clock.forward(days=2)
    swept = store.sweep()
    assert (swept.results, swept.bytes) == (1, 300)
    assert store.sweep().results == 0
    with pytest.raises(ExpiredHandle):
        store.read(old.handle, 0, 1)
    assert whole(store, new.handle) == b"new" * 100


@pytest.mark.parametrize("how", ["expired", "swept", "deleted", "quota"])
def test_deleted_content_kept_again_has_its_name_back(make: Make, clock: Clock, how: str) -> None:
    store = make(quota_bytes=1000)
    first = put(store, b"come back", tool="Read")
    clock.forward(seconds=1)
    if how == "quota":
        put(store, b"x" * 1000)
        store.delete(handle_for(b"x" * 1000))
    elif how == "deleted":
        store.delete(first.handle)
    else:
        clock.forward(days=8)
        if how == "swept":
            store.sweep()
    with pytest.raises(ExpiredHandle):
        store.read(first.handle, 0, 1)
    second = put(store, b"come back", tool="Read")
    assert (second.name, second.path, second.kept_at) == (first.name, first.path, clock.now)
    assert whole(store, first.handle) == b"come back"


def test_the_name_of_a_deleted_result_is_not_given_to_another(store: Store) -> None:
    first = put(store, b"first")
    store.delete(first.handle)
    second = put(store, b"second")
    assert second.name != first.name
    assert put(store, b"first").name == first.name


def test_delete_is_at_once_and_may_be_repeated(store: Store) -> None:
    record, other = put(store, b"delete me"), put(store, b"not me")
    for _ in range(2):
        store.delete(record.handle)
        with pytest.raises(ExpiredHandle):
            store.read(record.handle, 0, 1)
    assert list(store.records()) == [other]


def test_delete_of_an_unknown_handle_is_an_error(store: Store) -> None:
    put(store, b"something")
    with pytest.raises(UnknownHandle):
        store.delete(handle_for(b"never kept"))


def test_quota_deletes_the_oldest_and_never_the_one_just_kept(make: Make, clock: Clock) -> None:
    store = make(quota_bytes=1000)
    records = []
    for letter in b"abcd":
        records.append(put(store, bytes([letter]) * 300))
        clock.forward(seconds=1)
    assert [record.handle for record in store.records()] == [record.handle for record in records[:0:-1]]
    with pytest.raises(ExpiredHandle):
        store.read(records[0].handle, 0, 1)
    big = put(store, b"e" * 1000)
    assert list(store.records()) == [big]


def test_quota_counts_a_renewed_result_as_new(make: Make) -> None:
    store = make(quota_bytes=1000)
    for letter in b"abca":
        put(store, bytes([letter]) * 300)
    put(store, b"d" * 300)
    assert {store.read(record.handle, 0, 1) for record in store.records()} == {b"a", b"c", b"d"}


def test_one_result_over_the_quota_is_refused_and_deletes_nothing(make: Make) -> None:
    store = make(quota_bytes=1000)
    kept = put(store, b"a" * 900)
    writer = store.open()
    writer.write(b"b" * 1000)
    with pytest.raises(StoreFull) as refused:
        writer.write(b"b")
    assert (refused.value.needed, refused.value.room) == (1001, 1000)
    with pytest.raises(StoreError):
        writer.commit(tool="Bash", media="text")
    assert list(store.records()) == [kept]


def test_what_is_not_committed_is_not_there(store: Store) -> None:
    writer = store.open()
    writer.write(LINES)
    assert list(store.records()) == []
    with pytest.raises(UnknownHandle):
        store.read(handle_for(LINES), 0, 1)
    writer.abort()
    assert list(store.records()) == []


def test_a_writer_ends_once(store: Store) -> None:
    writer = store.open()
    writer.write(b"abc")
    record = writer.commit(tool="Bash", media="text")
    writer.abort()
    assert whole(store, record.handle) == b"abc"
    for use in (lambda: writer.write(b"d"), lambda: writer.commit(tool="Bash", media="text")):
        with pytest.raises(StoreError):
            use()
    aborted = store.open()
    aborted.abort()
    aborted.abort()
    with pytest.raises(StoreError):
        aborted.commit(tool="Bash", media="text")
    assert list(store.records()) == [record]


def test_content_with_another_handle_than_expected_is_refused(store: Store) -> None:
    expected = handle_for(b"this")
    with pytest.raises(Damaged):
        keep(store, b"that", tool="Bash", media="text", expect=expected)
    assert list(store.records()) == []
    assert keep(store, b"this", tool="Bash", media="text", expect=expected).handle == expected


def test_two_writers_at_once_do_not_mix(store: Store) -> None:
    one, two, same = store.open(), store.open(), store.open()
    for number in range(300):
        one.write(b"one %d\n" % number * 700)
        two.write(b"two %d\n" % number * 700)
        same.write(b"one %d\n" % number * 700)
    records = [writer.commit(tool="Bash", media="text") for writer in (one, two, same)]
    assert records[0].handle == records[2].handle
    assert b"two" not in whole(store, records[0].handle)
    assert b"one" not in whole(store, records[1].handle)
    assert len(list(store.records())) == 2


def test_records_are_newest_first_also_within_one_tick_of_the_clock(store: Store, clock: Clock) -> None:
    handles = [put(store, b"%d" % number).handle for number in range(10)]
    put(store, b"3")
    clock.forward(seconds=1)
    handles.append(put(store, b"later").handle)
    expected = [handles[number] for number in (10, 3, 9, 8, 7, 6, 5, 4, 2, 1, 0)]
    assert [record.handle for record in store.records()] == expected


def test_records_of_many_results_are_each_listed_once(store: Store, clock: Clock) -> None:
    handles = []
    for number in range(600):
        handles.append(put(store, b"%d" % number).handle)
        clock.forward(seconds=number % 2)
    assert [record.handle for record in store.records()] == handles[::-1]
    assert len({record.name for record in store.records()}) == 600


def test_results_may_be_deleted_while_they_are_listed(store: Store) -> None:
    for number in range(300):
        put(store, b"%d" % number)
    for record in store.records():
        store.delete(record.handle)
    assert list(store.records()) == []


def test_a_clock_that_goes_back_loses_nothing(store: Store, clock: Clock) -> None:
    clock.forward(days=400)
    future = put(store, b"from a wrong clock")
    clock.forward(days=-400)
    past = put(store, b"from the right clock")
    store.sweep()
    assert [record.handle for record in store.records()] == [future.handle, past.handle]
    assert put(store, b"from a wrong clock").kept_at == clock.now
    clock.forward(days=8)
    store.sweep()
    assert list(store.records()) == []


@pytest.mark.parametrize("days", [0, -1, math.nan])
def test_a_retention_of_no_time_is_refused(make: Make, days: float) -> None:
    with pytest.raises(LimitError):
        make(retention_days=days)


@pytest.mark.parametrize("quota", [0, -1])
def test_a_quota_of_nothing_is_refused(make: Make, quota: int) -> None:
    with pytest.raises(LimitError):
        make(quota_bytes=quota)


def test_retention_without_end_keeps_for_ever(make: Make, clock: Clock) -> None:
    store = make(retention_days=math.inf)
    record = put(store, b"for ever")
    clock.forward(days=100_000)
    store.sweep()
    assert whole(store, record.handle) == b"for ever"


@pytest.mark.parametrize(
    "tool", ["", "..", "../../etc/passwd", "a\\b", "a\0b", "CON", "工具", "🔧", "x" * 10_000, "\ud800"]
)
def test_any_tool_name_can_be_kept_under(store: Store, tool: str) -> None:
    record = put(store, b"content", tool=tool)
    assert store.stat(record.handle) == record
    assert len(record.name) < 200
    assert "/" not in record.name and "\\" not in record.name and ".." not in record.name
    record.tool.encode()


def test_threads_may_share_a_store(store: Store) -> None:
    failures: list[BaseException] = []

    def work(number: int) -> None:
        try:
            for turn in range(20):
                data = b"%d of thread %d\n" % (turn, number) * 500
                record = put(store, data)
                shared = put(store, b"shared %d" % turn)
                assert whole(store, record.handle) == data
                assert whole(store, shared.handle) == b"shared %d" % turn
        except BaseException as failure:  # noqa: BLE001  # raised in the thread of the test
            failures.append(failure)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    assert len(list(store.records())) == 6 * 20 + 20


def test_check_of_a_healthy_store_finds_nothing(store: Store, clock: Clock) -> None:
    for data in CONTENTS.values():
        put(store, data)
    store.delete(handle_for(b"x"))
    assert store.check() == []
    assert store.check(read_data=True, repair=True) == []
    assert len(list(store.records())) == len(CONTENTS) - 1
