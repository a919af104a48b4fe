"""The settings of the released program: each changes what it says it changes, by hand or by enumeration."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from tests.suites.script.nets.conftest import SMALL, build

import proband
from proband.core.errors import ProbandError
from proband.core.files import write_text
from proband.core.types import Item
from proband.suites.script.nets.batches import ScriptBatch, pad
from proband.suites.script.nets.slot_filling import Blanks, all_of, blank_mask, fill, gold, greedy, search
from proband.suites.script.nets.task import KINDS
from proband.training.vocabulary import PADDING, START

Fresh = Callable[..., Any]
EVERY = pytest.mark.parametrize("kind", KINDS)
LATENT = pytest.mark.parametrize("kind", ["transducer", "transducer-param"])
SPANS = [[[1, 3], [4, 5]], [[0, 1]], [[1, 2], [3, 4]]]


@pytest.fixture
def allowed() -> torch.Tensor:
    return torch.arange(20) >= 5


def by_hand(net: Any, batch: ScriptBatch, *, anywhere: bool) -> list[tuple[float, tuple[int, ...]]]:
    """log p and path of every alignment of a batch of one text that ends at its last position."""
    with torch.no_grad():
        emit, shift = (table[0].double().tolist() for table in net.weights(batch))
    n, m = len(emit), len(emit[0])
    found = []
    for path in itertools.combinations_with_replacement(range(m), n):
        for begin in range(path[0] + 1) if anywhere else [0]:
            if path[-1] == m - 1:
                at, total = begin, 0.0
                for j, to in enumerate(path):
                    total += sum(shift[j][at:to]) + emit[j][to]
                    at = to
                found.append((total, path))
    return found


@LATENT
@pytest.mark.parametrize("anywhere", [False, True])
def test_alignments_that_start_anywhere_by_enumeration(kind: str, anywhere: bool, fresh: Fresh) -> None:
    net = fresh(kind, seed=3, anywhere=anywhere)
    batch = pad([([5, 6, 7], [8, 9, 10, 11])], start=START, padding=PADDING)
    every = by_hand(net, batch, anywhere=anywhere)
    total = float(torch.logsumexp(torch.tensor([value for value, _ in every]), 0))
    with torch.no_grad():
        assert float(net.log_likelihood(batch)[0]) == pytest.approx(total, abs=1e-4)
        posteriors = net.alignments(batch)[1][0]
    best, path = max(every)
    assert tuple(net.align(batch)[0].tolist()) == path
    assert float(net.joint_log_likelihood(batch, net.align(batch))[0].detach()) == pytest.approx(best, abs=1e-4)
    share = sum(np.exp(value - total) for value, each in every if each[1] == 1)
    assert float(posteriors[1, 1]) == pytest.approx(share, abs=1e-4)
    # the gradient of the marginal likelihood is that of the enumerated sum
    net.log_likelihood(batch).sum().backward()
    given = net.from_encoder.weight.grad.clone()
    net.zero_grad()
    emit, shift = net.weights(batch)
    ways = []
    for each in itertools.combinations_with_replacement(range(3), 4):
        for begin in range(each[0] + 1) if anywhere else [0]:
            if each[-1] == 2:
                at, way = begin, emit.new_zeros(())
                for j, to in enumerate(each):
                    way = way + shift[0, j, at:to].sum() + emit[0, j, to]
                    at = to
                ways.append(way)
    torch.logsumexp(torch.stack(ways), 0).backward()  # type: ignore[no-untyped-call]
    torch.testing.assert_close(given, net.from_encoder.weight.grad, rtol=1e-3, atol=1e-5)


@LATENT
def test_an_alignment_with_lag_is_one_word_late(kind: str, fresh: Fresh, ragged: ScriptBatch) -> None:
    plain, late = fresh(kind, seed=4).align(ragged), fresh(kind, seed=4, lag=True).align(ragged)
    for row, count in enumerate(ragged.words.tolist()):
        path = plain[row, :count].tolist()
        assert late[row, :count].tolist() == [path[0], *path[:-1]]
        assert (late[row, count:] == -1).all()


@LATENT
def test_a_slot_with_lag_has_the_position_before_the_last(kind: str, fresh: Fresh) -> None:
    """Of the prefix's best alignment, whose end is free, found by enumeration."""
    for seed in range(5):
        net = fresh(kind, seed=seed, lag=True, anywhere=True)
        batch = pad([([5, 6, 7], [8, 9, 10])], start=START, padding=PADDING)
        with torch.no_grad():
            prefix = net.begin(batch)
            for j in range(3):
                prefix = net.read(prefix, batch.y[:, j])
            emit, shift = (table[0].tolist() for table in net.weights(batch))
        scored = {}
        for path in itertools.combinations_with_replacement(range(3), 3):
            at, total = path[0], 0.0
            for j, to in enumerate(path):
                total += sum(shift[j][at:to]) + emit[j][to]
                at = to
            scored[path] = total
        assert int(prefix.before_last) == max(scored, key=lambda path: scored[path])[1]
        assert int(net.ends(batch)) == max(scored, key=lambda path: scored[path])[1]


@EVERY
def test_the_end_of_a_slot_is_not_heard(kind: str, fresh: Fresh, allowed: torch.Tensor) -> None:
    """After a one-word slot nets without alignments cannot tell what filled it; inside a slot they can."""
    net = fresh(kind)
    texts = [([5, 6], [7, 8, 9, 10, 11]), ([5, 6], [7, 12, 9, 10, 11])]  # the slot's word differs
    batch = pad(texts, start=START, padding=PADDING)
    two = blank_mask([[[1, 2], [4, 5]]] * 2, 5)
    heard, unheard = (fill(net, batch, two, choose=gold, allowed=allowed, ends_unread=each) for each in (False, True))
    assert heard.surprisal[0, 4] != heard.surprisal[1, 4]
    if not net.latent:  # a transducer's alignment of the prefix has read the word
        assert unheard.surprisal[0, 4] == unheard.surprisal[1, 4]
    inside = blank_mask([[[1, 3]]] * 2, 5)
    within = fill(net, batch, inside, choose=gold, allowed=allowed, ends_unread=True)
    assert within.surprisal[0, 2] != within.surprisal[1, 2]


@LATENT
def test_slots_along_the_whole_text_have_one_position(kind: str, fresh: Fresh, ragged: ScriptBatch) -> None:
    net = fresh(kind, seed=2, anywhere=True)
    blank = blank_mask(SPANS, ragged.y.shape[1])
    ends = net.ends(ragged)
    allowed = torch.arange(20) >= 5
    found = fill(net, ragged, blank, choose=gold, allowed=allowed, whole=ends)
    if kind == "transducer":  # the slot stays where the text ends, and an emit more is counted for each slot
        with torch.no_grad():
            source = net.encode(ragged)
            top = net.decode(source, ragged.before)
            joint = net.from_decoder(top) + source.joins[0].gather(1, ends[:, None, None].expand(-1, top.shape[1], 7))
            scores = net.output.logits(joint).masked_fill(~allowed, float("-inf")).log_softmax(2)
        picked = -scores.gather(2, ragged.y[:, :, None])[:, :, 0]
        torch.testing.assert_close(found.surprisal[blank], picked[blank], rtol=1e-4, atol=1e-5)
        emit = float(np.log1p(np.exp(-0.5)))
        assert found.moves[0, 1:3].tolist() == pytest.approx([2 * emit, emit], rel=1e-4)


@EVERY
def test_all_draws_count(kind: str, fresh: Fresh, ragged: ScriptBatch, allowed: torch.Tensor) -> None:
    net = fresh(kind)
    blank = blank_mask(SPANS, ragged.y.shape[1])
    uniforms = torch.rand(3, 10, 5, generator=torch.Generator().manual_seed(2))
    oracle, own = all_of(net, ragged, blank, uniforms=uniforms, allowed=allowed, temperature=0.5)
    assert len(own) == 5
    assert oracle.drawn.shape == (3, 5, 5)
    assert allowed[oracle.drawn[blank]].all()
    assert len({each.words[0].numpy().tobytes() for each in own}) > 1
    alone = fill(net, ragged, blank, choose=gold, allowed=allowed)
    torch.testing.assert_close(oracle.surprisal, alone.surprisal)


@EVERY
def test_a_wide_beam_finds_the_likeliest_text(kind: str, fresh: Fresh) -> None:
    """As wide as there are words, two blanks: every filling is looked at."""
    few = torch.zeros(20, dtype=torch.bool)
    few[[5, 6, 7, 8]] = True
    net = fresh(kind, seed=1)
    batch = pad([([5, 6], [7, 8, 9, 10])], start=START, padding=PADDING)
    blank = blank_mask([[[1, 2], [3, 4]]], 4)
    words = search(Blanks(net, batch, blank, greedy, few), width=16)[0].tolist()
    scored = {}
    for a, b in itertools.product([5, 6, 7, 8], repeat=2):
        text = [7, a, 9, b]
        with torch.no_grad():
            prefix = net.begin(pad([([5, 6], text)], start=START, padding=PADDING))
            for word in text:
                prefix = net.read(prefix, torch.tensor([word]))
            scored[a, b] = float(net.text_log_p(prefix))
    assert (words[1], words[3]) == max(scored, key=lambda pair: scored[pair])
    narrow = search(Blanks(net, batch, blank, greedy, few), width=1)[0].tolist()
    plain = fill(net, batch, blank, choose=greedy, allowed=few).words[0].tolist()
    assert narrow == plain


# ---- from the command's options to the answers ---------------------------------------------------------------------


def test_training_settings_reach_the_net(toy: list[Item], tmp_path: Path) -> None:
    items = build(tmp_path / "items", toy)
    write_text(tmp_path / "glove.txt", "knife 0.5 -1 2\nwhisk 1 1 0\n")
    exact = SMALL | {"rates": "constant", "clip": 0.0, "average": 0.0, "keep": "last", "better_than": "previous"}
    exact |= {"vectors": tmp_path / "glove.txt", "tune_vectors": True, "longest": 4, "start": "any", "lag": True}
    result = proband.train(items, net="transducer", out=tmp_path / "net", options=exact | {"shift": 0.5})
    assert result["kept"] == result["epochs"] - 1
    assert result["shape"]["shift"] == 0.0  # the log-odds of a half
    assert result["shape"]["anywhere"]
    assert result["shape"]["lag"]
    assert result["vectors"]["learned"]
    model = proband.load_model(f"net:{tmp_path / 'net'}")
    table = model.net.vectors.table.detach().numpy()[model.vocabulary.numbers(["knife", "whisk"])]
    assert 0 < abs(table - np.array([[0.5, -1, 2], [1, 1, 0]])).max() < 0.5
    assert "slowly" in model.vocabulary.number  # the words of whole texts are known
    with pytest.raises(ProbandError, match="'shift'"):
        proband.train(items, net="transducer-param", out=tmp_path / "other", options=exact | {"shift": 0.5})
