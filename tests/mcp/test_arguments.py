"""What a model may call tools with, and what it is told where that is wrong."""

from __future__ import annotations

import os
import re
import socket
import struct
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp")
from served import (  # after it is known to be there
    answer_of,
    both,
    called,
    client_of,
    process,
    running,
    say,
    shake_hands,
)

pytestmark = pytest.mark.slow


def wrong_values(declared: dict[str, Any]) -> Iterator[tuple[Any, str]]:
    """Values that a schema forbids, each with what has to be told."""
    if "enum" in declared:
        yield "sideways", "one of " + ", ".join(declared["enum"])
        yield ["head"], "one of "
    elif declared["type"] == "integer":
        least, most = declared["minimum"], declared.get("maximum")
        span = f"a whole number from {least} " + ("on" if most is None else f"to {most}")
        for value in (
            least - 1,
            -(10**30),
            "many",
            1.5,
            [1],
            {},
            True,
            "9" * 5_000,
            *([] if most is None else [most + 1]),
        ):
            yield value, span
    elif declared["type"] == "boolean":
        for value in (7, "perhaps", [], {}):
            yield value, "true or false"
    elif declared["type"] == "array":
        for value in (7, True, {}, [7], [["a"]]):
            yield value, "a list of texts"
    else:
        assert declared["type"] == "string"
        for value in (7, True, 1.5, [], {"a": "b"}):
            yield value, "a text"


def right_value(declared: dict[str, Any]) -> Any:
    return {"string": "x", "integer": 1, "boolean": True, "array": []}[declared["type"]]


@both
def test_wrong_argument_of_each_tool_is_named_with_what_is_allowed(project: Path, over: str, mode: str) -> None:
    async def session() -> None:
        async with client_of(over, mode) as client:
            tried = 0
            for tool in (await client.list_tools()).tools:
                properties, required = tool.input_schema["properties"], tool.input_schema["required"]
                least = {name: right_value(properties[name]) for name in required}
                for name, declared in properties.items():
                    for value, told in wrong_values(declared):
                        text, failed = await called(client, tool.name, **{**least, name: value})
                        assert failed
                        assert text.startswith(f"Error: {tool.name}: {name} = "), text
                        assert f" is not allowed: {told}" in text
                        assert len(text) < 300
                        tried += 1
                for name in required:
                    lacking = {key: value for key, value in least.items() if key != name}
                    for arguments in (lacking, {**lacking, name: None}):
                        text, failed = await called(client, tool.name, **arguments)
                        assert (text, failed) == (f"Error: {tool.name} needs the argument {name}: a text", True)
                text, failed = await called(client, tool.name, **least, colour="red")
                assert failed
                assert text == f"Error: {tool.name} has no argument 'colour': it has {', '.join(properties)}"
            assert tried > 100

    running(session)


@both
def test_unknown_project_is_answered_with_those_that_exist(project: Path, over: str, mode: str) -> None:
    async def session() -> None:
        async with client_of(over, mode) as client:
            text, failed = await called(client, "search_code", query="valve", project_id="gone")
            assert failed
            assert text.endswith("none yet: index_repository, or `penstock index PATH --project ID`, makes one")
            for name in ("mill", "shop"):
                await called(client, "index_repository", path="code", project_id=name)
            for name in ("gone", "Shop"):
                text, failed = await called(client, "search_code", query="valve", project_id=name)
                assert failed
                told = (
                    f"Error: project_id = '{name}' is not allowed: it must be one of those that are indexed: mill, shop"
                )
                assert text == told
            text, failed = await called(client, "search_code", query="x", project_id="shop", repository_id="gone")
            assert text.endswith("repository_id = 'gone' is not allowed: it must be one of this project: code")

    running(session)


PATTERNS = ("", "(", "a{1,100000}", "x" * 20_000, "[", "\\")
GLOBS = ("\\", "x" * 2_000)
ENCODINGS = ("rot13", "idna", "hex", "undefined", "../x", "", "\0", "punycode")


@pytest.mark.parametrize("over", ["stdio", "http"])
def test_value_that_only_its_tool_can_judge_is_named_too(project: Path, over: str) -> None:
    (project / "bytes.txt").write_bytes(b"caf\xe9\n")

    async def session() -> None:
        async with client_of(over, "auto") as client:
            for name, fixed, key, values in (
                ("grep_search", {}, "pattern", PATTERNS),
                ("grep_search", {"pattern": "needle"}, "glob", GLOBS),
                ("read_file", {"path": "bytes.txt"}, "encoding", ENCODINGS),
                ("search_code", {"query": "x"}, "project_id", ("../x", "", "\0", "a" * 300)),
                ("index_repository", {"path": "code"}, "project_id", ("../x", "", "\0", "a" * 300)),
                ("index_repository", {"path": "code", "project_id": "p"}, "repository_id", (" ", "\0", "a" * 90_000)),
                ("read_output", {}, "handle", ("", "x", "../x", "\0", "PS-" + "A" * 16)),
                ("grep_output", {"pattern": "x"}, "handle", ("", "x", "../x", "\0")),
            ):
                for value in values:
                    text, failed = await called(client, name, **fixed, **{key: value})
                    assert failed, (name, value, text)
                    assert key in text, text
                    assert len(text) < 500
                    assert "went wrong" not in text
            assert (await called(client, "read_file", path="a.txt"))[0].startswith("one\n")

    running(session)


@pytest.mark.skipif(sys.platform != "linux", reason="names that are not UTF-8 are refused by this file system")
@pytest.mark.parametrize("over", ["stdio", "http"])
def test_odd_names_and_contents_are_told_and_read(project: Path, over: str) -> None:
    odd = os.fsencode(project) + b"/odd/"
    os.mkdir(odd)  # noqa: PTH102  # a Path takes no bytes
    for name, content in (
        (b"caf\xe9.txt", b"needle caf\xe9\n"),
        (b"sur\xed\xa0\x80.txt", b"needle \xed\xa0\x80 \xff\n"),
        (b"new\nline.txt", b"needle\n"),
        (b"nul.bin", b"needle\0\n"),
        ("\N{GRINNING FACE}.txt".encode(), "needle \N{GRINNING FACE}\n".encode()),
        (b"py\xff.py", b"def needle(p):\n    return '\xff \xed\xa0\x80'\n"),
    ):
        with open(odd + name, "wb") as file:  # noqa: PTH123  # as above
            file.write(content)
    lost = "\N{REPLACEMENT CHARACTER}"

    async def session() -> None:
        async with client_of(over, "auto", "--root", str(project / "odd")) as client:
            for pattern in ("needle", "(?i)NEEDLE"):
                text, failed = await called(client, "grep_search", pattern=pattern, context=0)
                assert not failed, text
                assert "in 5 files]" in text
                for name in (f"caf{lost}.txt", f"new{lost}line.txt", "\N{GRINNING FACE}.txt", f"py{lost}.py"):
                    assert f"{name} (1 match)" in text
            text, failed = await called(client, "grep_search", pattern="\0", glob="\0*")
            assert (text, failed) == ("[no match]", False)
            text, failed = await called(client, "get_repo_structure")
            assert not failed
            listed = [line.strip() for line in text.split("\n")]
            assert {f"caf{lost}.txt", f"sur{lost * 3}.txt", f"py{lost}.py"} <= set(listed)
            for name, content in (
                (f"caf{lost}.txt", "needle café"),
                (f"sur{lost * 3}.txt", "needle "),
                (f"new{lost}line.txt", "needle\n[line 1 of 1"),
                ("nul.bin", "[nul.bin: binary data, 8 bytes; it is no text]"),
                (f"py{lost}.py", "def needle(p):"),
            ):
                text, failed = await called(client, "read_file", path=name)
                assert not failed, text
                assert text.startswith(content)
            for name in ("get_repo_structure", "repo_map"):
                assert not (await called(client, name))[1]
            text, failed = await called(client, "index_repository", path=".", project_id="odd")
            assert not failed, text
            assert not (await called(client, "search_code", query="needle", project_id="odd"))[1]

    running(session)


def test_name_that_is_told_of_two_files_means_neither(project: Path) -> None:
    if sys.platform != "linux":
        pytest.skip("names that are not UTF-8 are refused by this file system")
    for name in (b"/twin\xe9", b"/twin\xe8"):
        with open(os.fsencode(project) + name, "wb"):  # noqa: PTH123  # a Path takes no bytes
            pass

    async def session() -> None:
        async with client_of("stdio", "auto") as client:
            text, failed = await called(client, "read_file", path="twin\N{REPLACEMENT CHARACTER}")
            assert failed
            assert "there is no 'twin" in text

    running(session)


def test_arguments_that_hold_half_a_surrogate_pair_are_answered(project: Path) -> None:
    with process() as server:
        shake_hands(server)
        for number, (tool, arguments, told) in enumerate(
            (
                ("read_file", {"path": "\ud800"}, "there is no '\N{REPLACEMENT CHARACTER}'"),
                ("grep_search", {"pattern": "\udc00x", "glob": "\ud800"}, "[no match]"),
                ("search_code", {"query": "\ud800", "project_id": "\ud800"}, "Error: project_id = "),
                ("\ud800", {}, "Error: there is no tool "),
                ("list_outputs", {"\ud83d\ude00": 1}, "has no argument '\N{GRINNING FACE}'"),
            ),
            1,
        ):
            say(server, id=number, method="tools/call", params={"name": tool, "arguments": arguments})
            answer = answer_of(server)
            assert answer["id"] == number
            assert told in answer["result"]["content"][0]["text"]


def png(width: int, height: int) -> bytes:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    rows = zlib.compress((b"\0" + b"\x7f" * width) * height)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


@both
def test_image_is_described_by_its_type_and_size(project: Path, over: str, mode: str) -> None:
    data = png(640, 480)
    (project / "logo.png").write_bytes(data)
    (project / "photo.gif").write_bytes(b"GIF89a\x20\x00\x10\x00\x80\x00\x00" + b"\0" * 20)

    async def session() -> None:
        async with client_of(over, mode) as client:
            text, failed = await called(client, "read_file", path="logo.png")
            told = f"[logo.png: PNG image, 640 x 480, {len(data):,} bytes; it is no text]"
            assert (text, failed) == (told, False)
            text, failed = await called(client, "read_file", path="photo.gif")
            assert re.fullmatch(r"\[photo\.gif: GIF image, 32 x 16, 33 bytes; it is no text\]", text), text

    running(session)


def test_what_is_no_regular_file_is_refused(project: Path) -> None:
    os.mkfifo(project / "fifo")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("socket")

        async def session() -> None:
            async with client_of("stdio", "auto") as client:
                for path, why in (
                    ("fifo", "a FIFO is never read"),
                    ("socket", "a socket is never read"),
                    ("/dev/zero", "outside of what may be read"),
                    ("/proc/self/environ", "outside of what may be read"),
                    ("x" * 50_000, "there is no"),
                    ("a.txt\0", "it holds a NUL"),
                ):
                    text, failed = await called(client, "read_file", path=path)
                    assert failed
                    assert why in text, text
                    assert len(text) < 500

        running(session)
