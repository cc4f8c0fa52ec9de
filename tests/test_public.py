"""The door of the package: few names, all of them there, and nothing loaded before it is asked for."""

from __future__ import annotations

import importlib
import subprocess
import sys

import pytest

import penstock

NAMES = [
    "AsyncGate",
    "Capture",
    "DiskStore",
    "ExpiredHandle",
    "Gate",
    "Hits",
    "LimitError",
    "Limits",
    "MemoryStore",
    "PenstockError",
    "Settings",
    "Slice",
    "StoreError",
    "Tool",
    "ToolCallFilter",
    "UnknownHandle",
    "View",
    "filter_sse",
    "load_settings",
]

# What an import of the package must not load: optional, heavy, or needed for a part of it only.
HEAVY = [
    "asyncio", "bpe_openai", "click", "hashlib", "json", "logging", "mcp", "msgspec", "psycopg", "re2", "redis",
    "sqlite3", "starlette", "tree_sitter", "typing_extensions", "urllib", "uvicorn", "wcwidth", "yaml",
]  # fmt: skip


def loaded_by(statement: str) -> set[str]:
    program = f"import sys; before = set(sys.modules); {statement}; print(*(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_public_names_are_these_and_at_most_twenty() -> None:
    assert penstock.__all__ == NAMES
    assert len(NAMES) <= 20


@pytest.mark.parametrize("name", NAMES)
def test_public_name_is_what_its_module_has(name: str) -> None:
    value = getattr(penstock, name)
    assert value is getattr(penstock, name)
    assert value.__module__.startswith("penstock.")
    assert value is getattr(importlib.import_module(value.__module__), name)


def test_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Gait'"):
        penstock.Gait  # noqa: B018
    assert not hasattr(penstock, "gait")


def test_dir_lists_the_public_names() -> None:
    assert set(NAMES) <= set(dir(penstock))


def test_import_loads_nothing_heavy() -> None:
    loaded = loaded_by("import penstock")
    assert loaded & set(HEAVY) == set()
    assert {name for name in loaded if name.startswith("penstock.")} == set()


def test_limits_and_errors_come_without_the_gate() -> None:
    loaded = loaded_by("from penstock import Limits, PenstockError, StoreError")
    assert not {"sqlite3", "asyncio", "click", "yaml", "penstock.gate"} & loaded


def test_gate_comes_without_the_doors_and_optional_packages() -> None:
    loaded = loaded_by("from penstock import Gate")
    assert not {"click", "yaml", "bpe_openai", "wcwidth", "mcp", "starlette", "penstock.cli"} & loaded


def test_everything_can_be_taken_with_a_star() -> None:
    found: dict[str, object] = {}
    exec("from penstock import *", found)
    assert set(NAMES) <= set(found)
