"""Luong's global attention against its formula, one word at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from proband.suites.script.nets.batches import ScriptBatch


def test_weights_are_a_distribution_over_each_lines_own_words(fresh: Callable[..., Any], ragged: ScriptBatch) -> None:
    net = fresh("attention")
    source = net.encode(ragged)
    weights = net.weights(source, net.decode(source, ragged.before))
    torch.testing.assert_close(weights.sum(2), torch.ones(weights.shape[:2]))
    for row, m in enumerate(ragged.positions.tolist()):
        assert (weights[row, :, m:] == 0).all()


def test_context_against_the_formula(fresh: Callable[..., Any], ragged: ScriptBatch) -> None:
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


def test_alignments_are_the_largest_weights(fresh: Callable[..., Any], ragged: ScriptBatch) -> None:
    net = fresh("attention")
    source = net.encode(ragged)
    weights = net.weights(source, net.decode(source, ragged.before))
    path, given = net.alignments(ragged)
    torch.testing.assert_close(given, weights)
    assert all(weights[b, j, path[b, j]] == weights[b, j].max() for b in range(len(path)) for j in range(path.shape[1]))
