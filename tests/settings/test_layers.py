"""What is refused, in which words."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as examples
from hypothesis import strategies as st

from penstock.errors import SettingsError
from penstock.settings import Settings, load_settings
from penstock.settings.kinds import Address, Choice, Flag, Kind, Number, Place, Text, Whole
from penstock.settings.table import CONFIG
from penstock.settings.tree import TREE, Key, settings

from .conftest import Load

SETTINGS = list(settings())
IN_ENVIRONMENT = [(setting.env, setting.kind) for _, setting in SETTINGS if setting.env]


def wrong_for(kind: Kind) -> tuple[str, str]:
    """A value of YAML that this kind refuses, with how an error shows it."""
    wrong: dict[type, tuple[str, str]] = {
        Whole: ("many", "'many'"),
        Number: ("-1", "-1"),
        Choice: ("neither", "'neither'"),
        Flag: ("3", "3"),
        Text: ("7", "7"),
        Place: ("[a]", "a list"),
        Address: ("mysql://x", "'mysql://x'"),
    }
    return wrong[type(kind)]


def nested(key: Key, value: str) -> str:
    return "".join(f"{'  ' * depth}{word}:\n" for depth, word in enumerate(key[:-1])) + (
        f"{'  ' * (len(key) - 1)}{key[-1]}: {value}\n"
    )


@pytest.mark.parametrize(
    ("key", "kind"), [(key, setting.kind) for key, setting in SETTINGS], ids=lambda part: str(part)
)
def test_wrong_value_in_the_file_names_file_line_key_and_what_is_allowed(
    load: Load, project: Path, key: Key, kind: Kind
) -> None:
    key = tuple("Bash" if word == "<name>" else word for word in key)
    text, shown = wrong_for(kind)
    with pytest.raises(SettingsError) as caught:
        load(nested(key, text))
    dotted = ".".join(key)
    assert str(caught.value) == (
        f"{project}/penstock.yaml, line {len(key)}: {dotted} = {shown} is not allowed: {kind.allowed}"
    )
    assert (caught.value.key, caught.value.allowed) == (dotted, kind.allowed)
    assert caught.value.exit_code == 2


@pytest.mark.parametrize(("name", "kind"), IN_ENVIRONMENT)
def test_wrong_value_in_the_environment_names_the_variable_and_what_is_allowed(
    load: Load, name: str, kind: Kind
) -> None:
    wrong: dict[object, str] = {Flag: "maybe", Text: "a\0b", Place: "a\0b"}
    text = wrong.get(type(kind), "neither")
    with pytest.raises(SettingsError) as caught:
        load(None, None, **{name: text})
    assert str(caught.value) == f"environment: {name} = {text!r} is not allowed: {kind.allowed}"


@pytest.mark.parametrize(
    ("yaml", "line", "sentence"),
    [
        (
            "tool_output_limits:\n  default:\n    max_line: 7\n",
            3,
            "tool_output_limits.default.max_line = 7 is not allowed: there is no such setting; did you mean max_lines?",
        ),
        (
            "max_lines: 7\n",
            1,
            "max_lines = 7 is not allowed: "
            "there is no such setting; did you mean tool_output_limits.default.max_lines?",
        ),
        (
            "tool_output_limits: {tools: {Bash: {max_depht: 3}}}\n",
            1,
            "tool_output_limits.tools.Bash.max_depht = 3 is not allowed: "
            "there is no such setting; did you mean max_depth?",
        ),
        (
            "store:\n  s3: {bucket: x}\n",
            2,
            "store.s3 = a mapping is not allowed: there is no such setting; "
            "known here: kind, directory, retention_days, quota_bytes, durability",
        ),
        (
            "store: disk\n",
            1,
            "store = 'disk' is not allowed: "
            "a mapping with the keys kind, directory, retention_days, quota_bytes, durability",
        ),
        ("agents: [a, b]\n", 1, "agents = a list is not allowed: a mapping of names"),
        (
            "agents: {a: 3}\n",
            1,
            "agents.a = 3 is not allowed: a mapping with the keys max_tool_result_length, model, tools",
        ),
        ("agents: {'': {}}\n", 1, "agents. = a mapping is not allowed: a key is text"),
        (
            "config: other.yaml\n",
            1,
            "config = 'other.yaml' is not allowed: there is no such setting; known here: " + ", ".join(TREE.keys),
        ),
        (
            'store: {"ki\\nnd": disk}\n',
            1,
            "'store.ki\\nnd' = 'disk' is not allowed: there is no such setting; did you mean kind?",
        ),
        (
            "summarization:\n  model: !mine x\n",
            2,
            "summarization.model = a value with the tag !mine is not allowed: the name of a model, or null for none",
        ),
        (
            "reader: " + "x" * 299,
            1,
            f"reader = '{'x' * 200}...' is not allowed: auto, penstock, files, task, cli or none",
        ),
    ],
)
def test_wrong_key_or_shape_in_the_file_is_one_clear_sentence(
    load: Load, project: Path, yaml: str, line: int, sentence: str
) -> None:
    with pytest.raises(SettingsError) as caught:
        load(yaml)
    assert str(caught.value) == f"{project}/penstock.yaml, line {line}: {sentence}"


@pytest.mark.parametrize(
    ("overrides", "sentence"),
    [
        ({"reader": "me"}, "reader = 'me' is not allowed: auto, penstock, files, task, cli or none"),
        (
            {"store.kinds": "disk"},
            "store.kinds = 'disk' is not allowed: there is no such setting; did you mean store.kind?",
        ),
        ({"store": {"kind": 3}}, "store.kind = 3 is not allowed: disk or memory"),
        ({"store": {3: 3}}, "store.3 = 3 is not allowed: a key is text"),
        ({"agents": {"a": {"tools": 1}}}, "agents.a.tools = 1 is not allowed: a mapping of names"),
        ({"config": 7}, "config = 7 is not allowed: a file that can be read, or null for a search for penstock.yaml"),
        (
            {"tool_output_limits.default.max_chars": 1 << 20_000},
            "tool_output_limits.default.max_chars = a number of 20001 bits is not allowed: "
            "a whole number from 1 on, or null for no limit",
        ),
    ],
)
def test_wrong_call_is_one_clear_sentence(load: Load, overrides: dict[str, object], sentence: str) -> None:
    with pytest.raises(SettingsError) as caught:
        load(None, overrides)
    assert str(caught.value) == f"call: {sentence}"


def test_missing_settings_file_that_is_named_is_an_error(load: Load, project: Path) -> None:
    (project / "folder").mkdir()
    for name in ("missing.yaml", "folder"):
        with pytest.raises(SettingsError) as caught:
            load("reader: none\n", None, PENSTOCK_CONFIG=name)
        assert str(caught.value) == (
            f"environment: PENSTOCK_CONFIG = '{project / name}' is not allowed: {CONFIG.kind.allowed}"
        )
    with pytest.raises(SettingsError, match=r"^call: config = '/missing\.yaml' is not allowed"):
        load(None, {"config": "/missing.yaml"})


def test_unknown_variable_is_a_warning_with_the_nearest_known(load: Load, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "penstock.settings"):
        load(None, None, PENSTOCK_XYZZY="1", PENSTOCK_MAX_CHAR="1", TOOL_OUTPUT_MAX_CHARS="1", TOOL_OUTPUT_XYZZY="1")
    assert caplog.messages == [
        "the environment variable PENSTOCK_XYZZY is unknown",
        "the environment variable PENSTOCK_MAX_CHAR is unknown; did you mean PENSTOCK_MAX_CHARS?",
        "the environment variable TOOL_OUTPUT_MAX_CHARS is unknown; did you mean PENSTOCK_MAX_CHARS?",
    ]


def test_known_variables_are_no_warning(load: Load, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        load(None, None, PENSTOCK_CONFIG="/dev/null", TOOL_OUTPUT_MAX_LINES="", PENSTOCK_READER="none")
    assert caplog.messages == []


# Whatever stands there, it is settings or a SettingsError

scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20)
garbage = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner, max_size=3)
)
keys = st.sampled_from([".".join(key) for key, _ in SETTINGS] + ["store", "agents", "agents.x", "nothing", "config"])


def loaded(folder: Path, environ: dict[str, str], overrides: dict[str, Any]) -> None:
    try:
        found = load_settings(folder, {"HOME": str(folder), **environ}, overrides)
    except SettingsError as error:
        assert "\n" not in str(error)
        assert len(str(error)) < 2_000
    else:
        assert isinstance(found, Settings)
        found.limits_for("Bash")


quietly = examples(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@quietly
@given(overrides=st.dictionaries(keys | st.text(max_size=12), garbage, max_size=3))
def test_garbage_in_a_call_is_refused_in_a_sentence(tmp_path: Path, overrides: dict[str, Any]) -> None:
    loaded(tmp_path, {}, overrides)


@quietly
@given(name=st.sampled_from([CONFIG.env, *(name for name, _ in IN_ENVIRONMENT)]), text=st.text(max_size=40))
def test_garbage_in_the_environment_is_refused_in_a_sentence(tmp_path: Path, name: str, text: str) -> None:
    loaded(tmp_path, {name: text}, {})


@quietly
@given(key=st.sampled_from([key for key, _ in SETTINGS]), value=garbage)
def test_garbage_as_a_value_in_the_file_is_refused_in_a_sentence(tmp_path: Path, key: Key, value: object) -> None:
    (tmp_path / "penstock.yaml").write_bytes(nested(key, msgspec.json.encode(value, order=None).decode()).encode())
    loaded(tmp_path, {}, {})


@quietly
@given(data=st.binary(max_size=200) | st.text("ab:-[]{}&*<>!|#'\" \n\t012", max_size=80).map(str.encode))
def test_garbage_for_a_file_is_refused_in_a_sentence(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "penstock.yaml").write_bytes(data)
    loaded(tmp_path, {}, {})
