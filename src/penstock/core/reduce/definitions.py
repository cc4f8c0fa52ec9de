"""Lines that define something, in the languages that most code is written in: told by keywords and braces.

A line defines by a word that says so (`def`, `class`, `fn`, `struct`, `#define`, `CREATE TABLE`), by the shape of a
function in the languages that have no such word, or by an assignment.
"""

from __future__ import annotations

import re
from typing import Final

# What of a line is looked at. Every pattern here starts at the line's start and is linear in that.
READ: Final = 240

_BEFORE: Final = (
    rb"[ \t]*(?:(?:export|default|public|private|protected|internal|static|final|abstract|async|pub(?:\([\w:]+\))?|unsafe"
    rb"|extern|inline|virtual|override|sealed|partial|open|data|declare|suspend|local|native|synchronized|constexpr"
    rb"|typedef|readonly|implicit|case|create|or|replace|temporary|noinline|global)[ \t]+)*"
)
_KEYWORD: Final = (
    rb"(?:def|class|func|fn|fun|function|struct|interface|trait|enum|union|type|impl|module|mod|namespace|macro|proc|sub"
    rb"|record|protocol|object|message|service|rpc|defmodule|defp|defn|defmacro|macro_rules!|procedure|trigger|table|view"
    rb"|newtype|extension|actor|typealias|#[ \t]*define|subroutine|program|package)"
)
_VARIABLE: Final = rb"(?:const|let|var|val|static|final|readonly)[ \t]+(?:mut[ \t]+)?"
# What stands between the keyword and the name: a receiver in Go, type parameters in Rust, the class in Ruby or C++.
_OWNER: Final = rb"[ \t*]+(?:\([^()]*\)[ \t]*|<[^<>]*>[ \t]*)?(?:[\w.]+(?:\.|::|#))?"
# A function in C, C++, Java and C#: types, a name, an open bracket, and no semicolon.
_TYPES: Final = rb"[ \t]*(?!return|else|if|while|for|switch|throw|new|await|yield|raise|assert|in|not|and|or|from|import)[A-Za-z_][\w:<>,*&\[\]?]*(?:[ \t]+[\w:<>,*&\[\]?]+)*?[ \t*&]+(?:\w+::)*"
_REST: Final = rb"[ \t]*\([^;]*$"

_ANY: Final = re.compile(
    _BEFORE + rb"(?:" + _KEYWORD + _OWNER + rb"[\w$]|" + _KEYWORD + rb"[ \t]*\(|" + _VARIABLE + rb"\w+[^=]*=[ \t]*(?:async[ \t]*)?"
    rb"(?:function\b|\(|\w+[ \t]*=>))"
    rb"|[ \t]*(?:CREATE|ALTER)[ \t]+(?:OR[ \t]+REPLACE[ \t]+)?[A-Z]+[ \t]+\w"
    rb"|(?![ \t]+[a-z]+\()" + _TYPES + rb"\w+" + _REST
)


def defines(line: bytes) -> bool:
    """Whether a line defines a function, a type, a module or the like."""
    return _ANY.match(line[:READ]) is not None


_STARTERS: Final = frozenset(re.findall(rb"[#\w]+", _BEFORE + rb" " + _KEYWORD + rb" " + _VARIABLE)) | {b"pub(crate)", b"..", b"#", b"##"}
_NEVER: Final = frozenset(b"return else if while for switch throw new await yield raise assert in not and or from import".split())
_OWNERS: Final = frozenset((b"", b"self.", b"this.", b"exports.", b"module.exports."))


def may_define(line: bytes, word: bytes) -> bool:
    """Whether a line with `word` in it is worth a closer look: cheap, and no to most uses."""
    place = line.find(word)
    before = line[:place].lstrip()
    if before in _OWNERS:
        return True
    first = before.split(None, 1)[0].lower()
    if first in _STARTERS:
        return True
    after = place + len(word)
    return line[after : after + 1] == b"(" and before[-1:] in b" \t*&:" and before[-2:-1] not in b"=(,+-!|?" and first not in _NEVER


_NAME: Final = rb"([\w$]+)"
_SHAPES: Final = tuple(
    (sure, re.compile(shape, re.IGNORECASE))
    for sure, shape in (
        (1.0, _BEFORE + _KEYWORD + _OWNER + _NAME),
        (0.9, _BEFORE + _VARIABLE + _NAME),
        (0.8, _TYPES + _NAME + _REST),
        (0.7, rb"[ \t]*(?:self\.|this\.|exports\.|module\.exports\.)?" + _NAME + rb"[ \t]*(?::[^=]*)?:?=(?!=)"),
        (0.5, rb"[ \t]*\.\. [\w:]+:: (?:\w+\.)*" + _NAME),
    )
)
_IN_A_NAME: Final = 0.6


def sureness(line: bytes, word: bytes) -> float:
    """How surely a line defines `word`: 0 where it does not."""
    if not may_define(line, word):
        return 0.0
    for sure, shape in _SHAPES:
        found = shape.match(line)
        if found is not None and word in found[1]:
            return sure if found[1] == word else sure * _IN_A_NAME
    return 0.0
