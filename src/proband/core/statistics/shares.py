r"""Shares (means of numbers between 0 and 1): Wilson's interval for clustered items, and the test that inverts it.

The ends x of the interval around the mean y solve

    (y - x)^2 = t^2 kappa x (1 - x),      kappa = v/n_e, times what training seeds add,

with Student's quantile t, the effective number of items n_e and the spread v of the numbers relative to that of zeros
and ones (v = 1 for them). For a constant c in place of x, t = |y - c| / sqrt(kappa c (1 - c)) gives a p-value that is
below 0.05 if and only if c is outside the interval.

Near 0 and 1 the correlation of neighbours is known less and less well, and its prior may widen an interval as the mean
moves outward: an end is never inside those of means still further out (at the same correlation), and p is the largest
over the same means.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from proband.core.statistics.clusters import Floats, Neighbours
from proband.core.statistics.seeds import Seeds, with_seeds
from proband.core.statistics.spread import SHARE, Spread, effective
from proband.core.statistics.student_t import p_value, quantile

PATH = 12  # counts near 0 over which the end of an interval is made monotone
Scaled = tuple[Floats, Floats, Floats]  # a mean y, its kappa and degrees of freedom


def share_ends(mean: Floats, found: Spread, shared: Neighbours, *, seeds: Seeds | None = None) -> tuple[Floats, Floats]:
    """Both ends of the interval."""
    seeds = seeds or Seeds()
    low, high = 1 - _upper(1 - mean, found, shared, seeds), _upper(mean, found, shared, seeds)
    return np.minimum(low, mean), np.maximum(high, mean)  # but for rounding


def share_p(mean: Floats, constant: float, found: Spread, shared: Neighbours, *, seeds: Seeds | None = None) -> Floats:
    """The p-value of a mean that would be `constant`, two-sided; 1 where it is."""
    seeds = seeds or Seeds()
    above, below = (
        np.max([_p_above(y, c, scale) for y, *scale in _outward(m, found, shared, seeds)], axis=0)
        for m, c in ((mean, constant), (1 - mean, 1 - constant))
    )
    return np.where(mean == constant, 1.0, np.where(mean < constant, above, below))


def _upper(mean: Floats, found: Spread, shared: Neighbours, seeds: Seeds) -> Floats:
    highest: Floats = np.max([_end(*each) for each in _outward(mean, found, shared, seeds)], axis=0)
    return highest


def _end(y: Floats, kappa: Floats, freedom: Floats) -> Floats:
    """The upper end x of the equation above."""
    c = quantile(freedom) ** 2 * kappa
    upper: Floats = (y + c / 2 + np.sqrt(c * y * (1 - y) + c**2 / 4)) / (1 + c)
    return np.minimum(upper, 1.0)


def _p_above(y: Floats, constant: float, scale: list[Floats]) -> Floats:
    kappa, freedom = scale
    return p_value(constant - y, np.sqrt(kappa * constant * (1 - constant)), freedom)


def _outward(mean: Floats, found: Spread, shared: Neighbours, seeds: Seeds) -> Iterator[Scaled]:
    """The mean and those nearer to 0, each as well known as it would be (with the spread v of the mean itself)."""
    yield mean, *_scale(mean, found, seeds)
    if np.any(mean * shared.items < PATH):
        for count in range(PATH):
            y = np.minimum(mean, count / shared.items)
            telling = np.minimum(found.telling, shared.items * y * (1 - y) / ((1 - y) ** 3 + y**3))
            telling = np.where(y < mean, telling, found.telling)
            number, freedom = effective(found.correlation, telling, shared, SHARE)
            yield y, *_scale(mean, replace(found, telling=telling, number=number, freedom=freedom), seeds)


def _scale(mean: Floats, found: Spread, seeds: Seeds) -> tuple[Floats, Floats]:
    """kappa and the degrees of freedom."""
    own = share_variance(mean, found)
    total, freedom = with_seeds(own, found.freedom, [seeds])
    return _ratio(mean, found) * (total**2 / own) / found.number, freedom


def _ratio(mean: Floats, found: Spread) -> Floats:
    """v: the spread of the numbers beside that of zeros and ones with their mean, one item of which is added."""
    binary = mean * (1 - mean)
    ratio = np.where(binary > 1e-12, found.square / np.where(binary > 1e-12, binary, 1.0), 1.0)
    return (found.number * ratio + 1) / (found.number + 1)


def share_variance(mean: Floats, found: Spread) -> Floats:
    inside = (mean * found.number + 0.5) / (found.number + 1)
    variance: Floats = inside * (1 - inside) * _ratio(mean, found) / found.number
    return variance
