from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import cycle

import pytest

from penstock.errors import StoreError, UpstreamError
from penstock.search import embedding
from penstock.search.contract import Batch, Filters, Unembedded
from penstock.search.embedder import Vector
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


class OfLengths(ByWords):
    """One length after the other."""

    def __init__(self, *sizes: int) -> None:
        super().__init__()
        self._sizes = cycle(sizes)

    def documents(self, texts: Sequence[str]) -> Sequence[Vector]:
        return [[1.0] * next(self._sizes) for _ in texts]


@pytest.mark.parametrize(("sizes", "kept"), [((0,), 0), ((2, 3), 0), ((2, 2, 2, 3, 3, 3), 3)])
def test_model_without_one_length_ends_the_run(
    opener: Opener, monkeypatch: pytest.MonkeyPatch, sizes: tuple[int, ...], kept: int
) -> None:
    """Such vectors could not be compared, and to begin anew each time would never end."""
    monkeypatch.setattr(embedding, "BATCH", 3)
    filled(opener, 7)
    with pytest.raises(UpstreamError, match=r"by-words gave no answer .* not all of one length"):
        embed_index(opener(), OfLengths(*sizes))
    assert len(opener().vectors("by-words").nearest([1.0, 1.0], Filters(), 9)) == kept


def test_vector_with_what_is_no_number_is_refused(opener: Opener) -> None:
    class Broken(ByWords):
        def documents(self, texts: Sequence[str]) -> Sequence[Vector]:
            return [[1.0, math.nan] for _ in texts]

    filled(opener, 1)
    with pytest.raises(UpstreamError, match="and of numbers"):
        embed_index(opener(), Broken())


def test_of_two_models_at_once_the_later_one_goes_on(opener: Opener, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedding, "BATCH", 3)
    filled(opener, 10)

    def begin_another(made: int) -> None:
        if made == 6:
            assert embed_index(opener(), ByWords("later"))

    with pytest.raises(StoreError, match="another run makes vectors for this index now"):
        embed_index(opener(), ByWords("earlier"), progress=begin_another)
    assert opener().vectors("later").missing(0, 1) == []


def test_text_of_a_chunk_tells_its_place_and_names() -> None:
    chunk = Unembedded(1, "src/pipes/valve.py", ("Valve", "open"), ("Plant",), "class Valve: ...")
    assert text_of(chunk) == "src pipes valve.py Plant Valve open\nclass Valve: ..."
    assert len(text_of(chunk._replace(content="x" * 100_000))) == 8_000


def test_unit_vector_has_the_length_1_unless_it_has_none() -> None:
    assert unit([0.0, 0.0]) == [0.0, 0.0]
    for number in (3.0, 1e154, 1.7e308, 1e-200, 5e-324):
        assert unit([number, -number]) == pytest.approx([math.sqrt(0.5), -math.sqrt(0.5)])
