"""Nothing outside of the roots is ever read, by whatever path."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from penstock.errors import CallerError, ToolError
from penstock.tools.roots import Roots, opened, readable

from .conftest import write


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    path = tmp_path / "secret.txt"
    path.write_text("secret")
    return path


def test_relative_and_absolute_paths_mean_the_same_file(roots: Roots, root: Path) -> None:
    write(root, {"a/b.txt": "x"})
    wanted = root / "a" / "b.txt"
    assert {roots.file("a/b.txt"), roots.file(str(wanted)), roots.file("./a/../a/b.txt")} == {wanted}
    assert roots.told(wanted) == "a/b.txt"
    assert roots.folder(".") == root


@pytest.mark.parametrize("path", ["../secret.txt", "a/../../secret.txt", "/etc/passwd", "../nothing", "/dev/zero"])
def test_path_that_leads_outside_is_refused_whether_it_exists_or_not(roots: Roots, secret: Path, path: str) -> None:
    with pytest.raises(CallerError, match="outside of what may be read"):
        roots.file(path)


def test_links_are_followed_inside_and_refused_where_they_lead_out(roots: Roots, root: Path, secret: Path) -> None:
    write(root, {"real.txt": "x"})
    (root / "in").symlink_to(root / "real.txt")
    (root / "out").symlink_to(secret)
    (root / "up").symlink_to(root.parent)
    (root / "nowhere").symlink_to(root / "gone")
    (root / "round").symlink_to(root / "round")
    assert roots.file("in") == root / "real.txt"
    for path in ("out", "up/secret.txt"):
        with pytest.raises(CallerError, match="outside"):
            roots.file(path)
    with pytest.raises(CallerError, match="there is no 'nowhere'"):
        roots.file("nowhere")
    with pytest.raises(CallerError, match="'round'"):
        roots.file("round")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no FIFOs on this system")
def test_only_regular_files_are_opened(roots: Roots, root: Path) -> None:
    os.mkfifo(root / "fifo")
    with socket.socket(socket.AF_UNIX) as server:
        os.chdir(root)
        server.bind("s")
        for name, kind in (("fifo", "a FIFO"), ("s", "a socket")):
            with pytest.raises(CallerError, match=f"not a regular file: {kind} is never read"):
                roots.file(name)
    with pytest.raises(CallerError, match="FIFO is never read"):
        opened(root / "fifo")  # put there after it was looked at; this must not block
    write(root, {"real": "x"})
    (root / "link").symlink_to("real")
    with pytest.raises(ToolError, match="link cannot be read"):
        opened(root / "link")


@pytest.mark.parametrize(
    ("path", "sentence"),
    [
        ("", "'' is a folder, not a file"),
        ("no\0pe", "holds a NUL"),
        ("nope", r"^there is no 'nope' in /"),
        ("x" * 5_000, r"^there is no 'x{190,}\.\.\. in /"),
        ("~", r"^there is no '~' in /"),
        ("real/below", r"there is no 'real/below'|Not a directory"),
    ],
)
def test_wrong_path_is_one_clear_sentence(roots: Roots, root: Path, path: str, sentence: str) -> None:
    write(root, {"real": "x"})
    with pytest.raises(CallerError, match=sentence) as raised:
        roots.file(path)
    assert len(str(raised.value)) < 500
    assert "\n" not in str(raised.value)


def test_file_is_no_folder(roots: Roots, root: Path) -> None:
    write(root, {"real": "x"})
    with pytest.raises(CallerError, match="'real' is a file, not a folder"):
        roots.folder("real")


def test_root_must_be_a_folder(root: Path) -> None:
    with pytest.raises(CallerError, match="is not a folder"):
        Roots([root / "gone"])
    with pytest.raises(CallerError, match="no folder was given"):
        Roots([])


def test_with_several_roots_what_is_told_means_the_same_file_again(tmp_path: Path) -> None:
    write(tmp_path, {"one/same.txt": "1", "two/same.txt": "2", "two/own.txt": "3"})
    roots = Roots([tmp_path / "one", tmp_path / "two", tmp_path / "one"])
    assert len(roots.folders) == 2
    for name in ("one/same.txt", "two/same.txt", "two/own.txt"):
        assert roots.file(roots.told(tmp_path / name)) == tmp_path / name
    assert roots.told(tmp_path / "two" / "own.txt") == "own.txt"


LOST = "\N{REPLACEMENT CHARACTER}"


def oddly_named(root: Path, *names: bytes) -> None:
    for name in names:
        path = os.path.join(os.fsencode(root), name)  # noqa: PTH118  # a Path takes no bytes
        try:
            os.makedirs(os.path.dirname(path), exist_ok=True)  # noqa: PTH103, PTH120  # as above
            with open(path, "wb"):  # noqa: PTH123  # as above
                pass
        except OSError:
            pytest.skip("this file system takes only UTF-8")


def test_name_that_is_not_utf_8_is_found_by_how_it_is_told(roots: Roots, root: Path) -> None:
    oddly_named(root, b"caf\xe9/th\xe9.txt", b"plain.txt", b"twin\xe8", b"twin\xe9")
    for given in (
        f"caf{LOST}/th{LOST}.txt",
        f"{root}/caf{LOST}/th{LOST}.txt",
        f"./caf{LOST}/../caf{LOST}/th{LOST}.txt",
    ):
        assert os.fsencode(roots.file(given)) == os.fsencode(root) + b"/caf\xe9/th\xe9.txt"
    for given in (f"caf{LOST}/gone{LOST}", f"twin{LOST}", f"gone{LOST}/x"):
        with pytest.raises(CallerError, match="there is no"):
            roots.path(given)


def test_name_with_the_replacement_character_itself_is_meant_first(roots: Roots, root: Path) -> None:
    oddly_named(root, f"a{LOST}".encode(), b"a\xff")
    assert roots.file(f"a{LOST}").name == f"a{LOST}"


def test_name_told_with_u_fffd_leads_nowhere_outside(roots: Roots, root: Path) -> None:
    oddly_named(root.parent, b"secr\xe9t.txt")
    oddly_named(root, b"d\xe9/x.txt")
    (root / "up").symlink_to(root.parent)
    Path(os.fsdecode(os.fsencode(root) + b"/\xfa")).symlink_to(root.parent)
    for given in (
        f"../secr{LOST}t.txt",
        f"up/secr{LOST}t.txt",
        f"{LOST}/secr{LOST}t.txt",
        f"d{LOST}/../../secr{LOST}t.txt",
    ):
        with pytest.raises(CallerError, match=r"outside of what may be read|there is no"):
            roots.path(given)


def test_file_of_a_later_root_is_told_in_full_where_an_earlier_one_has_its_name(tmp_path: Path) -> None:
    write(tmp_path, {"one/a.txt": "", "two/a.txt": "", "two/b.txt": ""})
    roots = Roots([tmp_path / "one", tmp_path / "two"])
    assert roots.told(tmp_path / "one" / "a.txt") == "a.txt"
    assert roots.told(tmp_path / "two" / "a.txt") == str(tmp_path / "two" / "a.txt")
    assert roots.told(tmp_path / "two" / "b.txt") == "b.txt"
    assert roots.told(tmp_path / "two" / "gone.txt") == "gone.txt"


def test_file_that_went_meanwhile_is_told_all_the_same(roots: Roots, root: Path) -> None:
    assert roots.told(root.resolve() / "gone.txt") == "gone.txt"


@pytest.mark.parametrize(
    ("name", "said"),
    [("a b.txt", "a b.txt"), ("név", "név"), ("a\nb\x1b\x85", "a\ufffdb\ufffd\ufffd"), ("bad\udcff", "bad\ufffd")],
)
def test_name_is_one_line_of_text(name: str, said: str) -> None:
    assert readable(name) == said
