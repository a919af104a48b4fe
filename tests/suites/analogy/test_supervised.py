"""The supervised setting: an oracle in the embeddings gives 1, noise gives 1/2; sentences are embedded once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pytest

from proband.core.errors import ProbandError
from proband.core.protocols import Floats
from proband.core.types import Item, accuracy
from proband.suites.analogy import SUITE, probing, supervised
from proband.suites.analogy.relations import Relation

NAMES = "capital, gerund"


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
    ) -> Floats:
        self.seen += texts
        out = np.zeros((len(texts), 4, len(layers), 8), dtype=np.float32)
        for n, (text, places) in enumerate(zip(texts, spans, strict=True)):
            words = [text[a:b] for a, b in places]
            true = any(r.holds((words[2], words[3])) for r in self.relations)
            for k, word in enumerate(words):
                rng = np.random.default_rng([ord(c) for c in word])
                for at, layer in enumerate(layers):
                    out[n, k, at] = rng.normal(size=8)
                    if self.planted and layer % self.layers == 2:
                        out[n, k, at, 7] = 1.0 if true else -1.0
        return out


def built(**options: object) -> list[Item]:
    items = SUITE.build(setting="supervised", relations=NAMES, **options).items
    return [item for item in items if isinstance(item, Item)]


def mean(items: Sequence[Item], answers: Sequence[Any]) -> float:
    values = [v for i, a in zip(items, answers, strict=True) if (v := accuracy(i, a)) is not None]
    assert len(values) == sum(item.tags["part"] == "test" for item in items)
    return sum(values) / len(values)


def test_a_planted_sign_scores_one_and_noise_one_half(own: list[Relation]) -> None:
    items = built(per_relation=60)
    for planted, low, high in ((True, 0.99, 1.0), (False, 0.35, 0.75)):
        model = Words(own, planted=planted)
        answers = supervised.by_words(items, model, seed=0)
        assert low <= mean(items, answers) <= high
        assert len(model.seen) == len(set(model.seen))  # each distinct sentence once
        assert answers == supervised.by_words(items, Words(own, planted=planted), seed=0)


def test_layers_are_chosen_and_checked(own: list[Relation]) -> None:
    items = built(per_relation=40)
    assert mean(items, supervised.by_words(items, Words(own, planted=True), seed=0, layers="1")) < 0.8
    assert mean(items, supervised.by_words(items, Words(own, planted=True), seed=0, layers="all")) > 0.84
    for bad in ("7", "last"):
        with pytest.raises(ProbandError, match="'layers' is"):
            supervised.by_words(items, Words(own, planted=True), seed=0, layers=bad)
    with pytest.raises(ProbandError, match="'classifier' is"):
        supervised.by_words(items, Words(own, planted=True), seed=0, classifier="forest")


def test_differences_on_planes(own: list[Relation], planes: Callable[..., Any]) -> None:
    """One offset per relation: what the MLP needs is the option's difference."""
    items = built()
    model = planes([r for r in own if r.name in ("capital : country", "verb : gerund")])
    assert mean(items, supervised.by_differences(items, model, seed=0)) > 0.9


def test_items_of_another_setting_are_refused(own: list[Relation]) -> None:
    item = next(iter(SUITE.build(per_relation=4).items))
    assert isinstance(item, Item)
    with pytest.raises(ProbandError, match="supervised"):
        supervised.by_words([item], Words(own, planted=True), seed=0)


def test_the_sweep_finds_the_planted_layer_and_the_control_task_shows_memory(own: list[Relation]) -> None:
    items = [i for i in built(per_relation=160) if i.tags["relation"] == "verb : gerund"]
    found = probing.probe_layers(items, Words(own, planted=True), seed=0, layers=[1, 2])
    planted = [f for f in found if f.layer == 2 and f.classifier == "linear"]
    plain = [f for f in found if f.layer == 1 and f.classifier == "linear"]
    assert min(f.test for f in planted) > 0.95
    assert max(f.test for f in plain) < 0.85
    assert {f.probe for f in found} == {"random", "reverse", "type"}
    # the control's labels belong to words, which both layers know: it is learnt by heart from either
    assert sum(f.control for f in found if f.classifier == "mlp") / 6 > 0.6
    assert "selectivity" in probing.markdown(found)


def test_the_control_task_labels_words_not_sentences() -> None:
    items = built(per_relation=60)
    sentences, tasks = supervised.tasks_of([i for i in items if i.tags["relation"] == "verb : gerund"])
    (_, task), *_ = tasks
    (real, gold), (control, coins) = probing.held_out(task, sentences, seed="x")
    assert (real.train == control.train).all()
    assert not set(real.train) & set(real.ask) or len(set(task.train)) < len(task.train)
    label: dict[str, float] = {}
    for rows, labels in ((control.train, control.labels), (control.ask, coins)):
        for row, value in zip(rows, labels, strict=True):
            assert label.setdefault(sentences[row][1][0], float(value)) == value
    assert len(gold) == len(coins) == len(real.ask)
