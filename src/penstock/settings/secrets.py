"""Secrets are in the environment alone: what is in a settings file is shown, shared and committed."""

from __future__ import annotations

import os
from collections.abc import Mapping

from penstock.errors import SettingsError
from penstock.settings.settings import Settings
from penstock.settings.table import EMBEDDING_KEY


def embedding_key(settings: Settings, environ: Mapping[str, str] | None = None) -> str | None:
    """What the server at `search.embedding_url` knows its caller by; None where there is none.

    It goes only to an address that the environment names too. A settings file may have come with somebody's code, and
    could name any.
    """
    key = (os.environ if environ is None else environ).get(EMBEDDING_KEY, "").strip() or None
    if key is not None and settings.origins["search.embedding_url"].startswith("file"):
        url = settings.search.embedding_url
        allowed = f"where {EMBEDDING_KEY} is set, it must be in PENSTOCK_EMBEDDING_URL and not in a file"
        raise SettingsError(str(settings.file), "search.embedding_url", url, allowed)
    return key
