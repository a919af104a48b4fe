"""The recursion against every monotone alignment written out, for every semiring, and its gradients."""

from __future__ import annotations

import math
from itertools import combinations_with_replacement

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from torch import Tensor

from proband.suites.script.nets.alignment import (
    COUNT,
    LOG,
    MAX,
    REAL,
    Semiring,
    inside_outside,
    log_total,
    posteriors,
    rows,
    total,
    viterbi,
)

Paths = dict[tuple[int, ...], float]


def paths(emit: Tensor, shift: Tensor, n: int, m: int) -> Paths:
    """Log-weight of each alignment of one sentence, by equations 2 and 4 as they are printed."""
    found: Paths = {}
    for a in combinations_with_replacement(range(m), n):
        if a[-1] != m - 1:
            continue
        weight, previous = 0.0, 0
        for j, i in enumerate(a):
            weight += sum(float(shift[j, k]) for k in range(previous, i)) + float(emit[j, i])
            previous = i
        found[a] = weight
    return found


def summed(weights: Paths) -> float:
    top = max(weights.values())
    return top + math.log(sum(math.exp(w - top) for w in weights.values()))


WRITTEN_OUT = {
    "log": summed,
    "max": lambda weights: max(weights.values()),
    "real": lambda weights: sum(map(math.exp, weights.values())),
    "count": len,
}

sizes = st.lists(st.tuples(st.integers(1, 5), st.integers(1, 6)), min_size=1, max_size=4)


def problem(lengths: list[tuple[int, int]], seed: int) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """A batch of random weights; what stands beyond a sentence's lengths is random too and must not matter."""
    g = torch.Generator().manual_seed(seed)
    n, m = max(x for x, _ in lengths), max(y for _, y in lengths)
    emit, shift = (torch.randn(len(lengths), n, m, generator=g, dtype=torch.float64) * 2 - 1 for _ in range(2))
    return emit, shift, torch.tensor([x for x, _ in lengths]), torch.tensor([y for _, y in lengths])


@pytest.mark.parametrize("semiring", [LOG, MAX, REAL, COUNT], ids=lambda s: s.name)
@settings(deadline=None, max_examples=60)
@given(sizes, st.integers(0, 10_000))
def test_total_is_the_sum_over_all_alignments(semiring: Semiring, lengths: list[tuple[int, int]], seed: int) -> None:
    emit, shift, words, positions = problem(lengths, seed)
    found = total(emit, shift, words=words, positions=positions, semiring=semiring)
    for b, (n, m) in enumerate(lengths):
        assert float(found[b]) == pytest.approx(WRITTEN_OUT[semiring.name](paths(emit[b], shift[b], n, m)), rel=1e-9)


@settings(deadline=None, max_examples=60)
@given(sizes, st.integers(0, 10_000))
def test_viterbi_is_the_heaviest_alignment(lengths: list[tuple[int, int]], seed: int) -> None:
    emit, shift, words, positions = problem(lengths, seed)
    found = viterbi(emit, shift, words=words, positions=positions)
    for b, (n, m) in enumerate(lengths):
        weights = paths(emit[b], shift[b], n, m)
        assert tuple(found[b, :n].tolist()) == max(weights, key=lambda a: weights[a])
        assert (found[b, n:] == -1).all()


@settings(deadline=None, max_examples=60)
@given(sizes, st.integers(0, 10_000))
def test_posteriors_are_shares_of_all_alignments(lengths: list[tuple[int, int]], seed: int) -> None:
    emit, shift, words, positions = problem(lengths, seed)
    found = posteriors(emit, shift, words=words, positions=positions)
    for b, (n, m) in enumerate(lengths):
        weights = paths(emit[b], shift[b], n, m)
        expected = np.zeros(found.shape[1:])
        for a, weight in weights.items():
            for j, i in enumerate(a):
                expected[j, i] += math.exp(weight - summed(weights))
        np.testing.assert_allclose(found[b].numpy(), expected, atol=1e-9)


@settings(deadline=None, max_examples=30)
@given(sizes, st.integers(0, 10_000))
def test_prefix_rows_word_by_word_are_those_of_the_whole_text(lengths: list[tuple[int, int]], seed: int) -> None:
    emit, shift, _, _ = problem(lengths, seed)
    for semiring in (LOG, MAX):
        whole, row = rows(emit, shift, semiring=semiring), None
        for j in range(emit.shape[1]):
            row = rows(emit[:, j : j + 1], shift[:, j : j + 1], semiring=semiring, start=row)[:, 0]
            torch.testing.assert_close(row, whole[:, j])


@settings(deadline=None, max_examples=5)
@given(sizes, st.integers(0, 10_000))
def test_gradients_against_finite_differences(lengths: list[tuple[int, int]], seed: int) -> None:
    emit, shift, words, positions = problem(lengths, seed)
    assert torch.autograd.gradcheck(
        lambda e, s: log_total(e, s, words=words, positions=positions), (emit.requires_grad_(), shift.requires_grad_())
    )


def textbook(emit: NDArray[np.float64], move: NDArray[np.float64]) -> NDArray[np.float64]:
    """Forward-backward of a hidden Markov model with one transition matrix per word, in probabilities: γ[j, i]."""
    n, m = emit.shape
    alpha, beta = np.zeros((n, m)), np.zeros((n, m))
    alpha[0] = move[0, 0] * emit[0]
    for j in range(1, n):
        alpha[j] = (alpha[j - 1] @ move[j]) * emit[j]
    beta[-1, -1] = 1  # the last word belongs to the last position
    for j in range(n - 2, -1, -1):
        beta[j] = move[j + 1] @ (emit[j + 1] * beta[j + 1])
    gamma: NDArray[np.float64] = alpha * beta / alpha[-1, -1]
    return gamma


@pytest.mark.parametrize("seed", range(5))
def test_gradients_against_the_textbook_forward_backward(seed: int) -> None:
    n, m = 7, 5
    g = torch.Generator().manual_seed(seed)
    p_shift = torch.rand(1, n, m, generator=g, dtype=torch.float64) * 0.9 + 0.05
    p_word = torch.rand(1, n, m, generator=g, dtype=torch.float64)
    move = np.zeros((n, m, m))
    for j in range(n):
        for k in range(m):
            for i in range(k, m):
                move[j, k, i] = np.prod(p_shift[0, j, k:i].numpy()) * (1 - float(p_shift[0, j, i]))
    words = p_word.log().requires_grad_()
    length = torch.tensor([n]), torch.tensor([m])
    value = log_total((1 - p_shift).log() + words, p_shift.log(), words=length[0], positions=length[1])
    (gradient,) = torch.autograd.grad(value.sum(), words)
    np.testing.assert_allclose(gradient[0].numpy(), textbook(p_word[0].numpy(), move), atol=1e-10)


def test_expected_shifts_add_up() -> None:
    """Every path makes n emits and m - 1 shifts."""
    emit, shift, words, positions = problem([(5, 6), (2, 3), (4, 1)], 3)
    _, emitted, shifted = inside_outside(emit, shift, words=words, positions=positions)
    torch.testing.assert_close(emitted.sum((1, 2)), words.double())
    torch.testing.assert_close(shifted.sum((1, 2)), positions.double() - 1)


def test_long_sentences_stay_finite_in_single_precision() -> None:
    emit, shift = torch.full((1, 300, 60), -9.0), torch.full((1, 300, 60), -40.0)
    length = torch.tensor([300]), torch.tensor([60])
    value, emitted, _ = inside_outside(emit, shift, words=length[0], positions=length[1])
    # C(358, 59) equally heavy paths of 300 emits and 59 shifts
    many = math.lgamma(359) - math.lgamma(60) - math.lgamma(300)
    assert float(value) == pytest.approx(300 * -9 + 59 * -40 + many, rel=1e-5)
    assert float(emitted.sum()) == pytest.approx(300, rel=1e-2)
