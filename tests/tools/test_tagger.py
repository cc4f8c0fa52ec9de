from __future__ import annotations

import sys
import time
from collections.abc import Iterator

import pytest

from penstock.errors import ToolError
from penstock.search.languages import Language
from penstock.search.walk import Source
from penstock.tools import tagger
from penstock.tools.tagger import Tagger
from penstock.tools.tags import tags_of

SOURCE = Source(Language("python"), "class Valve:\n    def turn(self): return OpenGate('ü')\n")
LATER = 60.0

# A child that is ready, and then does this.
CHILD = "import sys, time\nfrom penstock.search.cutting import send, receive\nsend(sys.stdout.buffer, b'ready')\n"


@pytest.fixture
def own() -> Iterator[Tagger]:
    with Tagger() as tagger:
        yield tagger


def becomes(monkeypatch: pytest.MonkeyPatch, code: str) -> None:
    monkeypatch.setattr(tagger, "COMMAND", (sys.executable, "-c", code))


def test_tags_are_those_that_this_process_would_make(own: Tagger) -> None:
    for _ in range(3):
        assert own.tags(SOURCE, time.monotonic() + LATER) == tags_of(SOURCE)


def test_text_that_kills_the_child_has_no_tags_and_the_next_one_has(
    own: Tagger, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        becomes(patched, CHILD + "receive(sys.stdin.buffer)\nimport os\nos.abort()")
        assert own.tags(SOURCE, time.monotonic() + LATER).lack == "broke its parser"
    assert own.tags(SOURCE, time.monotonic() + LATER) == tags_of(SOURCE)


def test_text_that_takes_too_long_is_given_up(own: Tagger, monkeypatch: pytest.MonkeyPatch) -> None:
    becomes(monkeypatch, CHILD + "time.sleep(600)")
    monkeypatch.setattr(tagger, "FILE_SECONDS", 0.2)
    assert own.tags(SOURCE, time.monotonic() + LATER).lack == "took too long to parse"


def test_time_that_is_over_ends_the_child_and_is_told(own: Tagger, monkeypatch: pytest.MonkeyPatch) -> None:
    for code in (CHILD + "time.sleep(600)", "import time; time.sleep(600)"):
        becomes(monkeypatch, code)
        began = time.monotonic()
        with pytest.raises(TimeoutError):
            own.tags(SOURCE, began + 1)
        assert time.monotonic() - began < 20


def test_child_that_cannot_run_is_told(own: Tagger, monkeypatch: pytest.MonkeyPatch) -> None:
    becomes(monkeypatch, "raise SystemExit(1)")
    with pytest.raises(ToolError, match="does not run; it is needed to parse code"):
        own.tags(SOURCE, time.monotonic() + LATER)
    monkeypatch.setattr(tagger, "COMMAND", ("/nowhere/python",))
    with pytest.raises(ToolError, match="cannot be run to parse code: No such file"):
        own.tags(SOURCE, time.monotonic() + LATER)
