from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import call


def test_every_value_has_its_origin(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (project / "penstock.yaml").write_text("language: zh")
    monkeypatch.setenv("TOOL_OUTPUT_MAX_LINES", "99")
    done = call("--directory", "kept", "config", "--json")
    found = {entry["key"]: (entry["value"], entry["origin"]) for entry in done.json}
    assert found["language"] == ("zh", f"file {project / 'penstock.yaml'}")
    assert found["tool_output_limits.default.max_lines"] == (99, "environment TOOL_OUTPUT_MAX_LINES")
    assert found["store.directory"] == (str(project / "kept"), "call")
    assert found["store.retention_days"] == (7, "default")
    assert found["tool_output_limits.default.max_chars"] == (None, "default")


def test_table_has_the_same_as_the_document() -> None:
    rows = [line.split() for line in call("config").text.splitlines()]
    assert rows[0] == ["setting", "value", "origin"]
    assert [row[0] for row in rows[1:]] == [entry["key"] for entry in call("config", "--json").json]
    values = {row[0]: row[1] for row in rows[1:]}
    assert values["trust_skip"] == "true"
    assert values["tool_output_limits.default.max_chars"] == "null"
