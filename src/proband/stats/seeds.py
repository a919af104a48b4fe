"""Training seeds: a second source of chance, where another training would have given another system.

Of S runs with values v_s the mean varies by V = s^2 / S with S - 1 degrees of freedom (s^2 has the noise of item times
seed in it, which the items' variance has too: this errs on the safe side). It is added to the variance W that is due to
items, and each part keeps its own degrees of freedom:

    half the width = sqrt(t_nu^2 W + t_(S-1)^2 V)          (Banerjee 1960, whose interval never covers less than 95 %)

which is Student's t with as many degrees of freedom as give the same quantile. A net that was trained once shows
nothing of the spread of its training: what two such nets differ by can be measured, not tested.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from proband.stats.clusters import Floats
from proband.stats.variance import LEVEL, quantile

ONE_SEED = "one seed: training chance unknown"


@dataclass(frozen=True)
class Seeds:
    """How many training seeds there were, and what they add to the variance of the mean over them. `trained`: another
    seed would have given another system."""

    count: int = 1
    variance: float = 0.0
    trained: bool = False

    @property
    def unknown(self) -> bool:
        return self.trained and self.count < 2


def seeds_of(values: Floats, *, trained: bool) -> Seeds:
    """From the value of each run.

    >>> round(seeds_of(np.array([0.4, 0.5, 0.6]), trained=True).variance, 5)
    0.00333
    """
    count = len(values)
    return Seeds(count, float(values.var(ddof=1)) / count if count > 1 else 0.0, trained)


def with_seeds(own: Floats, freedom: Floats | float, seeds: Sequence[Seeds]) -> tuple[Floats, Floats]:
    """The standard error over items and seeds together, and its degrees of freedom."""
    from scipy.special import stdtridf

    several = [each for each in seeds if each.count > 1 and each.variance > 0]
    if not several:
        return np.sqrt(own), np.maximum(freedom, 1.0)
    more = sum(each.variance for each in several)
    square = own * quantile(freedom) ** 2 + sum(
        float(quantile(each.count - 1.0)) ** 2 * each.variance for each in several
    )
    return np.sqrt(own + more), np.asarray(stdtridf(LEVEL, np.sqrt(square / (own + more))))


def seeds_part(own: float, seeds: Sequence[Seeds]) -> float | None:
    """The share of the variance that is due to seeds, where there were several."""
    if all(each.count < 2 for each in seeds):
        return None
    more = sum(each.variance for each in seeds)
    return more / (own + more) if own + more else 0.0


def share_of_trainings(failed: int, count: int) -> tuple[float, float]:
    """The exact 95 % interval (Clopper and Pearson 1934) of how often trainings fail, where so many of `count` did.
    Where none did, one-sided: they may fail as often as this without being seen.

    >>> [round(end, 2) for failed in (0, 1) for end in share_of_trainings(failed, 5)]
    [0.0, 0.45, 0.01, 0.72]
    """
    from scipy.special import betaincinv

    if not failed:
        return 0.0, float(1 - 0.05 ** (1 / count))
    low, high = betaincinv([failed, failed + 1], [count - failed + 1, count - failed], [1 - LEVEL, LEVEL])
    return float(low), float(high)
