from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from penstock.search.contract import Batch, Chunk, FileState, IndexedFile
from penstock.search.projects import ProjectFolder
from search.models import EmbeddingServer

from .conftest import COMMAND, call, process
from .test_terminal import Terminal

AT = 1_790_000_000.0


def files(count: int, folder: str = "src") -> list[IndexedFile]:
    return [
        IndexedFile(
            f"{folder}/f{number:05}.py",
            "python",
            FileState(number, 10**18, number.to_bytes(16)),
            [Chunk(1, 2, f"def charge_{number}(card):\n    return card\n", (f"charge_{number}",), ())],
        )
        for number in range(count)
    ]


@pytest.fixture(autouse=True)
def indexes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "indexes"
    monkeypatch.setenv("PENSTOCK_SEARCH_DIR", str(folder))
    return folder


@pytest.fixture
def shop(indexes: Path) -> str:
    """A project with a repository that is done, and one that is not. No other test has its name."""
    name = f"shop-{uuid.uuid4().hex[:12]}"
    fill(indexes, name, "main", 3)
    fill(indexes, name, "billing", 450, at=None)
    return name


def fill(folder: Path, project: str, repository: str, count: int, at: float | None = AT) -> None:
    with closing(ProjectFolder(folder).made(project)) as index:
        index.begin(repository, f"/code/{repository}")
        index.write(repository, Batch(files=files(count)))
        if at is not None:
            index.finish(repository, at)


@pytest.fixture
def database(postgres: str) -> str:
    """Its address without the empty password."""
    return postgres.replace(":@", "@")


@pytest.fixture
def elsewhere(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Another place for projects: a folder or a database."""
    return str(request.getfixturevalue("database") if request.param == "database" else tmp_path / "elsewhere")


everywhere = pytest.mark.parametrize("elsewhere", ["folder", "database"], indirect=True)


# -- list --------------------------------------------------------------------------------------------------------------


def test_projects_are_listed_with_their_repositories(shop: str, indexes: Path) -> None:
    ProjectFolder(indexes).made("empty").close()
    done = call("projects", "list")
    assert done.code == 0 and done.err == ""
    rows = [line.split() for line in done.text.splitlines()]
    assert rows[0] == ["project", "repository", "files", "chunks", "indexed", "folder"]
    assert rows[1] == ["empty", "no", "repository", "yet"]
    assert rows[2] == [shop, "billing", "450", "450", "not", "to", "its", "end", "/code/billing"]
    assert rows[3][:4] == [shop, "main", "3", "3"] and rows[3][4].startswith("2026-09-2") and rows[3][6] == "/code/main"


def test_json_has_a_line_for_each_project(shop: str, indexes: Path) -> None:
    (told,) = call("projects", "list", "--json").jsons
    assert told == {
        "project_id": shop,
        "database_name": f"{shop}.sqlite",
        "repositories": [
            {"repository_id": "billing", "root": "/code/billing", "files": 450, "chunks": 450, "indexed_at": None},
            {
                "repository_id": "main",
                "root": "/code/main",
                "files": 3,
                "chunks": 3,
                "indexed_at": "2026-09-21T14:13:20.000Z",
            },
        ],
    }


def test_place_without_projects_is_said(tmp_path: Path) -> None:
    done = call("projects", "list")
    assert (done.code, done.out) == (0, b"")
    assert done.err == f"penstock: there is no project in {tmp_path / 'indexes'}\n"
    assert call("projects", "list", "--at", str(tmp_path / "none"), "--json").out == b""
    assert not (tmp_path / "indexes").exists()


def test_index_that_cannot_be_read_keeps_no_other_from_the_list(shop: str, indexes: Path) -> None:
    (indexes / "aaa.sqlite").write_bytes(b"no database" * 1_000)
    done = call("projects", "list")
    assert done.code == 1
    assert "penstock: aaa: the index" in done.err and "is damaged" in done.err
    assert shop in done.text
    broken, whole = call("projects", "list", "--json").jsons
    assert broken["project_id"] == "aaa" and "is damaged" in broken["error"]
    assert whole["project_id"] == shop


# -- copy --------------------------------------------------------------------------------------------------------------


def listed(project: str, *at: str) -> object:
    found = [line for line in call("projects", "list", "--json", *at).jsons if line["project_id"] == project]
    return found[0].get("repositories") if found else None


@everywhere
def test_project_is_copied_there_and_back(shop: str, elsewhere: str, tmp_path: Path) -> None:
    there = call("projects", "copy", shop, "--to", elsewhere, "--json").json
    assert (there["copied"], there["complete"], there["to"]) == (453, True, elsewhere)
    assert there["repositories"] == listed(shop) == listed(shop, "--at", elsewhere)
    back = call("projects", "copy", shop, "--from", elsewhere, "--to", str(tmp_path / "back"))
    assert back.code == 0
    assert back.text.startswith(f"453 files copied into {tmp_path / 'back'} (")
    assert back.text.splitlines()[1:] == ["billing: 450 files in 450 chunks", "main: 3 files in 3 chunks"]
    assert listed(shop, "--at", str(tmp_path / "back")) == listed(shop)
    with closing(ProjectFolder(tmp_path / "back")) as copy, closing(ProjectFolder(tmp_path / "indexes")) as original:
        for repository in ("main", "billing"):
            assert [*copy.opened(shop).files(repository)] == [*original.opened(shop).files(repository)]
    assert call("projects", "forget", shop, "--at", elsewhere, "--yes").code == 0


@everywhere
def test_second_copy_brings_only_what_changed(shop: str, elsewhere: str, indexes: Path) -> None:
    copy = ("projects", "copy", shop, "--to", elsewhere, "--json")
    assert call(*copy).json["copied"] == 453
    assert call(*copy).json["copied"] == 0
    fill(indexes, shop, "main", 1, at=AT + 1)  # the same again
    with closing(ProjectFolder(indexes).made(shop)) as index:
        index.write("main", Batch(files=files(2, "new"), removed=["src/f00001.py"]))
    again = call(*copy).json
    assert again["copied"] == 2
    assert again["repositories"] == listed(shop)
    assert call("projects", "forget", shop, "--at", elsewhere, "--yes").code == 0


@everywhere
def test_copy_gets_vectors_of_its_own(shop: str, elsewhere: str, monkeypatch: pytest.MonkeyPatch) -> None:
    server = EmbeddingServer()
    for name, value in (("SEARCH_EMBEDDER", "endpoint"), ("EMBEDDING_URL", server.url), ("EMBEDDING_MODEL", "small")):
        monkeypatch.setenv(f"PENSTOCK_{name}", value)
    try:
        assert call("projects", "copy", shop, "--to", elsewhere).code == 0
        assert sum(len(body["input"]) for _, _, body in server.requests) == 453
        server.answers = [(401, {}, b"no such key")]
        fill(Path(os.environ["PENSTOCK_SEARCH_DIR"]), shop, "third", 1)
        done = call("projects", "copy", shop, "--to", elsewhere, "--json")
    finally:
        server.close()
    assert (done.code, done.json["copied"], done.json["complete"]) == (1, 1, False)
    assert "some vectors are missing, and the next call makes them: http://127.0.0.1" in done.err
    assert call("projects", "forget", shop, "--at", elsewhere, "--yes").code == 0


def test_project_is_searched_where_it_was_copied_to(shop: str, database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert call("projects", "copy", shop, "--to", database).code == 0
    assert call("projects", "forget", shop, "--yes").code == 0
    assert call("search", "charge_2", "--project", shop).code == 2
    monkeypatch.setenv("PENSTOCK_SEARCH_DATABASE", database)
    assert "def charge_2(card):" in call("search", "charge_2", "--project", shop).text
    assert call("projects", "copy", shop, "--to", str(Path(os.environ["PENSTOCK_SEARCH_DIR"]))).code == 0
    assert call("projects", "forget", shop, "--yes").code == 0
    monkeypatch.delenv("PENSTOCK_SEARCH_DATABASE")
    assert "def charge_2(card):" in call("search", "charge_2", "--project", shop).text


@everywhere
@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupted_copy_keeps_what_it_has_and_goes_on(elsewhere: str, indexes: Path, number: int) -> None:
    project = f"large-{uuid.uuid4().hex[:12]}"
    fill(indexes, project, "main", 12_000)
    arguments = ("projects", "copy", project, "--to", elsewhere, "--json")
    running = subprocess.Popen([*COMMAND, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    wait(lambda: bool(listed(project, "--at", elsewhere)) and copied_so_far(project, elsewhere) > 0)
    running.send_signal(number)
    out, err = running.communicate(timeout=60)
    told = json.loads(out)
    assert (running.returncode, told["complete"]) == (128 + number, False)
    assert b"stopped; what was copied is kept, and the next call goes on from there" in err
    assert 0 < told["copied"] < 12_000 and told["copied"] % 200 == 0
    assert told["repositories"][0]["files"] == told["copied"] and told["repositories"][0]["indexed_at"] is None
    again = call(*arguments).json
    assert again["complete"] and again["copied"] == 12_000 - told["copied"]
    assert again["repositories"] == listed(project)
    assert call("projects", "forget", project, "--at", elsewhere, "--yes").code == 0


def copied_so_far(project: str, place: str) -> int:
    (repository,) = listed(project, "--at", place) or [{"files": 0}]  # type: ignore[misc]  # JSON
    return int(repository["files"])


def wait(until: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not until():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_copy_that_would_set_a_repository_back_asks(shop: str, indexes: Path, tmp_path: Path) -> None:
    copy = ("projects", "copy", shop, "--to", str(tmp_path / "copy"))
    fill(tmp_path / "copy", shop, "main", 5, at=AT + 60)
    done = call(*copy)
    assert (done.code, done.out) == (2, b"")
    assert "main was indexed later, and is to be set back: nobody can be asked here, so it takes --yes" in done.err
    assert "billing" not in done.err
    assert call(*copy, "--yes").text.splitlines()[2] == "main: 3 files in 3 chunks"
    assert call(*copy).code == 0


@everywhere
def test_copy_over_what_another_version_left_asks(shop: str, elsewhere: str, monkeypatch: pytest.MonkeyPatch) -> None:
    copy = ("projects", "copy", shop, "--to", elsewhere)
    engine = "postgres" if "://" in elsewhere else "sqlite_file"
    with monkeypatch.context() as other:
        other.setattr(f"penstock.search.{engine}.VERSION", "0/x")
        if engine == "postgres":
            assert call(*copy).code == 0
        else:
            fill(Path(elsewhere), shop, "main", 1)
    done = call(*copy)
    assert done.code == 2
    assert f"what there is of {shop} is to be replaced" in done.err and "another version" in done.err
    assert call(*copy, "--yes").code == 0
    assert listed(shop, "--at", elsewhere) == listed(shop)
    assert call("projects", "forget", shop, "--at", elsewhere, "--yes").code == 0


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((), "say where to with --to, or where from with --from"),
        (("--to", "indexes/../../indexes"), "cannot be copied onto itself"),
        (("--from", "nowhere"), "nowhere' is not a folder that can be read"),
        (("--to", "mysql://me:secret@db/x"), "it must be a folder, or a postgresql://"),
        (("--to", "postgresql://me:secret@db/x"), "address without a password, which"),
        (("--from", "postgres://db/x?password=secret"), "address without a password, which"),
        (("--to", "host:secret"), "it must be a folder, or"),
    ],
)
def test_wrong_place_is_told_without_a_password(shop: str, arguments: tuple[str, ...], sentence: str) -> None:
    done = call("projects", "copy", shop, *arguments)
    assert (done.code, done.out) == (2, b"")
    assert sentence in done.err
    assert "secret" not in done.err
    assert done.err.count("\n") == 1


@everywhere
def test_unknown_project_is_told_with_those_that_exist(shop: str, elsewhere: str) -> None:
    done = call("projects", "copy", "gone", "--to", elsewhere)
    assert done.code == 2
    assert f"'gone' is not allowed: it must be one of those that are indexed: {shop}" in done.err
    assert listed("gone", "--at", elsewhere) is None


def test_server_that_is_not_there_is_told(shop: str) -> None:
    pytest.importorskip("psycopg")
    for arguments in (("copy", shop, "--to"), ("copy", shop, "--from"), ("list", "--at"), ("forget", shop, "--at")):
        done = call("projects", *arguments, "postgresql://127.0.0.1:9/x")
        assert (done.code, done.out) == (1, b"")
        assert "cannot be used: connection" in done.err
        assert done.err.count("\n") == 1


def test_missing_library_is_named_by_its_extra(shop: str) -> None:
    without = "import sys; sys.modules['psycopg'] = None; from penstock.cli import main; sys.exit(main(sys.argv[1:]))"
    done = subprocess.run(
        [sys.executable, "-c", without, "projects", "copy", shop, "--to", "postgresql://db/x"],
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert "pip install 'penstock[postgres]'" in done.stderr


def test_place_that_can_be_no_folder_is_told(shop: str, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    done = call("projects", "copy", shop, "--to", str(tmp_path / "file"))
    assert done.code == 1
    assert "cannot be made" in done.err


# -- forget ------------------------------------------------------------------------------------------------------------


def test_project_is_forgotten_with_its_files(shop: str, indexes: Path) -> None:
    assert call("projects", "forget", shop, "--yes").text == f"forgotten: {shop}\n"
    assert list(indexes.iterdir()) == []
    assert call("search", "charge", "--project", shop).code == 2


def test_repository_is_forgotten_and_the_others_stay(shop: str, indexes: Path) -> None:
    told = call("projects", "forget", shop, "--repository", "billing", "-y", "--json").json
    assert told == {"project_id": shop, "repository_id": "billing", "at": str(indexes)}
    assert call("projects", "list").text.split()[7] == "main"
    assert "billing" not in call("projects", "list").text
    done = call("projects", "forget", shop, "--repository", "main", "--yes")
    assert done.text == f"forgotten: main of {shop}\n"
    assert "no repository yet" in call("projects", "list").text


def test_what_is_not_there_is_told_with_what_is(shop: str) -> None:
    done = call("projects", "forget", "gone", "--yes")
    assert done.code == 2 and f"one of those that are indexed: {shop}" in done.err
    done = call("projects", "forget", shop, "--repository", "gone", "--yes")
    assert done.code == 2
    assert done.err == f"penstock: the project {shop} has no repository gone: it has billing, main\n"


def test_without_a_terminal_yes_is_needed(shop: str, indexes: Path) -> None:
    for more in ((), ("--repository", "main")):
        done = call("projects", "forget", shop, *more)
        assert (done.code, done.out) == (2, b"")
        assert "is to be forgotten" in done.err and done.err.endswith("so it takes --yes\n")
    assert "453 files (billing, main)" in call("projects", "forget", shop).err
    assert len(call("projects", "list").text.splitlines()) == 3


@pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals of POSIX")
@pytest.mark.parametrize(("typed", "code"), [(b"y\n", 0), (b"n\n", 1), (b"\n", 1), (b"\x04", 130)])
def test_on_a_terminal_it_is_asked(shop: str, indexes: Path, typed: bytes, code: int) -> None:
    terminal = Terminal([*COMMAND, "projects", "forget", shop], NO_COLOR="1")
    before = terminal.shows(b"[y/N]: ")
    terminal.type(typed)
    status, out = terminal.end()
    assert status == code
    assert f"the project {shop} in {indexes} is to be forgotten, 453 files (billing, main). Go on?" in before.decode()
    assert (b"nothing was done" in out) == (code == 1)
    assert (listed(shop) is None) == (code == 0)


def test_damaged_index_can_be_forgotten(indexes: Path) -> None:
    indexes.mkdir()
    (indexes / "shop.sqlite").write_bytes(b"no database" * 1_000)
    assert "though its size is not known" in call("projects", "forget", "shop").err
    assert call("projects", "forget", "shop", "--yes").code == 0
    assert list(indexes.iterdir()) == []


def test_completion_answers_with_projects(shop: str) -> None:
    words = "penstock projects forget sh"
    environ = {"_PENSTOCK_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": "3"}
    assert process(environ=environ).text.split() == [f"plain,{shop}"]
    environ |= {"COMP_WORDS": "penstock search --project shop", "COMP_CWORD": "3"}
    assert process(environ=environ).text.split() == [f"plain,{shop}"]
    environ |= {"COMP_WORDS": "penstock projects f", "COMP_CWORD": "2"}
    assert process(environ=environ).text.split() == ["plain,forget"]
