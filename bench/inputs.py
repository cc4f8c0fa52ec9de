"""Made-up tool output, the same on every machine and in every run.

Penstock and its peers are measured on these texts. All are ASCII, so that characters equal bytes, and each
takes a `seed`: another seed gives another text of the same shape. Only `Random.random` is used, because it is
the one method whose sequence Python promises to keep between versions.
"""

import json
import random
import re
from collections.abc import Callable

Draw = Callable[[], float]

_LEVELS = ("INFO ", "DEBUG", "INFO ", "INFO ")
_SERVICES = ("payments.settlement", "orders.api", "catalog.search", "auth.session", "mailer.queue")
_ROUTES = ("/v2/orders", "/v2/payments", "/v1/catalog/items", "/v1/sessions", "/internal/health")
_WORDS = ("parser", "cache", "router", "session", "ledger", "schema", "worker", "budget", "cursor", "digest")
_ERROR_AT = (0.31, 0.64, 0.93)
"""Where a log's errors stand, as shares of its size: none where a plain head or tail would show it."""


def log(size: int, seed: int = 0) -> str:
    """A server's log: at most `size` characters, in whole lines of about 118, with three errors."""
    draw = random.Random(seed).random
    lines: list[str] = []
    length = number = 0
    errors = [int(share * size) for share in _ERROR_AT]
    while True:
        if errors and length >= errors[0]:
            del errors[0]
            block = _error_block(number, draw)
        else:
            block = _log_line(number, draw)
        if length + len(block) > size:
            return "".join(lines)
        lines.append(block)
        length += len(block)
        number += 1


def _clock(number: int) -> str:
    seconds, thousandths = divmod(number * 137, 1000)
    minutes, second = divmod(seconds, 60)
    hours, minute = divmod(minutes, 60)
    day, hour = divmod(hours, 24)
    return f"2026-03-{day % 28 + 1:02d}T{hour:02d}:{minute:02d}:{second:02d}.{thousandths:03d}Z"


def _log_line(number: int, draw: Draw) -> str:
    roll = draw()
    level, status = ("WARN ", 429) if roll < 0.004 else (_LEVELS[int(roll * 1000) % 4], 200)
    service = _SERVICES[int(draw() * 5)]
    value = int(draw() * 0xFFFFFFFF)
    return (
        f"{_clock(number)} {level} [worker-{value % 12:02d}] {service} request={value:08x} status={status} "
        f"ms={value % 900} GET {_ROUTES[value % 5]}/{value % 99_991}\n"
    )


def _error_block(number: int, draw: Draw) -> str:
    value = int(draw() * 0xFFFFFFFF)
    return (
        f"{_clock(number)} ERROR [worker-{value % 12:02d}] payments.settlement request={value:08x} failed\n"
        "Traceback (most recent call last):\n"
        f'  File "/srv/app/payments/settlement.py", line {value % 700 + 20}, in settle\n'
        "    receipt = await ledger.post(batch, timeout=5.0)\n"
        f'  File "/srv/app/ledger/client.py", line {value % 300 + 40}, in post\n'
        '    raise LedgerUnavailable(f"shard {shard} did not answer")\n'
        f"app.ledger.LedgerUnavailable: shard {value % 64} did not answer in 5 s (batch {value % 99_991})\n"
    )


def json_records(count: int, seed: int = 0, indent: int | None = 2) -> str:
    """A JSON array of `count` orders, one in about 700 of them failed; `indent=None` puts it on one line."""
    draw = random.Random(seed).random
    records = [_record(number, draw) for number in range(count)]
    return json.dumps(records, indent=indent, separators=(",", ":") if indent is None else None)


def _record(number: int, draw: Draw) -> dict[str, object]:
    value = int(draw() * 0xFFFFFFFF)
    record: dict[str, object] = {
        "id": 480_000 + number,
        "reference": f"ord_{value:08x}",
        "status": ("paid", "shipped", "delivered", "paid")[value % 4],
        "amount": round(draw() * 400 + 5, 2),
        "currency": ("EUR", "USD", "GBP")[value % 3],
        "created_at": _clock(number * 40),
        "customer": {"id": value % 40_009, "region": ("eu-1", "us-2", "ap-1")[value // 7 % 3]},
        "tags": [_WORDS[value % 10], _WORDS[value // 11 % 10]],
    }
    if value % 701 == 0:
        record |= {"status": "failed", "error": f"card issuer refused: code {value % 97}"}
    return record


def grep_output(size: int, seed: int = 0) -> str:
    """At most `size` characters of `path:line:text` by file and line, as `grep -rn` prints them."""
    draw = random.Random(seed).random
    hits: list[str] = []
    length = file = line = 0
    while True:
        if draw() < 0.04:
            file, line = file + 1, 0
        line += int(draw() * 40) + 1
        a, b = _WORDS[int(draw() * 10)], _WORDS[int(draw() * 10)]
        path = f"src/{_WORDS[file // 10 % 10]}/{_WORDS[file % 10]}_{file:04d}.py"
        budget = int(draw() * 89_999) + 10_000
        hit = f"{path}:{line}:    {a}_{b} = self.{b}.fetch_{a}(request, budget={budget})\n"
        if length + len(hit) > size:
            return "".join(hits)
        hits.append(hit)
        length += len(hit)


def search_results(count: int, seed: int = 0) -> list[dict[str, object]]:
    """Chunks of a script with the lines around them, as a search over code returns them, the best one last."""
    text = one_line(500 * (count + 2), seed).replace("{", "{\n    ").replace(";", ";\n")
    return [
        {
            "chunk_id": f"{place:032x}",
            "file_path": f"src/{_WORDS[place % 10]}/{_WORDS[place // 7 % 10]}_{place:03d}.js",
            "start_line": place * 12,
            "end_line": place * 12 + 20,
            "similarity_score": place / count,
            "content": text[500 * place + 500 : 500 * place + 1_000],
            "context_before": text[500 * place : 500 * place + 500],
            "context_after": text[500 * place + 1_000 : 500 * place + 1_500],
        }
        for place in range(count)
    ]


def one_line(size: int, seed: int = 0) -> str:
    """A minified script: exactly `size` characters and no line break."""
    draw = random.Random(seed).random
    parts: list[str] = []
    length = 0
    while length < size:
        value = int(draw() * 0xFFFFFFFF)
        a, b = _WORDS[value % 10], _WORDS[value // 13 % 10]
        part = f"function {a[0]}{value % 9973}(e,t){{return e.{b}?t({value % 99_991}):e.{a}('{value:08x}')}};"
        parts.append(part)
        length += len(part)
    return "".join(parts)[:size]


def pytest_log(lines: int, failures: int, seed: int = 0) -> str:
    """What `pytest -v` prints: `lines` lines, or as many as `failures` failed tests need if that is more."""
    draw = random.Random(seed).random
    tests = max(failures, lines - _PYTEST_FRAME_LINES - failures * _FAILURE_LINES)
    # Spread over the run and off its first and last line.
    failed = {(2 * nth + 1) * tests // (2 * failures): nth for nth in range(failures)}
    outcome, details, summary = [], [], []
    for number in range(tests):
        name = f"test_{_WORDS[number % 10]}_{_WORDS[int(draw() * 10)]}_{number}"
        file = f"tests/test_{_WORDS[number * 10 // tests]}.py"
        verdict = "FAILED" if number in failed else "PASSED"
        outcome.append(f"{f'{file}::{name} {verdict}':<72}[{(number + 1) * 100 // tests:3d}%]")
        if number in failed:
            value = int(draw() * 99_991)
            details += _failure(file, name, value)
            summary.append(f"FAILED {file}::{name} - AssertionError: assert {value} == {value + 1}")
    head = [
        f"{' test session starts ':=^80}",
        "platform linux -- Python 3.12.1, pytest-9.0.1, pluggy-1.6.0 -- /srv/app/.venv/bin/python",
        "cachedir: .pytest_cache",
        "rootdir: /srv/app",
        f"collecting ... collected {tests} items",
        "",
    ]
    total = f" {failures} failed, {tests - failures} passed in {tests * 0.011:.2f}s "
    tail = [f"{' short test summary info ':=^80}", *summary, f"{total:=^80}"]
    return "\n".join([*head, *outcome, "", f"{' FAILURES ':=^80}", *details, *tail]) + "\n"


_PYTEST_FRAME_LINES = 10
_FAILURE_LINES = 13  # twelve of detail, one of summary


def _failure(file: str, name: str, value: int) -> list[str]:
    return [
        f"{f' {name} ':_^80}",
        "",
        f"    def {name}(ledger):",
        f"        batch = ledger.open(seed={value})",
        "        batch.settle()",
        f">       assert batch.total == {value + 1}",
        f"E       AssertionError: assert {value} == {value + 1}",
        f"E        +  where {value} = <Batch {value:05x}>.total",
        "",
        f"{file}:{value % 900 + 10}: AssertionError",
        "----------------------------- Captured stdout call -----------------------------",
        f"settled batch {value:05x} with {value % 17} entries",
    ]


def variant(text: str, number: int) -> str:
    """`text` with four of its digits changed: same length and shape, JSON is still JSON, another content.

    Some peers answer a repeated content from a cache, and Penstock keeps it once, so each repetition of a
    measurement needs its own text. Only digits inside long numbers change: dates stay dates, and no number
    gains a leading zero.
    """
    digits = iter(f"{number:04d}")
    changed, count = re.subn(r"(?<=\d{4})\d", lambda _: next(digits), text, count=4)
    if count < 4:
        raise ValueError("a text needs numbers of five digits or more, so that its repetitions can differ")
    return changed
