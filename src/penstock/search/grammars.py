"""Syntax trees of tree-sitter, with the grammars that semble-grammars bundles (extra `search`): nothing is downloaded.

Of a tree two things are wanted: where it may be cut, and which names are defined where. Grammars call the same thing
by many names, so the rule is general: a node that has a field `name`, and a type that sounds like a definition, defines
it. The few families that are built in another way have a rule of their own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Final, NamedTuple, Protocol

from penstock.errors import MissingExtra

try:
    from semble_grammars import GrammarLoadError, LanguageNotFoundError, UnsupportedPlatformError, get_language
    from tree_sitter import Language, Node, Parser, Query, QueryCursor, QueryError
except ImportError as missing:
    raise MissingExtra("the code index", "search") from missing

LONGEST_NAME: Final = 120


class Branch(Protocol):
    """What a node tells of where it may be cut."""

    @property
    def type(self) -> str: ...
    @property
    def children(self) -> Sequence[Branch]: ...
    @property
    def start_point(self) -> tuple[int, int]: ...
    @property
    def end_point(self) -> tuple[int, int]: ...


class Definition(NamedTuple):
    name: str
    row: int  # where its name stands, from 0 on
    first: int
    last: int
    strong: bool  # a type or a function; not a value


class Parsed(NamedTuple):
    root: Branch
    definitions: list[Definition]


_STRONG: Final = re.compile(
    "class|interface|struct|trait|enum_|enum$|union|func|method|module|namespace|object|protocol|impl|macro|record|"
    "type_(?:spec|alias|item|def|decl)|data_type|newtype|preproc_function|contract|singleton|mixin|constructor|"
    "signature|subroutine|message|service|rule|mod_item|type_synonym|procedure|create_|defmodule"
)
_WEAK: Final = re.compile("var|const|static|property|let|binding|assignment|preproc_def|definition|declaration|spec$")
_NEVER: Final = re.compile(
    "param|argument|reference|template_type|qualified|command|annotation|import|using|call|element|attribute|"
    "package|pattern|expression|specialization|namespace_(?:name|use)|field$|field_decl|type_identifier|accessor"
)
# `struct point p` names a type and defines none.
_ONLY_WITH_BODY: Final = re.compile("_specifier$")

_BY_NAME: Final = "(_ name: (_) @name)"
_BY_DECLARATOR: Final = """
(function_definition declarator: (_) @name)
(type_definition declarator: (_) @name)
"""
_OWN: Final = {
    "c": _BY_DECLARATOR,
    "cpp": _BY_DECLARATOR + "(alias_declaration name: (_) @name)",
    "objc": _BY_DECLARATOR,
    "javascript": """
        (assignment_expression left: (member_expression property: (_) @name) right: (function_expression))
        (assignment_expression left: (member_expression property: (_) @name) right: (arrow_function))
        (pair key: (_) @name value: (function_expression))
        (pair key: (_) @name value: (arrow_function))
        """,
    "elixir": "(call target: (identifier) @word (arguments . (_) @name))",
    "rust": "(impl_item type: (_) @name)",
    "python": "(module (expression_statement (assignment left: (identifier) @name)))",
    "kotlin": "(property_declaration (variable_declaration (identifier) @name))",
    "ocaml": "(let_binding pattern: (value_name) @name)",
    "css": "",
    "html": "",
}
_ELIXIR: Final = re.compile("def(?:p|module|macrop?|guardp?|delegate|protocol|impl|struct)?")
_FIRST_WORD: Final = re.compile(rb"[A-Za-z_$~][\w$.!?]*")


@cache
def has_grammar(language: str) -> bool:
    return _grammar(language) is not None


def parse(language: str, data: bytes) -> Parsed | None:
    """The tree of a text in UTF-8; None where there is no grammar for its language on this machine."""
    grammar = _grammar(language)
    if grammar is None:
        return None
    parser, queries = grammar
    root = parser.parse(data).root_node
    return Parsed(root, sorted(set(_definitions(queries, root)), key=lambda found: (found.row, found.name)))


@cache
def _grammar(language: str) -> tuple[Parser, list[Query]] | None:
    try:
        grammar = get_language(language)
    except (LanguageNotFoundError, GrammarLoadError, UnsupportedPlatformError):
        return None
    sources = [_OWN.get(language, ""), _BY_NAME]
    return Parser(grammar), [query for source in sources if source and (query := _query(grammar, source))]


def _query(grammar: Language, source: str) -> Query | None:
    try:
        return Query(grammar, source)
    except QueryError:  # a grammar without such a field defines no names that way
        return None


def _definitions(queries: Sequence[Query], root: Node) -> Iterator[Definition]:
    for query in queries:
        for _, captures in QueryCursor(query).matches(root):
            name = captures["name"][0]
            found = _elixir(captures["word"][0], name) if "word" in captures else _defined(name)
            if found is not None and 0 < len(found.name) <= LONGEST_NAME:
                yield found


def _defined(name: Node) -> Definition | None:
    node = name.parent
    if node is None or _NEVER.search(node.type):
        return None
    strong = _STRONG.search(node.type) is not None
    if not strong and not _WEAK.search(node.type) and node.type not in ("pair", "assignment_expression"):
        return None
    if _ONLY_WITH_BODY.search(node.type) and node.child_by_field_name("body") is None:
        return None
    strong = strong or node.child_by_field_name("declarator") is not None or _is_function(node)
    inner = name
    while (deeper := inner.child_by_field_name("declarator")) is not None:
        inner = deeper
    return _definition(inner, node, strong)


def _is_function(node: Node) -> bool:
    value = node.child_by_field_name("value") or node.child_by_field_name("right")
    return value is not None and ("func" in value.type or "class" in value.type)


def _elixir(word: Node, name: Node) -> Definition | None:
    """`def name(...) when ...` is a call, too."""
    node = word.parent
    if node is None or not _ELIXIR.fullmatch((word.text or b"").decode()):
        return None
    while name.type in ("call", "binary_operator"):
        name = name.child_by_field_name("target") or name.child_by_field_name("left") or name.children[0]
    return _definition(name, node, True)


def _definition(name: Node, node: Node, strong: bool) -> Definition | None:
    text = name.text or b""
    # Where a type has parameters, or a method a class before it, the name is what stands last before them.
    text = text.partition(b"<")[0].partition(b"(")[0].rpartition(b"::")[2].strip(b" *&\"'`")
    found = _FIRST_WORD.match(text)
    if found is None:
        if not text or text[0] < 128:
            return None
        word = text.decode("utf-8", "replace").split()[0]
    else:
        word = found.group().decode()
    return Definition(word, name.start_point[0], node.start_point[0], node.end_point[0], strong)
