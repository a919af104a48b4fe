"""Student's t, and training seeds as a second source of chance.

V = s^2/S over S runs, less what the items' own noise explains of it, is added to the variance W that is due to items.
Each part keeps its own degrees of freedom (nu and S - 1; of two systems with V_1 and V_2, Welch's):

    half the width = sqrt(t_nu^2 W + t_(S-1)^2 V),

a t with as many degrees of freedom as make its quantile at .975 the same. Satterthwaite's number for W + V is itself an
estimate, and with two or three seeds it is too large whenever their runs happen to be alike.

A net that was trained once says nothing of its training. Beside another net with three seeds or more, that one's
variance stands in for it: V = s^2 (1/S + 1). Otherwise its training chance is unknown, and nothing is decided.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from proband.core.statistics.clusters import Floats

LEVEL = 0.975
POWER = 0.8


def quantile(freedom: Floats, level: float = LEVEL) -> Floats:
    from scipy.special import stdtrit

    result: Floats = stdtrit(freedom, level)
    return result


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


# ---- training seeds --------------------------------------------------------------------------------------------------


ENOUGH = 3  # seeds whose variance may stand in for that of a net with one
ONE_SEED = "one seed: training chance unknown"
STANDS_IN = "one seed: the other's variance stands in"


@dataclass(frozen=True)
class Seeds:
    """How many training seeds there were, and what they add to the variance of a mean over them. `trained`: another
    seed would have given another system."""

    count: int = 1
    variance: float | Floats = 0.0
    trained: bool = False

    @property
    def unknown(self) -> bool:
        return self.trained and self.count < 2


def seeds_of(values: Floats, influence: Floats, *, trained: bool = False) -> Seeds:
    """What the runs of one system differ by beyond the noise of single items (an interaction of item and seed, which
    the items' variance has counted already).

    >>> u = np.tile([0.5, -0.5], (3, 10))
    >>> round(seeds_of(np.array([0.4, 0.5, 0.6]), u).variance, 5), seeds_of(np.array([0.5] * 3), u).variance
    (0.00333, 0.0)
    """
    count, items = influence.shape[-2:]
    if count < 2:
        return Seeds(trained=trained)
    own = influence - influence.mean(axis=-2, keepdims=True)
    noise = (own**2).sum(axis=(-2, -1)) / (max(items - 1, 1) * (count - 1))
    net = np.maximum(values.var(axis=-1, ddof=1) / count - noise / (items * count), 0.0)
    return Seeds(count, net if values.ndim > 1 else float(net), trained)


def standing_in(one: Seeds, other: Seeds) -> tuple[Seeds, ...]:
    """The seeds of a difference: where one of two nets was trained once, the other's variance stands in for it.

    >>> standing_in(Seeds(4, 0.25, True), Seeds(trained=True))
    (Seeds(count=4, variance=1.25, trained=True),)
    """
    if training(one, other) != STANDS_IN:
        return one, other
    known = other if one.unknown else one
    return (Seeds(known.count, known.variance * (1 + known.count), True),)


def training(*seeds: Seeds) -> str:
    """What is to be said of the training seeds of one system, or of two that are compared.

    >>> training(Seeds(5, 0.01, True), Seeds(5, 0.01, True)), training(Seeds(5, 0.01, True), Seeds(trained=True))
    ('', "one seed: the other's variance stands in")
    >>> training(Seeds(2, 0.01, True), Seeds(trained=True)), training(Seeds(), Seeds(trained=True))
    ('one seed: training chance unknown', 'one seed: training chance unknown')
    """
    if not any(each.unknown for each in seeds):
        return ""
    return STANDS_IN if any(each.trained and each.count >= ENOUGH for each in seeds) else ONE_SEED


def with_seeds(own: Floats, freedom: Floats, seeds: Sequence[Seeds]) -> tuple[Floats, Floats]:
    """The standard error over items and seeds together, and its degrees of freedom."""
    from scipy.special import stdtridf

    several = [each for each in seeds if each.count > 1]
    more = sum((np.asarray(each.variance) for each in several), np.zeros(()))
    if not np.any(more > 0):
        return np.sqrt(own), freedom
    below = sum((np.asarray(each.variance) ** 2 / (each.count - 1) for each in several), np.zeros(()))
    of_seeds = np.where(more > 0, more**2 / np.where(more > 0, below, 1.0), 1.0)
    square = (own * quantile(freedom) ** 2 + more * quantile(of_seeds) ** 2) / (own + more)
    together = np.where(more > 0, stdtridf(LEVEL, np.sqrt(square)), freedom)
    return np.sqrt(own + more), together


def seeds_part(own: float, seeds: Sequence[Seeds]) -> float | None:
    """The share of the variance that is due to seeds, where there were several."""
    if all(each.count < 2 for each in seeds):
        return None
    more = float(sum(each.variance for each in seeds))
    return more / (own + more) if own + more else 0.0
