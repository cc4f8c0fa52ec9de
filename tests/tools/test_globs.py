from __future__ import annotations

import pytest

from penstock.errors import ArgumentError
from penstock.tools.globs import Globs

FILES = ["a.py", "b.ts", "c.tsx", "src/d.py", "src/e.ts", "src/deep/f.ts", "#g", "x.py/h"]


@pytest.mark.parametrize(
    ("glob", "wanted"),
    [
        (None, FILES),
        ("", FILES),
        ("*.py", ["a.py", "src/d.py"]),
        ("*.{ts,tsx}", ["b.ts", "c.tsx", "src/e.ts", "src/deep/f.ts"]),
        ("!*.{ts{,x},py}", ["#g", "x.py/h"]),
        ("src/*.{py,ts}", ["src/d.py", "src/e.ts"]),
        ("src/**", ["src/d.py", "src/e.ts", "src/deep/f.ts"]),
        ("**/f.ts", ["src/deep/f.ts"]),
        ("!src/**", ["a.py", "b.ts", "c.tsx", "#g", "x.py/h"]),
        ("#g", ["#g"]),
        ("[ab].*", ["a.py", "b.ts"]),
    ],
)
def test_glob_says_which_files_are_wanted(glob: str | None, wanted: list[str]) -> None:
    assert [file for file in FILES if Globs.of(glob).wants(file)] == wanted


@pytest.mark.parametrize("glob", ["!", "[z", "*.{py", "*.py}", "{,}", "\\", "x" * 1_001, "{a,b}" * 40, "{" * 900])
def test_glob_that_is_none_is_named_with_what_is_allowed(glob: str) -> None:
    with pytest.raises(ArgumentError, match=r"^glob = .* is not allowed: it must be a pattern of paths such as \*\.py"):
        Globs.of(glob)
