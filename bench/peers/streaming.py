"""Measures one peer's streaming tool-call parsers inside that peer's own environment. Knows nothing of Penstock.

Serving engines need a GPU stack that their parsers do not use. They are installed without their dependencies, and what
their imports ask for and is not there is replaced by an empty module. A parser that then does not run says so.

A job comes as JSON on stdin: `peer`, and `texts` by name, each a `parser`, a `text` and a `limit` of seconds. The
answer is a line of JSON: microseconds for each chunk of four characters, and whether the limit was reached.
"""

import importlib.abc
import importlib.machinery
import importlib.metadata
import importlib.util
import json
import sys
import time
import types
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

Feed = Callable[[str], object]
CHUNK = 4
_OPTIONAL = frozenset({"orjson", "org", "ijson", "_winapi", "msvcrt", "winreg", "nt"})
TOOL = {
    "type": "function",
    "function": {"name": "f", "parameters": {"type": "object", "properties": {"a": {"type": "string"}}}},
}


class _Anything(type):
    """A class that has every attribute."""

    def __getattr__(cls, name: str) -> "_Anything":
        if name.startswith("__"):
            raise AttributeError(name)
        return _made(name)


class _Missing(types.ModuleType):
    __path__: ClassVar[list[str]] = []

    def __getattr__(self, name: str) -> _Anything:
        if name.startswith("__"):
            raise AttributeError(name)
        made = _made(name)
        setattr(self, name, made)
        return made


def _made(name: str) -> _Anything:
    return _Anything(
        name,
        (),
        {
            "__init__": _take_anything,
            "__init_subclass__": classmethod(_take_anything),
            "__class_getitem__": classmethod(lambda cls, _: cls),
            "__get_pydantic_core_schema__": classmethod(_any_schema),
        },
    )


def _take_anything(*positional: object, **named: object) -> None:
    del positional, named


def _any_schema(*positional: object) -> Any:
    del positional
    from pydantic_core import core_schema

    return core_schema.any_schema()


class _Replace(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Asked last: whatever no other finder has."""

    def __init__(self) -> None:
        self._missing = _Missing("missing")

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: types.ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        del path, target
        top = name.split(".")[0]
        # What a package that is there does not have, and what others ask for and go on without.
        if top in _OPTIONAL or not isinstance(sys.modules.get(top, self._missing), _Missing):
            return None
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        return _Missing(spec.name)

    def exec_module(self, module: types.ModuleType) -> None:
        del module


def _bare(package: str) -> None:
    """The package without what its own `__init__` does, which would start the whole engine."""
    spec = importlib.util.find_spec(package)
    if spec is None or spec.submodule_search_locations is None:
        raise ModuleNotFoundError(package)
    module = types.ModuleType(package)
    module.__path__ = list(spec.submodule_search_locations)
    sys.modules[package] = module


def _sglang(parser: str) -> Feed:
    from sglang.srt.entrypoints.openai.protocol import Function, Tool

    tool = Tool(type="function", function=Function(**TOOL["function"]))
    if parser == "json":
        from sglang.srt.function_call.qwen25_detector import Qwen25Detector as Detector
    else:
        from sglang.srt.function_call.qwen3_coder_detector import Qwen3CoderDetector as Detector
    detector = Detector()
    return lambda chunk: detector.parse_streaming_increment(chunk, [tool])


def _vllm(parser: str) -> Feed:
    """The engine below the parsers: it splits into events, and converts no arguments."""
    if parser == "json":
        raise NotImplementedError("its JSON parsers need a tokenizer")
    from vllm.parser.engine.streaming_parser_engine import StreamingParserEngine

    # What stands above the engine needs the rest of vllm, down to the platform's drivers.
    above = "vllm.parser.engine.parser_engine"
    sys.modules[above] = _Missing(above)
    from vllm.parser.qwen3 import qwen3_config

    engine = StreamingParserEngine(qwen3_config(thinking=False), None)
    return lambda chunk: engine.feed(chunk, [])


def _timed(feed: Feed, text: str, limit: float) -> dict[str, object]:
    began = time.process_time()
    chunks = 0
    for place in range(0, len(text), CHUNK):
        feed(text[place : place + CHUNK])
        chunks += 1
        if time.process_time() - began > limit:
            break
    return {"microseconds": (time.process_time() - began) / chunks * 1e6, "stopped": chunks * CHUNK < len(text)}


def main() -> None:
    job = json.load(sys.stdin)
    make = {"sglang": _sglang, "vllm": _vllm}[job["peer"]]
    sys.meta_path.append(_Replace())
    # Some ask which version of a missing package there is.
    importlib.metadata.version = lambda _: "9.0.0"
    answer: dict[str, dict[str, object]] = {}
    _bare(job["peer"])
    if job["peer"] == "vllm":
        _bare("vllm.parser")
    for name, given in job["texts"].items():
        try:
            answer[name] = _timed(make(given["parser"]), given["text"], given["limit"])
        except Exception as error:  # noqa: BLE001 - whatever stops a peer is its answer
            answer[name] = {"error": f"{type(error).__name__}: {error}"[:200]}
    print(json.dumps(answer))


if __name__ == "__main__":
    main()
