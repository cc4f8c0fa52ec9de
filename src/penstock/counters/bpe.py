"""Exact counts of o200k_base and cl100k_base, from the vocabularies that bpe-openai bundles (extra `tokens`).

The extension module is loaded at the first count, and without the package around it: `import bpe_openai` builds tables
for an encoder that is not needed here and takes 0.4 s, the extension alone 12 ms and its vocabulary 50 ms.
"""

from __future__ import annotations

import re
import sys
from functools import cache
from importlib.machinery import PathFinder
from importlib.util import find_spec, module_from_spec
from threading import Lock
from types import ModuleType
from typing import Final, Protocol, cast

from penstock.core.tokens import MOST_BYTES_PER_TOKEN
from penstock.errors import MissingExtra

ENCODINGS: Final = ("o200k_base", "cl100k_base")

_PACKAGE: Final = "bpe_openai"
_EXTENSION: Final = "bpe_openai._bindings"
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_loading = Lock()


class _Tokenizer(Protocol):
    def count(self, text: str) -> int: ...
    def count_till_limit(self, text: str, token_limit: int) -> int | None: ...


class BpeCounter:
    exact: Final = True

    def __init__(self, encoding: str = "o200k_base") -> None:
        if encoding not in ENCODINGS:
            raise ValueError(f"{encoding!r} is not an encoding: allowed is {', '.join(ENCODINGS)}")
        if find_spec(_PACKAGE) is None:
            raise MissingExtra(f"counting tokens of {encoding}", "tokens")
        self._encoding = encoding

    @property
    def name(self) -> str:
        return self._encoding

    def count(self, text: str) -> int:
        tokenizer = _tokenizer(self._encoding)
        try:
            return tokenizer.count(text)
        except UnicodeEncodeError:
            return tokenizer.count(_sendable(text))

    def count_up_to(self, text: str, limit: int) -> int | None:
        if len(text) > MOST_BYTES_PER_TOKEN * limit:  # a character is at least a byte
            return None
        tokenizer = _tokenizer(self._encoding)
        try:
            return tokenizer.count_till_limit(text, limit)
        except UnicodeEncodeError:
            return tokenizer.count_till_limit(_sendable(text), limit)


def _sendable(text: str) -> str:
    """A lone surrogate has no UTF-8; U+FFFD is what stands in its place when the text is sent."""
    return _SURROGATE.sub("\ufffd", text)


@cache
def _tokenizer(encoding: str) -> _Tokenizer:
    with _loading:
        return cast(_Tokenizer, _extension().tokenizer_for_encoding(encoding))


def _extension() -> ModuleType:
    module = sys.modules.get(_EXTENSION)
    if module is not None:
        return module
    package = find_spec(_PACKAGE)
    spec = package and PathFinder.find_spec(_EXTENSION, package.submodule_search_locations)
    if not spec or spec.loader is None:
        raise MissingExtra("counting tokens exactly", "tokens")
    module = module_from_spec(spec)
    # Under its own name, so that a later `import bpe_openai` takes this one: an extension must not be loaded twice.
    sys.modules[_EXTENSION] = module
    spec.loader.exec_module(module)
    return module
