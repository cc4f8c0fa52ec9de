"""The declarations as a tree of keys, and what can be said of a key that is not in it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Final, get_args, get_origin

import msgspec
from msgspec.structs import replace

from penstock.settings.table import NAME, Setting, Table

Key = tuple[str, ...]

_COMPARED: Final = 80


class Section(msgspec.Struct, frozen=True):
    declared: type[msgspec.Struct]
    keys: dict[str, Tree]


class Named(msgspec.Struct, frozen=True):
    """A section whose keys people choose."""

    each: Tree


Tree = Setting | Section | Named


def _tree(annotation: Any, default: object, named: bool, inherits: str) -> Tree:
    if get_origin(annotation) is not Annotated:
        note = ""
    else:
        annotation, note = get_args(annotation)
        if isinstance(note, Setting):
            env = "" if named else note.env
            return replace(note, default=default, env=env, inherits=inherits)
    if get_origin(annotation) is Mapping:
        return Named(_tree(get_args(annotation)[1], None, True, note))
    return _section(annotation, named, inherits)


def _section(declared: type[msgspec.Struct], named: bool = False, inherits: str = "") -> Section:
    defaults = dict(zip(declared.__struct_fields__, declared.__struct_defaults__, strict=True))
    keys = {}
    for base in reversed(declared.__mro__[: declared.__mro__.index(msgspec.Struct)]):
        for word, annotation in base.__annotations__.items():
            # What a class adds to the one that it extends has nothing to inherit from.
            keys[word] = _tree(annotation, defaults[word], named, "" if base is declared else inherits)
    return Section(declared, keys)


TREE: Final = _section(Table)


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


def no_such(word: str, section: Section) -> str:
    """What to say of the unknown key `word` in `section`; a dotted one is compared with all settings."""
    everywhere = [(".".join(key), key[-1]) for key, _ in settings()]
    near = nearest(word, [dotted for dotted, _ in everywhere] if "." in word else list(section.keys))
    near = near or next((dotted for dotted, last in everywhere if last == word), None)
    if near:
        return f"there is no such setting; did you mean {near}?"
    return "there is no such setting; known here: " + ", ".join(section.keys)


def nearest(word: str, known: Sequence[str]) -> str | None:
    import difflib  # noqa: PLC0415  # only a mistake needs it

    # Bounded: comparing is quadratic, and a key may be a whole file that lost its colon.
    return next(iter(difflib.get_close_matches(word[:_COMPARED], known, 1)), None)
