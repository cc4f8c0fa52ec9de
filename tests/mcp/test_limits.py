"""Every answer is within the limits of its tool, and what was cut is read on by the tools that it names."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp")
from served import both, called, client_of, running  # as above

from penstock.core.limits import Limits  # after it is known to be there
from strategies import assert_text_within  # as above

pytestmark = pytest.mark.slow

DEFAULT = Limits(lines=2_000, bytes=51_200)
OURS = {
    "read_file": Limits(chars=5_000, lines=200),
    "grep_search": Limits(lines=100, bytes=51_200),
    "repo_map": Limits(chars=10_000, lines=1_000),
    "search_code": Limits(chars=80_000),
}

TIGHT = {
    "read_file": Limits(chars=300, lines=5),
    "grep_search": Limits(lines=9, bytes=250),
    "get_repo_structure": Limits(chars=400, lines=30),
    "repo_map": Limits(chars=350),
    "search_code": Limits(chars=2_000),
    "index_repository": Limits(bytes=200),
    "read_output": Limits(chars=250, lines=6),
    "grep_output": Limits(chars=260, lines=7),
    "list_outputs": Limits(bytes=150),
}


KINDS = ("chars", "lines", "bytes")


def as_yaml(limits: dict[str, Limits]) -> str:
    told = {
        name: {
            f"max_{kind}": most for kind in ("chars", "lines", "bytes") if (most := getattr(limit, kind)) is not None
        }
        for name, limit in limits.items()
    }
    return json.dumps({"tool_output_limits": {"tools": told}})  # which is YAML


@pytest.fixture
def large(project: Path) -> Path:
    (project / "penstock.yaml").unlink()
    for number in range(60):
        lines = "".join(
            f"def valve_{number}_{line}(pressure):\n    return 'needle {line}'\n\n\n" for line in range(120)
        )
        (project / "code" / f"part_{number:02d}.py").write_text(lines)
    (project / "long.txt").write_text("needle and more \N{GRINNING FACE}" * 50_000)
    for folder in range(12):
        (project / "many" / f"folder{folder}").mkdir()
        for number in range(250):
            (project / "many" / f"folder{folder}" / f"a-name-that-is-rather-long-{number:03d}-{'x' * 100}.txt").touch()
    return project


async def answers(client: Any) -> AsyncIterator[tuple[str, str]]:
    """Of every tool, called in ways that have much to tell, and wrongly."""
    handles: set[str] = set()
    for name, arguments in (
        ("read_file", {"path": "code/part_01.py"}),
        ("read_file", {"path": "code/part_01.py", "numbered": True, "direction": "tail", "limit": 10_000}),
        ("read_file", {"path": "long.txt"}),
        ("read_file", {"path": "long.txt", "unit": "bytes", "offset": 7, "limit": 10**9}),
        ("read_file", {"path": "x" * 90_000}),
        ("grep_search", {"pattern": "needle"}),
        ("grep_search", {"pattern": "needle", "context": 10**6, "limit": 10**6, "everything": True}),
        ("grep_search", {"pattern": "gone" * 2_000}),
        ("get_repo_structure", {}),
        ("get_repo_structure", {"depth": 90, "files": 10**6, "everything": True}),
        ("repo_map", {}),
        ("repo_map", {"query": "valve " * 900, "max_tokens": 10**9}),
        ("index_repository", {"path": "code", "project_id": "shop"}),
        ("index_repository", {"path": "code", "project_id": "y" * 90_000}),
        ("search_code", {"query": "needle valve", "project_id": "shop", "limit": 50}),
        ("search_code", {"query": "z" * 90_000, "project_id": "shop"}),
        ("list_outputs", {"limit": 500}),
        ("w" * 90_000, {}),
    ):
        text, _ = await called(client, name, **arguments)
        handles |= set(re.findall(r"ps-[a-z2-7]{16}", text))
        yield name, text
    assert handles
    for handle in sorted(handles):
        yield "read_output", (await called(client, "read_output", handle=handle))[0]
        yield "read_output", (await called(client, "read_output", handle=handle, unseen=True))[0]
        yield "read_output", (await called(client, "read_output", handle=handle, unit="bytes", limit=10**9))[0]
        yield (
            "grep_output",
            (await called(client, "grep_output", handle=handle, pattern="e", limit=10**6, context=99))[0],
        )


@both
def test_every_answer_is_within_the_limits_that_tools_have(large: Path, over: str, mode: str) -> None:
    async def session() -> None:
        async with client_of(over, mode) as client:
            async for name, text in answers(client):
                assert_text_within(text, OURS.get(name, DEFAULT))

    running(session)


@both
def test_every_answer_is_within_the_tighter_limits_of_the_settings(large: Path, over: str, mode: str) -> None:
    (large / "penstock.yaml").write_text(as_yaml(TIGHT))

    async def session() -> None:
        async with client_of(over, mode) as client:
            async for name, text in answers(client):
                assert text
                assert_text_within(text, TIGHT.get(name, DEFAULT))
            page, _ = await called(client, "search_code", query="needle valve", project_id="shop", limit=50)
            assert json.loads(page)["truncation_info"]["limit_chars"] == 1_600

    running(session)


@both
def test_answer_that_was_cut_is_read_on_with_the_tools_that_it_names(project: Path, over: str, mode: str) -> None:
    async def session() -> None:
        async with client_of(over, mode) as client:
            text, _ = await called(client, "get_repo_structure")
            notice = text[text.rindex("[Truncated") :]
            [(handle, start)] = re.findall(r"(ps-[a-z2-7]{16})\W.*start\W+(\d+)", notice)
            assert "read_output" in notice
            assert "grep_output" in notice
            assert "penstock " not in notice
            whole = ""
            first = 1
            while True:
                page, failed = await called(client, "read_output", handle=handle, start=first, limit=90)
                assert not failed
                body, _, last = page.rpartition("\n")
                whole += body + "\n"
                follow = re.search(r"start=(\d+)", last)
                if follow is None:
                    break
                first = int(follow[1])
            assert [f"file-{number:03d}.txt" for number in range(400)] == re.findall(r"file-\d+\.txt", whole)
            page, _ = await called(client, "read_output", handle=handle, start=int(start), limit=1)
            assert page.split("\n")[0] not in text
            hits, _ = await called(client, "grep_output", handle=handle, pattern=r"file-39[0-3]", context=0)
            assert re.findall(r"file-\d+", hits) == ["file-390", "file-391", "file-392", "file-393"]
            listed, _ = await called(client, "list_outputs")
            assert handle in listed
            page, _ = await called(client, "read_file", path="code/valve.py", limit=1)
            assert page.endswith("[line 1 of 2; next: start=2]")

    running(session)


def test_what_is_cut_is_kept_where_the_settings_keep_it_in_memory(project: Path) -> None:
    (project / "penstock.yaml").write_text(
        "store: {kind: memory}\ntool_output_limits: {tools: {get_repo_structure: {max_chars: 2000}}}\n"
    )

    async def session() -> None:
        async with client_of("stdio", "auto") as client:
            text, _ = await called(client, "get_repo_structure")
            handle = re.search(r"ps-[a-z2-7]{16}", text)
            assert handle is not None
            page, failed = await called(client, "read_output", handle=handle[0], limit=2)
            assert not failed
            assert page.startswith("project/ (")
        assert not (project / "tool-output").exists()

    running(session)
