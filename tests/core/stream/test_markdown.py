"""What is code in Markdown, seen through a filter that looks for one format."""

from __future__ import annotations

import pytest

from core.stream.feeding import called, fed, letters, shown

CALL = '<tool_call>{"name":"f","arguments":{}}</tool_call>'


def found(text: str) -> int:
    whole = fed(text)
    assert fed(text, letters(text)) == whole
    calls = called(whole)
    assert shown(whole).count(CALL) == text.count(CALL) - len(calls)
    return len(calls)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        (f"`{CALL}`", 0),
        (f"`{CALL}` {CALL}", 1),
        (f"``a ` {CALL}`` {CALL}", 1),
        # A lone backtick hides no more than its paragraph.
        (f"the ` sign {CALL}\n\n{CALL}", 1),
        (f"the ` sign {CALL}\n \t\n{CALL}", 1),
        (f"the ` sign\n{CALL}\n", 0),
        (f"```\n{CALL}\n```\n{CALL}", 1),
        (f"```py\n{CALL}\n```\n{CALL}", 1),
        (f"~~~\n{CALL}\n~~~\n{CALL}", 1),
        (f"~~~\n{CALL}\n```\n{CALL}\n~~~~  \n{CALL}", 1),
        (f"````\n```\n{CALL}\n```\n````\n{CALL}", 1),
        (f"```\n{CALL}\n``` not the end\n{CALL}", 0),
        (f"- ```\n  {CALL}\n  ```\n{CALL}", 1),
        (f"> 1. ```\n>   {CALL}\n>   ```\n{CALL}", 1),
        # A run of three in a line is a span, and so is a fence that is closed on its line.
        (f"so ```{CALL}``` {CALL}", 1),
        (f"```{CALL}``` {CALL}", 1),
        (f"```a ` b``` {CALL}", 1),
        (f"so ~~~{CALL}", 1),
        (f"so ~~ {CALL}", 1),
        (f"```\n{CALL}\n```", 0),
        (f"`{CALL}\n ", 0),
        (f"`{CALL}\n", 0),
        ("`", 0),
        ("a\n```", 0),
        (f"{'x' * 5000}\n```\n{CALL}\n```\n{CALL}", 1),
        (f"{'x' * 5000}```\n{CALL}", 0),
        (f"\n{'>' * 100}```{CALL}```", 0),
        ("`" * 200 + CALL, 0),
    ],
)
def test_calls_in_code_are_text_and_others_are_calls(text: str, count: int) -> None:
    assert found(text) == count
