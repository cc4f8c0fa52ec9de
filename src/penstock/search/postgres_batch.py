"""A batch of files into the tables of an index in PostgreSQL, and files out of them, with what is counted of terms."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final, LiteralString

from penstock.search import words
from penstock.search.contract import Chunk, IndexedFile

if TYPE_CHECKING:
    import psycopg

# Of a term so many places are kept in each field: more of them say little more.
_PLACES: Final = (("A", 2), ("B", 3), ("D", 8))
_FORGOTTEN: Final = "\N{REPLACEMENT CHARACTER}"  # in the place of NUL, which PostgreSQL's text cannot hold

_OF_FILES: Final[LiteralString] = (
    "FROM chunks c JOIN files f ON f.id = c.file WHERE f.repository = %s AND f.path = ANY(%s)"
)
_FORGET_TERMS: Final[LiteralString] = (
    "UPDATE vocabulary v SET chunks = v.chunks - gone.chunks "  # noqa: S608  # only constants of this module
    "FROM (SELECT term, count(*) AS chunks "
    "FROM (SELECT unnest(tsvector_to_array(c.terms)) AS term " + _OF_FILES + ") t GROUP BY term) gone "
    "WHERE v.term = gone.term"
)


def remove(connection: psycopg.Connection[tuple[Any, ...]], repository: int, paths: list[str]) -> None:
    which = (repository, paths)
    counted = connection.execute("SELECT count(*), coalesce(sum(c.length), 0) " + _OF_FILES, which).fetchone()
    if counted and counted[0]:
        connection.execute(_FORGET_TERMS, which)
        connection.execute("UPDATE totals SET chunks = chunks - %s, terms = terms - %s", counted)
    connection.execute("DELETE FROM files WHERE repository = %s AND path = ANY(%s)", which)


def insert(connection: psycopg.Connection[tuple[Any, ...]], repository: int, files: Sequence[IndexedFile]) -> None:
    if not files:
        return
    numbers = {}
    for file in files:
        state = file.state
        row = connection.execute(
            "INSERT INTO files (repository, path, language, size, mtime_ns, digest) VALUES (%s, %s, %s, %s, %s, %s) "
            "RETURNING id",
            (repository, _clean(file.path), file.language, state.size, state.mtime_ns, state.digest),
        ).fetchone()
        numbers[file.path] = row and row[0]
    counts: Counter[str] = Counter()
    chunks = length = 0
    with (
        connection.cursor() as cursor,
        cursor.copy(
            "COPY chunks (file, start_line, end_line, symbols, scope, names, length, content, terms) FROM STDIN"
        ) as copy,
    ):
        for file in files:
            for chunk in file.chunks:
                vector, own, size = _vector(file.path, chunk)
                counts.update(own)
                chunks += 1
                length += size
                names = sorted({name.lower() for name in chunk.symbols})
                place = (numbers[file.path], chunk.start_line, chunk.end_line)
                copy.write_row(
                    (*place, list(chunk.symbols), list(chunk.scope), names, size, _clean(chunk.content), vector)
                )
    connection.execute(
        "INSERT INTO vocabulary SELECT * FROM unnest(%s::text[], %s::bigint[]) "
        "ON CONFLICT (term) DO UPDATE SET chunks = vocabulary.chunks + excluded.chunks",
        (list(counts), list(counts.values())),
    )
    connection.execute("UPDATE totals SET chunks = chunks + %s, terms = terms + %s", (chunks, length))


def _vector(path: str, chunk: Chunk) -> tuple[str, set[str], int]:
    """The text form of a chunk's tsvector, its terms, and how many there are of them, one by one."""
    fields = (words.terms(path), _all_terms((*chunk.symbols, *chunk.scope)), words.terms(chunk.content))
    places: dict[str, list[str]] = {}
    at = 0
    for terms, (weight, most) in zip(fields, _PLACES, strict=True):
        for term, times in Counter(terms).items():
            for _ in range(min(times, most)):
                at = min(at + 1, 16_383)  # further on there are no places
                places.setdefault(term, []).append(f"{at}{weight}")
    vector = " ".join(f"'{term}':{','.join(given)}" for term, given in places.items())
    return vector, set(places), len(fields[2])


def _all_terms(texts: Iterable[str]) -> list[str]:
    return [term for text in texts for term in words.terms(text)]


def _clean(text: str) -> str:
    return text.replace("\0", _FORGOTTEN)
