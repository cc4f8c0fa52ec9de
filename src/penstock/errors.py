"""Everything Penstock raises, by whose fault it is.

PenstockError
├── CallerError        the call is wrong; calling again the same way fails again      exit code 2
│   ├── ArgumentError      a wrong argument of a tool: its name and what is allowed
│   ├── LimitError         a limit that is no limit: 0, negative, not a whole number
│   ├── ResultError        a value that cannot be a tool result (it has no JSON form)
│   ├── PatternError       a search pattern that cannot be compiled
│   ├── SettingsError      a wrong value in a file or the environment: file, key, what is allowed
│   ├── HandleError        text that is not a handle
│   ├── ContinuationError  no next page follows from this: not a token, another query, other results
│   └── MissingExtra       a feature whose optional package is not installed
├── KeptError          the handle is well formed, but there is nothing to read        exit code 1
│   ├── UnknownHandle      never kept here
│   └── ExpiredHandle      kept once, deleted by retention or quota
├── ToolError          the tool's own failure: a command that cannot start            exit code 1
├── UpstreamError      a service that was asked did not answer as it should           exit code 1
└── StoreError         keeping or reading failed: disk, permission, damage            exit code 1
    ├── StoreFull          no room: disk or quota
    └── Damaged            what is stored is not what was kept
"""

from __future__ import annotations

from typing import Final, Literal

_TOLD: Final = 80


class PenstockError(Exception):
    """The root: `except PenstockError` catches all that this library raises on purpose."""

    exit_code = 1


class CallerError(PenstockError, ValueError):
    exit_code = 2


class ArgumentError(CallerError):
    def __init__(self, name: str, value: object, allowed: str):
        super().__init__(f"{name} = {brief(value)} is not allowed: it must be {allowed}")
        self.name = name
        self.value = value
        self.allowed = allowed


class LimitError(CallerError):
    def __init__(self, name: str, value: object, allowed: str = "a whole number from 1 on, or None for no limit"):
        super().__init__(f"{name} = {brief(value)} is not allowed: it must be {allowed}")
        self.name = name
        self.value = value
        self.allowed = allowed


class ResultError(CallerError):
    def __init__(self, kind: str, why: str):
        super().__init__(f"a tool result of type {kind} cannot be admitted: {why}")
        self.kind = kind
        self.why = why


class PatternError(CallerError):
    def __init__(self, pattern: object, why: str):
        super().__init__(f"the pattern {pattern!r} cannot be used: {why}")
        self.pattern = pattern
        self.why = why


class SettingsError(CallerError):
    def __init__(self, source: str, key: str, value: object, allowed: str):
        super().__init__(f"{source}: {key} = {value!r} is not allowed: {allowed}")
        self.source = source
        self.key = key
        self.value = value
        self.allowed = allowed


class HandleError(CallerError):
    def __init__(self, text: object):
        told = repr(text[:80]) if isinstance(text, str) else "None" if text is None else f"a {type(text).__name__}"
        # The handle of a view that fits is handed on without a look.
        why = (
            "a view that was not cut has none" if text is None else "a handle is 'ps-' and 16 characters of a-z and 2-7"
        )
        super().__init__(f"{told} is not a handle: {why}")
        self.text = text


_NO_PAGE = {
    "nonsense": "{token!r} continues nothing: give it exactly as a page gave it, or leave it out for the first page",
    "query": "this continuation belongs to another query: give the query that it came with, or leave it out",
    "changed": "the results have changed since this continuation was given: leave it out to begin anew",
}


class ContinuationError(CallerError):
    def __init__(self, token: str, why: Literal["nonsense", "query", "changed"]):
        super().__init__(_NO_PAGE[why].format(token=token[:80]))
        self.token = token
        self.why = why


class MissingExtra(CallerError):
    def __init__(self, feature: str, extra: str):
        super().__init__(f"{feature} needs an optional package: pip install 'penstock[{extra}]'")
        self.feature = feature
        self.extra = extra


class KeptError(PenstockError, LookupError):
    """Names a handle that cannot be read; `str()` of a LookupError subclass keeps the sentence as it is."""

    def __init__(self, handle: str, sentence: str):
        super().__init__(sentence)
        self.handle = handle


class UnknownHandle(KeptError):
    def __init__(self, handle: str):
        super().__init__(handle, f"{handle} is unknown: nothing with this handle was kept here")


class ExpiredHandle(KeptError):
    def __init__(self, handle: str):
        super().__init__(handle, f"{handle} has expired: its output was kept and has been deleted; run the tool again")


class ToolError(PenstockError):
    pass


class UpstreamError(PenstockError):
    def __init__(self, url: str, why: str):
        super().__init__(f"{url} gave no answer that can be used: {why}")
        self.url = url
        self.why = why


class StoreError(PenstockError):
    pass


class StoreFull(StoreError):
    def __init__(self, what: str, needed: int | None = None, room: int | None = None):
        numbers = (
            "" if needed is None else f" ({needed:,} bytes needed" + ("" if room is None else f", {room:,} there") + ")"
        )
        super().__init__(f"{what} is full{numbers}")
        self.needed = needed
        self.room = room


class Damaged(StoreError):
    def __init__(self, handle: str, why: str):
        super().__init__(f"{handle} is damaged: {why}")
        self.handle = handle
        self.why = why


def brief(value: object) -> str:
    """A wrong value as errors tell it: whoever gave it knows the rest."""
    told = repr(value)
    return told if len(told) <= _TOLD else f"{told[:_TOLD]}..."
