r"""Estimates people's verdicts on all answers, from a judge's verdicts on all of them and people's on a sample.

Prediction-powered inference (Angelopoulos, Bates, Fannjiang, Jordan and Zrnic 2023), with a weight as Angelopoulos,
Duchi and Zrnic (2024) have it. With f_i the judge's verdict on each of N answers and y_i people's on n of them, chosen
at random (or in whole clusters at random),

    theta = mean over all of l f_i + mean over the sample of (y_i - l f_i),      l = cov(y, f) / var(f).

Here the N answers include the sample, so mean_n(f) - mean_N(f) is (1 - n/N) times the difference of two independent
means, of n and of N - n answers, and var(theta) = (var(y) - (1 - n/N) (2 l cov(y, f) - l^2 var(f))) / n: it is least at
this l, the regression estimator of Cochran (1977, chapter 7), and never above var(y) / n. (With N further answers
beside the sample the divisor is (1 + n/N) var(f).)

Each answer moves theta by l (f_i - mean)/N, those of the sample also by the residual of y_i - l f_i from its mean over
n: the variance V is that of these sums over clusters (clusters.py: CR2 with both parts as blocks). Verdicts between 0
and 1 have Wilson's interval at theta (1 - theta) / V; where people's rarer verdict is in few clusters, V is unsure, and
this number is mixed with that of the sample alone by the rule for rare outcomes (share.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from proband.core.errors import ProbandError
from proband.stats.clusters import Clusters, Floats, quantile, variance
from proband.stats.estimators.share import clusters_with_rarer, effective_number, shrunk, wilson
from proband.stats.scores import Scores


@dataclass(frozen=True, kw_only=True)
class Corrected:
    """The mean of people's verdicts with its 95 % interval. `alone` are the ends by the sample alone; `gain` is how
    many times as many answers people would have had to judge for the same width."""

    mean: float
    low: float
    high: float
    weight: float
    n: int
    judged: int
    alone: tuple[float, float]
    gain: float
    few: bool


def judge_corrected_mean(
    judge: Sequence[float] | Floats, people: Sequence[float | None] | Floats, *, clusters: Any = None
) -> Corrected:
    """From the judge's verdict on each answer and people's (None or NaN where there is none).

    >>> truth = [float(i % 10 < 7) for i in range(400)]
    >>> judge = [1.0 if i % 20 == 19 else t for i, t in enumerate(truth)]
    >>> found = judge_corrected_mean(judge, [t if i < 80 else None for i, t in enumerate(truth)])
    >>> round(found.mean, 3), found.judged, found.gain > 2
    (0.7, 80, True)
    """
    f = np.asarray(judge, dtype=np.float64)
    y = np.array([np.nan if value is None else value for value in people], dtype=np.float64)
    if len(f) != len(y):
        raise ProbandError(f"{len(f)} verdicts of the judge and {len(y)} of people: name each answer once")
    if not np.isfinite(f).all():
        raise ProbandError(f"the judge has no verdict on answer {int(np.flatnonzero(~np.isfinite(f))[0])}")
    sample = np.flatnonzero(np.isfinite(y))
    if len(sample) < 2:
        raise ProbandError(f"people judged {len(sample)} of {len(f)} answers; at least 2 are needed")
    n, every = len(sample), len(f)
    covariance, spread = float(np.cov(y[sample], f[sample])[0, 1]), float(f.var())
    weight = covariance / spread if spread > 0 else 0.0
    rest = y[sample] - weight * f[sample]
    value = float(weight * f.mean() + rest.mean())
    names = Clusters.named(clusters, every)
    rows, sizes = np.concatenate([np.arange(every), sample]), np.array([every, n])
    design = names.weighted(rows, np.repeat(0.5 / sizes, sizes), np.repeat([0, 1], sizes))
    moved = np.concatenate([weight * (f - f.mean()) / every, (rest - rest.mean()) / n])
    own, square = Scores.of(y[sample], clusters=names.only(sample)), float(variance(design, moved))
    alone, mean = own.interval(), min(max(value, 0.0), 1.0)
    low, high = value + quantile(own.summary.freedom) * np.sqrt(square) * np.array([-1.0, 1.0])
    if own.estimator.share:
        least = effective_number(y[sample], own.design, np.array(own.pieces.variance))
        number = mean * (1 - mean) / square if min(mean * (1 - mean), square) > 1e-15 else least
        number = shrunk(number, least, clusters_with_rarer(y[sample], own.design))
        low, high = wilson(np.array(mean), number, own.summary.freedom)
        value = mean
    return Corrected(
        mean=value,
        low=float(low),
        high=float(high),
        weight=weight,
        n=every,
        judged=n,
        alone=(alone.low, alone.high),
        gain=float((alone.high - alone.low) / (high - low)) ** 2 if high > low else 1.0,
        few=alone.few,
    )
