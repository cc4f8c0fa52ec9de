"""The main job, on this machine: noisy commands through the gate, what a model sees, and the rest read back.

Run it with `make start`, or `python examples/start.py`. It keeps the whole outputs in a temporary folder.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from penstock import Gate, Limits, View

LIMITS = Limits(chars=1_600, lines=24)

# Commands that any machine with Python has, and that say more than anybody wants to read.
COMMANDS = {
    "what Python imports to start a web client": [sys.executable, "-X", "importtime", "-c", "import urllib.request"],
    "all files of the standard library": [
        sys.executable,
        "-c",
        "import os, pathlib; [print(p) for p in sorted(pathlib.Path(os.__file__).parent.rglob('*.py'))]",
    ],
    "a failing job with the error in the middle": [
        sys.executable,
        "-c",
        "import json\n"
        "for i in range(4000):\n"
        "    print(f'step {i:05d} ok  compiled module_{i % 97} in {i % 13} ms')\n"
        "    if i == 2719: print('ERROR: module_31: undefined reference to `valve_open`')\n"
        "print('4000 steps, 1 failed'); raise SystemExit(1)",
    ],
    "ten thousand records on one line": [
        sys.executable,
        "-c",
        "import json; print(json.dumps([{'id': i, 'flow': i * 37 % 1009} for i in range(10000)]))",
    ],
}


def run(gate: Gate, command: list[str]) -> View:
    """One command, its output captured as it comes, both streams in the order in which they were written."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
    with process, gate.open(tool=Path(command[0]).name) as capture:
        assert process.stdout is not None
        capture.feed(process.stdout)
    return capture.view


def framed(text: str) -> str:
    return "\n".join(f"  │ {line}" for line in text.splitlines())


def show(gate: Gate, title: str, command: list[str]) -> View:
    view = run(gate, command)
    print(f"\n■ {title}")
    before, after = view.original, view.size
    lines = "1 line" if before.lines == 1 else f"{before.lines:,} lines"
    print(f"  {before.bytes:,} bytes in {lines}; a model sees {after.chars:,} characters:")
    print(framed(view.text))
    return view


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="penstock-") as folder, Gate(directory=folder, limits=LIMITS) as gate:
        print(f"Every view is within {LIMITS.chars:,} characters and {LIMITS.lines} lines, its notice included.")
        views = [show(gate, title, command) for title, command in COMMANDS.items()]
        failing, one_line = views[2], views[3]
        assert failing.handle and one_line.handle
        print("\n■ The error that the third view counts but hides, found in what was kept:")
        print(framed(str(gate.grep(failing.handle, "ERROR|failed", context=1))))
        print("\n■ The middle of the line of 10,000 records, by bytes:")
        print(framed(str(gate.read(one_line.handle, unit="bytes", offset=100_000, limit=200))))
        print("\n■ What is kept, in files that any program opens:")
        for record in gate.records():
            print(f"  {record.handle}  {record.size:>9,} bytes  {Path(record.path or '').name}")
        whole = sum(view.original.bytes for view in views)
        saved = whole - sum(view.size.bytes for view in views)
        print(f"\n{saved:,} of {whole:,} bytes stayed out of the context; none is lost.")


if __name__ == "__main__":
    main()
