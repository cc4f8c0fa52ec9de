"""What a path tells of a file: what it is called after, and whether it is code that people look for.

The names `mod`, `index` and `__init__` say nothing: there it is the folder that gives the name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final, NamedTuple

from penstock.search.words import parts_of, stem

_NAMELESS: Final = frozenset(
    ("mod", "index", "__init__", "lib", "main", "init", "__main__", "package", "package-info", "default")
)

_TEST: Final = re.compile(
    r"(?:^|/)(?:tests?|__tests__|specs?|testing|testdata|fixtures?|__mocks__|mocks?|e2e)/|"
    r"(?:[._-](?:tests?|specs?)|(?-i:[a-z0-9])(?:Tests?|Specs?))/|"
    r"(?:^|/)(?:test_|conftest\.)[^/]*$|[._-](?:tests?|specs?)\.\w+$|(?-i:[a-z0-9])(?:Tests?|Specs?|IT)\.\w+$"
)
_PROSE: Final = re.compile(
    r"\.(?:mdx?|markdown|rst|txt|adoc|asciidoc|jsonc?|json5|ya?ml|toml|xml|ini|cfg|html?|css|svg)$"
)
_BESIDE: Final = re.compile(
    r"(?:^|/)_?(?:examples?|samples?|demos?|docs?|documentation|bench|benchmarks?|legacy|compat|deprecated|playground|"
    r"third_party|vendor|generated)/"
)

# What a score is multiplied by.
_OTHER_FACTORS: Final = ((_PROSE, 0.4), (_BESIDE, 0.5))
_FACTORS: Final = ((_TEST, 0.5), *_OTHER_FACTORS)


class PathNames(NamedTuple):
    name: tuple[str, ...]  # the stems of what the file is called
    whole: str  # the same as one word
    folders: frozenset[str]  # the stems of the folders above
    factor: float  # below 1 for tests, examples, prose and data
    factor_for_tests: float  # the same for who asks for tests


@lru_cache(maxsize=4_096)
def names_of(path: str) -> PathNames:
    folder, _, file = path.rpartition("/")
    called = file.partition(".")[0] or file.lstrip(".")
    if called.lower() in _NAMELESS and folder:
        called = folder.rpartition("/")[2]
    parts = parts_of(called) or [called.lower()]
    folders = frozenset(stem(part) for name in folder.split("/") for part in parts_of(name))
    factors = _factor(path, _FACTORS), _factor(path, _OTHER_FACTORS)
    return PathNames(tuple(dict.fromkeys(map(stem, parts))), stem("".join(parts)), folders, *factors)


def _factor(path: str, factors: Iterable[tuple[re.Pattern[str], float]]) -> float:
    lower = path.lower()
    for kind, factor in factors:
        if kind.search(path) or kind.search(lower):
            return factor
    return 1.0
