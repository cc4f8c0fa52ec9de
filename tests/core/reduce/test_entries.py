"""Listings of files, as different tools print them."""

from __future__ import annotations

from penstock.core.reduce.entries import NONE, read_entries


def read(text: str) -> list[tuple[str, str]]:
    """Of each line that is an entry: its path and the folder that it is in."""
    entries = read_entries(text.encode().removesuffix(b"\n").split(b"\n"))
    return [
        (path.decode(), entries.folders[run].decode())
        for path, run in zip(entries.paths, entries.runs, strict=True)
        if run != NONE
    ]


def test_paths_are_read() -> None:
    assert read("README\nsrc/a.py\nsrc/b/\n\n/x\n") == [
        ("README", "./"),
        ("src/a.py", "src/"),
        ("src/b/", "src/"),
        ("/x", "/"),
    ]


def test_paths_of_windows_are_read() -> None:
    assert read("C:\\a\\b.txt\nsetup.py\n") == [("C:\\a\\b.txt", "C:\\a\\"), ("setup.py", ".\\")]


def test_what_stands_before_a_path_is_passed_over() -> None:
    text = (
        "-rw-r--r-- 1 ada ada 1200 Mar  2 10:00 src/a b.py\n"
        "drwxr-xr-x ada/ada 0 2026-03-02 10:00 src/b/\n"
        "-rw-rw-r--+ 1 ada ada 12 Mar  2  2024 c.py\n"
        "     1200  2026-03-02 10:00   src/d.py\n"
        "4.0K\tsrc/e\n"
        "100644 blob 0123456789012345678901234567890123456789     506\tsrc/f.py\n"
        "120 ./src/g.py\n"
        "M\tsrc/h.py\n"
        " M src/i.py\n"
    )
    assert [path for path, _ in read(text)] == [
        "src/a b.py",
        "src/b/",
        "c.py",
        "src/d.py",
        "src/e",
        "src/f.py",
        "./src/g.py",
        "src/h.py",
        "src/i.py",
    ]


def test_names_under_a_heading_belong_to_its_folder() -> None:
    text = ".:\ntotal 8\n-rw-r--r-- 1 a a 1 Mar  2 10:00 x.py\n\n./sub:\ny.py\n"
    assert read(text) == [
        ("./", "./"),
        ("./total 8", "./"),
        ("./x.py", "./"),
        ("./sub/", "./sub/"),
        ("./sub/y.py", "./sub/"),
    ]


def test_tree_is_read() -> None:
    text = ".\n├── pump\n│\xa0\xa0 ├── a.py\n│\xa0\xa0 └── é.py\n└── setup.py\n\n1 directory, 3 files\n"
    assert [path for path, _ in read(text)][:5] == [".", "./pump", "./pump/a.py", "./pump/é.py", "./setup.py"]


def test_neighbours_in_a_tree_stand_under_the_same_line() -> None:
    text = "x\n|-- a\n|   |-- b.py\n|   |-- c/\n\n|   |-- d.py\n|   |   `-- e.py\n|   `-- f.py\n|-- g\n|-- h.py\n"
    entries = read_entries(text.encode().removesuffix(b"\n").split(b"\n"))
    assert [path.decode() for path in entries.paths] == (
        ["x", "x/a", "x/a/b.py", "x/a/c", "", "x/a/d.py", "x/a/d.py/e.py", "x/a/f.py", "x/g", "x/h.py"]
    )
    assert entries.above == [NONE, 0, 1, 1, NONE, 1, 5, 1, 0, 0]
    assert [entries.folders[run].decode() for run in entries.runs if run != NONE] == (
        ["", "x/", "x/a/", "x/a/", "x/a/", "x/a/d.py/", "x/a/", "x/", "x/"]
    )


def test_tree_in_ascii_and_indented_names_are_read() -> None:
    assert [path for path, _ in read("x\n|-- a\n|   `-- b.py\n`-- c\n")] == ["x", "x/a", "x/a/b.py", "x/c"]
    assert [path for path, _ in read("- /w/\n  - a/\n    - b.py\n  - c.py\n")] == ["/w", "/w/a", "/w/a/b.py", "/w/c.py"]
