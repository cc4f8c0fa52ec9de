"""Measures one peer inside that peer's own environment. Standard library only; knows nothing of Penstock.

A job comes as JSON on stdin: `peer`, `inputs` (paths of texts in UTF-8, each used once, the first for warming
up) and `spill` (a folder that the peer may write to). The answer is one line of JSON on stdout.

Each peer is called through the door that its own agents use for a finished tool result, with its own default
limits. Where only a private function exists, that function is called.
"""

import asyncio
import importlib.metadata
import json
import os
import re
import resource
import statistics
import sys
import time
import warnings
from pathlib import Path
from typing import Any, Protocol


class Peer(Protocol):
    """Built once from a folder for its files; building is not measured."""

    def __init__(self, spill: Path) -> None: ...

    async def admit(self, text: str, call: str) -> str:
        """What the model would see in place of `text`, the result of the tool call `call`. This is timed."""
        ...

    async def original(self, shown: str) -> list[str | bytes]:
        """What the references in `shown` lead to, in their order; empty where it has none."""
        ...


class DeepAgents:
    def __init__(self, spill: Path) -> None:
        from deepagents.backends import FilesystemBackend
        from deepagents.middleware.filesystem import FilesystemMiddleware
        from langchain.agents.middleware.types import ToolCallRequest
        from langchain_core.messages import ToolMessage

        self._backend = FilesystemBackend(root_dir=spill)
        self._middleware = FilesystemMiddleware(backend=self._backend)
        self._request, self._message = ToolCallRequest, ToolMessage

    async def admit(self, text: str, call: str) -> str:
        # The synchronous door: its asynchronous twin does the same in a worker thread.
        request = self._request(
            tool_call={"name": "run_tests", "args": {}, "id": call, "type": "tool_call"},
            tool=None,
            state={},
            runtime=None,
        )
        message = self._message(content=text, tool_call_id=call, name="run_tests")
        return self._middleware.wrap_tool_call(request, lambda _: message).content

    async def original(self, shown: str) -> list[str | bytes]:
        paths = re.findall(r"at this path: (\S+)", shown)
        return [file.content for file in self._backend.download_files(paths)]


class StrandsAgents:
    def __init__(self, spill: Path) -> None:
        from strands import Agent
        from strands.hooks import AfterToolCallEvent
        from strands.models import Model
        from strands.storage import LocalFileStorage
        from strands.vended_plugins.context_offloader import ContextOffloader

        class SilentModel(Model):
            """Counts tokens as every model of strands does, and is never asked for more."""

            def update_config(self, **_: Any) -> None: ...

            def get_config(self) -> dict[str, Any]:
                return {}

            def stream(self, *_: Any, **__: Any) -> Any:
                raise NotImplementedError

            def structured_output(self, *_: Any, **__: Any) -> Any:
                raise NotImplementedError

        offloader = ContextOffloader(storage=LocalFileStorage(str(spill)))
        self._agent = Agent(
            model=SilentModel(), plugins=[offloader], callback_handler=None, record_direct_tool_call=False
        )
        self._event = AfterToolCallEvent

    async def admit(self, text: str, call: str) -> str:
        event = self._event(
            agent=self._agent,
            selected_tool=None,
            tool_use={"toolUseId": call, "name": "run_tests", "input": {}},
            invocation_state={},
            result={"toolUseId": call, "status": "success", "content": [{"text": text}]},
        )
        await self._agent.hooks.invoke_callbacks_async(event)
        return "".join(block["text"] for block in event.result["content"])

    async def original(self, shown: str) -> list[str | bytes]:
        retrieve = self._agent.tool.retrieve_offloaded_content
        references = re.findall(r"\[Stored references:\]\n\s*(\S+)", shown)
        return [block["text"] for key in references for block in retrieve(reference=key)["content"]]


class PydanticAIHarness:
    def __init__(self, spill: Path) -> None:
        from pydantic_ai import RunContext
        from pydantic_ai.messages import ToolCallPart
        from pydantic_ai.models.test import TestModel
        from pydantic_ai.tools import ToolDefinition
        from pydantic_ai.usage import RunUsage
        from pydantic_ai_harness.tool_output_limits import LocalFileStore, ToolOutputLimits

        self._store = LocalFileStore(base_dir=spill / "overflow")
        self._limits = ToolOutputLimits(store=self._store)
        self._context = RunContext(deps=None, model=TestModel(), usage=RunUsage(), run_id="bench")
        self._call, self._tool = ToolCallPart, ToolDefinition(name="run_tests")

    async def admit(self, text: str, call: str) -> str:
        part = self._call(tool_name="run_tests", args={}, tool_call_id=call)
        result = await self._limits.after_tool_execute(
            self._context, call=part, tool_def=self._tool, args={}, result=text
        )
        return getattr(result, "return_value", result)

    async def original(self, shown: str) -> list[str | bytes]:
        handles = re.findall(r"stored to handle '([^']+)'", shown)
        return [await self._store.read(handle) for handle in handles]


class Headroom:
    def __init__(self, spill: Path) -> None:  # noqa: ARG002 - it writes below HOME, which the caller has moved
        from headroom import compress
        from headroom.cache.compression_store import get_compression_store

        self._compress, self._store = compress, get_compression_store

    async def admit(self, text: str, call: str) -> str:
        tool_call = {"id": call, "type": "function", "function": {"name": "run_tests", "arguments": "{}"}}
        messages = [
            {"role": "user", "content": "Why did it fail?"},
            {"role": "assistant", "content": None, "tool_calls": [tool_call]},
            {"role": "tool", "tool_call_id": call, "content": text},
        ]
        return self._compress(messages).messages[-1]["content"]

    async def original(self, shown: str) -> list[str | bytes]:
        # A log with tracebacks is cut up at them, and each piece between has its own reference.
        entries = [self._store().retrieve(key) for key in re.findall(r"hash=([0-9a-f]+)", shown)]
        return [entry.original_content for entry in entries if entry is not None]


class Smolagents:
    def __init__(self, spill: Path) -> None:  # noqa: ARG002 - keeps nothing
        from smolagents.utils import truncate_content

        self._truncate = truncate_content

    async def admit(self, text: str, call: str) -> str:  # noqa: ARG002
        return self._truncate(text)

    async def original(self, shown: str) -> list[str | bytes]:  # noqa: ARG002
        return []


class InspectAI:
    def __init__(self, spill: Path) -> None:  # noqa: ARG002 - keeps nothing a model could read
        from inspect_ai.model._call_tools import truncate_tool_output

        self._truncate = truncate_tool_output

    async def admit(self, text: str, call: str) -> str:  # noqa: ARG002
        truncated = self._truncate("run_tests", text, None)
        return text if truncated is None else truncated.output

    async def original(self, shown: str) -> list[str | bytes]:  # noqa: ARG002
        return []


class OpenHands:
    def __init__(self, spill: Path) -> None:
        # First, or its lazy import from several of openhands' modules at once can deadlock.
        import litellm  # noqa: F401
        from openhands.sdk.utils import DEFAULT_TEXT_CONTENT_LIMIT, maybe_truncate

        self._truncate, self._limit = maybe_truncate, DEFAULT_TEXT_CONTENT_LIMIT
        self._folder = str(spill)

    async def admit(self, text: str, call: str) -> str:  # noqa: ARG002
        return self._truncate(text, truncate_after=self._limit, save_dir=self._folder, tool_prefix="run_tests")

    async def original(self, shown: str) -> list[str | bytes]:
        paths = re.findall(r"has been saved to (\S+)", shown)
        return [Path(path).read_bytes() for path in paths]


PEERS: dict[str, type[Peer]] = {
    "deepagents": DeepAgents,
    "strands-agents": StrandsAgents,
    "pydantic-ai-harness": PydanticAIHarness,
    "headroom-ai": Headroom,
    "smolagents": Smolagents,
    "inspect-ai": InspectAI,
    "openhands-sdk": OpenHands,
}


def refuse_network(attempts: list[str]) -> None:
    """Makes every name look-up and connection of Python code fail, and notes where to.

    Libraries in C or Rust are out of reach of an audit hook; their switches are set in the environment.
    """

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "socket.getaddrinfo":
            target = f"{arguments[0]}:{arguments[1]}"
        elif event == "socket.connect" and isinstance(arguments[1], tuple):
            target = f"{arguments[1][0]}:{arguments[1][1]}"
        else:
            return
        attempts.append(target)
        raise ConnectionRefusedError(f"the benchmark has no network: {target}")

    sys.addaudithook(hook)


def peak_megabytes() -> float:
    """The most memory that this process has held at once.

    On Linux not by `getrusage`: its maximum survives `exec`, so it starts from the size of the parent.
    """
    status = Path("/proc/self/status")
    if status.exists():
        return int(status.read_text().partition("VmHWM:")[2].split()[0]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20


def verdict(text: str, shown: str, kept: list[str | bytes]) -> str:
    """How much of `text` can be had again, byte for byte, from what is shown and what it refers to.

    "no reference" need not mean that values are missing: headroom writes some JSON as a table that has all.
    """
    if shown == text:
        return "untouched"
    if not kept:
        return "no reference"
    whole, gaps, end = _bytes(text), [], 0
    for part in map(_bytes, kept):
        start = whole.find(part, end)
        if start < 0:
            return "differs"
        gaps.append(whole[end:start])
        end = start + len(part)
    gaps.append(whole[end:])
    if not any(gaps):
        return "byte-equal"
    return "in parts" if all(gap in _bytes(shown) for gap in gaps) else "partly lost"


def _bytes(content: str | bytes) -> bytes:
    return content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content


async def measure(job: dict[str, Any], report: dict[str, Any]) -> None:
    """Fills `report` as it goes, so that a failure leaves what was found before it."""
    start = time.perf_counter()
    peer = PEERS[job["peer"]](Path(job["spill"]))
    report["setup_seconds"] = time.perf_counter() - start
    report["setup_megabytes"] = peak_megabytes()
    seconds = []
    text = shown = ""
    for number, path in enumerate(job["inputs"]):
        text = Path(path).read_bytes().decode("utf-8", "surrogatepass")
        start = time.perf_counter()
        shown = await peer.admit(text, f"call_{number}")
        seconds.append(time.perf_counter() - start)
    report |= {
        "first_seconds": seconds[0],
        "best_seconds": min(seconds[1:]),
        "median_seconds": statistics.median(seconds[1:]),
        "shown_characters": len(shown),
        "peak_megabytes": peak_megabytes(),
    }
    report["original"] = verdict(text, shown, await peer.original(shown))


def main() -> None:
    # Peers print and log where they like; the answer alone goes to the real stdout.
    answer = os.fdopen(os.dup(sys.stdout.fileno()), "w")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    warnings.simplefilter("ignore")
    job = json.load(sys.stdin)
    attempts: list[str] = []
    refuse_network(attempts)
    report: dict[str, Any] = {"version": importlib.metadata.version(job["peer"])}
    try:
        asyncio.run(measure(job, report))
    except Exception as error:  # noqa: BLE001 - how a peer fails is part of what is measured
        report["error"] = f"{type(error).__name__}: {error}".splitlines()[0]
    report["network_attempts"] = sorted(set(attempts))
    answer.write(json.dumps(report) + "\n")
    answer.flush()
    # Some peers leave threads behind that would keep the process alive for minutes.
    os._exit(0)


if __name__ == "__main__":
    main()
