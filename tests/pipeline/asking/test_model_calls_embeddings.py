"""Embeddings asked for twice are computed once, as long as they fit."""

from __future__ import annotations

import numpy as np

from proband.pipeline.asking.model_calls import with_embeddings_kept


class Named:
    name = "named"

    def identity(self) -> dict[str, str]:
        return {}


class Counting(Named):
    def __init__(self) -> None:
        self.embedded: list[list[str]] = []
        self.scored = 0

    def embed(self, texts: list[str], *, layers: list[int]) -> np.ndarray:
        self.embedded.append(texts)
        return np.array([[len(text), *layers] for text in texts])

    def score(self, texts: list[str]) -> list[float]:
        self.scored += 1
        return [0.0] * len(texts)


def test_the_same_call_of_embed_is_answered_from_memory_and_scores_are_left_to_the_disk() -> None:
    model = with_embeddings_kept(Counting())
    first = model.embed(["a", "bb"], layers=[1])
    assert (model.embed(["a", "bb"], layers=[1]) == first).all()
    assert model.embedded == [["a", "bb"]]
    model.embed(["a", "bb"], layers=[2])
    model.embed(["a"], layers=[1])  # another batch is another call
    assert len(model.embedded) == 3
    model.score(["a"]), model.score(["a"])
    assert model.scored == 2


def test_what_was_used_least_lately_goes_first() -> None:
    model = with_embeddings_kept(Counting(), most=4)  # two calls of two numbers
    for text in ("a", "b", "a", "c", "a", "b"):
        model.embed([text], layers=[1])
    assert model.embedded == [["a"], ["b"], ["c"], ["b"]]


def test_a_model_without_embeddings_stays_as_it_is() -> None:
    assert not hasattr(with_embeddings_kept(Named()), "embed")
