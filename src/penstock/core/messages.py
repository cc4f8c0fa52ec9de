"""The tool results inside the messages of a model request: where they are, in each dialect, and putting them back.

Nothing else in the messages is touched: what holds no tool result, or one that fits, is handed on as the same object.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from penstock.core.view import View
from penstock.errors import CallerError

Dialect = Literal["openai", "responses", "anthropic"]
DIALECTS: Final = ("openai", "responses", "anthropic")

_OUTPUTS: Final = frozenset(
    {
        "function_call_output", "custom_tool_call_output", "mcp_call_output", "local_shell_call_output",
        "apply_patch_call_output", "mcp_call",  # the last is a call and its output in one
    }
)  # fmt: skip

# Hosted tools whose calls do not say a name.
_NAMELESS: Final = {"shell_call": "shell", "local_shell_call": "local_shell"}

# What of a call's arguments, and of the user's message before it, is taken as the question: a call can write a file.
TOLD_MOST: Final = 2_000


@dataclass(frozen=True, slots=True)
class Call:
    """What is known of the call that a result answers. All of it comes before the result, so it never changes later."""

    tool: str
    query: str


Bounder = Callable[[Any, Call], View]


def bound_messages(messages: Sequence[Any], dialect: Dialect, bounder: Bounder) -> list[Any]:
    if dialect not in DIALECTS:
        raise CallerError(f"format = {dialect!r} is not known: allowed is one of {', '.join(DIALECTS)}")
    if isinstance(messages, str | bytes | Mapping) or not isinstance(messages, Sequence):
        raise CallerError(f"messages is a {type(messages).__name__}: it has to be the list of a request's messages")
    handle = {"openai": _openai, "responses": _responses, "anthropic": _anthropic}[dialect]
    calls: dict[str, Call] = {}
    asked = ""
    result = []
    for message in messages:
        if not isinstance(message, Mapping):
            result.append(message)  # an SDK's own object: left as it is rather than guessed at
            continue
        if message.get("role") == "user":
            asked = _text(message.get("content")) or asked
        _note_calls(message, calls, asked)
        result.append(handle(message, calls, bounder))
    return result


def _openai(message: Mapping[str, Any], calls: Mapping[str, Call], bounder: Bounder) -> Any:
    if message.get("role") not in ("tool", "function"):
        return message
    call = calls.get(str(message.get("tool_call_id", ""))) or Call(str(message.get("name") or "tool"), "")
    return _replaced(message, "content", call, bounder)


def _responses(item: Mapping[str, Any], calls: Mapping[str, Call], bounder: Bounder) -> Any:
    call = calls.get(_call_id(item)) or Call("tool", "")
    if item.get("type") == "shell_call_output":
        return _of_shell(item, call, bounder)
    if str(item.get("type")) not in _OUTPUTS:
        return item
    return _replaced(item, "output", call, bounder)


def _of_shell(item: Mapping[str, Any], call: Call, bounder: Bounder) -> Any:
    """The streams of several commands are bounded as one text, which stands where the first of them stood."""
    output = [dict(part) for part in _mappings(item.get("output"))]
    said = [
        (part, stream)
        for part in output
        for stream in ("stdout", "stderr")
        if isinstance(part.get(stream), str) and part[stream]
    ]
    if not said or len(output) != len(item["output"]):
        return item  # nothing is said, or what is there is no list of streams
    view = bounder([{"type": "text", "text": part[stream]} for part, stream in said], call)
    if not view.truncated:
        return item
    for part, stream in said:
        part[stream] = ""
    part, stream = said[0]
    part[stream] = view.text
    return {**item, "output": output}


def _anthropic(message: Mapping[str, Any], calls: Mapping[str, Call], bounder: Bounder) -> Any:
    content = message.get("content")
    if message.get("role") != "user" or not isinstance(content, list | tuple):
        return message
    blocks = [
        _replaced(block, "content", calls.get(str(block.get("tool_use_id", ""))) or Call("tool", ""), bounder)
        if isinstance(block, Mapping) and block.get("type") == "tool_result"
        else block
        for block in content
    ]
    if all(new is old for new, old in zip(blocks, content, strict=True)):
        return message
    return {**message, "content": blocks}


def _replaced(holder: Mapping[str, Any], key: str, call: Call, bounder: Bounder) -> Any:
    output = holder.get(key)
    if not isinstance(output, str | list | tuple) or not output:
        return holder
    view = bounder(output, call)
    if not view.truncated:
        return holder
    return {**holder, key: list(view.blocks) if view.form == "blocks" else view.text}


def _note_calls(message: Mapping[str, Any], calls: dict[str, Call], asked: str) -> None:
    """Remember the tool calls that a message makes."""
    for call in _mappings(message.get("tool_calls")):
        function = call.get("function")
        if isinstance(function, Mapping):
            calls[str(call.get("id", ""))] = _call(function.get("name"), function.get("arguments"), asked)
    if message.get("type") in ("function_call", "custom_tool_call", "mcp_call", "shell_call", "local_shell_call"):
        arguments = message.get("arguments", message.get("input", message.get("action")))
        calls[_call_id(message)] = _call(message.get("name") or _NAMELESS.get(message["type"]), arguments, asked)
    if message.get("role") == "assistant":
        for block in _mappings(message.get("content")):
            if block.get("type") == "tool_use":
                calls[str(block.get("id", ""))] = _call(block.get("name"), block.get("input"), asked)


def _call_id(item: Mapping[str, Any]) -> str:
    """What a call and its output have in common: hosted tools have only an `id`."""
    return str(item.get("call_id") or item.get("id") or "")


def _call(name: Any, arguments: Any, asked: str) -> Call:
    told = arguments if isinstance(arguments, str) else " ".join(_leaves(arguments))
    return Call(str(name or "tool"), f"{told[:TOLD_MOST]}\n{asked[:TOLD_MOST]}".strip())


def _leaves(value: Any, depth: int = 8) -> list[str]:
    """The texts and numbers in a call's arguments: what it asks for, without the names of the parameters."""
    if depth == 0:
        return []
    if isinstance(value, Mapping):
        return [leaf for item in value.values() for leaf in _leaves(item, depth - 1)]
    if isinstance(value, list | tuple):
        return [leaf for item in value for leaf in _leaves(item, depth - 1)]
    return [] if value is None or isinstance(value, bool) else [str(value)]


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    texts = [block.get("text") for block in _mappings(content) if block.get("type") in ("text", "input_text")]
    return "\n".join(text for text in texts if isinstance(text, str))


def _mappings(value: Any) -> list[Mapping[str, Any]]:
    """What of a list can be looked into; nothing of what is no list."""
    return [item for item in value if isinstance(item, Mapping)] if isinstance(value, list | tuple) else []
