"""Cases that serving engines test themselves with: their calls are ours, where their own test passed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any, Final

import pytest

from core.stream.feeding import called, fed, letters

FOLDER: Final = Path(__file__).parents[4] / "shared" / "stream-cases"
pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason="the shared stream cases are not beside this repository")

# Formats that are not among all, because what they look for looks like an answer too.
LOOSE: Final = {"Llama32Detector", "JsonArrayParser"}

# Where the answers differ on purpose, by what the case is about.
OTHERWISE: Final = {
    # The schema, which the case does not give, says that a number is a string.
    "llamacpp:5389", "llamacpp:6187",
    # A tool that is not declared is called, or has no name.
    "test_detect_and_parse_unknown_tool_index", "test_undeclared_tool_name_is_surfaced",
    "test_undeclared_tool_name_surfaces_in_streaming",
    "test_empty_name_is_allowed_on_the_canonical_path", "test_raw_text_tool_invocation_surfaces_as_a_call",
    # A name is guessed from the keys of the arguments, or holds what no name holds.
    "test_bare_counter_id_also_starts_at_index_0", "test_detect_and_parse_bare_counter",
    "test_streaming_bare_counter_single_tool", "test_attr_unescaping_and_raw_string_args",
    # The engine loses calls: an injected fault, one broken call of several, two calls joined, a later one dropped.
    "test_parse_error_neither_swallows_nor_duplicates", "test_e2e_exception_mid_drain_preserves_accumulated_calls",
    "test_one_malformed_call_fails_the_whole_batch", "test_streaming_malformed_call_switches_to_raw_passthrough",
    "test_parse_streaming_multiple_tool_calls", "test_parse_streaming_with_python_start_and_end_token",
    # The engine repairs or rejects by the schema what is whole as it stands.
    "test_quoted_string_invalid_python_escape_no_warning", "test_duplicate_param_names_invalid_v3",
    "test_case_sensitive_param_name_invalid_v3", "test_mismatched_closing_tag", "test_incomplete_tool_call",
    "test_invalid_then_valid_json", "test_pipeline_quoted_header_in_answer_is_not_a_call",
    # The newlines between the tags are a backslash and an n.
    "test_array_argument_with_escaped_json",
}  # fmt: skip


def cases() -> Iterator[tuple[str, dict[str, Any]]]:
    for path in sorted(FOLDER.glob("*.json")):
        family = path.stem.removeprefix("sglang_")
        for case in json.loads(path.read_text())["cases"]:
            yield family, case


def options(family: str, case: dict[str, Any]) -> dict[str, Any]:
    given: dict[str, Any] = {"formats": ["all", "bare_json"] if family in LOOSE else "all"}
    if case.get("tools"):
        given["tools"] = case["tools"]
    return given


def expected(case: dict[str, Any]) -> list[tuple[str, Any]] | None:
    """The whole calls that the engine's test expects; None where it says nothing of them."""
    calls = case.get("recorded_calls", case.get("expected_calls", case.get("expected", {}).get("calls")))
    if calls is None or not case.get("test_passed", True):
        return None
    whole = []
    for call in calls:
        try:
            arguments = call["arguments"]
            whole.append((call["name"], json.loads(arguments) if isinstance(arguments, str) else arguments))
        except ValueError:
            continue
    return whole


def names(family: str, case: dict[str, Any]) -> str:
    return str(case.get("id", f"{family}:{case.get('case', '')}:{case.get('line', '')}")).split("::")[-1]


def test_the_calls_of_every_case_are_found() -> None:
    wrong = []
    found = 0
    for family, case in cases():
        want = expected(case)
        name = names(family, case)
        if want is None or name.split("[")[0] in OTHERWISE or f"llamacpp:{case.get('line')}" in OTHERWISE:
            continue
        got = called(fed(case["text"], **options(family, case)))
        found += 1
        if got != want:
            wrong.append((family, name, case["text"], want, got))
    assert wrong == []
    assert found > 500


def test_no_case_depends_on_where_it_is_cut() -> None:
    random = Random(4)
    seen = set()
    for family, case in cases():
        text, given = case["text"], options(family, case)
        if (text, "tools" in given) in seen:
            continue
        seen.add((text, "tools" in given))
        whole = fed(text, **given)
        assert fed(text, letters(text), **given) == whole, text
        for _ in range(4):
            cuts = sorted(random.randrange(len(text) + 1) for _ in range(random.randint(1, 9)))
            assert fed(text, cuts, **given) == whole, (text, cuts)


@pytest.mark.slow
def test_no_case_depends_on_where_it_is_cut_in_two() -> None:
    seen = set()
    for family, case in cases():
        text, given = case["text"], options(family, case)
        if (text, "tools" in given) in seen or len(text) > 400:
            continue
        seen.add((text, "tools" in given))
        whole = fed(text, **given)
        for cut in range(1, len(text)):
            assert fed(text, [cut], **given) == whole, (text, cut)
