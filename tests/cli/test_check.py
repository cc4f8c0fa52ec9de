from __future__ import annotations

from pathlib import Path

from .conftest import LONG, call, kept_files


def test_healthy_store_is_exit_code_0(kept: str) -> None:
    assert call("check").code == 0
    done = call("check", "--read-data")
    assert (done.code, done.text) == (0, "nothing is wrong\n")
    assert call("check", "--json").json == []


def test_damage_is_exit_code_1_until_it_is_put_right(kept: str, project: Path) -> None:
    (file,) = kept_files(project)
    file.chmod(0o600)
    file.write_bytes(LONG[::-1])
    assert call("check").code == 0  # it shows only to who reads
    done = call("check", "--read-data")
    assert done.code == 1
    assert done.text.startswith(f"damaged: {file.name}: ")
    repaired = call("check", "--read-data", "--repair", "--json")
    assert repaired.code == 0
    assert [(found["problem"], found["handle"], found["repaired"]) for found in repaired.json] == [
        ("damaged", kept, True)
    ]
    assert call("check", "--read-data").code == 0


def test_missing_file_is_found_without_reading(kept: str, project: Path) -> None:
    kept_files(project)[0].unlink()
    assert call("check").code == 1
