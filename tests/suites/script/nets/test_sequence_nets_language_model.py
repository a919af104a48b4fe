"""Properties every net shares, and those of the language model."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import pytest
import torch

from proband.suites.script.nets.batches import ScriptBatch, pad
from proband.suites.script.nets.task import KINDS
from proband.training.vocabulary import PADDING, START

Fresh = Callable[..., Any]


@pytest.mark.parametrize("kind", KINDS)
def test_padding_does_not_matter(kind: str, fresh: Fresh, ragged: ScriptBatch) -> None:
    net = fresh(kind)
    together = net.log_likelihood(ragged)
    for row in range(3):
        m, n = int(ragged.positions[row]), int(ragged.words[row])
        alone = pad([(ragged.x[row, :m].tolist(), ragged.y[row, :n].tolist())], start=START, padding=PADDING)
        torch.testing.assert_close(net.log_likelihood(alone)[0], together[row])


@pytest.mark.parametrize("kind", ["lm", "seq2seq", "attention"])
def test_probabilities_of_all_texts_of_a_length_add_up_to_one(kind: str, fresh: Fresh) -> None:
    net = fresh(kind, vocabulary=6)
    pairs = [([5, 4], list(text)) for text in product(range(6), repeat=3)]
    with torch.no_grad():
        summed = net.log_likelihood(pad(pairs, start=START, padding=PADDING)).exp().sum()
    assert float(summed) == pytest.approx(1, abs=1e-4)


@pytest.mark.parametrize("kind", ["lm", "seq2seq", "attention"])
def test_word_by_word_is_the_whole_text(kind: str, fresh: Fresh, ragged: ScriptBatch) -> None:
    """The product of the next-word probabilities while reading is the likelihood of the text."""
    net = fresh(kind)
    row, summed = torch.tensor([0]), 0.0
    prefix = net.begin(ragged)
    for j in range(int(ragged.words[0])):
        summed += float(net.next_logits(prefix, row).log_softmax(1)[0, ragged.y[0, j]].detach())
        prefix = net.read(prefix, ragged.y[:, j])
    assert summed == pytest.approx(float(net.log_likelihood(ragged)[0].detach()), abs=1e-4)


def test_the_language_model_is_blind_to_the_abstract_line(fresh: Fresh) -> None:
    net = fresh("lm")
    two = pad([([5, 6], [7, 8, 9]), ([10], [7, 8, 9])], start=START, padding=PADDING)
    first, second = net.log_likelihood(two).tolist()
    assert first == pytest.approx(second)
