"""The worth of files, told from their paths."""

from __future__ import annotations

import pytest

from penstock.core.reduce.paths import DATA, MADE, SETTING, TEST, TEXT, worth_of


@pytest.mark.parametrize(
    ("path", "worth"),
    [
        (b"src/pump/valve.py", 1.0),
        (b"main.c", 1.0),
        (b"C:\\work\\Valve.cs", 1.0),
        (b"./lib/valve.rb", 1.0),
        (b"Makefile", 1.0),
        (b".github/workflows/test.yml", SETTING),
        (b".gitignore", SETTING),
        (b"pyproject.toml", SETTING),
        (b"tests/valve.py", TEST),
        (b"pkg/valve_test.go", TEST),
        (b"src/valve.spec.ts", TEST),
        (b"src/test_valve.py", TEST),
        (b"docs/valve.py", TEXT),
        (b"CHANGELOG.md", TEXT),
        (b"LICENSE", TEXT),
        (b"tests/fixtures/valve.py", DATA),
        (b"data.csv", DATA),
        (b"package-lock.json", MADE),
        (b"Cargo.lock", MADE),
        (b"go.sum", MADE),
        (b"node_modules/a/index.js", MADE),
        (b"src/app.min.js", MADE),
        (b"api/v1_pb2.py", MADE),
        (b"api/v1.pb.go", MADE),
        (b"", 1.0),
        (b"/" * 400, 1.0),
    ],
)
def test_worth_of_a_path(path: bytes, worth: float) -> None:
    assert worth_of(path) == worth
