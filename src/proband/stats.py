"""Intervals, paired tests and planning for scores of your own: numbers in, numbers out, nothing else of Proband needed.

    from proband import stats

    stats.mean(correct, clusters=documents)                  # 95 % interval of a mean
    stats.difference(correct_a, correct_b, clusters=documents)  # paired, on the same items in the same order
    stats.plan(0.02, a=correct_a, b=correct_b, clusters=documents)  # how many items a difference of 2 points needs

The numbers are those of `proband compare` and of reports (docs/statistics.md). `clusters` says what items share: one
name per item, or several (a tuple of names). A system that was trained several times is a list of such lists, one per
training seed. Names and fields of this module stay as they are from version to version.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from proband.core.errors import ProbandError
from proband.core.statistics import estimates, planning
from proband.core.statistics.clusters import Clusters, Floats, Neighbours
from proband.core.statistics.estimates import of_mean
from proband.core.statistics.spread import neighbours_correlation

__all__ = ["Difference", "Mean", "Plan", "difference", "holm", "mean", "plan"]
holm = estimates.holm
Values = Sequence[float] | Sequence[Sequence[float]] | Any  # or an array


@dataclass(frozen=True, kw_only=True)
class Mean:
    """A mean with its 95 % interval. `few`: fewer than six effective clusters or items, where no interval can be
    trusted. `from_seeds`: the share of the variance that is due to training seeds."""

    value: float
    low: float
    high: float
    n: int
    clusters: int
    few: bool
    from_seeds: float | None = None


@dataclass(frozen=True, kw_only=True)
class Difference:
    """a - b with its 95 % interval and p-value (below 0.05 if and only if the interval leaves out zero, or `margin`);
    `detectable` is the true difference that would be significant four times in five. `note` is what must be said where
    a trained system has one seed."""

    value: float
    low: float
    high: float
    p: float
    detectable: float
    mean_a: float
    mean_b: float
    n: int
    clusters: int
    few: bool
    from_seeds: float | None = None
    note: str = ""


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What a difference needs. `power` and `detectable` are those of the design as it is; `items` and `clusters` are
    needed if the design grows by further clusters of the same size, `items_in_same_clusters` if the clusters grow.
    None: no number is enough."""

    power: float
    detectable: float
    items: int | None
    clusters: int | None
    items_in_same_clusters: int | None


def mean(values: Values, *, clusters: Sequence[Any] | None = None, share: bool | None = None) -> Mean:
    """The mean of one number per item. `share`: the numbers lie between 0 and 1 and the interval must too (found out
    from the numbers unless said).

    >>> found = mean([1] * 30 + [0] * 10)
    >>> found.value, round(found.low, 3), round(found.high, 3)
    (0.75, 0.598, 0.858)
    >>> found = mean([1] * 30 + [0] * 10, clusters=[i // 4 for i in range(40)])
    >>> round(found.low, 3), round(found.high, 3), found.clusters
    (0.432, 0.922, 10)
    """
    runs = _runs(values, "values")
    shared = _shared(clusters, runs.shape[1])
    measured = _measured(runs, trained=len(runs) > 1)
    result = estimates.interval(measured, shared, share=_is_share(share, runs))
    return Mean(
        value=measured.value,
        low=result.low,
        high=result.high,
        n=runs.shape[1],
        clusters=shared.clusters,
        few=result.few,
        from_seeds=result.from_seeds,
    )


def difference(
    a: Values,
    b: Values,
    *,
    clusters: Sequence[Any] | None = None,
    seeds: bool | None = None,
    margin: float = 0.0,
    share: bool | None = None,
) -> Difference:
    """The paired difference of two systems on the same items, tested against `margin`. `seeds`: another training seed
    would have given other systems (assumed of a system with several rows); a system with one seed then says so.

    >>> a, b = [1] * 16 + [0] * 4, [1] * 7 + [0] * 9 + [1, 1, 0, 0]
    >>> found = difference(a, b)
    >>> round(found.value, 2), round(found.low, 3), round(found.high, 3), round(found.p, 4)
    (0.35, 0.033, 0.65, 0.0317)
    """
    runs_a, runs_b = _runs(a, "a"), _runs(b, "b")
    if runs_a.shape[1] != runs_b.shape[1]:
        raise ProbandError(f"a has {runs_a.shape[1]} items and b {runs_b.shape[1]}: a paired test needs the same items")
    shared = _shared(clusters, runs_a.shape[1])
    first, second = (_measured(runs, trained=len(runs) > 1 if seeds is None else seeds) for runs in (runs_a, runs_b))
    result = estimates.compare(first, second, shared, share=_is_share(share, runs_a, runs_b), margin=margin)
    return Difference(
        value=result.difference,
        low=result.low,
        high=result.high,
        p=result.p,
        detectable=result.detectable,
        mean_a=first.value,
        mean_b=second.value,
        n=runs_a.shape[1],
        clusters=shared.clusters,
        few=result.few,
        from_seeds=result.from_seeds,
        note=result.training,
    )


def plan(
    difference: float,
    *,
    a: Values | None = None,
    b: Values | None = None,
    items: int | None = None,
    clusters: Sequence[Any] | None = None,
    power: float = 0.8,
    accuracy: float = 0.7,
    agreement: float = 0.5,
    within: float = 0.1,
) -> Plan:
    """How many items and clusters show a true `difference` of two systems with the chance `power`, at 0.05.

    From the answers of two pilot systems, `a` and `b`, or of one (`a`) and an assumed `agreement`. Or from a design
    alone (`clusters`, or a number of `items` that share nothing) and assumptions: the `accuracy` of a system, the
    correlation of two systems' answers to one item (`agreement`) and that of the differences of two items of one
    cluster (`within`).

    >>> plan(0.05, items=400).items
    663
    >>> plan(0.05, clusters=[i // 10 for i in range(400)]).items_in_same_clusters is None
    True
    """
    if difference <= 0 or not 0.05 < power < 1:
        raise ProbandError("a difference must be above 0, a power between 0.05 and 1")
    pilot = None if a is None else _pilot(a, b, clusters, agreement)
    if pilot is None:
        count = items if items is not None else len(clusters or ())
        if not count or not 0 < accuracy < 1 or not -1 <= agreement < 1 or not 0 <= within <= 1:
            raise ProbandError("give two pilot systems (a, b), or a number of items or their clusters")
        square = 2 * (1 - agreement) * accuracy * (1 - accuracy)
        pilot = planning.Pilot(shared=_shared(clusters, count), square=square, correlation=within)
    readings = pilot.shared.readings
    now = max((planning.grown(replace(pilot, shared=each)) for each in readings), key=lambda each: each.detectable)
    more, _ = planning.largest(pilot, difference, power=power, by="clusters")
    larger, _ = planning.largest(pilot, difference, power=power, by="within")
    n, groups = pilot.shared.items, pilot.shared.clusters
    return Plan(
        power=now.power(difference),
        detectable=now.detectable,
        items=None if more is None else math.ceil(n * more.clusters - 1e-9),
        clusters=None if more is None else math.ceil(groups * more.clusters - 1e-9),
        items_in_same_clusters=None if larger is None else math.ceil(n * larger.within - 1e-9),
    )


def _pilot(a: Values, b: Values | None, clusters: Sequence[Any] | None, agreement: float) -> planning.Pilot:
    if b is None:
        runs_a = _runs(a, "a")
        one = _measured(runs_a, trained=len(runs_a) > 1)
        u, shared = one.mean_influence, _shared(clusters, runs_a.shape[1])
        if not u.any():
            raise ProbandError("the answers of the pilot do not vary: nothing can be planned from them")
        return planning.Pilot(
            shared=shared,
            square=float(2 * (1 - agreement) * (u**2).mean()),
            correlation=float(neighbours_correlation(u, shared, safe=False)),
            share=_is_share(None, runs_a),
            seeds=2 * float(one.seeds.variance),
        )
    runs = _runs(a, "a"), _runs(b, "b")
    if runs[0].shape[1] != runs[1].shape[1]:
        raise ProbandError(f"a has {runs[0].shape[1]} items and b {runs[1].shape[1]}: pilots need the same items")
    first, second = (_measured(each, trained=len(each) > 1) for each in runs)
    u = first.mean_influence - second.mean_influence
    if not u.any():
        raise ProbandError("the answers of the pilots do not differ in any item: nothing can be planned from them")
    shared = _shared(clusters, len(u))
    return planning.Pilot(
        shared=shared,
        square=float((u**2).mean()),
        correlation=float(neighbours_correlation(u, shared, safe=False)),
        share=_is_share(None, *runs),
        seeds=float(first.seeds.variance + second.seeds.variance),
    )


def _runs(values: Values, name: str) -> Floats:
    """Training seeds x items."""
    try:
        runs = np.atleast_2d(np.asarray(values, dtype=np.float64))
    except (TypeError, ValueError):
        raise ProbandError(f"{name} must be one number per item, or a row of them per training seed") from None
    if runs.ndim != 2 or not runs.size:
        raise ProbandError(f"{name} must be one number per item, or a row of them per training seed")
    if not np.isfinite(runs).all():
        row, item = np.argwhere(~np.isfinite(runs))[0].tolist()
        raise ProbandError(f"{name}: item {item} is {runs[row, item]}, which is not a score")
    return runs


def _shared(clusters: Sequence[Any] | None, items: int) -> Neighbours:
    names: list[tuple[str, ...]]
    if clusters is None:
        names = [(str(i),) for i in range(items)]
    elif len(clusters) != items:
        raise ProbandError(f"{len(clusters)} clusters for {items} items: name what each item shares")
    else:
        names = [tuple(map(str, each)) if isinstance(each, (list, tuple)) else (str(each),) for each in clusters]
    return Neighbours.of(Clusters.of(names))


def _measured(runs: Floats, *, trained: bool) -> estimates.Measured:
    both = [of_mean(row) for row in runs]
    return estimates.Measured(np.array([value for value, _ in both]), np.array([u for _, u in both]), trained)


def _is_share(given: bool | None, *runs: Floats) -> bool:
    return all(((each >= 0) & (each <= 1)).all() for each in runs) if given is None else given
