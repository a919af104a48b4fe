"""Paired tests of systems that have numbers for the same items."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from proband.core.metrics import Metric
from proband.core.statistics import estimates as stats
from proband.core.statistics.bootstrap import Drawn, Ints, bootstrap_p, interval
from proband.report.numbers.columns import Column

Place = tuple[int, int, int, int]  # the systems a and b, and the columns of their numbers


@dataclass(frozen=True, eq=False)
class Together:
    """Systems that have numbers for the same items, resampled together."""

    rows: Ints
    columns: tuple[Column, ...]
    drawn: Drawn


@dataclass(frozen=True, kw_only=True)
class Pair:
    """System a minus system b on the items both answered; `p` is not corrected."""

    a: int
    b: int
    means: tuple[float, float]
    difference: float
    low: float
    high: float
    p: float
    n: int
    clusters: int
    detectable: float  # the smallest true difference that would be seen four times in five

    def turned(self) -> Pair:
        """b minus a."""
        return replace(
            self,
            a=self.b,
            b=self.a,
            means=self.means[::-1],
            difference=-self.difference,
            low=-self.high,
            high=-self.low,
        )


def paired(
    metric: Metric, both: Together, places: Sequence[Place], *, seed: int, draws: int, margin: float = 0.0
) -> dict[tuple[int, int], Pair]:
    """The pairs at some places: sign flips where every item is in one cluster and the metric is a mean over items, the
    bootstrap otherwise. The null hypothesis is that a is ahead of b by `margin`."""
    drawn = both.drawn
    flips: dict[Place, float] = {}
    if drawn.single and metric.over == "item":
        sums = np.stack([drawn.totals[:, i] - drawn.totals[:, j] for _, _, i, j in places], axis=1)
        sums -= margin * drawn.sizes[:, None]
        flips = dict(zip(places, stats.sign_flips(sums, seed=seed, draws=5 * draws).tolist()))
    return {(a, b): _pair(both, (a, b, i, j), flips.get((a, b, i, j)), margin) for a, b, i, j in places}


def _pair(both: Together, place: Place, p: float | None, margin: float) -> Pair:
    a, b, i, j = place
    drawn = both.drawn
    means = drawn.means[:, i] - drawn.means[:, j]
    values = both.columns[i].value, both.columns[j].value
    low, high, spread = -1.0, 1.0, 1.0
    if drawn.clusters > 1:
        low, high = interval(means, drawn.clusters)
        spread = float(means.std())
        p = bootstrap_p(means - margin) if p is None else p
    return Pair(
        a=a,
        b=b,
        means=values,
        difference=values[0] - values[1],
        low=low,
        high=high,
        p=p if p is not None and drawn.clusters > 1 else 1.0,
        n=len(both.rows),
        clusters=drawn.clusters,
        detectable=stats.minimum_detectable(spread),
    )
