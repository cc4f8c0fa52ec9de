"""`python -m bench.stream [--peers] [--quick]`: what the streaming filter costs, for each chunk of four characters.

Beside it stands what is usually done: three patterns over the whole text again at every chunk. With `--peers` also the
parsers of two serving engines, each in an environment of its own (about 1.5 GB, without their GPU stacks).
"""

import argparse
import json
import re
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from bench.peers.environments import Unavailable, built
from penstock.core.stream import ToolCallFilter

CHUNK = 4
TARGET = 3.0
LIMIT = 4.0  # seconds for one figure; what is slower is stopped, and its mean so far is printed
SIZES = (1_000, 4_000, 16_000, 64_000, 256_000, 1_000_000)
SENTENCE = (
    "The quick brown fox jumps over the lazy dog, and then it rests < a while. New line follows here (with text). "
)
_RUNNER = Path(__file__).parent / "peers" / "streaming.py"
_BESIDE = (
    "pydantic",
    "partial-json-parser",
    "regex",
    "openai",
    "msgspec",
    "orjson",
    "packaging",
    "psutil",
    "cachetools",
)
PEERS = {
    "sglang": ("sglang", (("--no-deps", "sglang==0.5.23"), _BESIDE)),
    "vllm": ("vllm (engine alone)", (("--no-deps", "vllm==0.33.0"), (*_BESIDE, "pyyaml", "cloudpickle"))),
}
_BLOCKS = (
    re.compile(r"<tool_call>[\s\S]*?</tool_call>", re.IGNORECASE),
    re.compile(r"\{[\s\S]*?\"type\"\s*:\s*\"tool_call\"[\s\S]*?\}", re.IGNORECASE),
    re.compile(r"<tool_call>[\s\S]*$", re.IGNORECASE),
)


def texts(size: int) -> dict[str, str]:
    """Prose, and a call with one string of that size, as JSON and as tags."""
    value = (SENTENCE * (size // len(SENTENCE) + 1))[:size]
    return {
        "prose": value,
        "json": f'<tool_call>\n{{"name":"f","arguments":{{"a":"{value}"}}}}\n</tool_call>',
        "tags": f"<tool_call>\n<function=f>\n<parameter=a>\n{value}\n</parameter>\n</function>\n</tool_call>",
    }


def ours(**options: bool) -> Callable[[str], object]:
    return ToolCallFilter(**options).feed


def refiltering() -> Callable[[str], object]:
    """The whole text again at each chunk, and the difference to what was shown."""
    whole, shown = "", 0

    def feed(chunk: str) -> str:
        nonlocal whole, shown
        whole += chunk
        text = whole
        for block in _BLOCKS:
            text = block.sub("", text)
        new, shown = text[shown:], len(text)
        return new

    return feed


def timed(feed: Callable[[str], object], text: str) -> str:
    began = time.process_time()
    chunks = 0
    for place in range(0, len(text), CHUNK):
        feed(text[place : place + CHUNK])
        chunks += 1
        if not chunks % 64 and time.process_time() - began > LIMIT:
            break
    return shown(1e6 * (time.process_time() - began) / chunks, chunks * CHUNK < len(text))


def shown(microseconds: float, stopped: bool) -> str:
    return (
        f"{'>' if stopped else ''}{microseconds:.1f}"
        if microseconds < 100
        else f"{'>' if stopped else ''}{microseconds:,.0f}"
    )


def of_peer(peer: str, sizes: tuple[int, ...]) -> dict[tuple[str, int], str] | str:
    """The peer's figures, or why there are none."""
    python = built(f"{peer}-stream", *PEERS[peer][1])
    if isinstance(python, Unavailable):
        return f"not installed: {python.reason}"
    job = {
        f"{kind} {size}": {"parser": "json" if kind == "json" else "tags", "text": text, "limit": LIMIT}
        for size in sizes
        for kind, text in texts(size).items()
    }
    done = subprocess.run(
        [python, "-I", _RUNNER],
        input=json.dumps({"peer": peer, "texts": job}),
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    if done.returncode:
        return (done.stderr.strip().splitlines() or ["it said nothing"])[-1]
    figures: dict[tuple[str, int], str] = {}
    for name, answer in json.loads(done.stdout).items():
        kind, size = name.split()
        figures[kind, int(size)] = (
            "-" if "error" in answer else shown(float(answer["microseconds"]), bool(answer["stopped"]))
        )
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--peers", action="store_true", help="also the parsers of serving engines")
    parser.add_argument("--quick", action="store_true", help="only up to 16,000 characters")
    given = parser.parse_args()
    sizes = SIZES[:3] if given.quick else SIZES
    print(f"microseconds for each chunk of {CHUNK} characters; at most {TARGET:g} is the target\n")
    print(f"{'':<34}{'':<8}" + "".join(f"{size:>12,}" for size in sizes))
    for kind in ("prose", "json", "tags"):
        timed(ours(), texts(sizes[0])[kind])  # patterns are made at their first use
        row("penstock, all formats", kind, [timed(ours(), texts(size)[kind]) for size in sizes])
        row("penstock, raw text not kept", kind, [timed(ours(keep_raw=False), texts(size)[kind]) for size in sizes])
        row("patterns over the whole text", kind, [timed(refiltering(), texts(size)[kind]) for size in sizes])
    for peer, (label, _) in PEERS.items() if given.peers else ():
        figures = of_peer(peer, sizes)
        if isinstance(figures, str):
            print(f"{label:<34}{figures}")
            continue
        for kind in ("prose", "json", "tags"):
            row(label, kind, [figures[kind, size] for size in sizes])


def row(who: str, kind: str, figures: list[str]) -> None:
    print(f"{who:<34}{kind:<8}" + "".join(f"{figure:>12}" for figure in figures), flush=True)


if __name__ == "__main__":
    main()
