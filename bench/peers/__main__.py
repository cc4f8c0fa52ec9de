"""`python -m bench.peers [--peer NAME] [--repeat N]`: one line for each peer and input.

Times are in microseconds and `shown` in characters; `original` says what of the text the references in what
is shown lead to; `MB` is the memory of the process with the peer loaded, plus what its calls added.
"""

import argparse
from typing import Any

from bench import inputs
from bench.peers.environments import measure, requirements

_NAMES = ("peer", "version", "best", "median", "first", "shown", "original", "MB", "note")
_COLUMNS = "{peer:<20}{version:<9}{best:>11}{median:>11}{first:>11}{shown:>10}  {original:<14}{MB:>7}  {note}"


def texts() -> dict[str, str]:
    log = inputs.log(1_000_000)
    return {
        "10 KB log": inputs.log(10_000),
        "1 MB log": log,
        "1 MB JSON": inputs.json_records(3_420),
        "1 MB single line": inputs.one_line(1_000_000),
        # What a child process leaves in a text that was decoded with surrogateescape.
        "1 MB log with a stray byte": log.replace("GET", "GET\udcff", 1),
    }


def row(report: dict[str, Any]) -> str:
    attempts = report.get("network_attempts")
    notes = [report.get("error", ""), f"tried to reach {', '.join(attempts)}" if attempts else ""]
    memory = ""
    if "peak_megabytes" in report:
        memory = f"{report['setup_megabytes']:.0f}+{report['peak_megabytes'] - report['setup_megabytes']:.0f}"
    return _COLUMNS.format(
        peer=report["peer"],
        version=report.get("version", ""),
        best=_microseconds(report.get("best_seconds")),
        median=_microseconds(report.get("median_seconds")),
        first=_microseconds(report.get("first_seconds")),
        shown=report.get("shown_characters", ""),
        original=report.get("original", ""),
        MB=memory,
        note="; ".join(filter(None, notes)),
    ).rstrip()


def _microseconds(seconds: float | None) -> str:
    return "" if seconds is None else f"{seconds * 1e6:,.1f}"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.peers", description=__doc__)
    parser.add_argument("--peer", action="append", choices=list(requirements()), help="may be repeated; default: all")
    parser.add_argument("--repeat", type=int, default=5, help="measured calls for each input")
    arguments = parser.parse_args()
    for name, text in texts().items():
        print(f"\n{name} ({len(text):,} characters)")
        print(_COLUMNS.format(**dict(zip(_NAMES, _NAMES, strict=True))))
        for peer in arguments.peer or requirements():
            print(row(measure(peer, text, arguments.repeat)), flush=True)


if __name__ == "__main__":
    main()
