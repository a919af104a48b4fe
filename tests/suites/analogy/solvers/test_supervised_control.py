"""The control task: labels of words, not of sentences, and scores signed so that accuracy is against those labels."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from proband.core.errors import ProbandError
from proband.core.metrics import accuracy_of
from proband.core.types import Answer, Item
from proband.suites.analogy.solvers.supervised import Probe, held_out, probes_of


@pytest.fixture(scope="module")
def probe(built: Any) -> Probe:
    items = built(setting="supervised", relations="gerund", per_relation=60)
    return probes_of(items)[1][0]


def word(item: Item) -> str:
    return str(item.facts["option"][0])


def test_both_tasks_learn_and_ask_the_same_sentences_and_keep_pairs_together(probe: Probe) -> None:
    asked, real, signs = held_out(probe.train, probe.task, seed="x", control=False)
    again, control, _ = held_out(probe.train, probe.task, seed="x", control=True)
    assert asked == again
    assert (real.train == control.train).all()
    assert (real.ask == control.ask).all()
    assert (signs == 1).all()
    assert len(asked) == 12  # a fifth of 30 positives, with their negatives
    names = [item.id.rpartition(".")[0] for item in asked]
    assert sorted(set(names)) == sorted(names[::2]) == sorted(names[1::2])
    learnt = dict(zip(probe.task.train, probe.task.labels, strict=True))
    assert all(learnt[row] == label for row, label in zip(real.train, real.labels, strict=True))


def test_the_control_label_belongs_to_the_third_word(probe: Probe) -> None:
    asked, control, signs = held_out(probe.train, probe.task, seed="x", control=True)
    label: dict[str, float] = {}
    rows = {row: item for item, row in zip(probe.train, probe.task.train, strict=True)}
    for row, value in zip(control.train, control.labels, strict=True):
        assert label.setdefault(word(rows[row]), float(value)) == value
    assert set(label.values()) == {0.0, 1.0}
    for item, sign in zip(asked, signs, strict=True):
        if word(item) in label:
            assert sign == (1 if (item.gold == 0) == (label[word(item)] == 1) else -1)


def test_accuracy_against_gold_is_accuracy_against_the_control_label(probe: Probe) -> None:
    """A classifier that says every control label, and one that says none."""
    asked, _, signs = held_out(probe.train, probe.task, seed="x", control=True)
    truth = np.array([1.0 if item.gold == 0 else -1.0 for item in asked])
    for says, wanted in ((signs * truth, 1.0), (-signs * truth, 0.0)):
        for item, logit in zip(asked, says * signs, strict=True):
            assert accuracy_of(item, Answer(item_id=item.id, scores=(logit, -logit))) == wanted


def test_too_few_items_are_an_error(probe: Probe) -> None:
    with pytest.raises(ProbandError, match="too few"):
        held_out(probe.train[:2], probe.task, seed="x", control=True)
