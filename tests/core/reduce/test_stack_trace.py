"""Stack traces: messages and causes always, the program's own frames before others, threads alike shown once."""

from __future__ import annotations

import pytest

from core.reduce.materials import MATERIALS
from penstock.core.content import Span, content_of_bytes
from penstock.core.flow import Case, bound
from penstock.core.limits import Limits
from penstock.core.measure import Size
from penstock.core.policy import Policy
from penstock.core.reduce import sample_of
from penstock.core.reduce.contract import Ask, Room
from penstock.core.reduce.stack_trace import STACK_TRACE


def view(text: str, chars: int, query: str = "") -> str:
    found = bound(Case(content_of_bytes(text.encode()), Policy(Limits(chars=chars)), "chars", query=query))
    assert found.kind == "stack_trace"
    return found.text


def java(frames: int, package: str = "river.gate.Opener", start: int = 0) -> str:
    return "".join(f"\tat {package}.{'abcdefgh'[n % 8]}{n}(File.java:{start + n})\n" for n in range(frames))


def test_messages_and_causes_of_a_deep_trace_are_shown() -> None:
    text = f"a.GateException: shut\n{java(300)}Caused by: b.Cause: no water\n{java(300)}\t... 23 more\n"
    text += f"Caused by: c.Root: the spring is dry\n{java(300, 'river.Spring')}\t... 9 more\n"
    shown = view(text, 2_000)
    assert all(said in shown for said in ("a.GateException: shut", "b.Cause: no water", "c.Root: the spring is dry"))
    assert "river.gate.Opener.a0(" in shown and "river.Spring.a0(" in shown


def test_frames_of_the_program_are_shown_before_those_of_libraries() -> None:
    text = "a.GateException: shut\n" + "".join(
        java(20, "org.springframework.web.Filter", 50 * n) + java(1, f"river.gate.Step{n}", 50 * n) for n in range(30)
    )
    shown = view(text, 2_500)
    assert all(f"river.gate.Step{n}." in shown for n in range(30))


def test_threads_that_stand_alike_are_shown_once_and_the_odd_one_by_its_name() -> None:
    threads = [
        f'"worker-{n}" #{n} prio=5 tid=0x00007f{n:04x}\n   java.lang.Thread.State: WAITING (parking)\n{java(15)}\n'
        for n in range(200)
    ]
    threads[137] = f'"worker-137" #137 tid=0x00007f0137\n   java.lang.Thread.State: BLOCKED\n{java(15, "odd.Lock")}\n'
    shown = view("".join(threads), 3_000)
    assert '"worker-137"' in shown and "odd.Lock.a0(" in shown
    assert shown.count("Thread.State: WAITING") < 20


def test_innermost_frame_of_python_is_the_last() -> None:
    frames = "".join(
        f'  File "/srv/river/{c}.py", line {n}, in step\n    below.step({n})\n' for n, c in enumerate("abcdefghij" * 30)
    )
    text = f"Traceback (most recent call last):\n{frames}ValueError: no water\n"
    shown = view(text, 1_200)
    assert "ValueError: no water" in shown
    assert 'File "/srv/river/j.py", line 299, in step\n    below.step(299)\nValueError' in shown
    assert "line 150," not in shown


NUMBERED = "".join(f"{n}: the gate is open\n" for n in range(99))

TRACES = {
    "python": '  File "/srv/gate.py", line 7, in open\n    below.open()\n',
    "exception group": '  | File "/srv/gate.py", line 7, in open\n  |   below.open()\n',
    "java": "\tat river.Gate.open(Gate.java:7)\n",
    "node": "    at Gate.open (/srv/gate.js:7:12)\n    at /srv/main.js:3:1\n",
    "node, with an error": "    at Gate.openError (/usr/lib/node_modules/gate.js:7:12)\n",
    "c sharp": "   at River.Gate.Open(Int32 n) in C:\\src\\Gate.cs:line 7\n",
    "go": "river/gate.(*Gate).Open(0xc000010000, 0x7)\n\t/srv/gate.go:71 +0x1d\n",
    "rust": "   7: river::gate::open\n             at ./src/gate.rs:71:5\n",
    "ruby": "\tfrom /srv/gate.rb:7:in `open'\n",
    "php": "#7 /srv/gate.php(71): River\\Gate->open(7)\n",
    "gdb": "#7  0x00005555 in gate_open (n=7) at gate.c:71\n",
    "sanitizer": "    #7 0x55d4 in gate_open /srv/gate.c:71:3\n",
}


@pytest.mark.parametrize("name", TRACES)
def test_trace_is_told_by_its_frames(name: str) -> None:
    text = f"it failed: no water\n{TRACES[name] * 40}"
    assert STACK_TRACE.fit(sample_of(content_of_bytes(text.encode()), "text")) >= 0.7
    assert view(text * 9, 900).startswith("it failed: no water\n")


@pytest.mark.parametrize(
    "text", ["", "a\nb\n", NUMBERED, *(text for n, text in MATERIALS.items() if not n.startswith("stack_trace"))]
)
def test_other_output_is_not_taken_for_a_trace(text: str) -> None:
    assert STACK_TRACE.fit(sample_of(content_of_bytes(text.encode()), "text")) < 0.5


def test_content_without_lines_or_frames_is_shown_too() -> None:
    for text in ("", "one line", "\n\n"):
        content = content_of_bytes(text.encode())
        spans = STACK_TRACE.reduce(content, Ask()).choose(Room(300, None, None, Size(16, 1, 16))).spans
        assert spans == ([Span(0, len(text))] if text else [])
