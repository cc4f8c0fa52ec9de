"""What is in effect, and where it comes from."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import penstock.settings
from penstock.core.limits import DEFAULT_LIMITS, GUARD_LIMITS, Limits, window_of
from penstock.errors import SettingsError
from penstock.settings import load_settings

from .conftest import Load


def test_without_file_and_environment_everything_is_the_default(load: Load, project: Path) -> None:
    settings = load()
    assert settings.limits_for("Bash") == DEFAULT_LIMITS == Limits(lines=2_000, bytes=51_200)
    assert settings.guard == GUARD_LIMITS == Limits(chars=8_000)
    assert settings.strategy_for("Bash") == "auto"
    assert settings.ratio_for("Bash") == 0.5
    assert (settings.store.kind, settings.store.directory) == ("disk", project / "tool-output")
    assert (settings.store.retention_days, settings.store.quota_bytes, settings.store.durability) == (7, None, "full")
    assert (settings.ledger.enabled, settings.ledger.retention_days) == (True, 90)
    assert (settings.reader, settings.language, settings.notice, settings.counter) == ("auto", "en", "end", "estimate")
    assert not settings.summarization.enabled
    assert (settings.summarization.max_input_chars, settings.summarization.trigger_threshold) == (50_000, 20_000)
    assert (settings.file, settings.root, dict(settings.windows)) == (None, project, {})
    assert set(settings.origins.values()) == {"default"}


def test_tools_that_come_with_penstock_have_limits_of_their_own(load: Load) -> None:
    settings = load()
    assert settings.limits_for("repo_map") == Limits(chars=10_000, lines=1_000, bytes=51_200)
    assert settings.limits_for("read_file") == Limits(chars=5_000, lines=200, bytes=51_200)
    assert settings.limits_for("grep_search").lines == 100
    assert settings.limits_for("search_code").chars == 100_000
    assert settings.tool("grep_search").show_context == 2
    assert (settings.tool("get_repo_structure").max_depth, settings.tool("get_repo_structure").max_files) == (3, 500)
    assert settings.tool("Bash").show_context is None


def test_file_as_teams_write_it_is_read_whole(load: Load) -> None:
    settings = load(
        """
        tool_output_limits:
          default:
            max_chars: 8000
            max_lines: 500
            truncation_strategy: "head_tail"
          tools:
            read_file: {max_chars: 6000, truncation_strategy: head_only}
            grep_search: {show_context: 5}
            get_repo_structure: {max_depth: 4}
        summarization:
          enabled: true
          model: "small-model"
        agents:
          reviewer:
            max_tool_result_length: 6000
        models:
          my-model: 16384
        """
    )
    assert settings.limits_for("Bash") == Limits(chars=8_000, lines=500, bytes=51_200)
    assert settings.limits_for("read_file") == Limits(chars=6_000, lines=200, bytes=51_200)
    assert (settings.strategy_for("Bash"), settings.strategy_for("read_file")) == ("head_tail", "head")
    assert settings.tool("grep_search").show_context == 5
    assert settings.limits_for("grep_search").lines == 100
    assert (settings.tool("get_repo_structure").max_depth, settings.tool("get_repo_structure").max_files) == (4, 500)
    assert (settings.summarization.enabled, settings.summarization.model) == (True, "small-model")
    assert settings.agent_limits("reviewer") == Limits(chars=6_000)
    assert window_of("vendor/my-model-2", settings.windows) == 16_384


def test_null_lifts_a_limit_of_one_tool_or_of_all(load: Load) -> None:
    settings = load(
        "tool_output_limits:\n  default: {max_bytes: null}\n  tools: {read_file: {max_lines: null}}\n"
        "agent_guard: {max_chars: null}\n"
    )
    assert settings.limits_for("Bash") == Limits(lines=2_000)
    assert settings.limits_for("read_file") == Limits(chars=5_000)
    assert settings.guard.unlimited


def test_section_with_only_comments_sets_nothing(load: Load) -> None:
    settings = load("store:\n  # kind: memory\ntool_output_limits:\n  tools:\n    Bash:\nagents:\n")
    assert set(settings.origins.values()) == {"default"}


# Which of them counts


def test_environment_goes_before_the_file_and_the_call_before_both(load: Load, project: Path) -> None:
    yaml = "tool_output_limits:\n  default: {max_chars: 1, max_lines: 2, max_bytes: 3, max_tokens: 4}\n"
    key = "tool_output_limits.default."
    call = {key + "max_bytes": 33, key + "max_tokens": None}
    settings = load(yaml, call, TOOL_OUTPUT_MAX_LINES="22", TOOL_OUTPUT_MAX_BYTES="23", PENSTOCK_MAX_TOKENS="24")
    assert settings.limits_for("Bash") == Limits(chars=1, lines=22, bytes=33)
    assert [settings.origins[key + f"max_{unit}"] for unit in ("chars", "lines", "bytes", "tokens")] == [
        f"file {project}/penstock.yaml",
        "environment TOOL_OUTPUT_MAX_LINES",
        "call",
        "call",
    ]
    assert settings.origins["reader"] == "default"


def test_all_variables_of_the_old_layer_are_read(load: Load, project: Path) -> None:
    settings = load(
        None,
        None,
        TOOL_OUTPUT_MAX_LINES="100",
        TOOL_OUTPUT_MAX_BYTES="1000",
        TOOL_OUTPUT_TRUNCATE_DIRECTION="tail",
        TOOL_OUTPUT_DIR="kept",
        TOOL_OUTPUT_RETENTION_DAYS="0.5",
    )
    assert settings.limits_for("Bash") == Limits(lines=100, bytes=1_000)
    assert settings.strategy_for("Bash") == "tail"
    assert settings.store.directory == project / "kept"
    assert settings.store.retention_days == 0.5


def test_call_takes_nested_keys_and_dotted_ones(load: Load) -> None:
    one = load(None, {"store": {"kind": "memory"}, "agents": {"a.b": {"model": "gpt-4o"}}})
    other = load(None, {"store.kind": "memory", "agents.a.b.model": "gpt-4o"})
    assert one == other
    assert one.store.kind == "memory"
    assert one.agent("a.b").model == "gpt-4o"


def test_empty_variable_counts_as_not_set(load: Load) -> None:
    settings = load("reader: files\n", None, PENSTOCK_READER="", TOOL_OUTPUT_DIR="  ", PENSTOCK_CONFIG="")
    assert settings.reader == "files"


def test_effective_settings_are_listed_in_the_order_of_the_page(load: Load, project: Path) -> None:
    rows = load("agents: {z: {model: gpt-4o}, a: {}}\nreader: none\n").effective()
    keys = [row.key for row in rows]
    assert keys[:2] == ["tool_output_limits.default.max_chars", "tool_output_limits.default.max_lines"]
    assert keys.index("store.kind") < keys.index("agents.z.model") < keys.index("reader")
    assert ("agents.z.model", "gpt-4o", f"file {project}/penstock.yaml") in rows
    assert ("tool_output_limits.tools.read_file.max_lines", 200, "default") in rows
    assert ("store.directory", project / "tool-output", "default") in rows
    assert len(keys) == len(set(keys))


# Files and folders


def test_one_file_is_read_and_never_two(load: Load, tmp_path: Path) -> None:
    own = tmp_path / "home" / ".config" / "penstock" / "penstock.yaml"
    own.parent.mkdir(parents=True)
    own.write_text("language: zh\nreader: none\n")
    assert load().file == own
    assert load().language == "zh"
    settings = load("reader: files\n")
    assert (settings.language, settings.reader) == ("en", "files")


def test_file_is_found_from_below_and_its_folder_is_the_root(project: Path, tmp_path: Path) -> None:
    below = project / "a" / "b"
    below.mkdir(parents=True)
    (project / "a" / "penstock.yaml").write_text("store: {directory: ../kept}\n")
    settings = load_settings(below, {"HOME": str(tmp_path)})
    assert (settings.file, settings.root) == (project / "a" / "penstock.yaml", project / "a")
    assert settings.store.directory == project / "kept"


def test_named_file_is_read_in_place_of_the_one_that_is_found(load: Load, project: Path, tmp_path: Path) -> None:
    (tmp_path / "other.yaml").write_text("language: zh\nstore: {directory: kept}\n")
    settings = load("reader: files\n", None, PENSTOCK_CONFIG="../other.yaml")
    assert (settings.file, settings.reader, settings.language) == (tmp_path / "other.yaml", "auto", "zh")
    assert settings.root == project
    assert settings.store.directory == tmp_path / "kept"
    assert load("reader: files\n", None, PENSTOCK_CONFIG=os.devnull).reader == "auto"
    call = {"config": tmp_path / "other.yaml"}
    assert load("reader: files\n", call, PENSTOCK_CONFIG="/missing").language == "zh"


def test_relative_folder_begins_at_who_names_it(load: Load, project: Path, tmp_path: Path) -> None:
    below = project / "below"
    below.mkdir()
    environ = {"HOME": str(tmp_path / "home")}
    named = {**environ, "TOOL_OUTPUT_DIR": "out"}
    assert load_settings(below, named).store.directory == project / "out"
    assert load_settings(below, environ, {"store.directory": "out"}).store.directory == below / "out"
    assert load("store: {directory: ~/out}\n").store.directory == tmp_path / "home" / "out"


def test_null_folder_is_the_default_one_and_says_who_said_so(load: Load, project: Path) -> None:
    settings = load("store: {directory: null}\n")
    assert settings.store.directory == project / "tool-output"
    assert settings.origins["store.directory"] == f"file {project}/penstock.yaml"


def test_output_outside_of_a_project_goes_to_the_data_folder(tmp_path: Path) -> None:
    settings = load_settings(tmp_path, {"HOME": "/h", "XDG_DATA_HOME": "/d"})
    assert settings.root is None
    assert settings.store.directory == Path("/d/penstock/tool-output")
    named = load_settings(tmp_path, {"HOME": "/h", "TOOL_OUTPUT_DIR": "out"})
    assert named.store.directory == tmp_path / "out"


def test_start_and_environment_are_those_of_the_process_by_default(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project)
    monkeypatch.setenv("TOOL_OUTPUT_MAX_LINES", "77")
    assert load_settings().limits_for("Bash").lines == 77
    assert load_settings().root == project
    assert load_settings(Path("below/..")).root == project


@pytest.mark.skipif(sys.platform == "win32", reason="a folder in use cannot be deleted there")
def test_deleted_working_directory_is_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert load_settings(None, {"HOME": "/h"}).root is None


# Agents


@pytest.mark.parametrize(
    ("length", "chars"), [("0", 4_000), ("-3", 4_000), ("1", 1_000), ("999", 1_000), ("1000", 1_000), ("9000", 9_000)]
)
def test_length_of_an_agent_is_read_as_its_profile_means_it(load: Load, length: str, chars: int) -> None:
    settings = load(f"agents: {{a: {{max_tool_result_length: {length}}}}}\n")
    assert settings.agent_limits("a") == Limits(chars=chars)


def test_agent_with_nothing_set_has_the_default_length_and_null_has_none(load: Load) -> None:
    settings = load("agents:\n  a:\n  b: {max_tool_result_length: null}\n")
    assert settings.agent_limits("a") == Limits(chars=4_000)
    assert settings.agent_limits("b") is None
    assert settings.agent_limits("") is None


def test_unknown_agent_is_an_error_that_names_the_known(load: Load, project: Path) -> None:
    settings = load("agents: {b: , a: }\n")
    with pytest.raises(SettingsError) as caught:
        settings.agent_limits("c")
    assert str(caught.value) == f"{project}/penstock.yaml: agents = 'c' is not allowed: the name of an agent: a, b"


def test_unknown_agent_without_any_declared_is_an_error_that_says_so(load: Load) -> None:
    with pytest.raises(SettingsError, match="none is declared under `agents:`"):
        load().tool("Bash", "c")


def test_agent_tightens_the_limits_of_a_tool_and_replaces_the_rest(load: Load) -> None:
    settings = load(
        """
        tool_output_limits:
          tools:
            Bash: {max_lines: 300, truncation_strategy: tail}
        agents:
          a:
            tools:
              Bash: {max_lines: 500, max_chars: 700, max_bytes: null, truncation_strategy: head, head_ratio: 1}
              Read: {max_tokens: 9}
        """
    )
    assert settings.limits_for("Bash", "a") == Limits(chars=700, lines=300, bytes=51_200)
    assert (settings.strategy_for("Bash", "a"), settings.strategy_for("Bash")) == ("head", "tail")
    assert settings.ratio_for("Bash", "a") == 1
    assert settings.limits_for("Read", "a") == Limits(lines=2_000, bytes=51_200, tokens=9)
    assert settings.limits_for("Other", "a") == settings.limits_for("Other")
    assert settings.limits_for("Bash") == Limits(lines=300, bytes=51_200)


# Doors


def test_reader_that_nobody_set_is_the_doors_own(load: Load) -> None:
    assert load().reader_or("cli") == "cli"
    assert load(None, None, PENSTOCK_READER="none").reader_or("cli") == "none"


def test_stranger_may_skip_only_where_somebody_said_so(load: Load) -> None:
    assert load().obeys_skip(trusted_sender=True)
    assert not load().obeys_skip(trusted_sender=False)
    assert load("trust_skip: true\n").obeys_skip(trusted_sender=False)
    assert not load("trust_skip: false\n").obeys_skip(trusted_sender=True)


def test_settings_cannot_be_changed(load: Load) -> None:
    settings = load("agents: {a: }\nmodels: {m: 1}\n")
    for target, name in ((settings, "reader"), (settings.store, "kind"), (settings.tool("Bash"), "max_lines")):
        with pytest.raises(AttributeError):
            setattr(target, name, None)
    for mapping in (settings.agents, settings.models, settings.tool_output_limits.tools, settings.origins):
        with pytest.raises(TypeError):
            mapping["x"] = 1  # type: ignore[index]


def test_import_reads_nothing_and_loads_no_yaml(tmp_path: Path) -> None:
    (tmp_path / "penstock.yaml").write_text("this: [is not: settings\n")
    code = "import sys, penstock.settings; assert not {'yaml', 'difflib', 'sqlite3'} & set(sys.modules), sys.modules"
    sources = str(Path(penstock.settings.__file__).parents[2])
    environ = {**os.environ, "TOOL_OUTPUT_MAX_LINES": "wrong", "PYTHONPATH": sources}
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, env=environ, check=True, timeout=60)


def test_settings_without_a_file_load_no_yaml(tmp_path: Path) -> None:
    code = (
        "import sys, pathlib; from penstock.settings import load_settings;"
        f"load_settings(pathlib.Path({str(tmp_path)!r}), {{'HOME': '/h'}}); assert 'yaml' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("postgresql://me:hunter2@db.example/code", "postgresql://me:***@db.example/code"),
        ("postgresql://me:hun@ter2@db.example/code", "postgresql://me:***@db.example/code"),
        ("postgresql://me:hun/ter2@db.example/code", "postgresql://me:***@db.example/code"),
        ("postgresql://db/code?password=hunter2&sslmode=require", "postgresql://db/code?password=***&sslmode=require"),
        ("host=db password=hunter2 dbname=code", "host=db password=*** dbname=code"),
        ("postgresql://me:" + "hunter2" * 40 + "@db.example/code", "postgresql://me:***@db.example/code"),
    ],
)
def test_password_in_an_address_is_refused_and_not_repeated(load: Load, address: str, shown: str) -> None:
    with pytest.raises(SettingsError, match=r"without a password, which .*PGPASSWORD") as raised:
        load(PENSTOCK_SEARCH_DATABASE=address)
    assert "ter2" not in str(raised.value)
    assert repr(shown) in str(raised.value)


def test_model_of_an_agent_whose_window_nobody_knows_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "penstock.yaml"
    file.write_text("agents: {reviewer: {model: nobody}}\n")
    with pytest.raises(
        SettingsError, match=r"^.*penstock\.yaml: agents\.reviewer\.model = 'nobody' .* under `models:`"
    ):
        load_settings(tmp_path, {})
    file.write_text("agents: {reviewer: {model: nobody-7b}, second: {model: null}}\nmodels: {nobody: 9000}\n")
    assert load_settings(tmp_path, {}).agent("reviewer").model == "nobody-7b"


def test_server_of_vectors_needs_an_address_and_a_model(load: Load) -> None:
    with pytest.raises(
        SettingsError, match=r"environment.*search\.embedding_url = None is not allowed: with `embedder"
    ):
        load(PENSTOCK_SEARCH_EMBEDDER="endpoint")
    with pytest.raises(SettingsError, match=r"penstock\.yaml: search\.embedding_model = None is not allowed"):
        load("search: {embedder: endpoint, embedding_url: 'http://127.0.0.1:11434/v1'}")
    settings = load("search: {embedder: bundled}")
    assert (settings.search.embedder, load().search.embedder) == ("bundled", "bundled")
    with pytest.raises(SettingsError, match="https:// or http:// address without a password, which belongs into PENST"):
        load(PENSTOCK_EMBEDDING_URL="https://me:hunter2@example.org")


@pytest.mark.parametrize("url", ["http://127.0.0.1:11434/v1", "http://localhost/v1", "http://[::1]:8080/v1"])
def test_file_may_name_a_server_of_vectors_on_this_machine(load: Load, url: str) -> None:
    settings = load(f"search: {{embedder: endpoint, embedding_url: '{url}', embedding_model: m}}")
    assert settings.search.embedding_url == url


def test_file_may_not_have_code_sent_elsewhere_and_the_environment_may(load: Load) -> None:
    url = "https://collector.example/v1"
    with pytest.raises(
        SettingsError, match=r"penstock\.yaml: search\.embedding_url = .* PENSTOCK_EMBEDDING_URL may name any"
    ):
        load(f"search: {{embedder: endpoint, embedding_url: '{url}', embedding_model: m}}")
    told = {"PENSTOCK_SEARCH_EMBEDDER": "endpoint", "PENSTOCK_EMBEDDING_URL": url, "PENSTOCK_EMBEDDING_MODEL": "m"}
    assert load("{}", **told).search.embedding_url == url
    with pytest.raises(SettingsError, match="embedding_url"):
        load(f"search: {{embedding_url: '{url}'}}", PENSTOCK_SEARCH_EMBEDDER="endpoint", PENSTOCK_EMBEDDING_MODEL="m")
