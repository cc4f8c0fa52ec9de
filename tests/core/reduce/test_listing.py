"""Listings: what is asked for, the shape, and what matters before more of the same."""

from __future__ import annotations

import pytest

from core.reduce.shown import view_of
from penstock.core.content import Span, content_of_text
from penstock.core.measure import Size
from penstock.core.reduce import sample_of
from penstock.core.reduce.contract import Ask, Room
from penstock.core.reduce.listing import LISTING, fit

PATHS = [f"{folder}/deep/module{n}.py" for folder in ("app", "lib", "web") for n in range(400)]


def lines(rows: list[str]) -> str:
    return "".join(f"{row}\n" for row in rows)


def test_entry_that_the_question_speaks_of_is_shown() -> None:
    rows = [*PATHS, "lib/deep/http_cache.py"]
    view = view_of(lines(sorted(rows)), 1_000, "Which file must change so that HTTP caches expire?")
    assert view.kind == "listing"
    assert "http_cache.py\n" in view.text


def test_folder_is_shown_once_with_its_count_where_that_shows_more() -> None:
    compact, verbatim = view_of(lines(PATHS), 3_000).text, view_of(lines(PATHS), 3_000, compact=False).text
    assert "\nlib/deep/ (400)\nmodule0.py\n" in compact
    assert compact.count("module") > 1.3 * verbatim.count("module")
    assert "lib/deep/module0.py\n" in verbatim


def test_entry_at_the_top_is_told_from_those_of_the_folder_before() -> None:
    text = view_of(lines([*PATHS[:300], "setup.py", *PATHS[900:]]), 2_500).text
    assert "./\nsetup.py\n" in text


def test_every_folder_at_the_top_and_every_file_there_is_shown() -> None:
    rows = [*(f"folder{n}/a/b/c{k}.py" for n in range(30) for k in range(60)), "Makefile", "README.md"]
    text = view_of(lines(rows), 3_000).text
    assert all(f"folder{n}/a/b/" in text for n in range(30))
    assert "Makefile" in text
    assert "README.md" in text


def test_files_with_a_rare_ending_are_shown() -> None:
    rows = [*PATHS]
    rows.insert(333, "app/deep/model.onnx")
    rows.insert(777, "lib/deep/keys.pem")
    text = view_of(lines(rows), 1_500).text
    assert "model.onnx" in text
    assert "keys.pem" in text


def test_code_goes_before_tests_documents_and_what_was_made() -> None:
    folders = ("docs/pages", "node_modules/dep", "src/core", "tests/unit")
    rows = [f"{folder}/part{n}.py" for folder in folders for n in range(300)]
    text = view_of(lines(rows), 2_000, compact=False).text
    assert text.count("src/core") > 3 * max(text.count("tests/"), text.count("docs/"), text.count("node_modules/"))


def test_folders_above_an_entry_of_a_tree_are_shown_with_it() -> None:
    tree = ".\n" + "".join(
        f"├── part{n}\n│   ├── inner\n" + "".join(f"│   │   ├── module{n}_{k}.py\n" for k in range(30))
        for n in range(40)
    )
    tree += "└── setup.py\n\n80 directories, 1201 files\n"
    view = view_of(tree, 1_500, "module27_13")
    assert view.kind == "listing"
    assert "├── part27\n│   ├── inner\n" in view.text
    assert "│   │   ├── module27_13.py\n" in view.text
    assert "80 directories, 1201 files\n" in view.text
    assert "Layout changed" not in view.text


def test_heading_of_a_folder_is_shown_above_its_names() -> None:
    text = "\n".join(
        f"./part{n}:\ntotal 9\n" + "".join(f"-rw-r--r-- 1 a a 9 Mar  2 10:00 m{n}_{k}.py\n" for k in range(20))
        for n in range(60)
    )
    shown = view_of(text, 1_500, "m44_7.py").text
    assert "./part44:\n" in shown
    assert " m44_7.py\n" in shown


def test_rows_with_more_than_a_path_keep_it() -> None:
    rows = [f"100644 blob {n:040x} {n:>7}\tsrc/deep/part{n}.py" for n in range(300)]
    text = view_of(lines(rows), 3_000).text
    assert "Layout changed" not in text
    assert "\tsrc/deep/part" in text


def test_hidden_entries_are_counted() -> None:
    text = view_of(lines(PATHS), 3_000).text
    shown = text.count("module")
    assert f"hidden: {len(PATHS) - shown:,} entries" in text


@pytest.mark.parametrize(
    "text",
    [
        "The valve is open.\nNobody minds the noise.\n" * 20,
        "2026-03-02 10:00:00 opened\n" * 30,
        "a=1\nb=2\n" * 30,
        "name,size\nvalve,3\n" * 30,
        "src/a.py\n" * 16 + "Running the tests: all is well\n" * 2_000,
        "",
    ],
)
def test_what_is_no_listing_is_left_to_others(text: str) -> None:
    assert fit(sample_of(content_of_text(text), "text")) < 0.5


def test_listing_in_colours_is_shown_with_them() -> None:
    text = view_of(lines([f"\x1b[1;34m{path}\x1b[0m" for path in PATHS]), 2_000, "module77").text
    assert "\x1b[1;34mapp/deep/module77.py\x1b[0m\n" in text
    assert "Layout changed" not in text


def test_tree_is_shown_whole_where_all_of_it_fits() -> None:
    tree = content_of_text("x\n|-- a\n|   `-- b.py\n`-- c\n")
    choice = LISTING.reduce(tree, Ask()).choose(Room(None, None, None, Size(20, 1, 20)))
    assert choice.spans == [Span(0, len(tree.data))] and choice.shown == (4,)


def test_two_paths_are_no_listing() -> None:
    assert fit(sample_of(content_of_text("app/a.py\napp/b.py\n"), "text")) == 0
