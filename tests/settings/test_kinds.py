from __future__ import annotations

from pathlib import Path

import pytest

from penstock.settings.kinds import Address, Choice, Flag, Kind, Number, Place, Text, Whole

LIMIT = Whole(null="no limit")
SERVER = Address(("postgresql", "postgres"), "the folder")


@pytest.mark.parametrize(
    ("kind", "value", "taken"),
    [
        (LIMIT, 1, 1),
        (LIMIT, None, None),
        (Whole(None), -5, -5),
        (Number(0, 1), 1, 1),
        (Number(0, 1), 0.25, 0.25),
        (Choice(("head", "tail"), {"head_only": "head"}), "HEAD", "head"),
        (Choice(("head", "tail"), {"head_only": "head"}), "head_only", "head"),
        (Flag(), False, False),
        (Text("a name", "none"), "gpt-4o", "gpt-4o"),
        (Text("a name", "none"), None, None),
        (
            SERVER,
            "postgresql://me@db.example:5432/code?sslmode=require",
            "postgresql://me@db.example:5432/code?sslmode=require",
        ),
        (SERVER, None, None),
        (Place("a folder"), "out", Path("out")),
        (Place("a folder"), Path("out"), Path("out")),
    ],
)
def test_kind_takes_what_is_allowed(kind: Kind, value: object, taken: object) -> None:
    assert kind.of(value) == taken


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (LIMIT, 0),
        (LIMIT, -1),
        (LIMIT, True),
        (LIMIT, 1.0),
        (LIMIT, "1"),
        (LIMIT, 2**63),
        (Whole(), None),
        (Whole(None), -(2**63)),
        (Number(0, 1), True),
        (Number(0, 1), 1.1),
        (Number(0, 1), -0.1),
        (Number(0, 1), float("nan")),
        (Number(0, 9, above=True), 0),
        (Number(0, 9, above=True), float("inf")),
        (Choice(("head", "tail")), "middle"),
        (Choice(("head", "tail")), None),
        (Choice(("head", "tail")), ["head"]),
        (Flag(), 1),
        (Flag(), None),
        (Flag(), "true"),
        (Text("a name"), ""),
        (Text("a name"), " "),
        (Text("a name"), "two\nlines"),
        (Text("a name"), None),
        (Text("a name"), 4),
        (SERVER, "postgresql://me:secret@db.example/code"),
        (SERVER, "postgresql://db.example/code?password=secret"),
        (SERVER, "postgresql://me:sec/ret@db.example/code"),
        (SERVER, "mysql://db.example/code"),
        (SERVER, "db.example"),
        (SERVER, 5432),
        (Place("a folder"), ""),
        (Place("a folder"), "a\0b"),
        (Place("a folder"), 4),
        (Place("a folder"), None),
    ],
)
def test_kind_refuses_what_is_not_allowed(kind: Kind, value: object) -> None:
    with pytest.raises(ValueError):  # it carries nothing; who asked knows the words
        kind.of(value)


@pytest.mark.parametrize(
    ("kind", "text", "taken"),
    [
        (LIMIT, "2000", 2000),
        (LIMIT, "null", None),
        (LIMIT, "None", None),
        (Number(0, 9), "7", 7),
        (Number(0, 9), "0.5", 0.5),
        (Choice(("head", "none")), "none", "none"),
        (Flag(), "ON", True),
        (Flag(), "0", False),
        (Text("a name", "none"), "null", None),
        (SERVER, "none", None),
        (SERVER, "postgresql:///code", "postgresql:///code"),
        (Text("a name"), "null", "null"),
        (Place("a folder"), "out", Path("out")),
    ],
)
def test_kind_reads_the_text_of_a_variable(kind: Kind, text: str, taken: object) -> None:
    assert kind.of_text(text) == taken
    assert type(kind.of_text(text)) is type(taken)


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (LIMIT, "0"),
        (LIMIT, "2k"),
        (LIMIT, "9" * 5000),
        (Whole(), "null"),
        (Number(0, 9), "inf"),
        (Number(0, 9), "nan"),
        (Number(0, 9), "a week"),
        (Flag(), "maybe"),
        (Choice(("head", "tail")), "HEAD_TAIL"),
    ],
)
def test_kind_refuses_the_text_of_a_variable_that_is_not_allowed(kind: Kind, text: str) -> None:
    with pytest.raises(ValueError):  # as above
        kind.of_text(text)


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (LIMIT, "a whole number from 1 on, or null for no limit"),
        (Whole(), "a whole number from 1 on"),
        (Whole(None), "a whole number"),
        (Number(0, 1), "a number from 0, up to 1"),
        (Number(0, 36_500, above=True), "a number above 0, up to 36,500"),
        (Choice(("en", "zh")), "en or zh"),
        (Choice(("a", "b", "c")), "a, b or c"),
        (Flag(), "true or false"),
        (Text("the name of a model", "none"), "the name of a model, or null for none"),
        (
            SERVER,
            "a postgresql:// or postgres:// address without a password, which belongs into PGPASSWORD or ~/.pgpass,"
            " or null for the folder",
        ),
        (Place("a folder"), "a folder"),
    ],
)
def test_kind_says_in_words_what_is_allowed(kind: Kind, words: str) -> None:
    assert kind.allowed == words
