"""One virtual environment a peer, made when it is first asked for, so that no peer's dependencies touch ours.

They live below the folder that `PENSTOCK_BENCH_HOME` names (by default `.bench/` at the repository's root),
and the interpreter that `PENSTOCK_BENCH_PYTHON` names (by default the running one) builds them. All together
take about 1.8 GB.
"""

import functools
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.inputs import variant

_ROOT = Path(__file__).resolve().parents[2]
_RUNNER = Path(__file__).with_name("runner.py")
_INSTALL_SECONDS = 900
_MEASURE_SECONDS = 300

_SWITCHES = {
    # Nothing is reported anywhere. headroom's upload, the beacon, is on by default.
    "HEADROOM_BEACON": "off",
    "HEADROOM_TELEMETRY": "off",
    "DO_NOT_TRACK": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "LANGSMITH_TRACING": "false",
    "OTEL_SDK_DISABLED": "true",
    "OPENHANDS_SUPPRESS_BANNER": "1",
    # Nothing is fetched: prices, models, programs.
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "HF_HUB_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "HEADROOM_OFFLINE": "1",
    "HEADROOM_BINARIES_OFFLINE": "1",
}


@dataclass(frozen=True)
class Unavailable:
    """Why a peer cannot be measured here, in a sentence."""

    reason: str


def requirements() -> dict[str, str]:
    """What to install for each peer, in the order of the file."""
    lines = _ROOT.joinpath("bench", "requirements-peers.txt").read_text().splitlines()
    return {line.partition("==")[0]: line for line in lines if line and not line.startswith("#")}


def home() -> Path:
    return Path(os.environ.get("PENSTOCK_BENCH_HOME", _ROOT / ".bench")).resolve()


def ensure(peer: str) -> Path | Unavailable:
    """The interpreter of the peer's environment, built if it is not there or holds another version."""
    return built(peer, (requirements()[peer],))


# Failures too are remembered: an index that does not answer is waited for once a run, not once an input.
@functools.cache
def built(name: str, *installs: tuple[str, ...]) -> Path | Unavailable:
    """The interpreter of the environment of a name; each install is what one run of pip is given."""
    wanted = "\n".join(" ".join(install) for install in installs)
    folder = home() / name
    python, stamp = folder / "bin" / "python", folder / "installed.txt"
    if python.exists() and stamp.exists() and stamp.read_text() == wanted:
        return python
    shutil.rmtree(folder, ignore_errors=True)
    base = os.environ.get("PENSTOCK_BENCH_PYTHON", sys.executable)
    try:
        _run(base, "-m", "venv", str(folder))
        for install in installs:
            _run(str(python), "-m", "pip", "install", "--quiet", "--no-input", *install)
    except subprocess.TimeoutExpired:
        return Unavailable(f"its installation took longer than {_INSTALL_SECONDS} s")
    except subprocess.CalledProcessError as error:
        return Unavailable(_why_not_installed(error.stderr))
    except OSError as error:
        return Unavailable(f"{base} did not start: {error}")
    stamp.write_text(wanted)
    return python


def measure(peer: str, text: str, repeat: int = 5) -> dict[str, Any]:
    """How the peer handles `text`: seconds, sizes, what can be had again; `error` says what stopped it.

    The text is admitted once to warm up and then `repeat` times, each time with a few digits changed.
    """
    report: dict[str, Any] = {"peer": peer, "input_characters": len(text), "repeat": repeat}
    python = ensure(peer)
    if isinstance(python, Unavailable):
        return report | {"error": f"not installed: {python.reason}"}
    # Beside the environments, so that every peer's files go to the same disk and not to a /tmp in memory.
    with tempfile.TemporaryDirectory(dir=home(), prefix="spill-", ignore_cleanup_errors=True) as folder:
        inputs = [Path(folder, f"input-{number}.txt") for number in range(repeat + 1)]
        for number, path in enumerate(inputs):
            path.write_bytes(variant(text, number).encode("utf-8", "surrogatepass"))
        spill = Path(folder, "spill")
        spill.mkdir()
        job = {"peer": peer, "inputs": [str(path) for path in inputs], "spill": str(spill)}
        return report | _run_job(python, job, spill)


def _run_job(python: Path, job: dict[str, Any], spill: Path) -> dict[str, Any]:
    # Of the caller's environment only what starts a program: no key to any provider, no setting of a peer.
    environment = {"PATH": os.environ["PATH"], "HOME": str(spill), "LANG": "C.UTF-8", **_SWITCHES}
    try:
        done = subprocess.run(
            [python, "-I", _RUNNER],
            input=json.dumps(job),
            capture_output=True,
            text=True,
            errors="replace",
            env=environment,
            cwd=spill,
            timeout=_MEASURE_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return {"error": f"took longer than {_MEASURE_SECONDS} s"}
    if not done.stdout:
        return {"error": f"died with status {done.returncode}: {_last_line(done.stderr)}"}
    return json.loads(done.stdout)


def _run(*command: str) -> None:
    subprocess.run(command, check=True, capture_output=True, text=True, timeout=_INSTALL_SECONDS)


def _why_not_installed(complaint: str) -> str:
    wanted = re.findall(r"Requires-Python (\S+)", complaint)
    if wanted:
        return f"needs Python {wanted[-1]} (PENSTOCK_BENCH_PYTHON names the interpreter to use)"
    errors = [line for line in complaint.splitlines() if line.startswith("ERROR:")]
    return _last_line("\n".join(errors) or complaint)


def _last_line(text: str) -> str:
    lines = text.strip().splitlines()
    return lines[-1] if lines else "it said nothing"
