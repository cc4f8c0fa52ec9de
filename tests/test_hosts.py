from __future__ import annotations

import pytest

from penstock.hosts import is_this_machine


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "127.9.9.9", "::1"])
def test_loopback_is_this_machine(host: str) -> None:
    assert is_this_machine(host)


@pytest.mark.parametrize("host", ["", "0.0.0.0", "10.0.0.1", "example.org", "localhost.example.org", "::"])
def test_all_else_is_another_one(host: str) -> None:
    assert not is_this_machine(host)
