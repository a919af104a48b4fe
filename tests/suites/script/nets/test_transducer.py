"""The transducer's likelihood by enumeration, its alignments, and a planted alignment found again."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations_with_replacement, product
from typing import Any

import pytest
import torch

from proband.suites.script.nets.alignment import MAX, total
from proband.suites.script.nets.batches import ScriptBatch, pad
from proband.suites.script.nets.task import ScriptTask
from proband.training.fit import fit
from proband.training.recipe import Recipe
from proband.training.vocabulary import PADDING, START, Vocabulary

BOTH = pytest.mark.parametrize("kind", ["transducer", "transducer-param"])


def alignments(n: int, m: int) -> list[list[int]]:
    return [list(a) for a in combinations_with_replacement(range(m), n) if a[-1] == m - 1]


@BOTH
def test_the_marginal_is_the_sum_of_the_joints(kind: str, fresh: Callable[..., Any], ragged: ScriptBatch) -> None:
    """log p(y | x) by the recursion = log Σ_a p(y, a | x), each joint computed along its own path."""
    net = fresh(kind)
    with torch.no_grad():
        found = net.log_likelihood(ragged)
        for row in range(3):
            m, n = int(ragged.positions[row]), int(ragged.words[row])
            one = pad([(ragged.x[row, :m].tolist(), ragged.y[row, :n].tolist())], start=START, padding=PADDING)
            joints = torch.cat([net.joint_log_likelihood(one, torch.tensor([a])) for a in alignments(n, m)])
            torch.testing.assert_close(joints.logsumexp(0), found[row], rtol=1e-4, atol=1e-4)
            best = alignments(n, m)[int(joints.argmax())]
            assert net.align(ragged)[row, :n].tolist() == best
            emit, shift = net.weights(ragged)
            top = total(emit, shift, words=ragged.words, positions=ragged.positions, semiring=MAX)[row]
            torch.testing.assert_close(joints.max(), top, rtol=1e-4, atol=1e-4)


@BOTH
def test_no_text_gets_more_than_its_share(kind: str, fresh: Callable[..., Any]) -> None:
    """Over all texts of one length the likelihoods add up to the chance that a path ends in the last position."""
    net = fresh(kind, vocabulary=6)
    pairs = [([5, 4], list(text)) for text in product(range(6), repeat=2)]
    with torch.no_grad():
        summed = float(net.log_likelihood(pad(pairs, start=START, padding=PADDING)).exp().sum())
    assert 0 < summed <= 1 + 1e-5


def test_fixed_transitions_do_not_learn(fresh: Callable[..., Any], ragged: ScriptBatch) -> None:
    net = fresh("transducer")
    source = net.encode(ragged)
    shift, stay = net.transitions(source, net.decode(source, ragged.before))
    assert not shift.requires_grad
    torch.testing.assert_close(shift.exp() + stay.exp(), torch.ones_like(shift))


@BOTH
def test_the_row_of_a_prefix_is_its_best_alignment(kind: str, fresh: Callable[..., Any], ragged: ScriptBatch) -> None:
    """While reading, argmax of the row is where the last word of the best free alignment of the prefix lies."""
    net = fresh(kind)
    with torch.no_grad():
        emit, shift = net.weights(ragged)
        prefix = net.begin(ragged)
        for j in range(3):
            prefix = net.read(prefix, ragged.y[:, j])
            weights = {}
            for a in combinations_with_replacement(range(3), j + 1):  # the first line has three words
                at, value = 0, 0.0
                for word, i in enumerate(a):
                    value += float(shift[0, word, at:i].sum() + emit[0, word, i])
                    at = i
                weights[a] = value
            assert int(prefix.aligned[0].argmax()) == max(weights, key=lambda a: weights[a])[-1]


@pytest.mark.parametrize(
    "stages", [pytest.param((12, 0), marks=pytest.mark.nightly), (8, 4)], ids=["marginal", "marginal then viterbi"]
)
def test_a_planted_alignment_is_recovered(
    stages: tuple[int, int], fresh: Callable[..., Any], planted: Callable[[int, int], Any]
) -> None:
    texts = planted(340, 1)
    words = Vocabulary.of((text for x, y, _ in texts for text in (x, y)), least=1)
    pairs = [(words.numbers(x), words.numbers(y)) for x, y, _ in texts]
    net = fresh("transducer", vocabulary=len(words), dimension=16, hidden=24, width=24, shift=-0.9)
    recipe = Recipe(epochs=12, batch=16, rate=1e-2, average=0.9)
    task = ScriptTask(
        "transducer", net.shape, net.vectors.table, pairs[:300], pairs[300:], recipe=recipe, stages=stages
    )
    net = fit(task, seed=3).net
    batch = pad(pairs[300:], start=START, padding=PADDING)
    found = net.align(batch)
    right = sum(int(a == b) for row, (_, _, true) in zip(found.tolist(), texts[300:]) for a, b in zip(row, true))
    assert right / sum(len(true) for _, _, true in texts[300:]) > 0.9
