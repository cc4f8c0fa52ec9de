from __future__ import annotations

import logging

import pytest

from penstock.errors import SettingsError
from penstock.settings.secrets import embedding_key

from .conftest import Load

URL = "https://api.example.org/v1"


def test_key_goes_to_an_address_of_the_environment(load: Load) -> None:
    settings = load(PENSTOCK_EMBEDDING_URL=URL)
    assert embedding_key(settings, {"PENSTOCK_EMBEDDING_KEY": "sk-1"}) == "sk-1"
    assert embedding_key(settings, {"PENSTOCK_EMBEDDING_KEY": ""}) is None
    assert embedding_key(settings, {"PENSTOCK_EMBEDDING_KEY": " sk-1\n"}) == "sk-1"  # as read from a file
    assert embedding_key(settings, {}) is None


def test_key_does_not_go_to_an_address_that_a_file_names(load: Load) -> None:
    settings = load("search: {embedder: endpoint, embedding_url: 'http://localhost:1/v1', embedding_model: m}")
    with pytest.raises(SettingsError, match="it must be in PENSTOCK_EMBEDDING_URL and not in a file") as raised:
        embedding_key(settings, {"PENSTOCK_EMBEDDING_KEY": "sk-1"})
    assert "sk-1" not in str(raised.value)
    assert embedding_key(settings, {}) is None


def test_key_is_no_unknown_setting(load: Load, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        load(PENSTOCK_EMBEDDING_KEY="sk-1")
    assert caplog.records == []
