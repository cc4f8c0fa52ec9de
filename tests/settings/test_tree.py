from __future__ import annotations

import pytest

from penstock.settings.table import CONFIG, Setting
from penstock.settings.tree import TREE, Section, nearest, no_such, place_of, settings


def test_every_variable_is_declared_once_and_every_setting_has_words() -> None:
    found = [setting for _, setting in settings()]
    names = [setting.env for setting in [*found, CONFIG] if setting.env]
    assert len(names) == len(set(names))
    assert all(name.startswith(("PENSTOCK_", "TOOL_OUTPUT_")) for name in names)
    assert all(setting.help.endswith(".") and setting.kind.allowed for setting in found)


def test_every_default_is_a_value_that_is_allowed() -> None:
    for key, setting in settings():
        if key != ("models", "<name>"):  # has none: a name that nobody gives has no value
            assert setting.kind.of(setting.default) == setting.default, key


def test_below_a_name_there_are_no_variables() -> None:
    assert all(not setting.env for key, setting in settings() if "<name>" in key)


@pytest.mark.parametrize(
    ("dotted", "key"),
    [
        ("reader", ("reader",)),
        ("store.kind", ("store", "kind")),
        ("models.gpt-4.1", ("models", "gpt-4.1")),
        ("tool_output_limits.tools.Bash.max_lines", ("tool_output_limits", "tools", "Bash", "max_lines")),
        ("tool_output_limits.tools.mcp.fs.read.max_lines", ("tool_output_limits", "tools", "mcp.fs.read", "max_lines")),
        ("agents.a.b.tools.c.d.max_lines", ("agents", "a.b", "tools", "c.d", "max_lines")),
    ],
)
def test_dotted_key_is_found_with_dots_in_its_names(dotted: str, key: tuple[str, ...]) -> None:
    found = place_of(dotted.split("."))
    assert found is not None
    assert found[0] == key
    assert isinstance(found[1], Setting)


def test_dotted_key_may_stop_at_a_section() -> None:
    found = place_of(["store"])
    assert found is not None
    assert isinstance(found[1], Section)


@pytest.mark.parametrize("dotted", ["stores", "store.kinds", "store.kind.more", "", "reader."])
def test_unknown_dotted_key_is_not_found(dotted: str) -> None:
    assert place_of(dotted.split(".")) is None


@pytest.mark.parametrize(
    ("word", "words"),
    [
        ("stor", "did you mean store?"),
        ("retention_days", "did you mean store.retention_days?"),
        ("store.retention", "did you mean store.retention_days?"),
        ("xyz", "known here: " + ", ".join(TREE.keys)),
    ],
)
def test_unknown_key_is_answered_with_the_nearest_or_with_where_it_belongs(word: str, words: str) -> None:
    assert no_such(word, TREE) == f"there is no such setting; {words}"


def test_nearest_of_a_huge_key_is_looked_for_in_a_bounded_time() -> None:
    assert nearest("x" * 1_000_000, ["max_lines"]) is None
