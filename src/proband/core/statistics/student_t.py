"""Quantiles, p-values, intervals and detectable differences from Student's t."""

from __future__ import annotations

import numpy as np

from proband.core.statistics.clusters import Floats

LEVEL = 0.975
POWER = 0.8


def quantile(freedom: Floats, level: float = LEVEL) -> Floats:
    from scipy.special import stdtrit

    found: Floats = stdtrit(freedom, level)
    return found


def p_value(distance: Floats, error: Floats, freedom: Floats) -> Floats:
    """Two-sided; 1 where nothing differs and nothing varies."""
    from scipy.special import stdtr

    t = np.where(error > 0, np.abs(distance) / np.where(error > 0, error, 1.0), np.where(distance == 0, 0.0, np.inf))
    return np.where(t == 0, 1.0, 2 * stdtr(freedom, -t))


def ends(centre: Floats, error: Floats, freedom: Floats) -> tuple[Floats, Floats]:
    half = quantile(freedom) * error
    return centre - half, centre + half


def detectable(error: Floats, freedom: Floats) -> Floats:
    """The true difference that a test at 0.05 sees four times in five: (t_.975 + t_.8) x standard error.

    >>> float(detectable(np.array(0.01), np.array(np.inf))).__round__(4)
    0.028
    """
    return (quantile(freedom) + quantile(freedom, POWER)) * error
