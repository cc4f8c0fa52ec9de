"""A small corpus of our own: outputs of the tools that this project runs, made on this machine at the first use.

What matters in each is known because it was planted (a fault in a made-up project, an odd record) or follows from the
tool's own data (the one definition of a name, the file that a change touched). A tool that is not to be had is told
and left out.
"""

import csv
import hashlib
import io
import json
import random
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import msgspec

from bench import anomalies, inputs
from bench.corpus import MANIFEST
from bench.scoring import LONGEST_NEEDLE

_SELF = Path(__file__).resolve()
ROOT = _SELF.parents[1]
MODULES = 150


@dataclass(frozen=True, slots=True)
class Sample:
    name: str
    kind: str
    query: str
    text: str
    needles: tuple[str, ...]


class Missing(Exception):
    """A tool that cannot be run here, or whose output is not what it used to be."""


def build(home: Path) -> Path:
    """The folder of the corpus, made where it is not there yet. Another version of what makes it makes another one."""
    makers = b"".join(Path(module.__file__ or "").read_bytes() for module in (anomalies, inputs)) + _SELF.read_bytes()
    folder = home / f"recall-{hashlib.sha256(makers).hexdigest()[:8]}"
    if (folder / MANIFEST).is_file():
        return folder
    print(f"making a corpus in {folder} ...", file=sys.stderr)
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "items").mkdir(parents=True)
    rows = [_written(sample, folder) for sample in _samples(folder / "project")]
    (folder / MANIFEST).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return folder


def _samples(project: Path) -> Iterator[Sample]:
    _plant(project)
    makers: list[Callable[[], Iterable[Sample]]] = [
        *(partial(_one, make, project) for make in (ruff, mypy, pytest, traceback)),
        *(grep, history, listing, documentation, records, table, server_log, planted),
    ]
    for make in makers:
        try:
            yield from make()
        except Missing as reason:
            print(f"left out: {reason}", file=sys.stderr)


def _one(make: Callable[[Path], Sample], project: Path) -> Iterator[Sample]:
    yield make(project)


def _written(sample: Sample, folder: Path) -> dict[str, object]:
    file = Path("items") / (re.sub(r"\W+", "-", sample.name) + ".txt")
    (folder / file).write_bytes(sample.text.encode("utf-8", "surrogatepass"))
    needles = []
    for needle in sample.needles:
        place = sample.text.find(needle)
        lines = [sample.text.count("\n", 0, place) + 1] * 2 if place >= 0 else None
        needles.append({"text": needle, "chars": len(needle), "alts": [], "lines": lines})
    return {"id": file.stem, "kind": sample.kind, "file": str(file), "query": sample.query, "needles": needles}


def _run(command: Sequence[str | Path], cwd: Path, *, fails: bool = True) -> str:
    try:
        done = subprocess.run(command, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=not fails)
    except (OSError, subprocess.CalledProcessError) as error:
        raise Missing(f"{command[0]}: {error}") from error
    return done.stdout.decode("utf-8", "replace")


def _python(*arguments: str | Path, cwd: Path) -> str:
    return _run([sys.executable, *arguments], cwd)


def _lines_with(text: str, *words: str) -> tuple[str, ...]:
    """The lines that hold one of the words: what was planted must be there."""
    found = tuple(line for line in text.splitlines() if any(word in line for word in words))
    if not found:
        raise Missing(f"its output does not hold {' or '.join(words)}")
    return found


# -- a made-up project -------------------------------------------------------------------------------------------------


def _plant(folder: Path) -> None:
    """Modules full of small blemishes, with three faults that count; tests of which three fail; a deep call."""
    package = folder / "shop"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    for number in range(MODULES):
        lines = [f'"""Part {number}."""', "import os, sys", ""]
        for step in range(12):
            lines += [
                f"def step_{step}(order, rate = {step}):",
                f"    total = order['n'] * rate + {number}",
                "    return total",
                "",
            ]
        lines += ["def amount(price: float, count: int) -> float:", "    return price * count", ""]
        if number == 83:
            lines += ["", "def settle(price: float) -> int:", "    return amount(price, 'three') + unknwon_fee", ""]
        (package / f"part_{number:03d}.py").write_text("\n".join(lines))
    (folder / "test_shop.py").write_text(
        "import pytest\n\n"
        "@pytest.mark.parametrize('n', range(2500))\n"
        "def test_total_of_order(n):\n"
        "    expected = n * 3 + (7 if n in (811, 1377) else 0)\n"
        "    assert n * 3 == expected\n\n"
        "@pytest.mark.parametrize('n', range(400))\n"
        "def test_order_is_found(n):\n"
        "    assert {'order': n}['ordre' if n == 266 else 'order'] == n\n"
    )
    (folder / "deep.py").write_text(
        "import logging\n\n"
        "logging.basicConfig(level='INFO', format='%(levelname)s %(name)s %(message)s')\n"
        "log = logging.getLogger('shop.import')\n\n"
        "def even(depth):\n    return odd(depth - 1)\n\n"
        "def odd(depth):\n"
        "    if depth < 0:\n        return {'sku': 'A-17'}['price']\n"
        "    return even(depth - 1)\n\n"
        "def load(rows):\n"
        "    for row in range(rows):\n"
        "        log.info('row %d of the price list was read, %d bytes', row, row * 37 % 911)\n"
        "    try:\n        even(120)\n"
        "    except KeyError as error:\n"
        "        raise ValueError('the price list has a row without a price') from error\n\n"
        "try:\n    load(1500)\n"
        "except ValueError:\n    log.exception('import failed')\n"
        "for row in range(1500):\n    log.info('row %d is looked at again', row)\n"
    )


def ruff(project: Path) -> Sample:
    text = _python(
        "-m", "ruff", "check", "--isolated", "--select", "ALL", "--output-format", "concise", "shop", cwd=project
    )
    return Sample("ruff", "build_compiler", "Which name is undefined?", text, _lines_with(text, "unknwon_fee"))


def mypy(project: Path) -> Sample:
    text = _python("-m", "mypy", "--strict", "--no-incremental", "--cache-dir", "/dev/null", "shop", cwd=project)
    question = "Where is an argument of an incompatible type given?"
    return Sample("mypy", "build_compiler", question, text, _lines_with(text, "[arg-type]"))


def pytest(project: Path) -> Sample:
    text = _python(
        "-m", "pytest", "-v", "-p", "no:cacheprovider", "-c", "/dev/null", "--rootdir", ".", ".", cwd=project
    )
    needles = _lines_with(text, "E       assert ", "E       KeyError")
    return Sample("pytest", "test_log", "Which tests fail and why?", text, needles)


def traceback(project: Path) -> Sample:
    text = _python("deep.py", cwd=project)
    needles = _lines_with(text, "KeyError: ", "ValueError: the")
    return Sample("traceback", "stack_trace", "Why did the import of the price list fail?", text, needles)


# -- this repository ---------------------------------------------------------------------------------------------------


def grep() -> Iterator[Sample]:
    """Names that are used in many places and defined in one."""
    for name in ("Limits", "Policy", "Content", "Gate", "measure"):
        text = _run(["git", "grep", "-n", "-w", name], ROOT, fails=False)
        defined = [line for line in text.splitlines() if re.search(rf":\d+:(class|def) {name}\b", line)]
        if len(defined) == 1:
            yield Sample(f"git grep {name}", "grep", f"Where is `{name}` defined?", text, tuple(defined))


def history() -> Iterator[Sample]:
    """What a change in the middle of a history added, asked for by its subject."""
    commits = _run(["git", "log", "--no-merges", "--format=%H %s", "-n", "40"], ROOT, fails=False).splitlines()
    for start in range(0, len(commits) - 5, 6):
        newest, oldest = commits[start].split()[0], commits[start + 5].split()[0]
        text = _run(["git", "log", "-p", "--no-merges", f"{oldest}^..{newest}"], ROOT)
        commit, _, subject = commits[start + 3].partition(" ")
        own = _run(["git", "show", "--format=", "--unified=0", commit], ROOT, fails=False)
        added = [line for line in own.splitlines() if re.match(r"\+ *(def|class|assert|return) ", line)]
        unique = [line for line in added if text.count(f"\n{line}\n") == 1]
        if unique:
            question = f'What did "{subject}" add?'
            yield Sample(f"git log -p {start}", "diff", question, text, (unique[0], unique[len(unique) // 2]))


def listing() -> Iterator[Sample]:
    """The files of the standard library."""
    library = Path(json.__file__).parents[1]
    paths = sorted(
        str(path.relative_to(library)) for path in library.rglob("*.py") if "site-packages" not in path.parts
    )
    text = "\n".join(paths) + "\n"
    for wanted, question in (
        ("json/decoder.py", "Which file decodes JSON?"),
        ("email/quoprimime.py", "Which file handles quoted-printable MIME of email?"),
        ("concurrent/futures/thread.py", "Where is the pool of threads for futures?"),
    ):
        if wanted in paths:
            yield Sample(f"files, {wanted}", "listing", question, text, (wanted,))


def documentation() -> Iterator[Sample]:
    """A page of the standard library as HTML."""
    for module, function, sentence in (
        ("argparse", "parse_known_args", "Command-line parsing library"),
        ("subprocess", "getstatusoutput", "Return&nbsp;(exitcode,&nbsp;output)"),
        ("textwrap", "shorten", "Collapse&nbsp;and&nbsp;truncate&nbsp;the&nbsp;given&nbsp;text"),
    ):
        code = f"import pydoc; print(pydoc.HTMLDoc().docmodule(__import__({module!r})))"
        text = _python("-c", code, cwd=ROOT)
        found = [line for line in text.splitlines() if sentence in line]
        if found and len(found[0]) <= LONGEST_NEEDLE:
            yield Sample(f"pydoc {module}", "html", f"What does {function} of {module} do?", text, (sentence,))


# -- made up -----------------------------------------------------------------------------------------------------------


def table() -> Iterator[Sample]:
    draw = random.Random(7).random
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\n")
    writer.writerow(["order", "city", "placed", "units", "cents", "channel"])
    cities = ("Lyon", "Porto", "Graz", "Turku", "Gdansk")
    for number in range(9_000):
        day = f"2026-{1 + int(draw() * 12):02d}-{1 + int(draw() * 28):02d}"
        writer.writerow(
            [f"ord-{number:05d}", cities[int(draw() * 5)], day, int(draw() * 9), int(draw() * 90_000), "web"]
        )
    lines = written.getvalue().splitlines()
    for number in (2_345, 6_789):
        question = f"Row with order=ord-{number - 1:05d}"
        yield Sample(f"orders {number}", "table", question, written.getvalue(), (lines[0], lines[number]))


def records() -> Iterator[Sample]:
    rows = json.loads(inputs.json_records(1_200))
    for number in (432, 987):
        text = msgspec.json.encode(rows).decode()
        question = f"Details of order {rows[number]['reference']}"
        yield Sample(f"records {number}", "json", question, text, (msgspec.json.encode(rows[number]).decode(),))


def server_log() -> Iterator[Sample]:
    text = inputs.log(anomalies.SIZE)
    wrong = tuple(line for line in text.splitlines() if " ERROR " in line)
    yield Sample("server log", "server_log", "Which requests failed?", text, wrong)


def planted() -> Iterator[Sample]:
    for found in anomalies.all_of_them():
        yield Sample(f"planted, {found.name}", found.kind, found.query, found.text, found.odd)
