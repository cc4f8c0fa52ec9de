"""Calls as JSON between two tags, or between special tokens: Hermes and Qwen, Granite, InternLM, Jamba and the like.

Tags that several families share hold what their first character says: `{` a JSON call, `<function=` tags with values,
a name the pairs of GLM.
"""

from __future__ import annotations

from typing import Final

from penstock.core.stream.bodies.pair import between, json_between, json_bodies, listed
from penstock.core.stream.formats.contract import Format


def marker_pair(opener: str, closer: str, name: str = "") -> Format:
    """A format of one's own: calls as JSON, one or several, between two markers."""
    return Format(name or opener, (opener,), json_between((closer,)))


FORMATS: Final[tuple[Format, ...]] = (
    Format("hermes", ("<tool_call>",), json_between(("</tool_call>",))),
    marker_pair("<longcat_tool_call>", "</longcat_tool_call>", "longcat"),
    Format("granite", ("<|tool_call|>",), json_between(("<|/tool_call|>", "</tool_call>"))),
    marker_pair("<function_call>", "</function_call>", "granite_20b"),
    Format(
        "internlm", ("<|action_start|> <|plugin|>", "<|action_start|><|plugin|>"), json_between(("<|action_end|>",))
    ),
    # Jamba, Apriel, Hunyuan A13B as an array; MiniMax M1 one object a line.
    marker_pair("<tool_calls>", "</tool_calls>", "jamba"),
    marker_pair("<TOOLCALL>", "</TOOLCALL>", "nemotron"),
    marker_pair("[TOOL_REQUEST]", "[END_TOOL_REQUEST]", "lmstudio"),
    Format("lfm2", ("<|tool_call_start|>",), between({"[": listed, "{": json_bodies()}, ("<|tool_call_end|>",))),
    Format("llama4", ("<|python_start|>",), between({"[": listed, "{": json_bodies()}, ("<|python_end|>",))),
    Format("llama3", ("<|python_tag|>",), json_between(("<|eom_id|>", "<|eot_id|>"))),
    Format(
        "gigachat",
        ("<|message_sep|>\n\nfunction call<|role_sep|>\n", "<|function_call|>"),
        json_between(("</s>",)),
    ),
    Format("cohere", ("<|START_ACTION|>",), json_between(("<|END_ACTION|>",))),
    Format("phi4", ("functools[",), between({"{": json_bodies("]", ",")}, ("]",))),
)
