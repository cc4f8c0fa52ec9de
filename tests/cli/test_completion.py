from __future__ import annotations

import shutil
import subprocess

import pytest

from .conftest import call


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_script_asks_penstock_for_the_answers(shell: str) -> None:
    done = call("completion", shell)
    assert done.code == 0
    assert f"_PENSTOCK_COMPLETE={shell}_complete" in done.text
    assert call("completion", shell, "--json").json == {"shell": shell, "script": done.text}


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_script_is_one_that_its_shell_reads(shell: str) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"no {shell} here")
    done = subprocess.run([shell, "-n"], input=call("completion", shell).out, capture_output=True)
    assert (done.returncode, done.stderr) == (0, b"")


def test_other_shells_are_misuse() -> None:
    assert call("completion", "tcsh").code == 2
    assert call("completion").code == 2
