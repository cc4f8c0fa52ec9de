"""Lines that define something, in the languages that most code is written in: told by keywords and brackets.

A line defines by a word that says so (`def`, `class`, `fn`, `struct`, `#define`, `CREATE TABLE`), by the shape of a
function in the languages that have no such word, or by an assignment.
"""

from __future__ import annotations

from typing import Final

from penstock.core.patterns import re_pattern

# What of a line is looked at. Every pattern here starts at the line's start and costs no more than that much.
READ: Final = 240

_BEFORE_WORDS: Final = (
    "export default public private protected internal static final abstract async pub unsafe extern inline virtual"
    " override sealed partial open data declare suspend local native synchronized constexpr typedef readonly implicit"
    " case create or replace temporary noinline global"
)
_KEYWORDS: Final = (
    "def class func fn fun function struct interface trait enum union type impl module mod namespace macro proc sub"
    " record protocol object message service rpc defmodule defp defn defmacro procedure trigger table view newtype"
    " extension actor typealias subroutine program package"
)
_VARIABLES: Final = "const let var val static final readonly"
_NEVER: Final = frozenset(
    b"return else if elif while for switch throw new await yield raise assert in not and or from import catch do try"
    b" with when unless until print echo require include using delete defer go select".split()
)


def _any_of(words: str) -> bytes:
    return b"(?:" + b"|".join(words.encode().split()) + b")"


_BEFORE: Final = rb"[ \t]*(?:" + _any_of(_BEFORE_WORDS) + rb"(?:\([\w:]+\))?[ \t]+)*"
_KEYWORD: Final = rb"(?:" + _any_of(_KEYWORDS) + rb"\*?|macro_rules!|#[ \t]*define)"
_VARIABLE: Final = _any_of(_VARIABLES) + rb"[ \t]+(?:mut[ \t]+)?"
# What stands between the keyword and the name: a receiver in Go, type parameters in Rust, the class in Ruby or C++.
_OWNER: Final = rb"[ \t*]*(?:\([^()]*\)[ \t]*|<[^<>]*>[ \t]*|[ \t])(?:[\w.]+(?:\.|::|#))?"
_NAME: Final = rb"([\w$]+)"
# Functions in C, C++, Java, C#: types, a name, an open bracket, no semicolon. In JavaScript a name does without types.
_TYPES: Final = rb"[ \t]*[A-Za-z_][\w:<>,*&\[\]?]*(?:[ \t]+[\w:<>,*&\[\]?]+){0,5}?[ \t*&]{1,8}(?:\w+::){0,5}"
_REST: Final = rb"[ \t]*\([^;]*$"
_METHOD: Final = rb"[ \t]*(?:(?:async|static|get|set)[ \t]+)?[*#]?" + _NAME + rb"[ \t]*\([^;]*\{[ \t]*$"
_FUNCTION_VALUE: Final = rb"[^=]*=[ \t]*(?:async[ \t]*)?(?:function\b|\(.*=>|\w+[ \t]*=>)"

_BY_WORD: Final = re_pattern(
    rb"(?i)" + _BEFORE + _KEYWORD + _OWNER + _NAME + rb"|" + _BEFORE + _VARIABLE + _NAME + _FUNCTION_VALUE
)
_BY_SHAPE: Final = re_pattern(_TYPES + _NAME + _REST + rb"|" + _METHOD)
_SHAPES: Final = tuple(
    (sure, re_pattern(rb"(?i)" + shape))
    for sure, shape in (
        (1.0, _BEFORE + _KEYWORD + _OWNER + _NAME),
        (0.9, _BEFORE + _VARIABLE + _NAME),
        (0.8, _TYPES + _NAME + _REST),
        (0.7, rb"[ \t]*(?:self\.|this\.|exports\.|module\.exports\.)?" + _NAME + rb"[ \t]*(?::[^=]*)?:?=(?!=)"),
        (0.5, rb"[ \t]*\.\. [\w:]+:: (?:\w+\.)*" + _NAME),
    )
)
_IN_A_NAME: Final = 0.6

_STARTERS: Final = frozenset(
    f"{_BEFORE_WORDS} {_KEYWORDS} {_VARIABLES} macro_rules! #define .. function*".encode().split()
)
_OWNERS: Final = frozenset((b"", b"self.", b"this.", b"exports.", b"module.exports."))


def defines(line: bytes) -> bool:
    """Whether a line defines a function, a type, a module or the like."""
    words = line[:READ].split(None, 1)
    if not words:
        return False
    first = _start_of(words[0])
    if first in _STARTERS or (first.isupper() and first.lower() in _STARTERS):
        return _BY_WORD.match(line[:READ]) is not None or _by_shape(line, first)
    return b"(" in line and _by_shape(line, first)


def _start_of(word: bytes) -> bytes:
    """A word without what it takes: `pub(crate)`, `impl<T>`."""
    return word.partition(b"(")[0].partition(b"<")[0]


def _by_shape(line: bytes, first: bytes) -> bool:
    if first in _NEVER or not (line[-1:] == b"{" or line[:1].isalpha()):
        return False
    return _BY_SHAPE.match(line[:READ]) is not None


def sureness(line: bytes, word: bytes) -> float:
    """How surely a line defines `word`: 0 where it does not."""
    if not _may_define(line, word):
        return 0.0
    for sure, shape in _SHAPES:
        found = shape.match(line)
        if found is not None and word in found[1]:
            return sure if found[1] == word else sure * _IN_A_NAME
    return 0.0


def _may_define(line: bytes, word: bytes) -> bool:
    """Whether a line with `word` in it is worth a closer look: cheap, and no to most uses."""
    place = line.find(word)
    before = line[:place].lstrip()
    if before in _OWNERS:
        return True
    first = _start_of(before.split(None, 1)[0]).lower()
    if first in _STARTERS:
        return True
    after = place + len(word)
    typed = before[-1:] in b" \t*&:" and before[-2:-1] not in b"=(,+-!|?"
    return typed and line[after : after + 1] == b"(" and first not in _NEVER
