r"""Metrics over sets: functions of records and weights (F1, average precision, area under a curve).

The variance is that of the delete-a-cluster jackknife (Tukey 1958; CV3J of MacKinnon, Nielsen and Webb 2023),

    V = (G - 1)/G  sum over g of (T_(-g) - mean of T_(-g))^2,

of more than 100 clusters by 100 random groups of them (the delete-a-group jackknife, Kott 2001). A metric between 0 and
1 gets Wilson's interval at T (1 - T) / V (share.py), with no more observations than there are records of the rarest
label: it is a statement about those.

A metric that jumps (recall at a given precision) has no such variance (Shao and Wu 1989). Its clusters are drawn with
replacement, of several kinds independently, where a record weighs the product of how often its clusters were drawn (the
pigeonhole bootstrap, Owen 2007). Two systems get the same draws. The interval is the percentile interval at the levels

    Phi(-+ sqrt(G/(G-1)) t_nu)                                       (expanded percentiles, Hesterberg 2015)

and p is the level whose interval ends at the constant. What is estimated is the value expected of another set with as
many clusters: recall at a precision is the best of many thresholds and is higher on a small set than on a large one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from proband.core.metrics import Metric
from proband.stats.clusters import LEVEL, Design, Floats, Partition, Seeds, p_value, quantile
from proband.stats.estimators.mean import Mean, Pieces, Result, equivalence, t_result
from proband.stats.estimators.share import Discordant, Share, largest_number
from proband.stats.ranking import accuracy_of_decisions

GROUPS = 100  # of clusters, each left out once: with 99 degrees of freedom t is 1.2 % above its limit
DRAWS = 2000  # of the bootstrap; percentiles need 1,000 or more (Efron and Tibshirani 1993)


@dataclass(frozen=True, kw_only=True)
class SetMetric(Mean):
    """A metric over sets, from one record of numbers per item: the score first, then labels."""

    metric: Metric

    records = True

    @property
    def share(self) -> bool:  # type: ignore[override]
        return self.metric.percent

    def value(self, run: Floats, design: Design) -> float:
        return self._weighted(run, design, np.ones(len(run)))

    def _weighted(self, run: Floats, design: Design, weights: Floats) -> float:
        """Over records with weights; of several blocks the mean of those that have some."""
        if not design.blocks.any():
            return float(self.metric.of(run, weights))
        inside = (design.blocks == block for block in range(int(design.blocks.max()) + 1))
        return float(np.mean([self.metric.of(run[b], weights[b]) for b in inside if weights[b].any()]))

    def pieces(self, runs: Floats, design: Design) -> Pieces:
        each = list(runs)  # the same arrays in every draw: a metric may remember what it needs of one
        value = float(np.mean([self.value(run, design) for run in each]))
        labels = np.unique(runs[0][:, 1:], axis=0, return_inverse=True)[1].ravel() if runs.shape[-1] > 1 else None
        rarest = np.bincount(labels).min() if labels is not None and len(labels) else design.items
        if self.metric.of is accuracy_of_decisions:  # a mean of records: each is an observation
            rarest = design.items

        def of(weights: Floats) -> float:
            values = [self._weighted(run, design, weights) for run in each]
            return values[0] if len(values) == 1 else float(np.mean(values))  # np.mean takes longer than a metric

        if self.metric.jumps:
            return Pieces(value, design, [], [], draws=draws(of, design), limit=float(rarest))
        sums = [jackknife(of, design.items, term) for term in design.terms]
        kinds = [] if len(design.terms) == 1 else [jackknife(of, design.items, kind) for kind in design.kinds]
        return Pieces(value, design, sums, kinds, limit=float(min(rarest, design.items)))

    def result(self, pieces: Pieces, seeds: Sequence[Seeds], constant: float = 0.0) -> Result:
        if pieces.draws is not None or not self.share:
            return super().result(pieces, seeds, constant)
        own, inside = pieces.variance, pieces.value * (1 - pieces.value)
        number = float(largest_number(np.array(inside), pieces.limit, pieces.summary))
        if inside > 1e-12:
            number = min(number, pieces.limit, inside / own if own > 1e-15 else pieces.summary.equal)
        return Share().at(number, pieces, seeds, constant)

    def difference(self, pieces: Pieces, seeds: Sequence[Seeds], margin: float = 0.0) -> Result:
        if pieces.draws is not None:
            return _percentiles(pieces, seeds, margin, share=self.share)
        if pieces.variance > 1e-15 or not self.share:
            return super().difference(pieces, seeds, margin)
        apart = Discordant(max(pieces.value, 0.0), max(-pieces.value, 0.0), min(pieces.limit, pieces.summary.equal))
        centre, error = apart.adjusted(sum(each.variance for each in seeds))
        freedom = pieces.summary.freedom
        half = float(quantile(freedom)) * error
        p = 1.0 if pieces.value == margin else float(p_value(np.array(centre - margin), np.array(error), freedom))
        low, high = max(centre - half, -1.0), min(centre + half, 1.0)
        return Result(low, high, p, error, freedom, 0.0, equivalence(freedom, (centre, error)))


def jackknife(of: Callable[[Floats], float], items: int, part: Partition) -> Floats:
    """sqrt((G - 1)/G) (T_(-g) - mean), whose squares sum to V.

    >>> x = np.arange(6.0)
    >>> alone = Partition.of(np.arange(6), np.arange(6))
    >>> v = (jackknife(lambda w: float(w @ x / w.sum()), 6, alone) ** 2).sum()
    >>> bool(np.isclose(v, x.var(ddof=1) / 6))
    True
    """
    count, group = min(part.count, GROUPS), part.group
    if part.count > GROUPS:
        group = np.random.default_rng(part.count).permutation(part.count)[part.group] % GROUPS
    values = np.empty(count)
    for at in range(count):
        weights = np.ones(items)
        weights[part.items[group == at]] = 0.0
        values[at] = of(weights) if weights.any() else np.nan
    if np.isnan(values).all():  # one cluster has all items: nothing can be left out
        return np.zeros(count)
    values = np.where(np.isnan(values), np.nanmean(values), values) if np.isnan(values).any() else values
    left: Floats = math.sqrt((count - 1) / count) * (values - values.mean())
    return left


def draws(of: Callable[[Floats], float], design: Design) -> Floats:
    """The value in each draw of clusters."""
    rng = np.random.default_rng([design.items, *(kind.count for kind in design.kinds)])
    results, kinds = np.empty(DRAWS), [(kind, np.full(kind.count, 1 / kind.count)) for kind in design.kinds]
    for at in range(DRAWS):
        weights = np.ones(design.items)
        for kind, equal in kinds:
            drawn = rng.multinomial(kind.count, equal).astype(np.float64)
            np.multiply.at(weights, kind.items, drawn[kind.group])
        results[at] = of(weights) if weights.any() else np.nan
    return np.where(np.isnan(results), np.nanmean(results), results)


def _percentiles(pieces: Pieces, seeds: Sequence[Seeds], constant: float, *, share: bool) -> Result:
    """The interval and test from draws, each moved by a t of the training seeds."""
    from scipy.special import ndtr, ndtri, stdtr

    assert pieces.draws is not None
    value, about, moved = pieces.value, pieces.summary, pieces.draws
    own = float(moved.var())
    for at, each in enumerate(seeds):
        if each.count > 1 and each.variance:
            rng = np.random.default_rng([at, each.count])
            moved = moved + math.sqrt(each.variance) * rng.standard_t(each.count - 1, len(moved))
    groups, freedom = max(about.clusters, 2), max(about.freedom, 1.0)
    wider = math.sqrt(groups / (groups - 1))
    level = float(ndtr(-wider * quantile(freedom, LEVEL)))
    place, ordered = max(1, math.ceil(level * len(moved))), np.sort(moved)
    low, high = min(float(ordered[place - 1]), value), max(float(ordered[-place]), value)
    error = float(moved.std()) * wider
    beyond = moved <= constant if constant < value else moved >= constant
    part = min(max(int(beyond.sum()), 0.5) / len(moved), 0.5)
    p = 1.0 if constant == value else 2 * float(stdtr(freedom, ndtri(part) / wider))
    if not beyond.any() and error:
        p = min(p, 2 * float(stdtr(freedom, -abs(value - constant) / error)))
    p = max(p, 0.05) if low <= constant <= high else min(p, float(np.nextafter(0.05, 0)))
    if share and -1e-9 <= value <= 1 + 1e-9 and constant >= 0:
        low, high = max(low, -1.0), min(high, 1.0)
    return t_result(value, (low, high), p, error, freedom, own, freedom)
