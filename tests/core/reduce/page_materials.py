"""Specimens of pages, prose, binary data, logs of services and stack traces."""

from __future__ import annotations

from base64 import b64encode, encodebytes
from typing import Final

_STORY = "The {0} of the lower reservoir was opened at dawn, and the {1} {2} until noon. "
_WORDS = ("gate", "valve", "keeper", "river", "pump", "basin", "spillway", "turbine", "meadow", "bridge", "stair")


def _sentences(many: int, seed: int) -> str:
    return "".join(
        _STORY.format(_WORDS[(seed + n) % 11], _WORDS[(seed * 3 + n) % 11], ("rose", "fell", "waited")[n % 3])
        for n in range(many)
    )


def _article() -> str:
    links = "".join(f'<li><a href="/topic/{n}.html" class="menu-link">Topic number {n}</a></li>\n' for n in range(60))
    rows = "".join(
        f'<tr><td><a href="/gate/{n}">Gate {n}</a></td><td>{n * 37 % 11} m</td><td>{2_000 + n}</td></tr>\n'
        for n in range(30)
    )
    text = "".join(
        f'<h2 id="part-{n}">Part {n}</h2>\n<p>{_sentences(4, n)}<a href="https://example.org/{n}">More</a></p>\n'
        for n in range(24)
    )
    return (
        f"<!DOCTYPE html>\n<html><head><title>The gates</title>\n<script>if (a < b) {{ go(); }}</script>\n"
        f"<style>p {{ margin: 0 }}</style></head>\n<body><nav class=menu><ul>{links}</ul></nav>\n<main>"
        f"<h1>The gates of the valley</h1>\n{text}<table><tr><th>Gate</th><th>Height</th><th>Built</th></tr>\n"
        f"{rows}</table></main>\n<footer><p>All rights reserved, now and in every valley to come.</p></footer>"
        f"</body></html>\n"
    )


def _handbook() -> str:
    parts = "".join(
        f"## Part {n}\n\n{_sentences(3, n)}\n\n- open [gate {n}](gates/{n}.md)\n- **wait** for the water\n\n"
        f"```sh\ngate open --number {n}\n```\n\n"
        for n in range(30)
    )
    return f"# Handbook of the gates\n\n{_sentences(2, 5)}\n\n| gate | height |\n|---|---|\n| 1 | 7 m |\n\n{parts}"


def noise(many: int) -> bytes:
    """Bytes without any order, the same every time."""
    state, noise = 1, bytearray()
    for _ in range(many):
        state = state * 1_103_515_245 + 12_345 & 0x7FFFFFFF
        noise.append(state >> 16 & 0xFF)
    return bytes(noise)


def dump(data: bytes) -> str:
    return "".join(
        f"{n:08x}: {data[n : n + 8].hex(' ', 2)} {data[n + 8 : n + 16].hex(' ', 2)}  "
        + "".join(chr(byte) if 32 <= byte < 127 else "." for byte in data[n : n + 16])
        + "\n"
        for n in range(0, len(data), 16)
    )


def _service() -> str:
    said = ("opened the gate", "closed the gate", "measured 7.25 m", "asked the keeper", "sent 200 OK")
    lines = [
        f"2026-03-{1 + n // 144:02d} {n // 6 % 24:02d}:{n % 6}7:{n % 60:02d},{n % 997:03d} INFO  [pool-{n % 7}]"
        f" river.Gate: {said[n % 5]} number {n * 31 % 97}\n"
        for n in range(600)
    ]
    lines[211] = (
        "2026-03-02 11:17:31,211 ERROR [pool-3] river.Gate: could not open\n"
        "java.io.IOException: no water in the basin\n"
        "\tat river.Gate.open(Gate.java:71)\n\tat river.Keeper.run(Keeper.java:12)\n"
    )
    return "".join(lines)


def _requests() -> str:
    return "".join(
        f"10.0.{n % 7}.{n % 211} - - [0{1 + n // 100}/Mar/2026:{n % 24:02d}:{n % 60:02d}:17 +0000]"
        f' "GET /gates/{n % 40} HTTP/1.1" {404 if n == 333 else 200} {900 + n * 7 % 4_000} "-" "curl/8.{n % 6}"\n'
        for n in range(500)
    )


def _journal() -> str:
    said = ("Started gate-{0}.service.", "gate-{0}.service: Deactivated successfully.", "opened {0} times, all is well")
    who = ("systemd[1]", "gated[812]", "kernel")
    return "".join(
        f"Mar {1 + n // 90:>2} {n % 24:02d}:{n % 60:02d}:41 valley {who[n % 3]}: {said[n * 7 % 3].format(n % 50)}\n"
        for n in range(500)
    )


def _exceptions() -> str:
    frames = "".join(f"\tat river.gate.Opener.step{n}(Opener.java:{10 + n})\n" for n in range(12))
    library = "".join(f"\tat java.base/java.util.concurrent.Pool.run{n}(Pool.java:{n})\n" for n in range(9))
    threads = "".join(
        f'"pool-{n}" #{20 + n} prio=5 tid=0x00007f{n:04x} waiting on condition\n'
        f"   java.lang.Thread.State: WAITING (parking)\n{library}\n"
        for n in range(40)
    )
    return (
        f'Exception in thread "main" river.GateException: the gate is shut\n{frames}{library}'
        f"Caused by: java.io.IOException: no water in the basin\n{frames}\t... 9 more\n\n{threads}"
    )


def _traceback() -> str:
    frames = "".join(
        f'  File "/srv/river/gate_{n}.py", line {n + 7}, in open_gate\n    return below.open_gate(number)\n'
        f"           ^^^^^^^^^^^^^^^^^^^^^^^\n"
        for n in range(60)
    )
    cause = "\nThe above exception was the direct cause of the following exception:\n\n"
    head = "Traceback (most recent call last):\n"
    return f"{head}{frames}ValueError: no water\n{cause}{head}{frames}RuntimeError: the gate is shut\n"


SPECIMENS: Final[dict[str, str]] = {
    "page:article": _article(),
    "page:one line": _article().replace("\n", ""),
    "page:answer of a server": f"HTTP/1.1 200 OK\nContent-Type: text/html\n\n{_article()}",
    "page:handbook": _handbook(),
    "prose:report": "\n\n".join(f"Part {n}\n\n{_sentences(9, n)}" for n in range(20)),
    "prose:one line": _sentences(300, 3),
    "prose:chinese": "清晨，下游水库的闸门打开了。守门人沿着河岸走到桥边，等水位下降！午后，水泵停了。\n\n" * 60,
    "server_log:service": _service(),
    "server_log:requests": _requests(),
    "server_log:journal": _journal(),
    "stack_trace:java": _exceptions(),
    "stack_trace:python": _traceback(),
    "binary:base64": b64encode(noise(9_000)).decode(),
    "binary:base64 in lines": encodebytes(noise(9_000)).decode(),
    "binary:dump": dump(noise(4_000) + b"valve 7 was opened by the keeper" + noise(4_000)),
    "binary:mail": f"Subject: the plan\n\nSee below.\n\n{encodebytes(noise(20_000)).decode()}\n-- \nthe keeper\n",
}
