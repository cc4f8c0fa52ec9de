from __future__ import annotations

from pathlib import Path

import pytest

from penstock.gate import BareGate
from penstock.ledger.memory import MemoryLedger
from penstock.stores.memory import MemoryStore
from penstock.tools.roots import Roots


@pytest.fixture
def gate() -> BareGate:
    return BareGate(store=MemoryStore(), ledger=MemoryLedger())


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "root"
    folder.mkdir()
    return folder


@pytest.fixture
def roots(root: Path) -> Roots:
    return Roots([root])


def write(root: Path, files: dict[str, str | bytes]) -> None:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
