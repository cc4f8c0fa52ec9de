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
    function: bool


class Parsed(NamedTuple):
    root: Branch
    definitions: list[Definition]


_STRONG: Final = re.compile(
    "class|interface|struct|trait|enum_|enum$|union|func|method|module|namespace|object|protocol|impl|macro|record|"
    "type_(?:spec|alias|item|def|decl)|data_type|newtype|preproc_function|contract|singleton|mixin|constructor|"
    "(?<!property_)signature|subroutine|message|service|rule|mod_item|type_synonym|procedure|create_|defmodule"
)
_FUNCTION: Final = re.compile("func|method|constructor|subroutine|procedure")
_WEAK: Final = re.compile("var|const|static|property|let|binding|assignment|preproc_def|definition|declaration|spec$")
_NEVER: Final = re.compile(
    "param|argument|reference|invocation|template_|(?<!data)_type$|tuple|constraint|index_signature|qualified|command|"
    "annotation|import|using|call|element|attribute|package|pattern|expression|specialization|namespace_(?:name|use)|"
    "field$|field_decl|type_identifier|accessor"
)
# Of these only those come that the queries below ask for.
_ASKED_FOR: Final = ("pair", "assignment_expression", "binary_operator", "block")
# Around a name, inside of what defines it.
_WRAPPINGS: Final = ("member_expression", "object_reference", "string_lit", "call_expression", "signature", "type_head")
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
    "objc": _BY_DECLARATOR
    + """
        (class_interface . (identifier) @name)
        (class_implementation . (identifier) @name)
        (method_definition (identifier) @name)
        """,
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
    "clojure": "(list_lit . value: (sym_lit) @word . value: (sym_lit) @name)",
    "scheme": """
        (list . (symbol) @word . (symbol) @name)
        (list . (symbol) @word . (list . (symbol) @name))
        """,
    "racket": """
        (list . (symbol) @word . (symbol) @name)
        (list . (symbol) @word . (list . (symbol) @name))
        """,
    "r": "(binary_operator lhs: (identifier) @name rhs: (function_definition))",
    "julia": """
        (function_definition (signature (call_expression . (identifier) @name)))
        (struct_definition (type_head (identifier) @name))
        """,
    "powershell": "(function_statement (function_name) @name)",
    "graphql": """
        (object_type_definition (name) @name)
        (interface_type_definition (name) @name)
        (input_object_type_definition (name) @name)
        (enum_type_definition (name) @name)
        """,
    "sql": "(create_table (object_reference name: (_) @name)) (create_function (object_reference name: (_) @name))",
    "hcl": "(block (string_lit (template_literal) @name))",
    "zig": "(variable_declaration . (identifier) @name)",
}
_DEFINING_WORD: Final = re.compile(r"def[\w*-]*")
_VALUES: Final = ("value", "right", "rhs")
_FIRST_WORD: Final = re.compile(rb"[A-Za-z_$~][\w$.!?]*")


@cache
def has_grammar(language: str) -> bool:
    return _grammar(language) is not None


def parse(language: str, data: bytes) -> Parsed | None:
    """The tree of a text in UTF-8; None where there is no grammar for its language on this machine.

    It may take minutes, for a file of nothing but brackets: who cannot wait parses in another process (`cutting`).
    """
    grammar = _grammar(language)
    if grammar is None:
        return None
    parser, queries = grammar
    root = parser.parse(data).root_node
    definitions = sorted(set(_definitions(queries, root)), key=lambda found: (found.row, found.name))
    return Parsed(root, list(_without_locals(definitions)))


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
            found = _by_word(captures["word"][0], name) if "word" in captures else _defined(name)
            if found is not None and 0 < len(found.name) <= LONGEST_NAME:
                yield found


def _without_locals(definitions: Sequence[Definition]) -> Iterator[Definition]:
    """Nobody looks for the variables inside of a function by their names."""
    first = last = -1  # rows of the function that ends last of those so far
    for found in definitions:
        if found.strong or not first < found.row <= last:
            yield found
        if found.function and found.last > last:
            first, last = found.first, found.last


def _defined(name: Node) -> Definition | None:
    node = name.parent
    while node is not None and node.type in _WRAPPINGS:
        node = node.parent
    if node is None:
        return None
    strong = _STRONG.search(node.type) is not None
    if node.type not in _ASKED_FOR and (_NEVER.search(node.type) or not (strong or _WEAK.search(node.type))):
        return None
    if _ONLY_WITH_BODY.search(node.type) and node.child_by_field_name("body") is None:
        return None
    strong = strong or node.child_by_field_name("declarator") is not None or _is_function(node)
    inner = name
    while (deeper := inner.child_by_field_name("declarator")) is not None:
        inner = deeper
    return _definition(inner, node, strong)


def _is_function(node: Node) -> bool:
    value = next((found for name in _VALUES if (found := node.child_by_field_name(name)) is not None), None)
    return value is not None and "func" in value.type


def _by_word(word: Node, name: Node) -> Definition | None:
    """Where a definition is a call or a list like any other: `def name(...) when ...`, `(defn name ...)`."""
    node = word.parent
    if node is None or not _DEFINING_WORD.fullmatch((word.text or b"").decode()):
        return None
    while name.type in ("call", "binary_operator"):
        name = name.child_by_field_name("target") or name.child_by_field_name("left") or name.children[0]
    return _definition(name, node, True)


def _definition(name: Node, node: Node, strong: bool) -> Definition | None:
    text = name.text or b""
    # Where a type has parameters, or a method a class before it, the name is what stands last before them.
    text = text.partition(b"(")[0].rpartition(b"::")[2].partition(b"<")[0].strip(b" *&\"'`")
    found = _FIRST_WORD.match(text)
    if found is None:
        if not text or text[0] < 128:
            return None
        word = text.decode("utf-8", "replace").split()[0]
    else:
        word = found.group().decode()
    function = strong and (_FUNCTION.search(node.type) is not None or _is_function(node))
    return Definition(word, name.start_point[0], node.start_point[0], node.end_point[0], strong, function)
