"""Slot filling: oracle against a teacher-forced pass, greedy against a loop, samples and the whitelist."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
import torch

from proband.suites.script.nets.alignment import MAX, total
from proband.suites.script.nets.batches import ScriptBatch, pad
from proband.suites.script.nets.slot_filling import SlotQuestion, best_of, blank_mask, fill, gold, greedy, sample_by
from proband.suites.script.nets.task import KINDS
from proband.training.vocabulary import PADDING, START

SPANS = [[[1, 3], [4, 5]], [[0, 1]], [[1, 2], [3, 4]]]
Fresh = Callable[..., Any]
EVERY = pytest.mark.parametrize("kind", KINDS)


@pytest.fixture
def allowed() -> torch.Tensor:
    return torch.arange(20) >= 5


@EVERY
def test_greedy_is_oracle_on_its_own_text(kind: str, fresh: Fresh, ragged: ScriptBatch, allowed: torch.Tensor) -> None:
    """What greedy filling says, put into the text as if it were gold, is what the oracle then finds likeliest."""
    net = fresh(kind)
    blank = blank_mask(SPANS, ragged.y.shape[1])
    own = fill(net, ragged, blank, choose=greedy, allowed=allowed)
    pairs = [
        (x[:m].tolist(), y[:n].tolist()) for x, m, y, n in zip(ragged.x, ragged.positions, own.words, ragged.words)
    ]
    again = fill(net, pad(pairs, start=START, padding=PADDING), blank, choose=gold, allowed=allowed)
    assert torch.equal(again.first[blank], own.words[blank])
    assert (again.rank[blank] == 1).all()
    assert torch.equal(own.words[~blank], ragged.y[~blank])


@pytest.mark.parametrize("kind", ["lm", "seq2seq", "attention"])
def test_oracle_is_one_teacher_forced_pass(kind: str, fresh: Fresh, ragged: ScriptBatch, allowed: torch.Tensor) -> None:
    net = fresh(kind)
    blank = blank_mask(SPANS, ragged.y.shape[1])
    found = fill(net, ragged, blank, choose=gold, allowed=allowed)
    with torch.no_grad():
        source = net.encode(ragged)
        scores = net.output.logits(net.features(source, net.decode(source, ragged.before)))
    scores = scores.masked_fill(~allowed, float("-inf")).log_softmax(2)
    picked = scores.gather(2, ragged.y[:, :, None])[:, :, 0]
    torch.testing.assert_close(found.surprisal[blank], -picked[blank], rtol=1e-4, atol=1e-5)
    assert torch.equal(found.five[blank], scores.topk(5, 2).indices[blank])
    assert torch.equal(found.rank[blank], ((scores > picked[:, :, None]).sum(2) + 1)[blank])


@EVERY
def test_only_allowed_words_are_said(kind: str, fresh: Fresh, ragged: ScriptBatch) -> None:
    net = fresh(kind)
    few = torch.zeros(20, dtype=torch.bool)
    few[[5, 6, 7, 8, 9, 11]] = True
    blank = blank_mask(SPANS, ragged.y.shape[1])
    for choose in (greedy, sample_by(torch.rand(3, 1, 5, generator=torch.Generator().manual_seed(0)), 5.0)):
        found = fill(net, ragged, blank, choose=choose, allowed=few)
        assert few[found.words[blank]].all()
        assert few[found.five[blank]].all()
        assert torch.isfinite(found.surprisal).all()


def test_samples_follow_the_tempered_distribution() -> None:
    scores = torch.log(torch.tensor([[0.5, 0.3, 0.2]])).repeat(20_000, 1)
    uniforms = torch.rand(20_000, 1, 1, generator=torch.Generator().manual_seed(1))
    every = torch.arange(20_000)
    said = sample_by(uniforms, 0.5)(SlotQuestion(scores, every[:, None], every, every, 0))[:, 0]
    squared = torch.tensor([0.25, 0.09, 0.04])
    torch.testing.assert_close(torch.bincount(said) / 20_000, squared / squared.sum(), atol=0.01, rtol=0)


@EVERY
def test_the_best_of_the_draws_is_kept(kind: str, fresh: Fresh, ragged: ScriptBatch, allowed: torch.Tensor) -> None:
    net = fresh(kind)
    blank = blank_mask(SPANS, ragged.y.shape[1])
    uniforms = torch.rand(3, 5, 5, generator=torch.Generator().manual_seed(2))
    oracle, kept = best_of(net, ragged, blank, uniforms=uniforms, allowed=allowed)
    texts, scores = [], []
    for draw in range(5):
        one = fill(net, ragged, blank, choose=sample_by(uniforms[:, draw : draw + 1]), allowed=allowed)
        texts.append(one)
        scores.append(_score(net, ragged, one.words))
    assert len({one.words[0].numpy().tobytes() for one in texts}) > 1  # else there is nothing to choose among
    best = torch.stack(scores).argmax(0)
    for row, draw in enumerate(best.tolist()):
        for name in ("words", "five", "rank", "surprisal", "moves"):
            torch.testing.assert_close(getattr(kept, name)[row], getattr(texts[draw], name)[row], rtol=1e-4, atol=1e-5)
    alone = fill(net, ragged, blank, choose=gold, allowed=allowed)
    assert torch.equal(oracle.five, alone.five)
    torch.testing.assert_close(oracle.surprisal, alone.surprisal)


@torch.no_grad()
def _score(net: Any, batch: ScriptBatch, words: torch.Tensor) -> torch.Tensor:
    pairs = [(x[:m].tolist(), y[:n].tolist()) for x, m, y, n in zip(batch.x, batch.positions, words, batch.words)]
    texts = pad(pairs, start=START, padding=PADDING)
    if net.latent:  # along the best alignment
        return total(*net.weights(texts), words=texts.words, positions=texts.positions, semiring=MAX)
    score: torch.Tensor = net.log_likelihood(texts)
    return score


def test_moves_of_fixed_transitions_are_one_emit_per_word(
    fresh: Fresh, ragged: ScriptBatch, allowed: torch.Tensor
) -> None:
    blank = blank_mask(SPANS, ragged.y.shape[1])
    found = fill(fresh("transducer"), ragged, blank, choose=gold, allowed=allowed)
    emit = math.log(1 + math.exp(-0.5))  # the shift's log-odds are -1/2
    torch.testing.assert_close(found.moves[blank], torch.full_like(found.moves[blank], emit))
    assert (fill(fresh("attention"), ragged, blank, choose=gold, allowed=allowed).moves == 0).all()


@pytest.mark.parametrize("seed", range(6))
def test_moves_of_parameterised_transitions_by_hand(fresh: Fresh, allowed: torch.Tensor, seed: int) -> None:
    """Shifts while they are likelier than not, then an emit: counted one action at a time."""
    net = fresh("transducer-param", seed=seed)
    with torch.no_grad():
        net.shift.weight *= 6  # decided transitions, in both directions
    batch = pad([([5, 6, 7, 8], [9, 10, 11, 12])], start=START, padding=PADDING)
    found = fill(net, batch, blank_mask([[[2, 4]]], 4), choose=gold, allowed=allowed)
    with torch.no_grad():
        source = net.encode(batch)
        shift, emit = net.transitions(source, net.decode(source, batch.before))
        prefix = net.begin(batch)
        for j in (0, 1):
            prefix = net.read(prefix, batch.y[:, j])
        at, cost = int(prefix.aligned.argmax()), 0.0
        while at < 3 and shift[0, 2, at] > emit[0, 2, at]:
            cost -= float(shift[0, 2, at])
            at += 1
    expected = [cost - float(emit[0, 2, at]), -float(emit[0, 3, at])]
    assert found.moves[0, 2:].tolist() == pytest.approx(expected, rel=1e-4)
