from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from penstock.settings import Settings, load_settings

Load = Callable[..., Settings]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project's root, with a home folder beside it."""
    (tmp_path / "home").mkdir()
    root = tmp_path / "project"
    (root / ".git").mkdir(parents=True)
    return root


@pytest.fixture
def load(project: Path, tmp_path: Path) -> Load:
    """Settings of `project` with this file, this environment and this call."""

    def loaded(
        yaml: str | bytes | None = None, overrides: Mapping[str, object] | None = None, /, **environ: str
    ) -> Settings:
        if yaml is not None:
            (project / "penstock.yaml").write_bytes(yaml.encode() if isinstance(yaml, str) else yaml)
        return load_settings(project, {"HOME": str(tmp_path / "home"), **environ}, overrides)

    return loaded
