from __future__ import annotations

import time

import pytest

from penstock.search.grammars import has_grammar, outline, parse

SOURCES = {
    "python": ("class Box:\n    def open(self): ...\nLIMIT = 1\n", {"Box", "open", "LIMIT"}),
    "go": ("package a\nfunc (b *Box) Open(x int) {}\ntype Box struct{}\nconst Limit = 1\n", {"Open", "Box", "Limit"}),
    "c": (
        "#define LIMIT 1\nstatic int *open_box(int a) { return 0; }\nstruct box { int a; };\n",
        {"LIMIT", "open_box", "box"},
    ),
    "cpp": ("template <class T> class Box { void open(); };\nvoid Box<int>::close() {}\n", {"Box", "close"}),
    "rust": (
        "impl<T> Lid for Box<T> { fn open(&self) {} }\nstruct Hinge;\ntrait Lid {}\n",
        {"Box", "open", "Hinge", "Lid"},
    ),
    "java": ("class Box { void open() {} int size; }\ninterface Lid {}\n", {"Box", "open", "Lid"}),
    "kotlin": ("class Box { fun open() {} }\nobject Shelf\n", {"Box", "open", "Shelf"}),
    "scala": ("class Box { def open = 1 }\nobject Shelf\ntrait Lid\n", {"Box", "open", "Shelf", "Lid"}),
    "ruby": (
        "module Store\n  class Box\n    def open; end\n    def self.close; end\n  end\nend\n",
        {"Store", "Box", "open", "close"},
    ),
    "php": ("<?php class Box { public function open() {} }\nfunction shut() {}\n", {"Box", "open", "shut"}),
    "csharp": ("namespace N { class Box { public int Size { get; } void Open() {} } }", {"N", "Box", "Size", "Open"}),
    "swift": ("class Box { func open() {} }\nprotocol Lid {}\nextension Box {}\n", {"Box", "open", "Lid"}),
    "javascript": (
        "export const open = () => 1;\nfunction shut() {}\nmodule.exports.lift = function () {};\n",
        {"open", "shut", "lift"},
    ),
    "typescript": ("interface Lid {}\ntype Size = number;\nclass Box { open() {} }\n", {"Lid", "Size", "Box", "open"}),
    "elixir": (
        "defmodule Store.Box do\n  def open(a) when a, do: 1\n  defp shut, do: 2\nend\n",
        {"Store.Box", "open", "shut"},
    ),
    "haskell": (
        "module A where\nopen :: Int -> Int\nopen x = x\ndata Box = Box\nclass Lid a where\n  lift :: a\n",
        {"open", "Box", "Lid", "lift"},
    ),
    "bash": ("open() { :; }\nfunction shut { :; }\n", {"open", "shut"}),
    "lua": ("function open() end\nlocal function shut() end\n", {"open", "shut"}),
    "zig": ("pub fn open() void {}\n", {"open"}),
    "dart": ("class Box { void open() {} }\n", {"Box", "open"}),
    "perl": ("sub open_box { 1 }\n", {"open_box"}),
    "r": ("open <- function(x) x\n", set()),
    "ocaml": ("let open_box x = x\ntype box = int\n", {"open_box", "box"}),
    "julia": ("function open(x)\nend\nstruct Box\nend\n", set()),
    "erlang": ("open(X) -> X.\n", set()),
    "sql": ("CREATE TABLE box (id int);\n", set()),
}


@pytest.mark.parametrize("language", SOURCES)
def test_grammar_names_what_is_defined(language: str) -> None:
    source, names = SOURCES[language]
    parsed = parse(language, source.encode())
    assert parsed is not None
    assert names <= {found.name for found in parsed.definitions}


@pytest.mark.parametrize(
    ("language", "source", "name"),
    [
        ("c", "void f(struct point p) {}\n", "point"),
        ("python", "def f(argument): return call(key=1)\n", "argument"),
        ("go", "package a\nfunc F(argument int) {}\n", "argument"),
        ("java", "import a.b.Thing;\nclass A { void f(int argument) {} }\n", "argument"),
        ("bash", "echo hello\n", "echo"),
        ("typescript", "function f(argument: number) {}\n", "argument"),
    ],
)
def test_what_is_only_used_is_not_defined(language: str, source: str, name: str) -> None:
    parsed = parse(language, source.encode())
    assert parsed is not None
    assert name not in {found.name for found in parsed.definitions}


def test_types_and_functions_are_stronger_than_values() -> None:
    parsed = parse("python", b"LIMIT = 1\ndef f(): ...\n")
    assert parsed is not None
    assert {found.name: found.strong for found in parsed.definitions} == {"LIMIT": False, "f": True}


def test_language_without_a_grammar_is_told() -> None:
    assert not has_grammar("cobol")
    assert parse("cobol", b"x") is None


def test_broken_source_has_the_names_around_the_break() -> None:
    parsed = parse("python", b"def a(): ...\n((((\ndef b(): ...\n")
    assert parsed is not None and "a" in {found.name for found in parsed.definitions}


def test_variables_inside_of_a_function_are_not_defined_and_fields_are() -> None:
    source = b"class Box {\n  int size;\n  void open() {\n    int local = 1;\n  }\n  int lid;\n}\n"
    parsed = parse("java", source)
    assert parsed is not None
    assert {found.name for found in parsed.definitions} == {"Box", "size", "open", "lid"}


@pytest.mark.parametrize(
    "source",
    [b"x = " + b"[" * 100_000, b"x = " + b"[" * 30_000 + b"]" * 30_000, b"x = a" + b".b()" * 30_000],
    ids=["unclosed", "nested", "chained"],
)
def test_source_of_nothing_but_brackets_takes_seconds_and_not_hours(source: bytes) -> None:
    began = time.monotonic()
    assert parse("python", source) is not None
    assert time.monotonic() - began < 20


def test_name_may_have_letters_of_any_script() -> None:
    parsed = parse("python", "class Café: ...\ndef öffnen(): ...\ndef 開く(): ...\n".encode())
    assert parsed is not None
    assert {found.name for found in parsed.definitions} == {"Café", "öffnen", "開く"}


def test_outline_has_signatures_scopes_and_what_is_silent() -> None:
    source = b"class Box:\n    def open(\n        self,\n    ): return 'x'  # why\n"
    found = outline("python", source)
    assert found is not None
    assert [(one.found.name, one.found.row, one.stop, one.parent, one.local) for one in found.definitions] == [
        ("Box", 0, 1, -1, False),
        ("open", 1, 4, 0, False),
    ]
    assert [source[start:end] for start, end in found.silent] == [b"x", b"# why"]
    assert outline("cobol", b"x") is None


def test_outline_that_is_not_done_in_time_says_so() -> None:
    with pytest.raises(TimeoutError):
        outline("python", b"x = 1\n" * 50_000, time.monotonic() - 1)
