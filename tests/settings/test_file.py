from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from penstock.errors import SettingsError
from penstock.settings.file import MOST_BYTES, read_file
from penstock.settings.refusal import Lined


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "penstock.yaml"


def read(file: Path, text: str | bytes) -> Lined:
    file.write_bytes(text.encode() if isinstance(text, str) else text)
    return read_file(file)


@pytest.mark.parametrize("text", ["", "\n", "# only a comment\n", "---\n", "null\n", "\ufeff# with a mark\n"])
def test_file_without_settings_is_empty(file: Path, text: str) -> None:
    assert read(file, text) == {}


def test_file_gives_values_with_the_lines_of_their_keys(file: Path) -> None:
    found = read(file, "# first\nstore:\n  kind: memory\n\n  quota_bytes: 1_000\nreader: none\n")
    assert found == {"store": {"kind": "memory", "quota_bytes": 1000}, "reader": "none"}
    assert found.lines == {"store": 2, "reader": 6}
    store = found["store"]
    assert isinstance(store, Lined)
    assert store.lines == {"kind": 3, "quota_bytes": 5}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("7", 7),
        ("-7", -7),
        ("0x10", 16),
        ("7.5", 7.5),
        ("1e3", "1e3"),
        ("true", True),
        ("No", False),
        ("~", None),
        ("", None),
        ("'7'", "7"),
        ("Bash", "Bash"),
        ("2026-11-18", "2026-11-18"),
        ("2026-99-99", "2026-99-99"),
        ("=", "="),
        ("<<", "<<"),
        ("010", "010"),  # 8 to YAML 1.1
        ("1:30", "1:30"),  # 90 to YAML 1.1
        ("1:30.5", "1:30.5"),
        ("9" * 5000, "9" * 5000),
    ],
)
def test_scalar_is_read_as_people_mean_it(file: Path, text: str, value: object) -> None:
    found = read(file, f"key: {text}\n")["key"]
    assert found == value
    assert type(found) is type(value)


def test_keys_are_text_whatever_they_look_like(file: Path) -> None:
    assert list(read(file, "on: 1\n404: 1\nnull: 1\n2026-11-18: 1\n")) == ["on", "404", "null", "2026-11-18"]


@pytest.mark.parametrize("value", ["!!python/object/apply:os.system ['true']", "!mine x", "!!bool 3"])
def test_tag_makes_no_object(file: Path, value: str) -> None:
    assert repr(read(file, f"key: {value}\n")["key"]) in (
        "a list",
        "a value with the tag !mine",
        "a value with the tag bool",
    )


def test_merged_mappings_give_what_the_mapping_does_not_say_itself(file: Path) -> None:
    found = read(
        file,
        "one: &one {a: 1, b: 1}\ntwo: &two {b: 2, c: 2}\nboth:\n  c: 3\n  <<: [*one, *two]\ncopy: *one\n",
    )
    assert found["both"] == {"c": 3, "a": 1, "b": 1}
    assert found["copy"] == {"a": 1, "b": 1}


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            "reader: auto\nlanguage: en\nreader: none\n",
            ", line 3: reader = 'none' is not allowed: the same key stands in line 1",
        ),
        ("a: {b: 1,\n  b: [1]}\n", ", line 2: b = a list is not allowed: the same key stands in line 1"),
        ("a: [1\nb: 2\n", ", line 2: not YAML: expected ',' or ']', but got ':'"),
        ("a: b: c\n", ", line 1: not YAML: mapping values are not allowed here"),
        ("\ta: 1\n", ", line 1: not YAML: found character '\\t' that cannot start any token"),
        ("a: 1\n---\nb: 2\n", ", line 2: not YAML: but found another document"),
        ("a: *nothing\n", ", line 1: not YAML: found undefined alias 'nothing'"),
        ("- a\n- b\n", ": a settings file is a mapping of keys to values, and this is a list"),
        ("just text\n", ": a settings file is a mapping of keys to values, and this is one value"),
        ("[a, b]: 1\n", ", line 1: a key of a settings file is text"),
        ("? {a: 1}\n: 2\n", ", line 1: a key of a settings file is text"),
        ("<<: 7\n", ", line 1: `<<` takes a mapping, or a list of mappings"),
        ("[" * 100_000, ": nested too deeply for settings"),
        (b"a: 1\nb: \xff\xfe\n", ", line 2: a settings file is UTF-8, and this line is not"),
        ("a: 1\n".encode("utf-16"), ", line 1: a settings file is UTF-8, and this line is not"),
        (b"#" * (MOST_BYTES + 1), ": a settings file has at most 262,144 bytes"),
    ],
)
def test_file_that_cannot_be_understood_is_one_clear_error(file: Path, text: str | bytes, sentence: str) -> None:
    with pytest.raises(SettingsError) as caught:
        read(file, text)
    assert str(caught.value) == f"{file}{sentence}"


def test_control_character_in_the_file_is_one_clear_error(file: Path) -> None:
    with pytest.raises(SettingsError, match="not YAML: unacceptable character #x0000"):
        read(file, "a: \0\n")


def test_mapping_that_merges_itself_is_refused(file: Path) -> None:
    with pytest.raises(SettingsError, match="nested too deeply"):
        read(file, "a: &a {<<: *a}\n")


def test_anchors_that_double_themselves_cost_nothing(file: Path) -> None:
    lines = ["k0: &k0 {a: 1}"]
    lines += [f"k{n}: &k{n} {{x: *k{n - 1}, y: *k{n - 1}, <<: [*k{n - 1}, *k{n - 1}]}}" for n in range(1, 60)]
    started = time.process_time()
    read(file, "\n".join(lines))
    assert time.process_time() - started < 2


def test_file_that_is_not_there_is_one_clear_error(file: Path) -> None:
    with pytest.raises(SettingsError) as caught:
        read_file(file)
    assert str(caught.value) == f"{file}: the settings file cannot be read: No such file or directory"


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="permissions do not bind root")
def test_file_without_permission_is_one_clear_error(file: Path) -> None:
    file.write_text("reader: none\n")
    file.chmod(0)
    with pytest.raises(SettingsError, match="cannot be read: Permission denied"):
        read_file(file)
