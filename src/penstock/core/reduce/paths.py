"""How much a file is likely to matter, told from its path: code before tests, tests before documents, those before
data, and what a machine or another project wrote last. The least of what its folders, its name and its ending say."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

MADE: Final = 0.05  # by a program or by another project: nobody asks about its lines
DATA: Final = 0.15
TEXT: Final = 0.25
TEST: Final = 0.45
SETTING: Final = 0.5

# A path is read this far back; the worths of so many names and folders are remembered.
READ: Final = 300
KEPT: Final = 8_192

_FOLDERS: Final[dict[bytes, float]] = {
    name.encode(): worth
    for worth, names in (
        (
            MADE,
            "vendor vendored node_modules third_party third-party external dist __snapshots__ generated site-packages",
        ),
        (DATA, "fixture fixtures testdata test_data golden cassettes resources data assets static"),
        (TEXT, "doc docs documentation man changelog changelogs changes newsfragments news licenses"),
        (TEST, "test tests testing spec specs __tests__ e2e example examples sample samples demo demos mocks"),
        (TEST, "bench benchmark benchmarks asv_bench"),
    )
    for name in names.split()
}
_ENDINGS: Final[dict[bytes, float]] = {
    name.encode(): worth
    for worth, names in (
        (MADE, "map snap lock svg png jpg jpeg gif ico pdf woff woff2 ttf eot po pot mo sum"),
        (DATA, "csv tsv json jsonl xml html htm css"),
        (TEXT, "md rst txt adoc tex texi org pod"),
        (SETTING, "yml yaml toml cfg ini conf json5 properties gradle cmake in am ac bat"),
    )
    for name in names.split()
}
# What stands between name and ending where a program wrote the file: `app.min.js`, `api.pb.go`.
_MADE_BY: Final = frozenset((b"min", b"pb", b"g", b"generated", b"bundle"))
_STEMS: Final[dict[bytes, float]] = {
    name.encode(): worth
    for worth, names in (
        (MADE, "package-lock pnpm-lock npm-shrinkwrap"),
        (TEXT, "changes changelog history news authors contributors license licence copying notice todo version"),
        (TEXT, "readme contributing releasing"),
        (TEST, "conftest"),
    )
    for name in names.split()
}
_TESTS: Final = (b"_test", b"-test", b".test", b"_tests", b".tests", b"_spec", b".spec", b"-spec")


def worth_of(path: bytes) -> float:
    """From `MADE` to 1."""
    folder, _, name = path[-READ:].lower().replace(b"\\", b"/").rstrip(b"/\r ").rpartition(b"/")
    return min(_worth_of_folder(folder), _worth_of_name(name))


@lru_cache(maxsize=KEPT)
def _worth_of_folder(folder: bytes) -> float:
    above, _, name = folder.rpartition(b"/")
    worth = _FOLDERS.get(name, 1.0)
    # What is kept in a folder with a dot is for a tool.
    if name[:1] == b"." and len(name) > 2:
        worth = min(worth, SETTING)
    return min(worth, _worth_of_folder(above)) if above else worth


@lru_cache(maxsize=KEPT)
def _worth_of_name(name: bytes) -> float:
    if name[:1] == b"." and len(name) > 1:
        return SETTING
    stem, dot, ending = name.rpartition(b".")
    if not dot:
        stem, ending = name, b""
    worth = min(_ENDINGS.get(ending, 1.0), _STEMS.get(stem, 1.0))
    if stem.rpartition(b".")[2] in _MADE_BY or stem.endswith((b"_pb2", b"_pb2_grpc")):
        return MADE
    if stem.startswith((b"test_", b"tests_")) or stem.endswith(_TESTS):
        return min(worth, TEST)
    return worth
