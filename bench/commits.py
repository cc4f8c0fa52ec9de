"""`python -m bench.commits DIR --repo NAME=GITDIR ...`: labels for bench.search out of what was committed.

Nobody wrote them for a search. A commit's subject is the query, and the source files that it changed are the targets:
what somebody had to find who was asked for that change.

1. Of each repository the newest commits of the first-parent line are taken. The tree that is searched is the one before
   the oldest of them, so that it holds nothing of what is asked for.
2. Commits of bots, and subjects that say nothing of code (releases, versions, dependencies, style, prose), are no
   queries. Neither is a subject that names a file that it changed.
3. A target is source of that tree. A commit that changed more of it than MOST_TARGETS files points nowhere.
4. Tests are targets where nothing but tests was changed. Beside other source they are left out, or with `--with-tests`
   they are targets, too.

What is source and what is a test is said here, not asked of `penstock.search`: it is what is judged. Trees are checked
out into DIR/trees.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

TREES = "trees"
MOST_COMMITS = 100
MOST_TARGETS = 3
LEAST_WORDS = 4
LOOKED_BACK = 4_000

_LANGUAGES = {
    "bash": "sh bash bats",
    "c": "c h",
    "cpp": "cpp cc cxx hpp hh hxx inl",
    "csharp": "cs",
    "elixir": "ex",
    "go": "go",
    "haskell": "hs",
    "java": "java",
    "javascript": "js mjs cjs jsx",
    "kotlin": "kt",
    "lua": "lua",
    "php": "php",
    "python": "py pyi pyx",
    "ruby": "rb",
    "rust": "rs",
    "scala": "scala",
    "swift": "swift",
    "typescript": "ts tsx mts cts",
    "zig": "zig",
}
_OF_ENDING = {ending: language for language, endings in _LANGUAGES.items() for ending in endings.split()}
_NO_TARGET = re.compile(
    r"(?:^|/)(?:_?version\.\w+|setup\.py|package\.swift|build\.rs|conf\.py|[^/]*\.config\.\w+)$", re.I
)

_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_OF_TESTS = frozenset(("test", "tests", "spec", "specs", "testing", "testdata", "fixture", "fixtures", "e2e"))

_TYPED = re.compile(
    r"(?P<type>feat|feature|fix|bugfix|perf|refactor|chore|build|ci|docs?|style|tests?|deps|release|revert)"
    r"(?:\((?P<scope>[^)]*)\))?!?:\s*",
    re.I,
)
_TYPES_OF_NO_CODE = frozenset(("chore", "build", "ci", "doc", "docs", "style", "deps", "release", "revert"))
_NO_CODE = re.compile(
    r"^(?:merge|revert|reapply|release|prepare|bump|version|changelog|update docs?|v?\d+\.\d+)\b|"
    r"\b(?:bumps?|changelogs?|changesets?|typos?|spelling|misspell\w*|lint\w*|reformat\w*|gofmt|rustfmt|prettier|clippy|"
    r"eslint|rubocop|stylecop|checkstyle|pmd|spotbugs|dependabot|renovate|ci|workflows?|github actions?|copyright|"
    r"licen[cs]e|readme|contributing|whitespaces?|indentation|pre-commit|translations?|javadocs?|docs?|docstrings?|"
    r"documentation|comments?|sort members|v?\d+\.\d+\.\d+)\b|"
    r"\b(?:update|upgrade)s?\b.*\b(?:deps|dependenc(?:y|ies)|versions?|to v?\d)",
    re.I,
)
_NUMBERS = re.compile(
    r"\(?(?:\b(?:clos\w+|fix(?:es|ed)?|see|refs?|resolves?)[: ]+)?(?:\bgh-|#)\d+\)?|"
    r"\[[^\]]*\bskip[^\]]*\]|^\[?[A-Z]{2,10}-\d+[\]:,]+",
    re.I,
)
_WORD = re.compile(r"[^\W\d_]{2,}")


class Commit(NamedTuple):
    revision: str
    author: str
    subject: str
    changed: tuple[str, ...]  # what stood before: changed or removed


class Label(NamedTuple):
    revision: str
    query: str
    targets: tuple[str, ...]
    tests: tuple[str, ...]  # those beside the targets

    @property
    def category(self) -> str:
        """`named` are those that have the name of a file, without its ending, as a word: they are found easily."""
        if is_test(self.targets[0]):
            return "tests"
        words = set(re.findall(r"\w+", self.query.lower()))
        names = {path.rpartition("/")[2].partition(".")[0].lower() for path in self.targets}
        return "told" if words.isdisjoint(names) else "named"


class Labelled(NamedTuple):
    name: str
    tree: str  # the revision that is searched
    labels: list[Label]
    left_out: Counter[str]

    @property
    def language(self) -> str:
        languages = Counter(language_of(path) for label in self.labels for path in label.targets)
        return languages.most_common(1)[0][0] if languages else ""


# -- git ---------------------------------------------------------------------------------------------------------------


def history(repository: Path) -> Iterator[Commit]:
    """The first-parent line, the newest first; without those that only add files."""
    log = _git(
        repository,
        *("log", "--first-parent", "--no-merges", "--no-renames", "--diff-filter=MD", "--name-only"),
        *(f"--max-count={LOOKED_BACK}", "--format=%x01%H%x02%an%x02%s"),
    )
    for entry in log.split("\x01")[1:]:
        head, _, rest = entry.partition("\n")
        revision, author, subject = head.split("\x02", 2)
        yield Commit(revision, author, subject, tuple(line for line in rest.split("\n") if line))


def files_of(repository: Path, revision: str) -> frozenset[str]:
    return frozenset(_git(repository, "ls-tree", "-r", "-z", "--name-only", revision).split("\0"))


def check_out(repository: Path, revision: str, folder: Path) -> None:
    """Without `git archive`, which leaves out what a project keeps from its releases."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    with tempfile.TemporaryDirectory() as own:
        index = str(Path(own) / "index")
        _git(repository, "read-tree", revision, index=index)
        _git(repository, f"--work-tree={folder.resolve()}", "checkout-index", "--all", index=index, cwd=folder)


def _git(repository: Path, *arguments: str, index: str | None = None, cwd: Path | None = None) -> str:
    settings = ("core.quotePath=false", "core.hooksPath=/dev/null", "core.fsmonitor=false")
    done = subprocess.run(
        ["git", f"--git-dir={repository.resolve()}", *(word for one in settings for word in ("-c", one)), *arguments],
        env=os.environ | ({"GIT_INDEX_FILE": index} if index else {}),
        cwd=cwd,
        check=True,
        capture_output=True,
    )
    return done.stdout.decode("utf-8", "replace")


# -- labels ------------------------------------------------------------------------------------------------------------


def labelled(name: str, repository: Path, most: int = MOST_COMMITS) -> Labelled:
    labels: list[Label] = []
    left_out: Counter[str] = Counter()
    asked: set[str] = set()
    for commit in history(repository):
        label = label_of(commit)
        if isinstance(label, str):
            left_out[label] += 1
        elif label.query.lower() in asked:
            left_out["asked before"] += 1
        else:
            asked.add(label.query.lower())
            labels.append(label)
        if len(labels) == most:
            break
    if not labels:
        return Labelled(name, "HEAD", [], left_out)
    tree = _git(repository, "rev-parse", f"{labels[-1].revision}^").strip()
    there = files_of(repository, tree)
    found = [
        label._replace(targets=tuple(filter(there.__contains__, label.targets)), tests=_within(label.tests, there))
        for label in labels
    ]
    kept = [label for label in found if label.targets]
    left_out["not in the tree yet"] += len(found) - len(kept)
    return Labelled(name, tree, kept, left_out)


def label_of(commit: Commit) -> Label | str:
    """Or the reason why it is none."""
    if commit.author.endswith("[bot]") or "dependabot" in commit.author.lower():
        return "of a bot"
    typed = _TYPED.match(commit.subject)
    if _NO_CODE.search(commit.subject) or (typed and typed["type"].lower() in _TYPES_OF_NO_CODE):
        return "not about code"
    query = query_of(commit.subject)
    if len(_WORD.findall(query)) < LEAST_WORDS:
        return "too short"
    source = [path for path in commit.changed if language_of(path) and not _NO_TARGET.search(path)]
    code = [path for path in source if not is_test(path)]
    targets = code or source
    if not targets:
        return "no source changed"
    if len(targets) > MOST_TARGETS:
        return "too wide"
    if any(path.rpartition("/")[2].lower() in query.lower() for path in targets):
        return "names the file"
    return Label(commit.revision, query, tuple(targets), tuple(path for path in source if path not in targets))


def query_of(subject: str) -> str:
    """Without what stands there for machines: its type, the numbers of issues."""
    typed = _TYPED.match(subject)
    if typed:
        scope = typed["scope"]
        subject = f"{scope}: {subject[typed.end() :]}" if scope else subject[typed.end() :]
    return " ".join(_NUMBERS.sub(" ", subject).split()).strip(" .,:;-")


def language_of(path: str) -> str:
    """Empty where it is no source."""
    return _OF_ENDING.get(path.rpartition("/")[2].rpartition(".")[2].lower(), "")


def is_test(path: str) -> bool:
    *folders, file = path.split("/")
    if any(not _OF_TESTS.isdisjoint(_parts(folder)) for folder in folders):
        return True
    parts = _parts(file.rpartition(".")[0])
    return bool(parts) and (parts[0] in _OF_TESTS or parts[-1] in _OF_TESTS or parts[0] == "conftest")


def _parts(name: str) -> list[str]:
    return ["e2e"] if name == "e2e" else [part.lower() for part in _PART.findall(name)]


def _within(paths: Sequence[str], there: frozenset[str]) -> tuple[str, ...]:
    return tuple(path for path in paths if path in there)


# -- the folder --------------------------------------------------------------------------------------------------------


def write(folder: Path, repositories: Iterable[Labelled], *, with_tests: bool = False) -> None:
    """In the form that bench.search reads."""
    manifest, queries = [], []
    for repository in repositories:
        of = {"repo": repository.name, "language": repository.language}
        manifest.append({"name": repository.name, "language": repository.language, "revision": repository.tree})
        for label in repository.labels:
            secondary = label.tests if with_tests else ()
            queries.append(
                {"id": f"{repository.name}#{label.revision[:10]}", **of}
                | {"category": label.category, "query": label.query}
                | {"relevant": _paths(label.targets), "secondary": _paths(secondary)}
            )
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "manifest.json").write_text(json.dumps(manifest, indent=1) + "\n", encoding="utf-8")
    (folder / "queries.jsonl").write_text("".join(json.dumps(query) + "\n" for query in queries), encoding="utf-8")
    (folder / "published_per_repo.json").write_text("{}\n", encoding="utf-8")


def _paths(paths: Iterable[str]) -> list[dict[str, str]]:
    return [{"path": path} for path in paths]


def _named(text: str) -> tuple[str, Path]:
    name, _, place = text.partition("=")
    if not re.fullmatch(r"[\w.-]*\w[\w.-]*", name) or not place:
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=GITDIR")
    return name, Path(place)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.commits", description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path, metavar="DIR", help="where labels and trees go")
    parser.add_argument("--repo", type=_named, action="append", required=True, metavar="NAME=GITDIR")
    parser.add_argument("--most", type=int, default=MOST_COMMITS, help="commits of each (default: %(default)s)")
    parser.add_argument("--with-tests", action="store_true", help="tests beside changed code are targets, too")
    parser.add_argument("--labels-only", action="store_true", help="check nothing out")
    given = parser.parse_args(arguments)
    found = []
    for name, repository in given.repo:
        one = labelled(name, repository, given.most)
        why = ", ".join(f"{count} {reason}" for reason, count in one.left_out.most_common())
        print(f"{name} at {one.tree[:10]}: {len(one.labels)} queries; left out: {why}")
        if not one.labels:
            continue
        if not given.labels_only:
            check_out(repository, one.tree, given.folder / TREES / name)
        found.append(one)
    write(given.folder, found, with_tests=given.with_tests)
    return 0


if __name__ == "__main__":
    sys.exit(main())
