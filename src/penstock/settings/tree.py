"""The declarations as a tree of keys, and what can be said of a key that is not in it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import Final

from penstock.settings.table import NAME, Setting, Table

Key = tuple[str, ...]

_COMPARED: Final = 80


@dataclass(frozen=True, slots=True)
class Section:
    keys: dict[str, Tree]


@dataclass(frozen=True, slots=True)
class Named:
    """A section whose keys people choose."""

    each: Tree


Tree = Setting | Section | Named


def _tree(declared: type, named: bool = False, inherits: str = "") -> Section:
    keys: dict[str, Tree] = {}
    for field in fields(declared):
        inner = field.metadata["declared"]
        if field.metadata.get("named"):
            inner = inner if isinstance(inner, Setting) else _tree(inner, True, field.metadata["inherits"])
            keys[field.name] = Named(inner)
        elif isinstance(inner, Setting):
            # What a class adds to the one it extends has nothing to inherit from.
            added = field.name in declared.__annotations__
            keys[field.name] = replace(inner, env="", inherits="" if added else inherits) if named else inner
        else:
            keys[field.name] = _tree(inner, named, inherits)
    return Section(keys)


TREE: Final = _tree(Table)


def settings(tree: Tree = TREE, at: Key = ()) -> Iterator[tuple[Key, Setting]]:
    """Every setting with its key, as declared; a name that people choose is `<name>`."""
    if isinstance(tree, Setting):
        yield at, tree
    elif isinstance(tree, Named):
        yield from settings(tree.each, (*at, NAME))
    else:
        for key, inner in tree.keys.items():
            yield from settings(inner, (*at, key))


def place_of(words: list[str], tree: Tree = TREE) -> tuple[Key, Tree] | None:
    """The key that dotted `words` spell and what stands there. Names may hold dots themselves: `mcp.files.read`."""
    if not words:
        return (), tree
    if isinstance(tree, Section):
        inner = tree.keys.get(words[0])
        found = place_of(words[1:], inner) if inner else None
        return found and ((words[0], *found[0]), found[1])
    if isinstance(tree, Named):
        for count in range(1, len(words) + 1):
            found = place_of(words[count:], tree.each)
            if found:
                return (".".join(words[:count]), *found[0]), found[1]
    return None


def no_such(word: str, siblings: Sequence[str]) -> str:
    """What to say of the unknown key `word` among `siblings`."""
    elsewhere = (".".join(key) for key, _ in settings() if key[-1] == word)
    near = nearest(word, siblings) or next(elsewhere, None)
    if near:
        return f"there is no such setting; did you mean {near}?"
    return "there is no such setting; known here: " + ", ".join(siblings)


def nearest(word: str, known: Sequence[str]) -> str | None:
    import difflib  # noqa: PLC0415  # only a mistake needs it

    # Bounded: comparing is quadratic, and a key may be a whole file that lost its colon.
    return next(iter(difflib.get_close_matches(word[:_COMPARED], known, 1)), None)
