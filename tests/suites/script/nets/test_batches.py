"""What a recording computes (every row of a batch padded further, masked afterwards) against what a batch of known
lengths does. That replaying gives what the plain step gives is checked on a device (benchmarks/script.md)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

from proband.suites.script.nets.batches import pad
from proband.suites.script.nets.task import KINDS, marginal, viterbi_em
from proband.training.vocabulary import PADDING, START

Fresh = Callable[..., Any]
PAIRS = [([5, 6, 7], [8, 9, 10, 11, 12]), ([13], [14, 15]), ([16, 17], [18, 19, 5, 6])]
CASES = [(kind, marginal) for kind in KINDS] + [(kind, viterbi_em) for kind in KINDS if KINDS[kind].latent]


@pytest.mark.parametrize(("kind", "objective"), CASES)
def test_a_batch_of_unknown_lengths_gives_the_same_likelihood_and_gradients(
    kind: str, objective: Any, fresh: Fresh
) -> None:
    net = fresh(kind).double()
    known = pad(PAIRS, start=START, padding=PADDING)
    wider = pad(PAIRS, start=START, padding=PADDING, rounded=(4, 8))
    assert (wider.m, wider.y.shape[1], wider.lengths) == (4, 8, None)
    found = []
    for batch in (known, wider):
        value = objective(net, batch)
        found.append((value, torch.autograd.grad(value.sum(), list(net.parameters()), allow_unused=True)))
    torch.testing.assert_close(found[0][0], found[1][0])
    assert any(g is not None and bool(g.abs().max() > 0) for g in found[0][1])
    for mine, theirs in zip(found[0][1], found[1][1], strict=True):
        torch.testing.assert_close(mine, theirs)
