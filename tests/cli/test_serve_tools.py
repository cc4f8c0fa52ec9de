from __future__ import annotations

import socket
from pathlib import Path

import pytest

from .conftest import call, process


@pytest.mark.parametrize("host", ["0.0.0.0", "192.168.1.7", "::", "example.com", ""])
def test_host_that_others_can_reach_is_refused(host: str) -> None:
    done = call("serve-tools", "--http", "--host", host)
    assert done.code == 2
    assert "allowed are 127.0.0.1, ::1 and localhost" in done.err


def test_root_that_is_no_folder_is_refused(project: Path) -> None:
    (project / "file").touch()
    for name in ("file", "gone"):
        done = call("serve-tools", "--root", name)
        assert (done.code, done.err) == (2, f"penstock: {name} is not a folder: tools can look into folders only\n")


def test_tool_that_does_not_exist_is_refused() -> None:
    done = call("serve-tools", "--tool", "rm")
    assert done.code == 2
    assert "read_file" in done.err


def test_port_that_is_taken_is_told() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = process("serve-tools", "--http", "--port", str(port))
    assert done.code == 1
    assert done.err == f"penstock: cannot listen on 127.0.0.1:{port}: Address already in use\n"


def test_server_ends_when_its_client_does() -> None:
    done = process("serve-tools")  # stdin is empty
    assert (done.code, done.out, done.err) == (0, b"", "")
