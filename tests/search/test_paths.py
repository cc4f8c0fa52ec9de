from __future__ import annotations

import pytest

from penstock.search.paths import names_of
from penstock.search.words import stem


@pytest.mark.parametrize(
    "path",
    [
        "tests/test_a.py", "a_test.go", "src/a.spec.ts", "src/AppTest.java", "src/AppTests.cs", "spec/a_spec.rb",
        "testdata/a.c", "pkg/conftest.py", "__tests__/a.js",
        "src/jvmTest/A.kt", "Shop.Specs/A.cs", "shop-tests/a.scala",
    ],
)  # fmt: skip
def test_tests_count_less(path: str) -> None:
    assert names_of(path).factor < 1


def test_who_asks_for_tests_gets_them_in_full_but_not_their_data() -> None:
    assert names_of("tests/test_a.py").factor_for_tests == 1
    assert names_of("tests/a.json").factor_for_tests < 1


@pytest.mark.parametrize("path", ["README.md", "a.json", "examples/a.py", "docs/a.py", "bench/a.rs", "x.html"])
def test_examples_prose_and_data_count_less(path: str) -> None:
    assert names_of(path).factor < 1


@pytest.mark.parametrize(
    "path", ["src/latest.py", "contest/a.py", "attestation.go", "src/inspector.ts", "LATEST.java", "aspects/a.py"]
)
def test_names_that_only_sound_like_tests_count_in_full(path: str) -> None:
    assert names_of(path).factor == 1


def test_file_is_called_after_its_name_without_its_endings() -> None:
    names = names_of("src/http/RouterGroup.test.ts")
    assert names.name == (stem("router"), stem("group"))
    assert names.whole == stem("routergroup")
    assert names.folders == {stem("src"), stem("http")}


@pytest.mark.parametrize("path", ["src/router/mod.rs", "router/__init__.py", "router/index.ts"])
def test_file_with_an_empty_name_is_called_after_its_folder(path: str) -> None:
    assert names_of(path).name == (stem("router"),)


@pytest.mark.parametrize("path", ["main.go", ".bashrc", "___.py", "日本.py"])
def test_any_file_is_called_something(path: str) -> None:
    assert names_of(path).name
