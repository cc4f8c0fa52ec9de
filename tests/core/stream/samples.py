"""Calls as each format writes them. A value is a string, or what JSON has besides."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any, Final

Call = tuple[str, dict[str, Any]]
Write = Callable[[Sequence[Call]], str]


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _raw(value: object) -> str:
    return value if isinstance(value, str) else _json(value)


def _object(call: Call, arguments: str = "arguments", name: str = "name") -> str:
    return _json({name: call[0], arguments: call[1]})


def _array(calls: Sequence[Call], arguments: str = "arguments", name: str = "name") -> str:
    return "[" + ", ".join(_object(call, arguments, name) for call in calls) + "]"


def _each(before: str, after: str, between: str = "\n", arguments: str = "arguments") -> Write:
    return lambda calls: between.join(before + _object(call, arguments) + after for call in calls)


def _all(before: str, after: str, arguments: str = "arguments", name: str = "name") -> Write:
    return lambda calls: before + _array(calls, arguments, name) + after


def _tags(
    head: str, foot: str, parameter: str, closed: str, *, before: str = "", after: str = "", each: bool = False
) -> Write:
    """`head` holds the name, `parameter` the key and the kind."""

    def one(call: Call) -> str:
        name, arguments = call
        inside = "".join(
            parameter.format(key=key, string="true" if isinstance(value, str) else "false", type=_type(value))
            + _raw(value)
            + closed.format(key=key)
            for key, value in arguments.items()
        )
        return head.format(name=name) + inside + foot.format(name=name)

    def write(calls: Sequence[Call]) -> str:
        if each:
            return "\n".join(before + one(call) + after for call in calls)
        return before + "".join(one(call) for call in calls) + after

    return write


def _type(value: object) -> str:
    names = {str: "string", bool: "boolean", int: "number", float: "number", list: "array", dict: "object"}
    return names.get(type(value), "null")


def _python(value: object) -> str:
    return repr(value)


def _pythonic(calls: Sequence[Call]) -> str:
    return (
        "["
        + ", ".join(f"{name}({', '.join(f'{k}={_python(v)}' for k, v in given.items())})" for name, given in calls)
        + "]"
    )


def _gemma(quote: str, before: str, after: str) -> Write:
    def value(one: object) -> str:
        if isinstance(one, str):
            return quote + one + quote
        if isinstance(one, dict):
            return "{" + ",".join(f"{key}:{value(inner)}" for key, inner in one.items()) + "}"
        if isinstance(one, list):
            return "[" + ",".join(value(inner) for inner in one) + "]"
        return _json(one)

    return lambda calls: "".join(f"{before}call:{name}{value(given)}{after}" for name, given in calls)


def _m3(calls: Sequence[Call]) -> str:
    token = "]<]minimax[>["

    def value(one: object) -> str:
        if isinstance(one, dict) and one:
            return "".join(tag(key, inner) for key, inner in one.items())
        if isinstance(one, list) and one:
            return "".join(tag("item", inner) for inner in one)
        return _raw(one)

    def tag(key: str, one: object) -> str:
        return f"{token}<{key}>{value(one)}{token}</{key}>"

    inside = "".join(
        f'{token}<invoke name="{name}">{value(given) if given else ""}{token}</invoke>\n' for name, given in calls
    )
    return f"{token}<tool_call>\n{inside}{token}</tool_call>"


def _deepseek(bar: str, block: str) -> Write:
    def write(calls: Sequence[Call]) -> str:
        begin, sep, end = (f"<{bar}tool{block}{part}{bar}>" for part in (f"call{block}begin", "sep", f"call{block}end"))
        inside = "\n".join(f"{begin}function{sep}{name}\n```json\n{_json(given)}\n```{end}" for name, given in calls)
        return f"<{bar}tool{block}calls{block}begin{bar}>{inside}<{bar}tool{block}calls{block}end{bar}>"

    return write


def _deepseek_31(calls: Sequence[Call]) -> str:
    inside = "".join(
        f"<｜tool▁call▁begin｜>{name}<｜tool▁sep｜>{_json(given)}<｜tool▁call▁end｜>" for name, given in calls
    )
    return f"<｜tool▁calls▁begin｜>{inside}<｜tool▁calls▁end｜>"


def _kimi(calls: Sequence[Call]) -> str:
    inside = "".join(
        f"<|tool_call_begin|>functions.{name}:{index}<|tool_call_argument_begin|>{_json(given)}<|tool_call_end|>"
        for index, (name, given) in enumerate(calls)
    )
    return f"<|tool_calls_section_begin|>{inside}<|tool_calls_section_end|>"


def _harmony(calls: Sequence[Call]) -> str:
    return "<|start|>assistant".join(
        f"<|channel|>commentary to=functions.{name} <|constrain|>json<|message|>{_json(given)}<|call|>"
        for name, given in calls
    )


def _muse(calls: Sequence[Call]) -> str:
    block = _tags(
        '<atem:invoke name="{name}">\n', "</atem:invoke>\n", '<atem:parameter name="{key}">', "</atem:parameter>\n"
    )
    return "<|eom|>".join(
        f"<|start|>assistant to={call[0]}<|message|><atem:function_calls>\n{block([call])}</atem:function_calls>"
        for call in calls
    )


def _cline(calls: Sequence[Call]) -> str:
    return "\n".join(
        f"<use_mcp_tool>\n<server_name>here</server_name>\n<tool_name>{name}</tool_name>\n"
        f"<arguments>\n{_json(given)}\n</arguments>\n</use_mcp_tool>"
        for name, given in calls
    )


_INVOKE: Final = (
    '<{p}invoke name="{{name}}">\n',
    "</{p}invoke>\n",
    '<{p}parameter name="{{key}}">',
    "</{p}parameter>\n",
)


def _invokes(prefix: str, before: str, after: str, attribute: str = "") -> Write:
    head, foot, parameter, closed = (part.format(p=prefix) for part in _INVOKE)
    return _tags(head, foot, parameter.replace('">', f'"{attribute}>'), closed, before=before, after=after)


WRITERS: Final[dict[str, Write]] = {
    "hermes": _each("<tool_call>\n", "\n</tool_call>"),
    "longcat": _each("<longcat_tool_call>", "</longcat_tool_call>"),
    "granite": _all("<|tool_call|>", ""),
    "granite, in tags": _all("<tool_call>", "</tool_call>"),
    "granite_20b": _each("<function_call> ", ""),
    "internlm": _each("<|action_start|> <|plugin|>\n", "<|action_end|>", arguments="parameters"),
    "jamba": _all("<tool_calls>", "</tool_calls>"),
    "minimax_m1": lambda calls: "<tool_calls>\n" + "\n".join(_object(call) for call in calls) + "\n</tool_calls>",
    "nemotron": _all("<TOOLCALL>", "</TOOLCALL>"),
    "lmstudio": _each("[TOOL_REQUEST]", "[END_TOOL_REQUEST]"),
    "lfm2": lambda calls: f"<|tool_call_start|>{_pythonic(calls)}<|tool_call_end|>",
    "lfm2, in JSON": _all("<|tool_call_start|>", "<|tool_call_end|>"),
    "llama4": lambda calls: f"<|python_start|>{_pythonic(calls)}<|python_end|>",
    "llama3": lambda calls: "<|python_tag|>" + "; ".join(_object(call, "parameters") for call in calls),
    "gigachat": _each("<|function_call|>", ""),
    "gigachat, as a message": _each("<|message_sep|>\n\nfunction call<|role_sep|>\n", ""),
    "cohere": _all("<|START_ACTION|>", "<|END_ACTION|>", "parameters", "tool_name"),
    "phi4": _all("functools", ""),
    "qwen3_coder": _tags(
        "<function={name}>\n",
        "</function>\n",
        "<parameter={key}>\n",
        "\n</parameter>\n",
        before="<tool_call>\n",
        after="</tool_call>",
        each=True,
    ),
    "qwen3_coder, bare": _tags(
        "<function={name}>\n", "</function>", "<parameter={key}>\n", "\n</parameter>\n", each=True
    ),
    "functionary_v31": lambda calls: "".join(f"<function={name}>{_json(given)}</function>" for name, given in calls),
    "seed_oss": _tags(
        "<function={name}>\n",
        "</function>\n",
        "<parameter={key}>",
        "</parameter>\n",
        before="<seed:tool_call>\n",
        after="</seed:tool_call>",
        each=True,
    ),
    "minimax_m2": _invokes("", "<minimax:tool_call>\n", "</minimax:tool_call>"),
    "minimax_m3": _m3,
    "deepseek_v3": _deepseek("｜", "▁"),
    "deepseek_v3, in ASCII": _deepseek("|", "_"),
    "deepseek_v31": _deepseek_31,
    "deepseek_v32": _invokes(
        "｜DSML｜", "<｜DSML｜function_calls>\n", "</｜DSML｜function_calls>", ' string="{string}"'
    ),
    "deepseek_v4": _invokes("｜DSML｜", "<｜DSML｜tool_calls>\n", "</｜DSML｜tool_calls>", ' string="{string}"'),
    "dots": _invokes("", "<dots_function_call>", "</dots_function_call>"),
    "anthropic": _invokes("", "<function_calls>\n", "</function_calls>"),
    "anthropic, prefixed": _invokes("antml:", "<function_calls>\n", "</function_calls>"),
    "step3": _tags(
        '<｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name="{name}">',
        "</steptml:invoke><｜tool_call_end｜>",
        '<steptml:parameter name="{key}">',
        "</steptml:parameter>",
        before="<｜tool_calls_begin｜>",
        after="<｜tool_calls_end｜>",
    ),
    "minicpm": _tags('<function name="{name}">', "</function>", '<param name="{key}">', "</param>", each=True),
    "muse": _muse,
    "hunyuan_v3": _tags(
        "<tool_call>{name}<tool_sep>\n",
        "</tool_call>\n",
        "<arg_key>{key}</arg_key>\n<arg_value>",
        "</arg_value>\n",
        before="<tool_calls>\n",
        after="</tool_calls>",
    ),
    "glm": _tags(
        "<tool_call>{name}\n", "</tool_call>", "<arg_key>{key}</arg_key>\n<arg_value>", "</arg_value>\n", each=True
    ),
    "glm47": _tags(
        "<tool_call>{name}", "</tool_call>", "<arg_key>{key}</arg_key><arg_value>", "</arg_value>", each=True
    ),
    "kimi_k2": _kimi,
    "kimi_k3": _tags(
        '<|open|>call tool="{name}" index="1"<|sep|>',
        "<|close|>call<|sep|>",
        '<|open|>argument key="{key}" type="{type}"<|sep|>',
        "<|close|>argument<|sep|>",
        before="<|open|>tools<|sep|>",
        after="<|close|>tools<|sep|>",
    ),
    "mistral": lambda calls: "".join(f"[TOOL_CALLS]{name}[ARGS]{_json(given)}" for name, given in calls),
    "mistral, with ids": lambda calls: "".join(
        f"[TOOL_CALLS]{name}[CALL_ID]abc{index}[ARGS]{_json(given)}" for index, (name, given) in enumerate(calls)
    ),
    "mistral, as an array": _all("[TOOL_CALLS] ", ""),
    "functionary_v32": lambda calls: "\n".join(f">>>{name}\n{_json(given)}" for name, given in calls),
    "apertus": lambda calls: f"<|tools_prefix|>{_json([{name: given} for name, given in calls])}<|tools_suffix|>",
    "command_r_plus": lambda calls: f"Action:\n```json\n{_array(calls, 'parameters', 'tool_name')}\n```",
    "inkling": lambda calls: "".join(
        f"<|message_model|>{call[0]}<|content_invoke_tool_json|>{_object(call, 'args')}<|end_message|>"
        for call in calls
    ),
    "harmony": _harmony,
    "gemma": _gemma('<|"|>', "<|tool_call>", "<tool_call|>"),
    "function_gemma": _gemma("<escape>", "<start_function_call>", "<end_function_call>"),
    "cline": _cline,
    "cline, a tool": _tags("<write_to_file>\n", "</write_to_file>", "<{key}>", "</{key}>\n", each=True),
    "anthropic, older": _tags(
        "<invoke>\n<tool_name>{name}</tool_name>\n<parameters>\n",
        "</parameters>\n</invoke>\n",
        "<{key}>",
        "</{key}>\n",
        before="<function_calls>\n",
        after="</function_calls>",
    ),
    "continue": _tags("TOOL_NAME: {name}\n", "```", "BEGIN_ARG: {key}\n", "\nEND_ARG\n", before="```tool\n", each=True),
    "cherry_studio": lambda calls: "\n".join(
        f"<tool_use>\n  <name>{name}</name>\n  <arguments>{_json(given)}</arguments>\n</tool_use>"
        for name, given in calls
    ),
    "marked_json": lambda calls: "\n".join(
        _json({"type": "tool_call", "id": f"t{index}", "name": name, "arguments": given})
        for index, (name, given) in enumerate(calls)
    ),
    "pythonic": _pythonic,
}
# What a format cannot say: names of its own, keys that are no identifiers, and the like, is not asked of it.
OWN_NAME: Final = {"cline, a tool": "write_to_file"}
