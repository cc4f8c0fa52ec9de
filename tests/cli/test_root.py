from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

import penstock
from penstock.cli import projects, root

from .conftest import call, process

# By what is typed: "projects list" too.
COMMANDS = dict(root.COMMANDS)
COMMANDS |= {f"projects {name}": entry for name, entry in projects.COMMANDS.items()}


def command_of(name: str) -> click.Command:
    command: click.Command | None = root.group
    for part in name.split():
        assert isinstance(command, click.Group)
        command = command.get_command(click.Context(command), part)
    assert command is not None
    return command


def imported_by(*args: str) -> set[str]:
    code = f"import sys; from penstock.cli import main; main({list(args)!r}); print(*sys.modules, file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stderr.split())


@pytest.mark.parametrize("option", ["--version", "--help"])
def test_version_and_help_load_neither_the_core_nor_yaml_nor_sqlite(option: str) -> None:
    loaded = imported_by(option)
    assert "penstock.cli.root" in loaded
    heavy = {"penstock.gate", "penstock.settings", "yaml", "sqlite3", "msgspec", "re2", "asyncio", "logging"}
    assert not heavy & loaded
    assert not [name for name in loaded if name.startswith("penstock.core")]


def test_version_names_the_program() -> None:
    assert call("--version").text == f"penstock {penstock.__version__}\n"


def test_python_m_penstock_is_the_command() -> None:
    done = process("--version")
    assert (done.code, done.text) == (0, f"penstock {penstock.__version__}\n")


def test_table_has_a_file_for_each_command_and_no_other() -> None:
    files = {path.stem for path in Path(root.__file__).parent.glob("*.py")}
    commands = {name for name in files if hasattr(import_module(f"penstock.cli.{name}"), "command")}
    named = {name.replace("-", "_").replace(" ", "_"): entry for name, entry in COMMANDS.items()}
    assert commands == set(named)
    assert all(entry.module == f"penstock.cli.{name}" for name, entry in named.items())


@pytest.mark.parametrize("name", COMMANDS)
def test_summary_in_the_table_is_the_first_sentence_of_the_help(name: str) -> None:
    command = command_of(name)
    assert command.name == name.split()[-1]
    assert (command.help or "").partition("\n")[0] == COMMANDS[name].summary


# What one says is a protocol; the other has commands that say something.
WITHOUT_JSON = {"serve-tools", "projects"}


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_and_json(name: str) -> None:
    for option in ("-h", "--help"):
        done = call(*name.split(), option)
        assert done.code == 0
        assert "--json" in done.text or name in WITHOUT_JSON
        assert done.err == ""


def test_every_option_has_a_help_sentence() -> None:
    commands = [root.group, *(command_of(name) for name in COMMANDS)]
    options = [option for command in commands for option in command.params if isinstance(option, click.Option)]
    assert len(options) > 60
    assert [option.name for option in options if not (option.help or "").rstrip("]").endswith((".", ".)"))] == []


def test_penstock_alone_prints_its_help() -> None:
    assert call().out == call("--help").out
    assert call("projects") == call("projects", "--help")


def test_unknown_command_is_misuse_told_in_one_sentence() -> None:
    done = call("reed")
    assert (done.code, done.out) == (2, b"")
    assert done.err.startswith("penstock: ")
    assert "'reed'" in done.err
    assert done.err.count("\n") == 1


def test_global_option_after_the_command_is_told_where_it_goes() -> None:
    done = call("ls", "--directory", "x")
    assert done.code == 2
    assert "--directory goes before the command: penstock --directory ... ls" in done.err
    assert "penstock --directory ... projects list" in call("projects", "list", "--directory", "x").err


@pytest.mark.parametrize("option", ["--config", "--directory"])
def test_wrong_global_option_is_named_as_it_was_typed(option: str, project: Path) -> None:
    done = call(option, "~nobody-has-this-name/x" if option == "--directory" else "nowhere.yaml", "config")
    assert done.code == 2
    assert done.err.startswith(f"penstock: {option} ")


def test_directory_option_takes_what_is_kept_elsewhere(project: Path, tmp_path: Path) -> None:
    call("--directory", str(tmp_path / "else"), "pipe", stdin=b"x" * 60_000)
    assert list((tmp_path / "else").glob("tool_*_pipe.txt"))
    assert not (project / "tool-output").exists()


def test_config_option_reads_another_file(tmp_path: Path) -> None:
    (tmp_path / "my.yaml").write_text("tool_output_limits: {default: {max_lines: 7}}")
    done = call("--config", str(tmp_path / "my.yaml"), "config", "--json")
    values = {entry["key"]: entry["value"] for entry in done.json}
    assert values["tool_output_limits.default.max_lines"] == 7


def test_wrong_settings_file_is_misuse_that_names_line_and_key(project: Path) -> None:
    (project / "penstock.yaml").write_text("tool_output_limits:\n  default:\n    max_lines: 0\n")
    done = call("ls")
    assert done.code == 2
    assert "penstock.yaml, line 3" in done.err
    assert "max_lines" in done.err
    assert done.err.count("\n") == 1


def test_click_test_runner_gets_the_same_exit_code() -> None:
    result = CliRunner().invoke(root.group, ["read", "x"])
    assert result.exit_code == 2
    assert isinstance(result.exception, SystemExit)


def test_completion_answers_for_commands_without_loading_them() -> None:
    environ = {"_PENSTOCK_COMPLETE": "bash_complete", "COMP_WORDS": "penstock g", "COMP_CWORD": "1"}
    done = process(environ=environ)
    assert done.out.split() == [b"plain,grep", b"plain,gc"]


def test_completion_answers_with_handles(kept: str) -> None:
    environ = {"_PENSTOCK_COMPLETE": "bash_complete", "COMP_WORDS": "penstock read ps-", "COMP_CWORD": "2"}
    assert process(environ=environ).text.split() == [f"plain,{kept}"]
