"""Properties every net shares; the language model, the encoder and decoder, and Luong's global attention."""

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


# ---- encoder and decoder ---------------------------------------------------------------------------------------------


def test_the_abstract_line_matters(fresh: Fresh) -> None:
    net = fresh("seq2seq")
    two = pad([([5, 6], [7, 8, 9]), ([10, 6], [7, 8, 9])], start=START, padding=PADDING)
    first, second = net.log_likelihood(two).tolist()
    assert abs(first - second) > 1e-5


def test_against_an_lstm_run_by_hand(fresh: Fresh, ragged: ScriptBatch) -> None:
    net = fresh("seq2seq")
    row, m, n = 2, 2, 4
    _, state = net.encoder.lstm(net.vectors.table[ragged.x[row : row + 1, :m]])
    out, _ = net.decoder.lstm(net.vectors.table[ragged.before[row : row + 1, :n]], state)
    scores = net.output.linear(net.from_decoder(out[0]).relu()).log_softmax(1)
    by_hand = scores[torch.arange(n), ragged.y[row, :n]].sum()
    torch.testing.assert_close(net.log_likelihood(ragged)[row], by_hand)


# ---- Luong's global attention against its formula, one word at a time ------------------------------------------------


def test_weights_are_a_distribution_over_each_lines_own_words(fresh: Fresh, ragged: ScriptBatch) -> None:
    net = fresh("attention")
    source = net.encode(ragged)
    weights = net.weights(source, net.decode(source, ragged.before))
    torch.testing.assert_close(weights.sum(2), torch.ones(weights.shape[:2]))
    for row, m in enumerate(ragged.positions.tolist()):
        assert (weights[row, :, m:] == 0).all()


def test_context_against_the_formula(fresh: Fresh, ragged: ScriptBatch) -> None:
    net = fresh("attention")
    source = net.encode(ragged)
    top = net.decode(source, ragged.before)
    states = source.states[2, :2]  # the third line has two words
    for j in range(4):
        d = top[2, j]
        scores = torch.stack([torch.dot(net.query(d), e) for e in states])
        context = sum(p * e for p, e in zip(scores.softmax(0), states))
        by_hand = net.from_decoder(d) + net.from_context(context)
        torch.testing.assert_close(net.features(source, top)[2, j], by_hand)


def test_alignments_are_the_largest_weights(fresh: Fresh, ragged: ScriptBatch) -> None:
    net = fresh("attention")
    source = net.encode(ragged)
    weights = net.weights(source, net.decode(source, ragged.before))
    path, given = net.alignments(ragged)
    torch.testing.assert_close(given, weights)
    assert all(weights[b, j, path[b, j]] == weights[b, j].max() for b in range(len(path)) for j in range(path.shape[1]))
