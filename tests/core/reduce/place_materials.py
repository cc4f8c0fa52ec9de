"""Specimens of diffs, search results, listings and source code, as different tools print them. All are invented."""

from __future__ import annotations

from typing import Final

_COMMIT = """\
commit {0}c0ffee0badc0de0badc0de0badc0de0badc0de
Author: Ada <ada@pump.example>
Date:   Mon Mar 2 10:00:00 2026 +0100

    Close valve {0} when the pressure is too high

diff --git a/src/valve{0}.py b/src/valve{0}.py
index 1111111..2222222 100644
--- a/src/valve{0}.py
+++ b/src/valve{0}.py
@@ -10,6 +10,8 @@ class Valve:
     def check(self, pressure):
         log(pressure)
-        return True
+        if pressure > LIMIT:
+            self.close()
+        return self.is_open

     def close(self):
"""

_PYTHON = '''\
"""Valves of the pump."""

import os
from math import sqrt


class Valve:
    """A valve."""

    def __init__(self, name, *, size=3):
        self.name = name
        self.size = size

    @property
    def flow(self):
        """How much goes through."""
        if self.size > 0:
            return sqrt(self.size)
        return 0


def set_valve(name, pressure=42):
    valve = Valve(name, size=pressure)
    print(valve.flow)
'''

_GO = """\
package pump

import "fmt"

// Valve is open or shut.
type Valve struct {
\tName string
}

func (v *Valve) Open(pressure int) error {
\tif pressure > 42 {
\t\treturn fmt.Errorf("too high: %d", pressure)
\t}
\treturn nil
}
"""

PLACES: Final[dict[str, str]] = {
    "diff:git log -p": "\n".join(_COMMIT.format(n) for n in "abcdef"),
    "diff:git diff": "".join(_COMMIT.format(n).split("\n\n", 2)[2] for n in "abcdef"),
    "diff:git log": "\n".join(_COMMIT.format(n).split("diff --git")[0] for n in "abcdef"),
    "diff:svn": "".join(
        f"Index: pump/valve{n}.c\n{'=' * 67}\n--- pump/valve{n}.c\t(revision 3)\n+++ pump/valve{n}.c\t(working copy)\n"
        f"@@ -{n},3 +{n},3 @@\n int open(void) {{\n-    return {n};\n+    return -{n};\n }}\n"
        for n in range(1, 9)
    ),
    "diff:plain": "".join(
        f"--- old/valve{n}.c\t2026-03-02 10:00:00\n+++ new/valve{n}.c\t2026-03-03 10:00:00\n"
        f"@@ -{n},2 +{n},3 @@\n a = {n};\n+b = open(a);\n c = 1;\n"
        for n in range(1, 9)
    ),
    "grep:flat": "".join(f"src/pump/valve{n // 6}.py:{10 + n}:    valve.open(pressure={n})\n" for n in range(60)),
    "grep:context": "--\n".join(
        f"src/valve-{n // 6}.c-{10 * n + 9}-{{\n"
        f"src/valve-{n // 6}.c:{10 * n + 10}:    open_valve({n});\n"
        f"src/valve-{n // 6}.c-{10 * n + 11}-}}\n"
        for n in range(40)
    ),
    "grep:columns": "".join(f"src/pump{n // 5}.go:{n + 1}:{7 + n}:\topenValve(p{n})\n" for n in range(40)),
    "grep:windows": "".join(f"C:\\work\\pump\\valve{n // 5}.py:{n + 1}:    open_valve({n})\n" for n in range(40)),
    "grep:no numbers": "".join(f"src/pump/valve{n // 5}.py:    open_valve({n})\n" for n in range(60)),
    "grep:headings": "\n".join(
        f"src/pump/valve{n}.py\n" + "".join(f"{10 * n + k}:    open_valve({k})\n" for k in range(1, 6))
        for n in range(12)
    ),
    "listing:paths": "".join(
        f"{folder}/{name}{n}.py\n"
        for folder in ("src/pump", "src/valve", "tests")
        for name in ("open", "shut")
        for n in range(8)
    ),
    "listing:ls -lR": "\n".join(
        f"./pump{n}:\ntotal 24\n"
        + "".join(f"-rw-r--r-- 1 ada ada {k * 100:>5} Mar  2 10:0{k} valve{k}.py\n" for k in range(1, 7))
        for n in range(8)
    ),
    "listing:tree": ".\n"
    + "".join(
        f"├── pump{n}\n" + "".join(f"│   ├── valve{k}.py\n" for k in range(4)) + "│   └── README.md\n" for n in range(8)
    )
    + "└── setup.py\n\n8 directories, 41 files\n",
    "listing:find -ls": "".join(
        f"  {n + 4711}      4 -rw-r--r--   1 ada      ada          {n * 7} Mar  2 10:00 ./src/valve{n}.py\n"
        for n in range(50)
    ),
    "listing:git ls-tree": "".join(
        f"100644 blob {n:040x} {n * 37:>7}\tsrc/pump{n // 7}/valve{n}.py\n" for n in range(40)
    ),
    "source:python": _PYTHON * 3,
    "source:numbered": "".join(f"{n:>6}\t{line}\n" for n, line in enumerate((_PYTHON * 2).splitlines(), 1)),
    "source:go": _GO * 3,
}
