"""The ledger's table in SQLite: what it looks like, the questions put to it, and events as rows."""

from __future__ import annotations

from typing import Final, Literal, cast

from penstock.core.entry import Entry, ReadBack, Reason
from penstock.core.handle import Handle
from penstock.core.measure import Size
from penstock.ledger.contract import By, Event
from penstock.ledger.ranges import parsed, written

Row = tuple[object, ...]
Told = tuple[float, float, Entry | ReadBack]  # an Event without the cost of making one: at, seconds, what

SCHEMA: Final = (
    """CREATE TABLE IF NOT EXISTS ledger_events (
        id INTEGER PRIMARY KEY,
        at REAL,
        seconds REAL,
        action TEXT,
        tool TEXT,
        agent TEXT,
        kind TEXT,
        strategy TEXT,
        reason TEXT,
        chars_before INTEGER, lines_before INTEGER, bytes_before INTEGER, tokens_before INTEGER,
        chars_after INTEGER, lines_after INTEGER, bytes_after INTEGER, tokens_after INTEGER,
        handle TEXT,
        failure TEXT,
        shown TEXT
    )""",
    "CREATE INDEX IF NOT EXISTS ledger_events_at ON ledger_events (at)",
    """CREATE INDEX IF NOT EXISTS ledger_events_handle ON ledger_events (handle, at)
        WHERE handle IS NOT NULL""",
)

_COLUMNS: Final = (
    "at, seconds, action, tool, agent, kind, strategy, reason,"
    " chars_before, lines_before, bytes_before, tokens_before,"
    " chars_after, lines_after, bytes_after, tokens_after, handle, failure, shown"
)
INSERT: Final = "INSERT INTO ledger_events (COLUMNS) VALUES (VALUES)".replace("COLUMNS", _COLUMNS).replace(
    "(VALUES)", "(?" + ",?" * _COLUMNS.count(",") + ")"
)
RECENT: Final = "SELECT COLUMNS FROM ledger_events ORDER BY at DESC, id DESC LIMIT ?".replace("COLUMNS", _COLUMNS)
SHOWN: Final = "SELECT shown FROM ledger_events WHERE handle = ? AND shown <> ''"
PRUNE: Final = "DELETE FROM ledger_events WHERE id IN (SELECT id FROM ledger_events WHERE at < ? LIMIT ?)"

# The columns of Totals, in order. `?` is the earliest time that counts.
_TOTALS: Final = """
WITH e AS (
    SELECT *, action = 'admit' AS admitted, action = 'admit' AND reason NOT IN ('fits', 'skip') AS cut
    FROM ledger_events WHERE at >= ?
)
SELECT GROUPING,
    sum(admitted),
    sum(cut),
    sum(cut AND failure <> ''),
    sum(CASE WHEN admitted THEN bytes_before ELSE 0 END),
    sum(CASE WHEN admitted THEN bytes_after ELSE 0 END),
    sum(CASE WHEN cut AND tokens_after IS NOT NULL THEN coalesce(tokens_before, 0) ELSE 0 END),
    sum(CASE WHEN cut AND tokens_before IS NOT NULL THEN coalesce(tokens_after, 0) ELSE 0 END),
    sum(NOT admitted),
    sum(cut AND EXISTS (
        SELECT 1 FROM ledger_events r
        WHERE r.handle = e.handle AND r.action <> 'admit' AND (r.at, r.id) > (e.at, e.id)
    )),
    total(seconds)
FROM e GROUP BY 1 ORDER BY ORDERING
"""
_GROUPING: Final[dict[By, str]] = {
    "all": "''",
    "tool": "tool",
    "agent": "agent",
    # A read-back counts where its result does.
    "kind": """CASE WHEN admitted THEN kind ELSE coalesce((
        SELECT a.kind FROM ledger_events a WHERE a.handle = e.handle AND a.action = 'admit'
        ORDER BY a.at DESC, a.id DESC LIMIT 1), '') END""",
    # As a whole number: date() rounds to milliseconds, and would take the last of them for the next day.
    "day": "date(cast(at AS INTEGER), 'unixepoch')",
}


def totals_question(by: By) -> str:
    ordering = "1" if by == "day" else "3 DESC, 2 DESC, 1"  # most truncated first
    return _TOTALS.replace("GROUPING", _GROUPING[by]).replace("ORDERING", ordering)


def row_of(event: Told) -> Row:
    at, seconds, what = event
    whose = (_storable(what.tool), _storable(what.agent))
    shown = written(what.shown)
    if isinstance(what, ReadBack):
        no_size = (None, None, None, None)
        return (at, seconds, what.action, *whose, "", "", "", *no_size, *what.after, what.handle, "", shown)
    how = (_storable(what.kind), _storable(what.strategy), what.reason)
    outcome = (what.handle, _storable(what.failure), shown)
    return (at, seconds, "admit", *whose, *how, *what.before, *what.after, *outcome)


def _storable(text: str) -> str:
    """SQLite takes no lone surrogates, and one bad name must not hold up all that wait behind it."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode("utf-8")


def event_of(row: Row) -> Event:
    at, seconds, action, tool, agent, kind, strategy, reason, *sizes, handle, failure, shown = row
    before, after = Size(*cast("list[int]", sizes[:4])), Size(*cast("list[int]", sizes[4:]))
    spans = parsed(str(shown))
    what: Entry | ReadBack
    if action == "admit":
        kept = None if handle is None else Handle(str(handle))
        names = (str(tool), str(agent), str(kind), str(strategy), cast("Reason", reason))
        what = Entry(*names, before, after, kept, str(failure), spans)
    else:
        how = cast('Literal["read", "grep", "unseen"]', action)
        what = ReadBack(Handle(str(handle)), how, str(tool), str(agent), after, spans)
    return Event(cast("float", at), cast("float", seconds), what)
