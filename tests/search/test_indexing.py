from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from penstock.errors import ArgumentError, UpstreamError
from penstock.search import indexing
from penstock.search.cutting import Cutter
from penstock.search.embedder import Vector
from penstock.search.walk import Candidate, content_of

from .conftest import Workshop
from .models import ByWords

FILES = {"a.py": "def alpha(): ...\n", "sub/b.go": "package b\nfunc Beta() {}\n", "c.md": "# gamma\n"}


def test_first_run_indexes_all_and_tells_of_it(workshop: Workshop) -> None:
    workshop.lay({**FILES, "d.png": "x", "e.cob": "MOVE A TO B.\n"})
    report = workshop.index()
    assert (report.indexed, report.unchanged, report.removed, report.complete) == (4, 0, 0, True)
    assert report.languages == {"python": 1, "go": 1, "markdown": 1, "cobol": 1}
    assert report.without_grammar == {"cobol": 1}
    assert report.unknown == {".png": 1}


def test_second_run_reads_only_what_changed(workshop: Workshop, monkeypatch: pytest.MonkeyPatch) -> None:
    workshop.lay(FILES)
    workshop.index()
    workshop.lay({"a.py": "def delta(): ...\n# longer\n"})
    read: list[str] = []

    def noting(candidate: Candidate) -> bytes | None:
        read.append(candidate.path)
        return content_of(candidate)

    monkeypatch.setattr(indexing, "content_of", noting)
    report = workshop.index()
    assert (report.indexed, report.unchanged) == (1, 2)
    assert read == ["a.py"]
    assert workshop.found("delta")[0] == "a.py" and "a.py" not in workshop.found("alpha")


def test_touched_file_is_read_once_and_not_indexed_again(workshop: Workshop) -> None:
    workshop.lay(FILES)
    workshop.index()
    os.utime(workshop.root / "a.py", ns=(1, 1))
    report = workshop.index()
    assert (report.indexed, report.unchanged) == (0, 3)
    index = workshop.search.projects.opened("shop")
    assert index.states("code")["a.py"].mtime_ns == 1


def test_change_that_keeps_the_size_is_seen_by_the_time(workshop: Workshop) -> None:
    workshop.lay({"a.py": "alpha = 1\n"})
    os.utime(workshop.root / "a.py", ns=(1, 1))
    workshop.index()
    workshop.lay({"a.py": "gamma = 1\n"})
    assert workshop.index().indexed == 1
    assert workshop.found("gamma") == ["a.py"]


def test_deleted_moved_and_newly_ignored_files_go(workshop: Workshop) -> None:
    workshop.lay({**FILES, "d.py": "delta = 1\n"})
    workshop.index()
    (workshop.root / "a.py").unlink()
    (workshop.root / "sub").rename(workshop.root / "moved")
    workshop.lay({".gitignore": "d.py\n"})
    report = workshop.index()
    assert (report.removed, report.indexed) == (3, 1)
    assert workshop.found("beta") == ["moved/b.go"]
    assert workshop.found("alpha") == workshop.found("delta") == []


def test_what_is_below_an_unreadable_folder_stays(workshop: Workshop, monkeypatch: pytest.MonkeyPatch) -> None:
    workshop.lay(FILES)
    workshop.index()
    scan = os.scandir

    def refusing(path: Path) -> object:
        if Path(path).name == "sub":
            raise PermissionError
        return scan(path)

    monkeypatch.setattr(os, "scandir", refusing)
    report = workshop.index()
    assert report.removed == 0 and report.left_out["unreadable folder"] == 1
    assert workshop.found("Beta") == ["sub/b.go"]


def test_file_that_cannot_be_read_is_counted(workshop: Workshop, monkeypatch: pytest.MonkeyPatch) -> None:
    workshop.lay(FILES)
    monkeypatch.setattr(indexing, "content_of", lambda _: None)
    report = workshop.index()
    assert report.left_out["unreadable"] == 3 and report.complete


def test_stopped_run_keeps_what_it_has_and_the_next_goes_on(workshop: Workshop) -> None:
    workshop.lay({f"f{number}.py": f"x{number} = 1\n" for number in range(30)})
    seen: list[int] = []
    report = workshop.index(progress=lambda report: seen.append(report.seen), stop=lambda: len(seen) >= 10)
    assert (report.indexed, report.complete) == (10, False)
    assert workshop.search.projects.opened("shop").repositories()[0].indexed_at is None
    report = workshop.index()
    assert (report.indexed, report.unchanged, report.complete) == (20, 10, True)


def test_stopped_run_removes_nothing(workshop: Workshop) -> None:
    workshop.lay(FILES)
    workshop.index()
    (workshop.root / "a.py").unlink()
    assert workshop.index(stop=lambda: True).removed == 0
    assert workshop.found("alpha") == ["a.py"]


_INDEXER = """
import sys
from pathlib import Path
from penstock.search import indexing
from penstock.search.cutting import Cutter
from penstock.search.sqlite import SqliteIndex
indexing.BATCH_FILES = 5
def progress(report):
    print(report.seen, flush=True)
indexing.index_tree(SqliteIndex(Path(sys.argv[1]), create=True), Path(sys.argv[2]), "code", progress=progress)
"""


def test_killed_run_keeps_its_batches_and_the_next_goes_on(workshop: Workshop) -> None:
    workshop.lay({f"f{number:03}.py": f"x{number} = 1\n" * 50 for number in range(1_000)})
    process = subprocess.Popen(
        [sys.executable, "-c", _INDEXER, workshop.folder / "shop.sqlite", workshop.root], stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    for line in process.stdout:
        if int(line) >= 100:
            break
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdout.close()
    report = workshop.index()
    assert 80 <= report.unchanged < 1_000
    assert report.indexed + report.unchanged == 1_000 and report.complete


def test_two_indexers_and_a_searcher_at_once_do_no_harm(workshop: Workshop) -> None:
    workshop.lay({f"f{number:03}.py": f"def alpha{number}(): ...\n" for number in range(200)})
    command = [sys.executable, "-c", _INDEXER, workshop.folder / "shop.sqlite", workshop.root]
    workshop.index(stop=lambda: True)
    both = [subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) for _ in range(2)]
    while any(process.poll() is None for process in both):
        workshop.ask("alpha7")
        time.sleep(0.01)
    errors = [process.communicate()[1] for process in both]
    assert [process.returncode for process in both] == [0, 0], errors
    assert workshop.found("alpha7")[0] == "f007.py"
    [repository] = workshop.search.projects.opened("shop").repositories()
    assert (repository.files, repository.chunks) == (200, 200)
    assert workshop.index().unchanged == 200


@pytest.mark.parametrize("workers", [1, 2])
def test_children_give_the_same_index(workshop: Workshop, workers: int) -> None:
    workshop.lay({f"f{number}.py": f"def alpha{number}(): ...\n" for number in range(60)})
    report = workshop.index(workers=workers)
    assert (report.indexed, report.chunks, report.not_parsed, report.complete) == (60, 60, 0, True)
    assert workshop.found("alpha41")[0] == "f41.py"


def test_file_that_breaks_its_grammar_is_indexed_and_told(workshop: Workshop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(indexing, "Cutter", lambda workers: Cutter(workers, seconds=1.0))
    workshop.lay({"a.cs": "class Alpha {}\n" + "a<\n" * 60_000, "b.py": "def beta(): ...\n"})
    report = workshop.index(workers=1)
    assert (report.not_parsed, report.indexed, report.complete) == (1, 2, True)
    assert workshop.found("Alpha") == ["a.cs"] and workshop.found("beta") == ["b.py"]


def test_batches_are_bounded(workshop: Workshop, monkeypatch: pytest.MonkeyPatch) -> None:
    from penstock.search.sqlite import SqliteIndex

    sizes: list[int] = []
    write = SqliteIndex.write
    monkeypatch.setattr(
        SqliteIndex, "write", lambda self, name, batch: (sizes.append(len(batch.files)), write(self, name, batch))[1]
    )
    monkeypatch.setattr(indexing, "BATCH_FILES", 4)
    workshop.lay({f"f{number}.py": "x = 1\n" for number in range(10)})
    workshop.index()
    assert sizes == [4, 4, 2]


@pytest.mark.parametrize("repository", ["", "x" * 201, "a\nb"])
def test_repository_needs_a_name(workshop: Workshop, repository: str) -> None:
    with pytest.raises(ArgumentError, match=r"repository_id = .* printable"):
        workshop.index(repository=repository)


def test_path_has_to_be_a_folder(workshop: Workshop) -> None:
    workshop.root = workshop.root / "none"
    with pytest.raises(ArgumentError, match="a folder that can be read"):
        workshop.index()


def test_lines_end_as_grammars_count_them(workshop: Workshop) -> None:
    workshop.lay({"a.py": "x = 1\r\ny = '\u2028'\rz = 2\nalpha = 3"})
    workshop.index()
    [result] = workshop.ask("alpha")["results"]
    assert (result["start_line"], result["end_line"]) == (1, 3)
    assert result["content"] == "x = 1\r\ny = '\u2028'\rz = 2\nalpha = 3"


def test_run_with_an_embedder_makes_the_vectors_that_are_missing(workshop: Workshop) -> None:
    workshop.lay({"a.py": "def open_valve(): pass\n", "b.py": "def shut_gate(): pass\n"})
    assert workshop.index().vectors == 0
    told: list[int] = []
    report = workshop.index(embedder=ByWords(), progress=lambda report: told.append(report.vectors))
    assert (report.vectors, report.complete, report.no_vectors, report.unchanged) == (2, True, None, 2)
    assert told[-1] == 2
    workshop.lay({"b.py": "def shut_the_gate(): pass\n"})
    assert workshop.index(embedder=ByWords()).vectors == 1


def test_index_is_whole_where_the_model_fails(workshop: Workshop) -> None:
    class Broken(ByWords):
        def documents(self, texts: Sequence[str]) -> Sequence[Vector]:
            raise UpstreamError("http://127.0.0.1:1/v1", "HTTP 401")

    workshop.lay({"a.py": "def open_valve(): pass\n"})
    report = workshop.index(embedder=Broken())
    assert not report.complete and report.indexed == 1
    assert report.no_vectors == "http://127.0.0.1:1/v1 gave no answer that can be used: HTTP 401"
    assert workshop.found("open_valve") == ["a.py"]
    assert workshop.search.projects.opened("shop").repositories()[0].indexed_at is not None


def test_run_that_is_stopped_among_vectors_is_not_complete(workshop: Workshop) -> None:
    workshop.lay({"a.py": "def open_valve(): pass\n"})
    workshop.index()
    answers = iter([False, True])
    report = workshop.index(embedder=ByWords(), stop=lambda: next(answers, True))
    assert (report.complete, report.vectors, report.unchanged) == (False, 0, 1)


def test_files_of_no_known_language_are_counted_together(workshop: Workshop) -> None:
    workshop.lay({"LICENSE": "words\n", "folder/NOTICE": "words\n", "a.png": "x", "b.b c": "x", "c.py": "x = 1\n"})
    report = workshop.index()
    assert report.unknown == {"without ending": 2, ".png": 1, "other": 1}
    assert not report.left_out
