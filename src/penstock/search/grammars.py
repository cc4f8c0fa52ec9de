"""Syntax trees of tree-sitter, with the grammars that semble-grammars bundles (extra `search`): nothing is downloaded.

Of a tree two things are wanted: where it may be cut, and which names are defined where. Grammars call the same thing
by many names, so the rule is general: a node that has a field `name`, and a type that sounds like a definition, defines
it. The few families that are built in another way have a rule of their own.
"""

from __future__ import annotations

import math
import re
import time
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
_SLICE: Final = 65_536  # what a parser is given at once; between two of them it can be ended


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
    more: bool = False  # adds to what is defined elsewhere: `impl Box`


class Parsed(NamedTuple):
    root: Branch
    definitions: list[Definition]


class Outlined(NamedTuple):
    """A definition with its place among the others of a file."""

    found: Definition
    stop: int  # the row behind its signature
    parent: int  # the one that it is inside of, by its number; -1 for none
    local: bool  # inside of a function, or more of what is defined elsewhere


class Outline(NamedTuple):
    definitions: list[Outlined]
    silent: list[tuple[int, int]]  # where comments and texts in quotes are, in bytes


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
_FUNCTION_KIND: Final = re.compile("func|method|lambda|closure|arrow|constructor_d|procedure|subroutine")
_NO_FUNCTION: Final = re.compile("call|invocation|declarator|name|param|modif|interface|keyword|import|prototype|spec$")
# One of the values of a type says nothing without the type.
_VARIANT: Final = re.compile("variant|enumerator$|enum_(?:constant|entry|member|case|assignment)")
# More of a type that is defined elsewhere.
_MORE: Final = ("impl_item", "category_implementation")
_COMMENT: Final = re.compile("comment")
# What stands between quotes; where a grammar has no word for that, the quotes and all.
_QUOTED: Final = re.compile(
    "(?:string|literal|heredoc|quoted|str)_(?:content|fragment|text|body)$|verbatim.*characters$|^jsx_text$"
)
_QUOTES: Final = re.compile("string$|string_(?:lit|literal|value|\\w+_quoted|qq?)$")
# tree-sitter takes time with the square of these: of how deep a query begins, and of how many pieces lie in one heap
# where it could not make sense of a text.
_DEEPEST: Final = 200
_MOST_PIECES: Final = 10_000
_MOST_LOOKED_AT: Final = 200_000
_SIGNATURE_ROWS: Final = 6
_DEFINING_WORD: Final = re.compile(r"def[\w*-]*")
_VALUES: Final = ("value", "right", "rhs")
_FIRST_WORD: Final = re.compile(rb"[A-Za-z_$~][\w$.!?\x80-\xff]*")


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
    definitions = sorted(
        {found for _, found in _definitions(queries, root, data)}, key=lambda found: (found.row, found.name)
    )
    return Parsed(root, list(_without_locals(definitions)))


def outline(language: str, data: bytes, until: float = math.inf) -> Outline | None:
    """What a text defines, and where in it nothing is said to the machine; None where there is no grammar for it.

    TimeoutError when that is not known at the time `until` of the monotonic clock.
    """
    grammar = _grammar(language)
    if grammar is None:
        return None
    parser, queries = grammar

    def read(at: int, _: object) -> bytes:
        return data[at : at + _SLICE] if time.monotonic() < until else b""

    root = parser.parse(read).root_node
    if time.monotonic() >= until:
        raise TimeoutError
    marked = _marks(language) if _is_whole(root) else None
    captures = QueryCursor(marked).captures(root) if marked is not None else {}
    functions = sorted((node.start_byte, node.end_byte) for node in captures.get("function", ()))
    silent = [(node.start_byte, node.end_byte) for node in captures.get("silent", ())]
    return Outline(_outlined(_definitions(queries, root, data), functions), sorted(silent))


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


@cache
def _marks(language: str) -> Query | None:
    """What finds functions, comments and quoted texts, by the names that a grammar has for them."""
    grammar = get_language(language)
    numbers = range(grammar.node_kind_count)
    named = [
        number for number in numbers if grammar.node_kind_is_named(number) and grammar.node_kind_is_visible(number)
    ]
    kinds = sorted({kind for number in named if (kind := grammar.node_kind_for_id(number)) is not None})
    quoted = [kind for kind in kinds if _QUOTED.search(kind)] or [kind for kind in kinds if _QUOTES.search(kind)]
    silent = [*quoted, *(kind for kind in kinds if _COMMENT.search(kind))]
    functions = [kind for kind in kinds if _FUNCTION_KIND.search(kind) and not _NO_FUNCTION.search(kind)]
    patterns = [f"({kind}) @silent" for kind in silent] + [f"({kind}) @function" for kind in functions]
    # One that a grammar knows by name only, and never makes, fails them all.
    good = [pattern for pattern in patterns if _query(grammar, pattern) is not None]
    return _query(grammar, "\n".join(good)) if good else None


def _outlined(found: Iterator[tuple[Node, Definition]], functions: Sequence[tuple[int, int]]) -> list[Outlined]:
    """In the order of the text, an outer one before those inside of it; without the values that a function keeps."""
    first: dict[Definition, Node] = {}
    for node, definition in found:
        if not _VARIANT.search(node.type):
            first.setdefault(definition, node)
    order = sorted(first.items(), key=lambda item: (item[1].start_byte, -item[1].end_byte, item[0].row, item[0].name))
    outlined: list[Outlined] = []
    around: list[tuple[int, int]] = []  # the strong ones that are open: where each ends, and its number
    reach = place = 0  # how far the functions go that began before
    for definition, node in order:
        while place < len(functions) and functions[place][0] < node.start_byte:
            reach = max(reach, functions[place][1])
            place += 1
        local = reach >= node.end_byte
        if local and not definition.strong:
            continue
        while around and around[-1][0] < node.end_byte:
            around.pop()
        parent = around[-1][1] if around else -1
        if definition.strong:
            around.append((node.end_byte, len(outlined)))
        outlined.append(Outlined(definition, _stop(node, definition), parent, local or definition.more))
    return outlined


def _stop(node: Node, definition: Definition) -> int:
    """The row behind the signature: behind what stands before the body."""
    value = next((found for name in _VALUES if (found := node.child_by_field_name(name)) is not None), None)
    body = node.child_by_field_name("body") or (value and value.child_by_field_name("body"))
    before = body and body.prev_sibling
    if before is None or not definition.strong:
        return definition.row + 1
    stop = before.end_point[0] + 1
    return stop if definition.row < stop <= definition.row + _SIGNATURE_ROWS else definition.row + 1


def _is_whole(root: Node) -> bool:
    """Whether the text made sense on the whole: no node of it is a heap of pieces."""
    waiting = [root] if root.has_error else []
    looked_at = 0
    while waiting:
        node = waiting.pop()
        looked_at += node.child_count
        if looked_at > _MOST_LOOKED_AT or (node.type == "ERROR" and node.child_count > _MOST_PIECES):
            return False
        waiting += [child for child in node.children if child.has_error]
    return True


def _definitions(queries: Sequence[Query], root: Node, data: bytes) -> Iterator[tuple[Node, Definition]]:
    """Each with the node that defines it."""
    if not _is_whole(root):
        return
    for query in queries:
        cursor = QueryCursor(query)
        cursor.set_max_start_depth(_DEEPEST)
        for _, captures in cursor.matches(root):
            name = captures["name"][0]
            node = captures["word"][0].parent if "word" in captures else _defining(name)
            if node is None:
                continue
            if "word" in captures:
                found = _by_word(_text(captures["word"][0], data), name, node, data)
            else:
                found = _defined(name, node, data)
            if found is not None and 0 < len(found.name) <= LONGEST_NAME:
                yield node, found


def _text(node: Node, data: bytes) -> bytes:
    # Its own `text` asks the reader of the parser again, and waits for ever where that has nothing more to give.
    return data[node.start_byte : node.end_byte]


def _without_locals(definitions: Sequence[Definition]) -> Iterator[Definition]:
    """Nobody looks for the variables inside of a function by their names."""
    first = last = -1  # rows of the function that ends last of those so far
    for found in definitions:
        if found.strong or not first < found.row <= last:
            yield found
        if found.function and found.last > last:
            first, last = found.first, found.last


def _defining(name: Node) -> Node | None:
    node = name.parent
    while node is not None and node.type in _WRAPPINGS:
        node = node.parent
    return node


def _defined(name: Node, node: Node, data: bytes) -> Definition | None:
    strong = _STRONG.search(node.type) is not None
    if node.type not in _ASKED_FOR and (_NEVER.search(node.type) or not (strong or _WEAK.search(node.type))):
        return None
    if _ONLY_WITH_BODY.search(node.type) and node.child_by_field_name("body") is None:
        return None
    strong = strong or node.child_by_field_name("declarator") is not None or _is_function(node)
    inner = name
    while (deeper := inner.child_by_field_name("declarator")) is not None:
        inner = deeper
    return _definition(inner, node, strong, data)


def _is_function(node: Node) -> bool:
    value = next((found for name in _VALUES if (found := node.child_by_field_name(name)) is not None), None)
    return value is not None and "func" in value.type


def _is_extension(node: Node) -> bool:
    """Swift's: the grammar takes them for classes."""
    kind = node.child_by_field_name("declaration_kind")
    return kind is not None and kind.type == "extension"


def _by_word(word: bytes, name: Node, node: Node, data: bytes) -> Definition | None:
    """Where a definition is a call or a list like any other: `def name(...) when ...`, `(defn name ...)`."""
    if not _DEFINING_WORD.fullmatch(word.decode("utf-8", "replace")):
        return None
    while name.type in ("call", "binary_operator"):
        name = name.child_by_field_name("target") or name.child_by_field_name("left") or name.children[0]
    return _definition(name, node, True, data)


def _definition(name: Node, node: Node, strong: bool, data: bytes) -> Definition | None:
    text = _text(name, data)
    # Where a type has parameters, or a method a class before it, the name is what stands last before them.
    text = text.partition(b"(")[0].rpartition(b"::")[2].partition(b"<")[0].strip(b" *&\"'`")
    found = _FIRST_WORD.match(text)
    if found is None:
        if not text or text[0] < 128:
            return None
        word = text.decode("utf-8", "replace").split()[0]
    else:
        word = found.group().decode("utf-8", "replace")
    function = strong and (_FUNCTION.search(node.type) is not None or _is_function(node))
    more = node.type in _MORE or _is_extension(node)
    return Definition(word, name.start_point[0], node.start_point[0], node.end_point[0], strong, function, more)
