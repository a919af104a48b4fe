"""The laws a semiring must keep for the recursion to be right."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from proband.suites.script.nets.alignment import COUNT, LOG, MAX, NEVER, REAL, Semiring

elements = st.floats(-6, 1).map(lambda x: torch.tensor(x, dtype=torch.float64))


def same(a: Tensor, b: Tensor) -> bool:
    return bool(torch.isclose(a, b, rtol=1e-9, atol=1e-12))


@pytest.mark.parametrize("s", [LOG, MAX, REAL, COUNT], ids=lambda s: s.name)
@given(elements, elements, elements)
def test_the_laws_hold(s: Semiring, x: Tensor, y: Tensor, z: Tensor) -> None:
    a, b, c = s.lift(x), s.lift(y), s.lift(z)
    zero, one = torch.full_like(a, s.zero), torch.full_like(a, s.one)
    assert same(s.plus(a, s.plus(b, c)), s.plus(s.plus(a, b), c))
    assert same(s.plus(a, b), s.plus(b, a))
    assert same(s.times(a, s.times(b, c)), s.times(s.times(a, b), c))
    assert same(s.times(a, s.plus(b, c)), s.plus(s.times(a, b), s.times(a, c)))
    assert same(s.plus(a, zero), a)
    assert same(s.times(a, one), a)
    assert same(s.plus(s.times(a, zero), b), b)


@given(elements, elements)
def test_log_and_real_say_the_same(x: Tensor, y: Tensor) -> None:
    assert same(LOG.plus(x, y).exp(), REAL.plus(REAL.lift(x), REAL.lift(y)))
    assert same(LOG.times(x, y).exp(), REAL.times(REAL.lift(x), REAL.lift(y)))


def test_an_impossible_step_counts_as_none() -> None:
    steps = torch.tensor([NEVER, -3.0])
    assert COUNT.lift(steps).tolist() == [0.0, 1.0]
    assert float(MAX.plus(steps[0], steps[1])) == -3.0
