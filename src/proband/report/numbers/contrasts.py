"""One contrast of a claim: two selections, the test that suits them, and the evidence in words."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from proband.core.errors import ProbandError
from proband.core.metrics import Metric
from proband.core.statistics import estimates as stats
from proband.core.statistics.bootstrap import Floats, bootstrap_p, resample_difference
from proband.core.suite import Contrast, Where
from proband.core.types import Tag
from proband.report.numbers import words
from proband.report.numbers.cells import Study


@dataclass(frozen=True, kw_only=True)
class Compared:
    """One contrast: `ahead` is how far `above` is ahead of `below`, the margin taken off."""

    ahead: float
    difference: float
    p: float
    evidence: str
    metric: Metric


def contrasted(study: Study, contrast: Contrast, a: int, b: int, group: Where) -> Compared | None:
    """`above` of system a against `below` of system b, within the group; None where there is no data."""
    metric = study.items.suite.metric(contrast.metric)
    above: Where = {**group, **contrast.where, **contrast.above}
    below: Where = {**group, **contrast.where, **contrast.below}
    if contrast.pair == "item":
        return _by_item(study, contrast, metric, (a, above), (b, below))
    if contrast.pair:
        return _by_value(study, contrast, metric, (a, above), (b, below))
    if contrast.unit:
        return _by_group(study, contrast, metric, (a, above), (b, below))
    return _by_cluster(study, contrast, metric, (a, above), (b, below))


Side = tuple[int, Where]  # a system and what is selected of it


def _result(
    study: Study, contrast: Contrast, metric: Metric, means: tuple[float, float], p: float, counted: str
) -> Compared:
    difference = means[0] - means[1]
    ahead = (difference if metric.better == "high" else -difference) - contrast.margin
    sides = f"{words.value(means[0], metric)} against {words.value(means[1], metric)}"
    margin = f", margin {words.distance(contrast.margin, metric)}" if contrast.margin else ""
    what = f"{_side(contrast.above)} minus {_side(contrast.below)}"
    return Compared(
        ahead=ahead,
        difference=difference,
        p=p,
        evidence=f"{what}, {words.metric(metric)} {sides}, {counted}{margin}",
        metric=metric,
    )


def _side(where: Where) -> str:
    return words.group(where) if where else "all"


def _margin(contrast: Contrast, metric: Metric) -> float:
    """What the first side must be moved by, so that the test is of the margin."""
    return contrast.margin if metric.better == "high" else -contrast.margin


def _by_item(study: Study, contrast: Contrast, metric: Metric, one: Side, other: Side) -> Compared | None:
    """Two systems on the same items: the paired test of the report's comparisons."""
    where = {name: value for name, value in one[1].items() if not name.startswith("run.")}
    if where != {name: value for name, value in other[1].items() if not name.startswith("run.")}:
        raise ProbandError(f"a contrast by item selects different items: {_side(one[1])} and {_side(other[1])}")
    pair = study.pair(metric, where, one[0], other[0], margin=_margin(contrast, metric))
    if pair is None:
        return None
    counted = f"{words.count(pair.n, 'item')} in {words.count(pair.clusters, 'cluster')}"
    return _result(study, contrast, metric, (pair.mean_a, pair.mean_b), pair.p, counted)


def _values(study: Study, metric: Metric, side: Side, tag: str) -> dict[Tag, float]:
    """The metric of a system within each value of a tag."""
    system, where = side
    if tag not in study.arrays.tags:
        return {}
    codes, names = study.arrays.tags[tag].codes, study.arrays.tags[tag].values
    inside = study.mask(where)
    found = {}
    for code, name in enumerate(names):
        rows, column = study.column(system, metric, inside & (codes == code))
        if len(rows):
            found[name] = column.value
    return found


def _by_value(study: Study, contrast: Contrast, metric: Metric, one: Side, other: Side) -> Compared | None:
    """Value by value of a tag: sign flips of the differences."""
    first, second = (_values(study, metric, side, contrast.pair) for side in (one, other))
    both = [value for value in first if value in second]
    if len(both) < 2:
        return None
    a, b = np.array([first[v] for v in both]), np.array([second[v] for v in both])
    p = stats.sign_flip(a - b - _margin(contrast, metric), seed=study.seed, draws=5 * study.draws)
    counted = words.count(len(both), words.name(contrast.pair))
    return _result(study, contrast, metric, (float(a.mean()), float(b.mean())), p, counted)


def _by_group(study: Study, contrast: Contrast, metric: Metric, one: Side, other: Side) -> Compared | None:
    """Two separate groups of values of a tag: a permutation test of their means."""
    from scipy.stats import permutation_test

    a, b = (np.array(list(_values(study, metric, side, contrast.unit).values())) for side in (one, other))
    if len(a) < 2 or len(b) < 2:
        return None
    test = permutation_test(
        (a - _margin(contrast, metric), b),
        _difference_of_means,
        vectorized=True,
        n_resamples=4999,
        rng=np.random.default_rng(study.seed),
    )
    counted = f"{len(a)} and {words.count(len(b), words.name(contrast.unit))}"
    return _result(study, contrast, metric, (float(a.mean()), float(b.mean())), float(test.pvalue), counted)


def _difference_of_means(a: Floats, b: Floats, axis: int = -1) -> Floats:
    difference: Floats = a.mean(axis=axis) - b.mean(axis=axis)
    return difference


def _by_cluster(study: Study, contrast: Contrast, metric: Metric, one: Side, other: Side) -> Compared | None:
    """Two selections of items, resampled by the clusters that they may share."""
    if metric.over == "set":
        raise ProbandError(f"a contrast of {metric.name!r}, a metric over sets, needs 'pair' or 'unit'")
    (rows_a, a), (rows_b, b) = (study.column(at, metric, study.mask(where)) for at, where in (one, other))
    if not len(rows_a) or not len(rows_b):
        return None
    sides = (rows_a, a.mean - _margin(contrast, metric)), (rows_b, b.mean)
    drawn, clusters = resample_difference(*sides, study.arrays.clusters, seed=study.seed, draws=study.draws)
    counted = f"{len(rows_a):,} and {words.count(len(rows_b), 'item')} in {words.count(clusters, 'cluster')}"
    p = bootstrap_p(drawn) if clusters > 1 and len(drawn) else 1.0
    return _result(study, contrast, metric, (a.value, b.value), p, counted)
