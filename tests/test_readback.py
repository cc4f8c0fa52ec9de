"""Reading kept output: pages, searches, and the calls that a model makes."""

from __future__ import annotations

import itertools
import json
from typing import Any

import pytest

from penstock.core.limits import Limits
from penstock.core.offers import NAMES
from penstock.core.rules import PlainRules
from penstock.errors import CallerError, ExpiredHandle, StoreError
from penstock.gate import BareGate
from penstock.ledger.memory import MemoryLedger
from penstock.readback import arguments_of
from penstock.stores.memory import MemoryStore
from strategies import BrokenStore, Clock, assert_text_within

LOG = "".join(f"{number} a line of a log\n" for number in range(1, 2_001)) + "no newline at the end"
TINY = Limits(chars=200)


@pytest.fixture
def gate() -> BareGate:
    return BareGate(store=MemoryStore(), ledger=MemoryLedger())


@pytest.fixture
def handle(gate: BareGate) -> str:
    handle = gate.admit(LOG, tool="Bash", limits=TINY).handle
    assert handle is not None
    return handle


# -- pages -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("limit", [1, 2, 3, 50])
@pytest.mark.parametrize("start", [1, 2, 1_999])
def test_page_has_the_lines_that_were_asked_for(gate: BareGate, handle: str, start: int, limit: int) -> None:
    page = gate.read(handle, start=start, limit=limit)
    assert page.data.decode().splitlines() == LOG.splitlines()[start - 1 : start - 1 + limit]
    assert page.first_line == start
    assert page.total_lines == 2_001
    assert page.text.startswith(page.data.decode())


def test_page_without_a_limit_has_200_lines(gate: BareGate, handle: str) -> None:
    page = gate.read(handle)
    assert len(page.data.splitlines()) == 200
    assert page.next == {"start": 201}


def test_pages_follow_one_another_to_the_end(gate: BareGate, handle: str) -> None:
    follow: dict[str, Any] | None = {"start": 1}
    read = b""
    while follow is not None:
        page = gate.read(handle, **follow)
        read += page.data
        follow = page.next
    assert read == LOG.encode()


def test_page_from_the_end_has_the_last_lines(gate: BareGate, handle: str) -> None:
    page = gate.read(handle, limit=3, direction="tail")
    assert page.data.decode().splitlines() == LOG.splitlines()[-3:]
    assert gate.read(handle, limit=10, unit="bytes", direction="tail").data == LOG.encode()[-10:]


def test_page_by_bytes_starts_at_its_offset(gate: BareGate, handle: str) -> None:
    page = gate.read(handle, unit="bytes", offset=5, limit=30)
    assert (page.data, page.start, page.stop) == (LOG.encode()[5:35], 5, 35)
    assert gate.read(handle, offset=5, limit=30).data == page.data  # an offset says that bytes are meant
    assert gate.read(handle, unit="bytes", limit=4).data == LOG.encode()[:4]


@pytest.mark.parametrize("options", [{"start": 5_000}, {"offset": 10**9}, {"start": 10**30}, {"offset": 10**30}])
def test_page_past_the_end_is_empty_and_says_so(gate: BareGate, handle: str, options: dict[str, int]) -> None:
    page = gate.read(handle, **options)  # type: ignore[arg-type]
    assert page.data == b""
    assert page.next is None
    assert "past the end" in page.text


def test_read_of_expired_output_says_that_it_was_there() -> None:
    clock = Clock()
    gate = BareGate(store=MemoryStore(clock=clock), clock=clock)
    handle = gate.admit(LOG, limits=TINY).handle
    assert handle is not None
    clock.now += 8 * 86_400
    for read in (gate.read, lambda handle: gate.grep(handle, "x")):
        with pytest.raises(ExpiredHandle):
            read(handle)
    assert "has expired" in gate.call("read_output", {"handle": handle})


# -- calls of a model --------------------------------------------------------------------------------------------------


def test_call_reads_searches_and_lists(gate: BareGate, handle: str) -> None:
    assert gate.call("read_output", {"handle": handle, "start": 7, "limit": 5}).startswith("7 a line of a log\n8 ")
    assert gate.call("read_output", {"handle": handle, "unit": "bytes", "offset": 2, "limit": 4}).startswith("a li")
    assert "newline at the end" in gate.call("read_output", {"handle": handle, "direction": "tail", "limit": 5})
    assert "1234:1234 a line" in gate.call("grep_output", {"handle": handle, "pattern": "^1234 "})
    assert gate.call("read_output", {"handle": handle, "unseen": True}) != ""
    [line] = gate.call("list_outputs", {}).splitlines()
    assert line.split()[0] == handle
    assert "Bash" in line


def test_call_takes_arguments_as_an_object_or_as_json(gate: BareGate, handle: str) -> None:
    arguments = {"handle": handle, "start": "7", "limit": 5, "unit": None}
    assert gate.call("read_output", json.dumps(arguments)) == gate.call("read_output", arguments)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("read_output", {}),
        ("read_output", {"handle": "nonsense"}),
        ("read_output", {"handle": 5}),
        ("read_output", {"handle": "ps-aaaaaaaaaaaaaaaa"}),
        ("read_output", {"handle": "ps-aaaaaaaaaaaaaaaa", "start": 0}),
        ("read_output", {"handle": "ps-aaaaaaaaaaaaaaaa", "start": "9" * 5_000}),
        ("read_output", {"handle": "ps-aaaaaaaaaaaaaaaa", "path": "/etc/passwd"}),
        ("grep_output", {"handle": "ps-aaaaaaaaaaaaaaaa"}),
        ("grep_output", {"handle": "ps-aaaaaaaaaaaaaaaa", "pattern": "("}),
        ("list_outputs", {"limit": -1}),
        ("read_output", "not json"),
        ("read_output", "[1]"),
        ("read_output", "[" * 100_000),
        ("read_output", "\ud800"),
    ],
)
def test_call_tells_a_model_what_it_did_wrong(gate: BareGate, name: str, arguments: Any) -> None:
    answer = gate.call(name, arguments)
    assert answer.startswith("Error: ")
    assert_text_within(answer, Limits(chars=8_000))


def test_call_of_an_unknown_tool_raises(gate: BareGate) -> None:
    with pytest.raises(CallerError, match="read_output"):
        gate.call("write_output", {})


def test_call_tells_of_a_store_that_fails() -> None:
    assert BareGate(store=BrokenStore()).call("list_outputs", {}) == "Error: the disk is gone"
    with pytest.raises(StoreError):
        BareGate(store=BrokenStore()).read("ps-aaaaaaaaaaaaaaaa")


@pytest.mark.parametrize("chars", [1_000, 1_500])
def test_every_answer_is_within_the_limits_of_the_agent(chars: int) -> None:
    rules = PlainRules(agents={"small": chars})
    gate = BareGate(rules=rules, store=MemoryStore(), ledger=MemoryLedger(), agent="small")
    handles = [gate.admit(f"{number}" + LOG, tool="t" * 90, limits=TINY).handle for number in range(40)]
    for name, arguments in (
        ("read_output", {"handle": handles[0], "limit": 2_000}),
        ("read_output", {"handle": handles[0], "unseen": True}),
        ("grep_output", {"handle": handles[0], "pattern": "line", "limit": 2_000}),
        ("list_outputs", {"limit": 1_000}),
        ("read_output", {"handle": "no handle" * 900}),
        ("grep_output", {"handle": handles[0], "pattern": "(" * 9_000}),
        ("grep_output", {"handle": handles[0], "pattern": "(" * 90_000}),
        ("read_output", {"x" * 90_000: 1, "handle": handles[0]}),
    ):
        assert_text_within(gate.call(name, arguments), Limits(chars=chars))


def test_list_is_newest_first_and_says_when_it_is_not_whole() -> None:
    clock = Clock()
    gate = BareGate(store=MemoryStore(clock=clock), clock=clock)
    handles = []
    for number in range(30):
        clock.now += 1
        handles.append(gate.admit(f"{number}" + LOG, tool=f"tool{number}", limits=TINY).handle)
    *lines, last = gate.call("list_outputs", {}).splitlines()
    assert [line.split()[0] for line in lines] == handles[:-21:-1]
    assert "older" in last
    assert len(gate.call("list_outputs", {"limit": 30}).splitlines()) == 30
    assert len(gate.call("list_outputs", {"limit": 10**30}).splitlines()) == 30


def test_list_that_has_no_room_for_all_says_so() -> None:
    gate = BareGate(rules=PlainRules(agents={"small": 1_000}), store=MemoryStore(), agent="small")
    for number in range(20):
        gate.admit(f"{number}" + LOG, limits=TINY)
    *lines, last = gate.call("list_outputs", {}).splitlines()
    assert 5 < len(lines) < 20
    assert "older" in last


def test_list_is_bounded_however_much_is_asked_for(
    gate: BareGate, handle: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = next(gate.records())
    monkeypatch.setattr(gate, "records", lambda: itertools.repeat(record))
    assert "older" in gate.call("list_outputs", {"limit": 10**9})


def test_list_of_nothing_says_so() -> None:
    assert "nothing" in BareGate().call("list_outputs", {})
    assert "nothing" in BareGate(store=MemoryStore()).call("list_outputs", {"limit": 1})


@pytest.mark.parametrize("dialect", ["openai", "responses", "anthropic", "mcp"])
def test_tools_are_defined_in_every_dialect(gate: BareGate, dialect: Any) -> None:
    names = {tool.get("name") or tool["function"]["name"] for tool in gate.tools(dialect)}
    assert names == NAMES
    json.dumps(gate.tools(dialect))


def test_tools_of_an_unknown_dialect_are_refused(gate: BareGate) -> None:
    with pytest.raises(CallerError, match="mcp"):
        gate.tools("smoke")  # type: ignore[arg-type]


def test_definitions_given_out_may_be_changed(gate: BareGate) -> None:
    gate.tools("anthropic")[0]["input_schema"]["properties"]["handle"]["description"] = "changed"
    assert gate.tools("anthropic")[0]["input_schema"]["properties"]["handle"]["description"] != "changed"


def test_arguments_of_nothing_are_none() -> None:
    assert arguments_of("") == {}
    assert arguments_of("  ") == {}
