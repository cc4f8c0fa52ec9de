from __future__ import annotations

import importlib.machinery
import importlib.util
import math
import threading
from pathlib import Path

import pytest

for name in ("numpy", "tokenizers", "safetensors", "wordllama"):
    if importlib.util.find_spec(name) is None:
        pytest.skip("the bundled model needs penstock[dense]", allow_module_level=True)

from penstock.errors import MissingExtra, StoreError  # noqa: E402  # after it is known that it can be
from penstock.search.static_embedder import StaticEmbedder  # noqa: E402  # as above


def cosine(one: list[float], two: list[float]) -> float:
    return sum(a * b for a, b in zip(one, two, strict=True)) / (math.hypot(*one) * math.hypot(*two))


def test_texts_that_mean_the_same_point_the_same_way() -> None:
    model = StaticEmbedder()
    car, vehicle, poem = (list(model.query(text)) for text in ("the car drives", "an automobile moves", "a sad poem"))
    assert len(car) == 256
    assert cosine(car, vehicle) > cosine(car, poem) + 0.1


def test_a_text_has_the_same_vector_alone_and_among_others() -> None:
    texts = ["def open_valve(): ...", "", "x" * 50_000, "Ventil öffnen 阀门 👩‍👩‍👧", "\0"]
    model = StaticEmbedder()
    assert list(model.documents(texts)) == [model.query(text) for text in texts]
    assert not any(model.query(""))


def test_threads_share_a_model() -> None:
    model, found = StaticEmbedder(), []
    threads = [threading.Thread(target=lambda: found.append(model.query("open the gate"))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [StaticEmbedder().query("open the gate")] * 8


def test_missing_package_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    with pytest.raises(MissingExtra, match=r"penstock\[dense\]"):
        StaticEmbedder()


def test_package_without_the_model_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spec = importlib.machinery.ModuleSpec("wordllama", None, origin=str(tmp_path / "__init__.py"))
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: spec)
    with pytest.raises(StoreError, match="the bundled model cannot be read"):
        StaticEmbedder().query("x")
