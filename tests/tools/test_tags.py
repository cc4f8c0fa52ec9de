from __future__ import annotations

import time

import pytest

from penstock.search.languages import Language
from penstock.search.walk import Source
from penstock.tools import tags
from penstock.tools.tags import METHOD, FileTags, key_of, tags_of

# Of each language some text, what it defines, and what it uses of others. Every name is invented.
SNIPPETS = {
    "python": (
        "class Valve:\n    def turn(self): return open_gate(1)\nFLOW_MAX = 3\n",
        "Valve turn FLOW_MAX",
        "open_gate",
    ),
    "javascript": ("export class Valve { turn() { return openGate(1) } }\n", "Valve turn", "openGate"),
    "typescript": ("interface Flow { rate: number }\nfunction turn(f: GateFlow) {}\n", "Flow turn", "GateFlow"),
    "tsx": ("export function Panel() { return <GateView/> }\n", "Panel", "GateView"),
    "go": ("package p\ntype Valve struct{}\nfunc (v *Valve) Turn() { OpenGate() }\n", "Valve Turn", "OpenGate"),
    "rust": ("pub struct Valve;\nimpl Valve { fn turn(&self) { open_gate() } }\n", "Valve turn", "open_gate"),
    "java": ("class Valve { void turn() { new OpenGate(); } }\n", "Valve turn", "OpenGate"),
    "kotlin": ("class Valve { fun turn() { openGate() } }\n", "Valve turn", "openGate"),
    "scala": ("object Valve { def turn(x: Int) = openGate(x) }\n", "Valve turn", "openGate"),
    "c": (
        "struct valve { int flow; };\nint turn_valve(int x) { return open_gate(x); }\n",
        "valve turn_valve",
        "open_gate",
    ),
    "cpp": ("class Valve { public: void turn(); };\nvoid Valve::turn() { open_gate(); }\n", "Valve turn", "open_gate"),
    "csharp": ("class Valve { void Turn() { OpenGate(); } }\n", "Valve Turn", "OpenGate"),
    "objc": (
        "@implementation Valve\n- (void)turnNow { [gate openGate]; }\n@end\n",
        "Valve turnNow",
        "openGate",
    ),
    "ruby": ("class Valve\n  def turn\n    open_gate\n  end\nend\n", "Valve turn", "open_gate"),
    "php": ("<?php\nclass Valve { function turn() { openGate(); } }\n", "Valve turn", "openGate"),
    "swift": ("class Valve { func turn() { openGate() } }\n", "Valve turn", "openGate"),
    "dart": ("class Valve { void turn() { openGate(); } }\n", "Valve turn", "openGate"),
    "elixir": ("defmodule Valve do\n  def turn(x), do: open_gate(x)\nend\n", "Valve turn", "open_gate"),
    "erlang": ("-module(valve).\nturn(X) -> open_gate(X).\n", "", "open_gate"),
    "haskell": ("module Valve where\ndata Flow = Flow\nturn :: Int\nturn = openGate 1\n", "Flow turn", "openGate"),
    "ocaml": ("let turn x = open_gate x\n", "turn", "open_gate"),
    "lua": ("function turn_valve(x) return open_gate(x) end\n", "turn_valve", "open_gate"),
    "bash": ("turn_valve() {\n  open_gate 1\n}\n", "turn_valve", "open_gate"),
    "perl": ("sub turn_valve { open_gate(1) }\n", "turn_valve", "open_gate"),
    "r": ("turn_valve <- function(x) open_gate(x)\n", "turn_valve", "open_gate"),
    "julia": ("function turn_valve(x)\n  open_gate(x)\nend\n", "turn_valve", "open_gate"),
    "zig": ("pub fn turnValve() void { openGate(); }\n", "turnValve", "openGate"),
    "powershell": ("function Turn-Valve { Open-Gate }\n", "Turn", "Gate"),
    "solidity": ("contract Valve { function turn() public { openGate(); } }\n", "Valve turn", "openGate"),
    "proto": ("message Valve { FlowRate rate = 1; }\n", "", "FlowRate"),
    "clojure": ("(defn turn [x] (opengate x))\n", "turn", "opengate"),
    "groovy": ("class Valve { def turn() { openGate() } }\n", "Valve", "openGate"),
}


def tagged(language: str, text: str) -> FileTags:
    return tags_of(Source(Language(language), text), time.monotonic() + 60)


def used(found: FileTags) -> set[int]:
    return {key for key, _ in found.uses()}


@pytest.mark.parametrize("language", SNIPPETS)
def test_definitions_and_uses_of_a_language_are_found(language: str) -> None:
    text, defined, uses = SNIPPETS[language]
    found = tagged(language, text)
    assert found.lack == ""
    assert set(defined.split()) <= {tag.name for tag in found.definitions}
    family = tags._FAMILY.get(language, language)
    assert {key_of(name, family) for name in uses.split()} <= used(found)
    assert used(found).isdisjoint(key_of(name, family) for name in defined.split())


def test_more_than_twenty_languages_have_tags() -> None:
    assert sum(bool(defined) for _, defined, _ in SNIPPETS.values()) >= 25


def test_signature_has_all_of_its_lines_and_nothing_of_the_body() -> None:
    text = "@cached\ndef turn(\n    gate: int,\n) -> int:\n    return gate\n"
    (tag,) = tagged("python", text).definitions
    assert (tag.line, tag.signature) == (2, ("def turn(", "    gate: int,", ") -> int:"))
    brace = "function turn(gate)\n{\n  return gate\n}\n"
    assert [tag.signature for tag in tagged("javascript", brace).definitions] == [("function turn(gate)",)]


def test_signature_of_very_many_lines_is_its_first() -> None:
    text = "def turn(\n" + "".join(f"    a{n},\n" for n in range(50)) + "): ...\n"
    assert tagged("python", text).definitions[0].signature == ("def turn(",)


def test_method_knows_its_class_and_a_nested_function_is_local() -> None:
    text = "class A:\n    def b(self):\n        def c(): ...\n        d = 1\n    class E:\n        def f(self): ...\n"
    found = tagged("python", text).definitions
    assert [(tag.name, tag.parent, tag.local) for tag in found] == [
        ("A", -1, False), ("b", 0, False), ("c", 1, True), ("E", 0, False), ("f", 3, False)
    ]  # fmt: skip


def test_values_inside_of_functions_are_nobody_elses() -> None:
    text = "const LIMIT = 1;\nfunction turn() { const inner = 2; [1].map((x) => { const deep = x; }); }\n"
    assert [tag.name for tag in tagged("javascript", text).definitions] == ["LIMIT", "turn"]


def test_what_is_imported_under_a_name_defines_nothing_for_others() -> None:
    found = tagged("javascript", "const GateView = require('./gate');\nconst LIMIT = 1;\n").definitions
    assert [(tag.name, tag.local) for tag in found] == [("GateView", True), ("LIMIT", False)]


def test_block_of_methods_is_no_definition_of_its_type() -> None:
    found = tagged("rust", "struct Valve;\nimpl Valve { fn turn(&self) {} }\nimpl Clone for Request {}\n").definitions
    assert [(tag.name, tag.parent, tag.local) for tag in found] == [
        ("Valve", -1, False),
        ("Valve", -1, True),
        ("turn", 1, False),
        ("Request", -1, True),
    ]


def test_tests_beside_the_code_define_nothing_for_others() -> None:
    text = "pub struct Valve;\nmod tests {\n    type Flow = u8;\n    fn turns() {}\n}\n"
    found = tagged("rust", text).definitions
    assert [(tag.name, tag.local) for tag in found] == [
        ("Valve", False),
        ("tests", True),
        ("Flow", True),
        ("turns", True),
    ]


def test_values_of_an_enumeration_are_no_definitions() -> None:
    assert [tag.name for tag in tagged("rust", "enum Flow { Open, Shut(Valve) }\n").definitions] == ["Flow"]


def test_comments_and_texts_in_quotes_use_nothing() -> None:
    said = tagged("python", '# SluiceGate\nx = "WeirGate"\n"""DamGate"""\ny = f"{LockGate(1)}"\nz = RealGate()\n')
    assert used(said) == {key_of(name, "python") for name in ("LockGate", "RealGate")}


def test_plain_word_counts_only_where_it_is_called_and_as_a_method_behind_a_dot() -> None:
    found = used(tagged("python", "value = other\nlist(value)\nvalue.append(1)\n"))
    assert found == {key_of("list", "python"), key_of(METHOD + "append", "python")}
    methods = tagged("python", "class A:\n    def append(self): ...\ndef list(): ...\n").definitions
    assert [tag.key for tag in methods[1:]] == [key_of(METHOD + "append", "python"), key_of("list", "python")]


def test_names_count_in_their_family_of_languages() -> None:
    assert used(tagged("tsx", "OpenGate()")) == used(tagged("javascript", "OpenGate()"))
    assert used(tagged("python", "OpenGate()")).isdisjoint(used(tagged("rust", "fn a() { OpenGate() }")))


def test_language_without_a_grammar_is_told() -> None:
    assert tagged("cobol", "X.").lack == "no grammar for cobol"


def test_very_long_line_is_shown_by_its_beginning() -> None:
    found = tagged("python", f"def turn({', '.join(f'a{n}' for n in range(500))}): ...\n")
    (line,) = found.definitions[0].signature
    assert line.startswith("def turn(a0, a1") and line.endswith(" characters]") and len(line) < 200


@pytest.mark.parametrize(
    "text",
    [
        "x = " + "[" * 200_000,
        "x = " + "[" * 50_000 + "]" * 50_000,
        "x = a" + ".b()" * 50_000,
        "x = " + "1+" * 100_000 + "1",
        "def " * 100_000,
        "if x:\n " * 20_000,
        ") ] } " * 60_000,
        "\0" * 10_000,
        "class A(\n" * 5_000,
    ],
    ids=["unclosed", "nested", "chained", "summed", "keywords", "conditions", "closed", "nul", "classes"],
)
def test_text_that_hurts_a_parser_takes_seconds_at_most(text: str) -> None:
    began = time.monotonic()
    tagged("python", text)
    assert time.monotonic() - began < 20


def test_hundred_thousand_names_on_one_line_are_kept_up_to_a_number() -> None:
    found = tagged("python", "; ".join(f"name_{n:06}()" for n in range(100_000)))
    assert len(used(found)) == tags.MOST_NAMES
    many = tagged("python", "".join(f"def turn_{n}(): ...\n" for n in range(5_000)))
    assert (len(many.definitions), many.lack) == (tags.MOST_DEFINITIONS, "more than 2,000 definitions")


def test_time_that_is_over_is_told_and_nothing_else_happens() -> None:
    with pytest.raises(TimeoutError):
        tags_of(Source(Language("python"), "def a(): ...\n" * 20_000), time.monotonic() - 1)


def test_broken_text_keeps_what_can_be_understood() -> None:
    found = tagged(
        "python", "class Valve:\n    def turn(self):\n        pass\n\ndef broken(:\n\nclass Weir:\n    pass\n"
    )
    assert {"Valve", "turn"} <= {tag.name for tag in found.definitions}
