from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from penstock.settings.__main__ import main
from penstock.settings.page import BEGIN, END, refreshed, rendered
from penstock.settings.tree import settings

from .conftest import Load

PAGE = Path(__file__).parents[2] / "docs" / "settings.md"


def test_page_has_the_tables_of_today() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert page == refreshed(page), "run: python -m penstock.settings docs/settings.md"


def test_tables_name_every_variable_and_every_key() -> None:
    table = rendered()
    for key, setting in settings():
        assert not setting.env or f"`{setting.env}`" in table
        assert f"`{'.'.join(key)}`" in table or key[:3] == ("agents", "<name>", "tools")


def test_example_of_the_page_is_valid(load: Load) -> None:
    examples = re.findall(r"```yaml\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.S)
    assert examples
    for example in examples:
        settings = load(example)
        assert any(origin.startswith("file ") for origin in settings.origins.values())


def test_module_prints_the_tables() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "penstock.settings"], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout == rendered()


def test_module_brings_a_page_up_to_date_and_leaves_the_rest(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"# Before\n{BEGIN}\nold\n{END}\nafter\n")
    main([str(page)])
    assert page.read_text() == f"# Before\n{BEGIN}\n\n{rendered()}\n{END}\nafter\n"


@pytest.mark.parametrize("page", ["", BEGIN, END, f"{END}{BEGIN}"])
def test_page_without_marks_is_refused(page: str) -> None:
    with pytest.raises(ValueError, match="has no marks"):
        refreshed(page)
