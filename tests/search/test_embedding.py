from __future__ import annotations

import math

import pytest

from penstock.search import embedding
from penstock.search.contract import Batch, Filters, Unembedded
from penstock.search.embedding import embed_index, text_of, unit

from .conftest import Opener
from .models import ByWords
from .test_index_contract import file


def filled(opener: Opener, count: int) -> None:
    index = opener()
    index.begin("main", "/src")
    index.write("main", Batch(files=[file(f"{at}.py", f"def open_{at}(): pass\n") for at in range(count)]))


def test_every_chunk_gets_a_vector_once(opener: Opener, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedding, "BATCH", 3)
    filled(opener, 10)
    model, told = ByWords(), list[int]()
    assert embed_index(opener(), model, progress=told.append)
    assert told == [3, 6, 9, 10]
    assert len(model.asked) == 10
    assert embed_index(opener(), model)
    assert len(model.asked) == 10


def test_what_was_made_before_a_model_failed_is_kept(opener: Opener, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedding, "BATCH", 3)
    filled(opener, 10)
    with pytest.raises(RuntimeError):
        embed_index(opener(), ByWords(fails_after=7))
    second = ByWords()
    assert embed_index(opener(), second)
    assert len(second.asked) == 4


def test_stopped_run_says_that_vectors_are_missing(opener: Opener) -> None:
    filled(opener, 3)
    assert not embed_index(opener(), ByWords(), stop=lambda: True)


def test_another_model_makes_all_vectors_anew(opener: Opener, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedding, "BATCH", 3)
    filled(opener, 7)
    assert embed_index(opener(), ByWords("one"))
    other = ByWords("two", size=5)
    assert embed_index(opener(), other)
    assert len(other.asked) == 7
    assert opener().vectors("one").nearest([1, 0, 0], Filters(), 9) == []
    assert len(opener().vectors("two").nearest([1, 0, 0, 0, 0], Filters(), 9)) == 7


def test_model_that_changes_its_length_makes_all_vectors_anew(opener: Opener, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedding, "BATCH", 3)
    filled(opener, 7)
    assert embed_index(opener(), ByWords(size=3))
    index = opener()
    index.write("main", Batch(files=[file("new.py", "def open_new(): pass\n")]))
    longer = ByWords(size=4)
    assert embed_index(index, longer)
    assert len(longer.asked) == 8
    assert len(opener().vectors("by-words").nearest([1, 0, 0, 0], Filters(), 9)) == 8


def test_text_of_a_chunk_tells_its_place_and_names() -> None:
    chunk = Unembedded(1, "src/pipes/valve.py", ("Valve", "open"), ("Plant",), "class Valve: ...")
    assert text_of(chunk) == "src pipes valve.py Plant Valve open\nclass Valve: ..."
    assert len(text_of(chunk._replace(content="x" * 100_000))) == 8_000


def test_unit_vector_has_the_length_1_unless_it_has_none() -> None:
    assert math.hypot(*unit([3.0, 4.0])) == pytest.approx(1)
    assert unit([0.0, 0.0]) == [0.0, 0.0]
