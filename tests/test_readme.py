"""The README's commands run as they stand there, in an empty folder."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

README = Path(__file__).resolve().parents[1] / "README.md"
BLOCKS = re.findall(r"<!-- test: (\w+) -->\n```\w+\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)


def environment(folder: Path) -> dict[str, str]:
    """This interpreter's `penstock` and `python3` first on the path, and no settings but the folder's own."""
    own = {name: value for name, value in os.environ.items() if not name.startswith(("PENSTOCK_", "TOOL_OUTPUT_"))}
    path = f"{Path(sys.executable).parent}{os.pathsep}{own.get('PATH', '')}"
    return {**own, "PATH": path, "HOME": str(folder), "XDG_DATA_HOME": str(folder), "XDG_CONFIG_HOME": str(folder)}


def test_readme_has_blocks_to_run() -> None:
    assert {language for language, _ in BLOCKS} == {"python", "sh"}


@pytest.mark.parametrize(("language", "code"), BLOCKS)
def test_readme_block_runs_in_an_empty_folder(language: str, code: str, tmp_path: Path) -> None:
    shell = ["/bin/sh", "-e", "-c", code]
    if language == "sh" and not Path(shell[0]).exists():
        pytest.skip("no /bin/sh here")
    command = [sys.executable, "-c", code] if language == "python" else shell
    done = subprocess.run(command, cwd=tmp_path, env=environment(tmp_path), capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert any(word in done.stdout for word in ("Truncated", "ToolStart")) or "read_log" in code
