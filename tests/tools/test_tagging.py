from __future__ import annotations

import os
import sqlite3
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from penstock.tools import tagging
from penstock.tools.tag_file import TagFile
from penstock.tools.tagging import Tagged, Tree

from .conftest import write

FILES: dict[str, str | bytes] = {
    "a.py": "class Valve: ...\n",
    "b/c.py": "def open_gate(): ...\n",
    "d.js": "function turn() {}\n",
}


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "data" / "maps"


def run(root: Path, cache: Path, tree: Tree | None = None, seconds: float = 60, place: str = ".") -> Tagged:
    tree = tree or Tree(root, cache)
    return tree.tagged((root / place).resolve(), seconds, lambda path: 0)


def names(tagged: Tagged) -> dict[str, list[str]]:
    return {path: [tag.name for tag in tags.definitions] for path, tags in tagged.files}


def database(cache: Path) -> Path:
    (path,) = cache.glob("*.sqlite")
    return path


def test_files_come_with_their_definitions_in_the_order_of_their_paths(root: Path, cache: Path) -> None:
    write(root, FILES | {"readme.md": "# Valve\n", "data.json": "{}", ".gitignore": "out/\n", "out/x.py": "x = 1\n"})
    found = run(root, cache)
    assert names(found) == {"a.py": ["Valve"], "b/c.py": ["open_gate"], "d.js": ["turn"]}
    assert (found.complete, found.waiting, found.parsed, found.kept) == (True, 0, 3, "")


def test_what_did_not_change_is_not_parsed_again_by_any_process(root: Path, cache: Path) -> None:
    write(root, FILES)
    tree = Tree(root, cache)
    first = run(root, cache, tree)
    again = run(root, cache, tree)
    assert (again.parsed, names(again), again.state) == (0, names(first), first.state)
    other = run(root, cache)
    assert (other.parsed, names(other)) == (0, names(first))


def test_only_what_changed_is_parsed_again(root: Path, cache: Path) -> None:
    write(root, FILES)
    tree = Tree(root, cache)
    first = run(root, cache, tree)
    write(root, {"a.py": "class Weir: ...\n\n"})
    found = run(root, cache, tree)
    assert found.parsed == 1
    assert names(found)["a.py"] == ["Weir"]
    assert found.state != first.state


def test_change_of_the_same_size_in_the_same_moment_is_seen(root: Path, cache: Path) -> None:
    tree = Tree(root, cache)
    for name in ("Valve", "Gates", "Weirs"):
        write(root, {"a.py": f"class {name}: ...\n"})
        os.utime(root / "a.py", ns=(0, time.time_ns()))
        found = run(root, cache, tree)
        assert names(found) == {"a.py": [name]}


def test_new_time_of_the_same_content_is_not_parsed(root: Path, cache: Path) -> None:
    write(root, FILES)
    tree = Tree(root, cache)
    first = run(root, cache, tree)
    os.utime(root / "a.py", ns=(0, 10**18))
    found = run(root, cache, tree)
    assert (found.parsed, found.state) == (0, first.state)
    rows = sqlite3.connect(database(cache)).execute("SELECT mtime_ns FROM files WHERE path = 'a.py'").fetchall()
    assert rows == [(10**18,)]


def test_file_that_went_is_forgotten(root: Path, cache: Path) -> None:
    write(root, FILES)
    run(root, cache)
    (root / "a.py").unlink()
    assert "a.py" not in names(run(root, cache))
    with sqlite3.connect(database(cache)) as connection:
        assert connection.execute("SELECT path FROM files ORDER BY path").fetchall() == [("b/c.py",), ("d.js",)]


def test_part_of_a_tree_is_looked_at_alone_and_the_rest_is_kept(root: Path, cache: Path) -> None:
    write(
        root,
        FILES
        | {"b/.gitignore": "*.tmp.py\n", "b/x.tmp.py": "x = 1\n", ".gitignore": "skipped.py\n", "b/skipped.py": ""},
    )
    run(root, cache)
    part = run(root, cache, place="b")
    assert (names(part), part.parsed) == ({"b/c.py": ["open_gate"]}, 0)
    one = run(root, cache, place="a.py")
    assert (names(one), one.parsed) == ({"a.py": ["Valve"]}, 0)
    assert run(root, cache).parsed == 0


def test_time_that_is_over_leaves_a_part_and_the_next_call_goes_on(
    root: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(root, {f"f{n:02}.py": f"class Valve{n}: ...\n" for n in range(12)})
    understood = tagging._tags

    def slowly(*args: object) -> object:
        time.sleep(0.2)
        return understood(*args)  # type: ignore[arg-type]  # as it was called

    monkeypatch.setattr(tagging, "_tags", slowly)
    seen = 0
    for _ in range(30):
        found = run(root, cache, seconds=0.8)
        assert len(found.files) + found.waiting == 12
        assert len(found.files) >= seen
        seen = len(found.files)
        if found.complete:
            break
        assert found.parsed + seen > 0
    assert found.complete
    assert seen == 12


def test_file_whose_parsing_takes_too_long_waits(root: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: object) -> None:
        raise TimeoutError

    write(root, FILES)
    monkeypatch.setattr(tagging, "_tags", never)
    found = run(root, cache)
    assert (found.files, found.waiting, found.complete) == ([], 3, False)


def test_first_are_those_that_are_asked_for(root: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(root, FILES)
    seen: list[str] = []
    monkeypatch.setattr(tagging, "_tags", lambda candidate, *_: seen.append(candidate.path) or tagging.FileTags())
    Tree(root, cache).tagged(root, 60, lambda path: -(path == "d.js"))
    assert seen == ["d.js", "a.py", "b/c.py"]


def test_more_files_than_may_be_are_not_looked_at(root: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tagging, "MOST_FILES", 2)
    write(root, FILES)
    began = time.monotonic()
    found = run(root, cache)
    assert (len(found.files), found.complete) == (2, False)
    tree = Tree(root, cache)
    assert run(root, cache, tree).state == run(root, cache, tree).state
    assert time.monotonic() - began < 30


def test_run_that_is_killed_keeps_what_it_has_written(root: Path, cache: Path) -> None:
    write(root, {f"f{n:03}.py": f"class Valve{n}: ...\n" for n in range(60)})
    code = (
        "import os, sys\nfrom pathlib import Path\nfrom penstock.tools import tagging\n"
        "tagging.BATCH_FILES = 10\nold = tagging._tags\ncount = 0\n"
        "def tags(*args):\n    global count\n    count += 1\n"
        "    if count > 35: os._exit(9)\n    return old(*args)\n"
        "tagging._tags = tags\n"
        "tagging.Tree(Path(sys.argv[1]), Path(sys.argv[2])).tagged(Path(sys.argv[1]), 60, lambda path: 0)\n"
    )
    done = subprocess.run([sys.executable, "-c", code, str(root), str(cache)], check=False, timeout=60)
    assert done.returncode == 9
    found = run(root, cache)
    assert found.parsed == 30
    assert len(found.files) == 60


def test_two_processes_at_once_agree(root: Path, cache: Path) -> None:
    write(root, {f"f{n:03}.py": f"class Valve{n}: ...\n" for n in range(300)})
    code = (
        "import sys\nfrom pathlib import Path\nfrom penstock.tools import tagging\ntagging.BATCH_FILES = 5\n"
        "t = tagging.Tree(Path(sys.argv[1]), Path(sys.argv[2])).tagged(Path(sys.argv[1]), 60, lambda path: 0)\n"
        "assert t.complete and len(t.files) == 300, t\nprint(t.kept)\n"
    )
    both = [
        subprocess.Popen([sys.executable, "-c", code, str(root), str(cache)], stdout=subprocess.PIPE) for _ in range(2)
    ]
    assert [(one.communicate(timeout=60)[0], one.returncode) for one in both] == [(b"\n", 0), (b"\n", 0)]
    found = run(root, cache)
    assert (found.parsed, len(found.files)) == (0, 300)


@pytest.mark.parametrize("damage", ["nonsense", "cut", "other program", "other version", "bad tags", "bad page"])
def test_damaged_cache_is_made_anew(root: Path, cache: Path, damage: str) -> None:
    write(root, FILES)
    expected = names(run(root, cache))
    path = database(cache)
    for ending in ("-wal", "-shm"):
        Path(f"{path}{ending}").unlink(missing_ok=True)
    whole = path.read_bytes()
    if damage == "nonsense":
        path.write_bytes(b"nonsense" * 1_000)
    elif damage == "cut":
        path.write_bytes(whole[:5_000])
    elif damage == "bad page":
        path.write_bytes(whole[:4_096] + b"\xff" * (len(whole) - 4_096))
    else:
        with sqlite3.connect(path) as connection:
            if damage == "other program":
                connection.execute("PRAGMA application_id = 1")
            elif damage == "other version":
                connection.execute("PRAGMA user_version = 0")
            else:
                connection.execute("UPDATE files SET tags = x'c1ff'")
        connection.close()
    found = run(root, cache)
    assert (names(found), found.parsed, found.kept) == (expected, 3, "")
    assert run(root, cache).parsed == 0


def test_only_the_owner_may_read_the_cache(root: Path, cache: Path) -> None:
    write(root, FILES)
    run(root, cache)
    assert stat.S_IMODE(database(cache).stat().st_mode) == 0o600
    assert stat.S_IMODE(cache.stat().st_mode) == 0o700


def test_cache_holds_nothing_of_the_text_but_signatures(root: Path, cache: Path) -> None:
    write(root, {"a.py": "def open_gate():\n    return HiddenName('quoted words')\n"})
    run(root, cache)
    data = b"".join(path.read_bytes() for path in cache.iterdir())
    assert b"open_gate" in data
    assert b"HiddenName" not in data and b"quoted" not in data


def test_place_that_cannot_be_written_is_told_and_the_tags_are_there(root: Path, tmp_path: Path) -> None:
    write(root, FILES)
    (tmp_path / "file").touch()
    tree = Tree(root, tmp_path / "file" / "maps")
    found = run(root, tmp_path, tree)
    assert len(found.files) == 3
    assert "cannot be used" in found.kept
    assert run(root, tmp_path, tree).parsed == 0  # it is in memory


def test_place_that_may_not_be_looked_into_is_told_and_the_tags_are_there(root: Path, tmp_path: Path) -> None:
    write(root, FILES)
    found = run(root, tmp_path, Tree(root, tmp_path / ("x" * 300)))  # a name that not even root may give
    assert len(found.files) == 3
    assert "cannot be used" in found.kept


def test_cache_that_another_process_holds_is_not_waited_for_long(root: Path, cache: Path) -> None:
    write(root, FILES)
    TagFile.of(cache, root).close()
    holding = sqlite3.connect(database(cache), isolation_level=None)
    holding.execute("BEGIN IMMEDIATE")
    began = time.monotonic()
    found = run(root, cache)
    holding.close()
    assert time.monotonic() - began < 10
    assert (len(found.files), "locked" in found.kept) == (3, True)
    assert run(root, cache).kept == ""


def test_odd_files_do_no_harm(root: Path, cache: Path) -> None:
    write(
        root,
        {
            "latin.py": "class Café: ...\n".encode("latin-1"),
            "bom.py": b"\xef\xbb\xbfclass Valve: ...\n",
            "wide.py": "class Weir: ...\n".encode("utf-16"),
            "huge.py": b"x = 1\n" * 400_000,
            "min.js": "function a(){};" * 5_000,
            "nul.py": b"\0" * 100,
            "empty.py": "",
            "two\nlines.py": "class Hidden: ...\n",
            "script": "#!/usr/bin/env python3\ndef run_it(): ...\n",
            "notes": "nothing to run\n",
        },
    )
    os.mkfifo(root / "pipe.py")
    (root / "link.py").symlink_to("/etc/passwd")
    found = names(run(root, cache))
    assert found["latin.py"] == ["Café"]
    assert (found["bom.py"], found["wide.py"], found["script"]) == (["Valve"], ["Weir"], ["run_it"])
    assert not any(found.get(name) for name in ("huge.py", "min.js", "nul.py", "empty.py", "notes"))
    assert found.keys().isdisjoint({"two\nlines.py", "pipe.py", "link.py"})
    assert run(root, cache).parsed == 0


def test_file_that_is_gone_before_it_is_read_is_no_error(
    root: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(root, FILES)
    opened = tagging.opened

    def gone(path: Path) -> object:
        if path.name == "a.py":
            path.unlink()
        return opened(path)

    monkeypatch.setattr(tagging, "opened", gone)
    found = run(root, cache)
    assert (list(names(found)), found.complete) == (["b/c.py", "d.js"], True)
