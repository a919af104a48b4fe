"""The supervised setting: an oracle in the embeddings gives 1, noise gives 1/2; sentences are embedded once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
import pytest

from proband.core.errors import ProbandError
from proband.core.metrics import accuracy_of
from proband.core.protocols import Floats32
from proband.core.types import Answer, Item
from proband.suites.analogy.relations import Relation
from proband.suites.analogy.solvers.supervised import probes_of

NAMES = "capital, gerund"


@cache
def vectors(word: str) -> Floats32:
    rng = np.random.default_rng([ord(c) for c in word])
    return np.stack([rng.normal(size=8) for _ in range(8)]).astype(np.float32)


class Words:
    """Embeddings in context: random per word, with a planted sign of truth in the last number, or without."""

    name = "fake:words"
    layers = 3

    def __init__(self, relations: Sequence[Relation], *, planted: bool) -> None:
        self.relations, self.planted, self.seen = relations, planted, list[str]()

    def identity(self) -> Mapping[str, str]:
        return {"kind": "fake"}

    def embed(
        self, texts: Sequence[str], spans: Sequence[Sequence[tuple[int, int]]], *, layers: Sequence[int]
    ) -> Floats32:
        self.seen += texts
        out = np.zeros((len(texts), 4, len(layers), 8), dtype=np.float32)
        for n, (text, places) in enumerate(zip(texts, spans, strict=True)):
            words = [text[a:b] for a, b in places]
            true = any(r.holds((words[2], words[3])) for r in self.relations)
            for k, word in enumerate(words):
                for at, layer in enumerate(layers):
                    out[n, k, at] = vectors(word)[at]
                    if self.planted and layer % self.layers == 2:
                        out[n, k, at, 7] = 1.0 if true else -1.0
        return out


@pytest.fixture(scope="module")
def halves(built: Any) -> Callable[..., list[Item]]:
    return lambda **options: built(setting="supervised", relations=NAMES, **options)


def mean(items: Sequence[Item], answers: Sequence[Answer], *, part: str = "test") -> float:
    """Over the items that have an answer, which must be of one part."""
    values = [(item, v) for item, a in zip(items, answers, strict=True) if (v := accuracy_of(item, a)) is not None]
    assert {item.split for item, _ in values} == {part}
    if part == "test":
        assert len(values) == sum(item.split == "test" for item in items)
    return sum(v for _, v in values) / len(values)


def test_a_planted_sign_scores_one_and_noise_one_half(own: list[Relation], halves: Any, solve: Any) -> None:
    items = halves(per_relation=40)
    for planted, low, high in ((True, 0.99, 1.0), (False, 0.35, 0.75)):
        model = Words(own, planted=planted)
        answers = solve("supervised", items, model, steps=120)
        assert low <= mean(items, answers) <= high
        assert len(model.seen) == len(set(model.seen))  # each distinct sentence once
    once, again = (solve("supervised", items, Words(own, planted=False), steps=20) for _ in range(2))
    assert once == again != answers
    colons = Words(own, planted=False)
    solve("supervised", halves(per_relation=4, template="colons"), colons, steps=2)
    assert all(" :: " in text for text in colons.seen)


@pytest.mark.nightly
def test_layers_are_chosen_and_checked(own: list[Relation], halves: Any, solve: Any) -> None:
    items, model = halves(per_relation=40), Words(own, planted=True)
    assert mean(items, solve("supervised", items, model, layers="1")) < 0.8
    assert mean(items, solve("supervised", items, model, layers="all")) > 0.84
    for bad in ("7", "last"):
        with pytest.raises(ProbandError, match="'layers' is"):
            solve("supervised", items, model, layers=bad)
    with pytest.raises(ProbandError, match="'classifier' is"):
        solve("supervised", items, model, classifier="forest")


@pytest.mark.nightly
def test_differences_on_planes(own: list[Relation], planes: Any, halves: Any, solve: Any) -> None:
    """One offset per relation: what the MLP needs is the option's difference."""
    items = halves()
    model = planes([r for r in own if r.name in ("capital : country", "verb : gerund")])
    assert mean(items, solve("supervised-difference", items, model)) > 0.9


def test_items_of_another_setting_are_refused(own: list[Relation], built: Any, solve: Any) -> None:
    with pytest.raises(ProbandError, match="supervised"):
        solve("supervised", built(per_relation=4)[:1], Words(own, planted=True))


def test_the_planted_layer_is_found(own: list[Relation], halves: Any, solve: Any) -> None:
    items = [i for i in halves(per_relation=160) if i.tags["relation"] == "verb : gerund"]
    model = Words(own, planted=True)

    def accuracy(layer: str) -> float:
        return mean(items, solve("supervised", items, model, layers=layer, classifier="linear"), part="test")

    assert accuracy("2") > 0.95
    assert accuracy("1") < 0.85


def test_probes_learn_from_the_training_split_alone(halves: Any) -> None:
    items = [i for i in halves(per_relation=20) if i.tags["relation"] == "verb : gerund"]
    sentences, probes = probes_of(items)
    assert len(probes) == 3
    of_sentence = {(tuple(i.facts["query"]), tuple(i.facts["option"])): i for i in items}
    for asked, split in probes:
        assert {i.split for i in asked} == {"test"}
        for row, label in zip(split.train, split.labels, strict=True):
            item = of_sentence[sentences[row]]
            assert item.split == "train"
            assert label == (item.gold == 0)
