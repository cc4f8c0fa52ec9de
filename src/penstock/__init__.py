"""Penstock: the gate between what tools return and what a model's context holds.

from penstock import Gate

gate = Gate()
view = gate.admit(output, tool="Bash", query="why did the build fail?")
view.text                                      # what the model sees, within its limits to the byte
gate.read(view.handle, start=201, limit=200)   # any part of the whole, any time within the next 7 days
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from penstock.async_gate import AsyncGate
    from penstock.capture import Capture
    from penstock.configured import Gate, Tool
    from penstock.core.hits import Hits
    from penstock.core.limits import Limits
    from penstock.core.slices import Slice
    from penstock.core.stream.filter import ToolCallFilter
    from penstock.core.stream.sse.filtering import filter_sse
    from penstock.core.view import View
    from penstock.errors import ExpiredHandle, LimitError, PenstockError, StoreError, UnknownHandle
    from penstock.settings import Settings, load_settings
    from penstock.stores.disk import DiskStore
    from penstock.stores.memory import MemoryStore

__version__ = "0.1.0"

__all__ = [
    "AsyncGate",
    "Capture",
    "DiskStore",
    "ExpiredHandle",
    "Gate",
    "Hits",
    "LimitError",
    "Limits",
    "MemoryStore",
    "PenstockError",
    "Settings",
    "Slice",
    "StoreError",
    "Tool",
    "ToolCallFilter",
    "UnknownHandle",
    "View",
    "filter_sse",
    "load_settings",
]

# Where each name lives. It is loaded when it is first asked for, so that importing the package costs next to nothing.
_HOMES = {
    "AsyncGate": "async_gate",
    "Capture": "capture",
    "DiskStore": "stores.disk",
    "ExpiredHandle": "errors",
    "Gate": "configured",
    "Hits": "core.hits",
    "LimitError": "errors",
    "Limits": "core.limits",
    "MemoryStore": "stores.memory",
    "PenstockError": "errors",
    "Settings": "settings",
    "Slice": "core.slices",
    "StoreError": "errors",
    "Tool": "configured",
    "ToolCallFilter": "core.stream.filter",
    "UnknownHandle": "errors",
    "View": "core.view",
    "filter_sse": "core.stream.sse.filtering",
    "load_settings": "settings",
}


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'penstock' has no attribute {name!r}")
    value = getattr(import_module(f"penstock.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
