from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

pytest.importorskip("semble_grammars", reason="the code index needs penstock[search]")

from penstock.cli.index import counted
from penstock.search import endpoint_embedder
from search.models import EmbeddingServer

from .conftest import COMMAND, call


@pytest.fixture
def code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PENSTOCK_SEARCH_DIR", str(tmp_path / "indexes"))
    root = tmp_path / "code"
    root.mkdir()
    (root / "card.py").write_text("def charge(card):\n    return card\n")
    (root / "old.cob").write_text("MOVE A TO B.\n")
    (root / "a.png").write_text("")
    (root / "link.py").symlink_to(root / "card.py")
    return root


def test_run_is_told_with_what_was_left_out(code: Path) -> None:
    done = call("index", str(code), "--project", "shop")
    assert done.code == 0
    first, *rest = done.text.splitlines()
    assert first.startswith("2 files indexed in 2 chunks, 0 unchanged, 0 removed (")
    assert rest == [
        "cut by lines, for want of a grammar: cobol 1",
        "left out: link 1",
        "of no known language: .png 1",
    ]
    assert "0 files indexed in 0 chunks, 2 unchanged" in call("index", str(code), "--project", "shop").text


def test_json_has_the_whole_report(code: Path) -> None:
    told = call("index", str(code), "--project", "shop", "--repository", "main", "--json").json
    assert (told["project_id"], told["repository"], told["indexed"], told["complete"]) == ("shop", "main", 2, True)
    assert told["languages"] == {"python": 1, "cobol": 1}
    assert told["left_out"] == {"link": 1}


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("none", "--project", "shop"), "'none' is not a folder that can be read"),
        ((".",), "Missing option '--project'"),
        ((".", "--project", "a/b"), "project_id = 'a/b' is not allowed"),
    ],
)
def test_wrong_call_is_told(code: Path, arguments: tuple[str, ...], sentence: str) -> None:
    done = call("index", *arguments)
    assert done.code == 2 and sentence in done.err


def test_interrupted_run_keeps_what_it_has(code: Path) -> None:
    for number in range(3_000):
        (code / f"f{number}.py").write_text("x = 1\n" * 200)
    process = subprocess.Popen(
        [*COMMAND, "index", str(code), "--project", "shop", "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    index = code.parent / "indexes" / "shop.sqlite"
    while not index.exists() or index.stat().st_size == 0:
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    told = json.loads(out)
    assert process.returncode == 130 and not told["complete"]
    assert b"the next call goes on from there" in err
    again = call("index", str(code), "--project", "shop", "--json").json
    assert again["complete"] and again["unchanged"] == told["indexed"]


@pytest.mark.parametrize(
    ("module", "extra"), [("semble_grammars", "search"), ("tree_sitter", "search"), ("pathspec", "files")]
)
def test_missing_library_is_named_by_its_extra_and_search_needs_none(code: Path, module: str, extra: str) -> None:
    assert call("index", str(code), "--project", "shop").code == 0
    without = f"import sys; sys.modules[{module!r}] = None; from penstock.cli import main; sys.exit(main(sys.argv[1:]))"

    def called(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([sys.executable, "-c", without, *arguments], capture_output=True, text=True)

    done = called("index", str(code), "--project", "shop")
    assert (done.returncode, done.stdout) == (2, "")
    assert f"pip install 'penstock[{extra}]'" in done.stderr
    assert called("index", "--help").returncode == 0
    assert "def charge" in called("search", "charge", "--project", "shop").stdout


def test_counts_are_told_from_the_most_frequent_on() -> None:
    assert counted(Counter({"a": 1, "b": 3})) == "b 3, a 1"
    assert counted(Counter({"a": 1, "b": 3_000, "c": 2}), most=1) == "b 3,000, others 3"


def test_second_signal_does_not_wait_for_a_server(code: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/v1"
        for name, value in (("SEARCH_EMBEDDER", "endpoint"), ("EMBEDDING_URL", url), ("EMBEDDING_MODEL", "small")):
            monkeypatch.setenv(f"PENSTOCK_{name}", value)
        process = subprocess.Popen([*COMMAND, "index", str(code), "--project", "shop"])
        line, _ = silent.accept()
        with line:
            process.send_signal(signal.SIGINT)
            with pytest.raises(subprocess.TimeoutExpired):
                process.wait(timeout=1)
            process.send_signal(signal.SIGINT)
            assert process.wait(timeout=30) == 130
    monkeypatch.setenv("PENSTOCK_SEARCH_EMBEDDER", "none")
    assert call("index", str(code), "--project", "shop", "--json").json["unchanged"] == 2


@pytest.mark.parametrize("embedder", ["bundled", "endpoint"])
def test_missing_library_of_vectors_is_told_before_a_file_is_read(
    code: Path, monkeypatch: pytest.MonkeyPatch, embedder: str
) -> None:
    without = "import sys; sys.modules['numpy'] = None; from penstock.cli import main; sys.exit(main(sys.argv[1:]))"

    def called(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-c", without, *arguments, "--project", "shop"]
        return subprocess.run(command, capture_output=True, text=True)

    chosen = (("SEARCH_EMBEDDER", embedder), ("EMBEDDING_URL", "http://127.0.0.1:9/v1"), ("EMBEDDING_MODEL", "small"))
    for name, value in chosen:
        monkeypatch.setenv(f"PENSTOCK_{name}", value)
    for done in (called("index", str(code)), called("search", "how to charge a card")):
        assert (done.returncode, done.stdout) == (2, "")
        assert "pip install 'penstock[dense]'" in done.stderr
    assert not any(project["repositories"] for project in call("projects", "list", "--json").jsons)
    monkeypatch.setenv("PENSTOCK_SEARCH_EMBEDDER", "none")
    assert called("index", str(code)).returncode == 0
    assert "def charge" in called("search", "how to charge a card").stdout


def test_server_of_vectors_is_asked_with_the_key_of_the_environment(
    code: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    server = EmbeddingServer()
    for name, value in (("SEARCH_EMBEDDER", "endpoint"), ("EMBEDDING_URL", server.url), ("EMBEDDING_MODEL", "small")):
        monkeypatch.setenv(f"PENSTOCK_{name}", value)
    monkeypatch.setenv("PENSTOCK_EMBEDDING_KEY", "sk-secret")
    try:
        done = call("index", str(code), "--project", "shop")
        assert (done.code, "vectors: 2" in done.text.splitlines()) == (0, True)
        assert {headers["Authorization"] for _, headers, _ in server.requests} == {"Bearer sk-secret"}
        assert "def charge" in call("search", "how to charge a card", "--project", "shop").text
        assert "sk-secret" not in call("config", "--json").text
    finally:
        server.close()
    done = call("search", "how to charge a card", "--project", "shop")
    assert done.code == 0 and "def charge" in done.text
    assert "searched by words alone" in done.err
    (code / "new.py").write_text("x = 1\n")
    monkeypatch.setattr(endpoint_embedder, "_TRIES", 1)
    done = call("index", str(code), "--project", "shop")
    assert done.code == 1 and "1 files indexed" in done.text
    assert "some vectors are missing, and the next call makes them: http://127.0.0.1" in done.err


def test_bundled_model_needs_no_server(code: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("wordllama")
    monkeypatch.setenv("PENSTOCK_SEARCH_EMBEDDER", "bundled")
    told = call("index", str(code), "--project", "shop", "--json").json
    assert (told["vectors"], told["complete"]) == (2, True)
    done = call("search", "pay with plastic money", "--project", "shop", "-n", "1")
    assert "def charge" in done.text and done.err == ""
