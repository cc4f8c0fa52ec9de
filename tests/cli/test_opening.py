from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import LONG, call, kept_files


def notice(done_text: str) -> str:
    return done_text.rstrip().rpartition("\n")[2]


def test_notice_names_penstock_read_where_it_will_find_the_output() -> None:
    assert "penstock read ps-" in notice(call("pipe", stdin=LONG).text)


def test_notice_names_the_file_where_penstock_read_would_not_find_it(tmp_path: Path) -> None:
    said = notice(call("--directory", str(tmp_path / "else"), "pipe", stdin=LONG).text)
    assert "penstock read" not in said
    assert str(tmp_path / "else" / "tool_") in said


def test_notice_names_penstock_read_where_the_option_says_what_holds_anyway(project: Path) -> None:
    assert "penstock read ps-" in notice(call("--directory", "tool-output", "pipe", stdin=LONG).text)


def test_settings_file_named_instead_of_a_broken_one_is_enough(project: Path, tmp_path: Path) -> None:
    (project / "penstock.yaml").write_text("nonsense: 1")
    (tmp_path / "good.yaml").touch()
    done = call("--config", str(tmp_path / "good.yaml"), "pipe", stdin=LONG)
    assert done.code == 0
    assert str(tmp_path / "tool-output") in notice(done.text) or str(project / "tool-output") in notice(done.text)


def test_reader_of_the_settings_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PENSTOCK_READER", "none")
    said = notice(call("pipe", stdin=LONG).text)
    assert "ps-" not in said
    assert "penstock" not in said


def test_memory_store_makes_no_promise(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PENSTOCK_STORE", "memory")
    done = call("pipe", stdin=LONG)
    assert "The rest was not kept" in notice(done.text)
    assert "ps-" not in done.text
    assert "store.kind is memory" in done.err
    assert not kept_files(project)


@pytest.mark.parametrize("command", ["ls", "check", "stats", "show ps-aaaaaaaaaaaaaaaa"])
def test_memory_store_has_nothing_to_list(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PENSTOCK_STORE", "memory")
    done = call(*command.split())
    assert done.code == 1
    assert "store.kind is memory" in done.err


@pytest.mark.parametrize("command", ["read", "grep", "unseen"])
def test_memory_store_has_nothing_to_read(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PENSTOCK_STORE", "memory")
    done = call(command, "ps-aaaaaaaaaaaaaaaa", *(["x"] if command == "grep" else []))
    assert done.code == (2 if command == "grep" else 1)
    assert "is unknown" in done.err


def test_store_that_cannot_be_written_is_said_in_the_view_and_on_stderr(project: Path) -> None:
    (project / "tool-output").write_text("a file, where a folder should be")
    done = call("pipe", stdin=LONG)
    assert done.code == 0
    assert "The rest was not kept" in notice(done.text)
    assert done.err.startswith("penstock: the output of pipe could not be kept: ")


def test_verbose_tells_what_is_done() -> None:
    assert "truncated" not in call("pipe", stdin=LONG).err
    assert "truncated" in call("--verbose", "pipe", stdin=LONG).err
