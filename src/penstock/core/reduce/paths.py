"""How much a file is likely to matter, told from its path: code before tests, tests before documents, those before what
a machine wrote."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

# What a program wrote or another project did: nobody asks about its lines.
MADE: Final = 0.05

_WORTHS: Final = (
    (
        MADE,
        rb"(?:^|/)(?:vendor|vendored|node_modules|third[_-]?party|external|dist|__snapshots__|generated|\.yarn|site-packages)/"
        rb"|(?:^|/)(?:[\w.\-]*lock(?:file)?(?:\.(?:json|yaml|yml))?|go\.sum|npm-shrinkwrap\.json)$"
        rb"|\.(?:min\.\w+|map|snap|lock|pb\.\w+|g\.\w+|generated\.\w+|svg|png|jpe?g|gif|ico|pdf|woff2?|ttf|po|pot|mo)$"
        rb"|_pb2(?:_grpc)?\.pyi?$|[._\-]bundle\.\w+$",
    ),
    (0.15, rb"(?:^|/)(?:fixtures?|testdata|test_data|golden|mocks?|cassettes|resources|data|assets|static)/|\.(?:csv|tsv|jsonl?|xml|html?|css)$"),
    (
        0.25,
        rb"(?:^|/)(?:docs?|documentation|man|changelogs?|changes|newsfragments|news|licen[sc]es)/"
        rb"|(?:^|/)(?:change(?:s|log)|history|news|release[\w\-]*|authors|contributors|licen[sc]e|copying|notice|todo|version)(?:\.\w+)?$"
        rb"|\.(?:md|rst|txt|adoc|tex|texi|org|pod)$",
    ),
    (
        0.45,
        rb"(?:^|/)(?:tests?|testing|specs?|__tests__|e2e|examples?|samples?|demos?|bench(?:marks?)?|asv_bench)/"
        rb"|(?:^|/)(?:tests?_[^/]*|conftest)\.\w+$|[._\-](?:tests?|spec)\.\w+$|tests?\.(?:java|cs|kt|scala|swift|php)$",
    ),
    (0.5, rb"(?:^|/)\.[^/]*/|\.(?:ya?ml|toml|cfg|ini|conf|json5?|properties|gradle|cmake|in|am|ac|bat)$|(?:^|/)\.[^/]*$"),
)
_PATTERNS: Final = tuple((worth, re.compile(pattern)) for worth, pattern in _WORTHS)


@lru_cache(maxsize=4_096)
def worth_of(path: bytes) -> float:
    """From `MADE` to 1."""
    lower = path[-300:].lower().replace(b"\\", b"/")
    return next((worth for worth, pattern in _PATTERNS if pattern.search(lower)), 1.0)
