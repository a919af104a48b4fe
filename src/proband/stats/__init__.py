"""Intervals, paired tests and planning for scores of your own: numbers in, numbers out, nothing else of Proband needed.

    from proband import stats

    stats.mean(correct, clusters=documents)                  # 95 % interval of a mean
    stats.difference(correct_a, correct_b, clusters=documents)  # paired, on the same items in the same order
    stats.plan(0.02, a=correct_a, b=correct_b, clusters=documents)  # how many items a difference of 2 points needs

    scores = stats.Scores.of(correct, clusters=documents, tags={"k": lengths})   # all of these, and selections
    scores.where(k=3).interval(), scores.minus(other), scores.against(0.25), scores.by("k")

The numbers are those of `proband compare` and of reports (docs/statistics.md), which use `Scores` too. `clusters` says
what items share: one name per item; several kinds of them (a tuple per item, an array of columns, a data frame, a
mapping), which are distinguished by their place; or a set of names of one kind. A system that was trained several times
is a list of such lists, one per training seed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from proband.core.errors import ProbandError
from proband.core.metrics import Estimate
from proband.stats import planning
from proband.stats.clusters import (
    LEAST_FREEDOM,
    ONE_SEED,
    Clusters,
    Floats,
    Ints,
    clusters_of,
    highest_hidden_failure_share,
    names_by_item,
)
from proband.stats.estimators.macro import Macro
from proband.stats.estimators.mean import Mean
from proband.stats.estimators.set_metric import SetMetric
from proband.stats.estimators.share import Share
from proband.stats.multiple_tests import beats_all, holm, holm_where_tested
from proband.stats.scores import Difference, Scores, contrast, estimator_of, macro_mean, on_common_items, runs_of

__all__ = [
    "LEAST_FREEDOM",
    "ONE_SEED",
    "Clusters",
    "Difference",
    "Estimate",
    "Floats",
    "Ints",
    "Macro",
    "Mean",
    "Plan",
    "Scores",
    "SetMetric",
    "Share",
    "beats_all",
    "clusters_of",
    "contrast",
    "difference",
    "estimator_of",
    "highest_hidden_failure_share",
    "holm",
    "holm_where_tested",
    "macro_mean",
    "mean",
    "on_common_items",
    "plan",
]
Values = Sequence[float] | Sequence[Sequence[float]] | Any  # or an array


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What a difference needs. `power` and `detectable` are those of the design as it is; `items` and `clusters` are
    needed if the design grows by further clusters of the same size, `items_in_same_clusters` if the clusters grow.
    None: no number is enough. `interval`: the 95 % interval of `items` where pilots were given, because a pilot only
    estimates the variance."""

    power: float
    detectable: float | None
    items: int | None
    clusters: int | None
    items_in_same_clusters: int | None
    interval: tuple[int | None, int | None] | None = None


def mean(values: Values, *, clusters: Any = None, share: bool | None = None) -> Estimate:
    """The mean of one number per item. `share`: the interval must lie between 0 and 1 (default: true if all numbers
    are between 0 and 1).

    >>> found = mean([1] * 30 + [0] * 10)
    >>> found.mean, round(found.low, 3), round(found.high, 3)
    (0.75, 0.591, 0.862)
    >>> found = mean([1] * 30 + [0] * 10, clusters=[i // 4 for i in range(40)])
    >>> round(found.low, 3), round(found.high, 3), found.clusters
    (0.405, 0.93, 10)
    """
    return _scores(values, clusters, "values", share=share).interval()


def difference(
    a: Values,
    b: Values,
    *,
    clusters: Any = None,
    seeds: bool | None = None,
    margin: float = 0.0,
    share: bool | None = None,
) -> Difference:
    """The paired difference of two systems on the same items, tested against `margin`. `seeds`: another training seed
    would have given other systems (assumed of a system with several rows); nothing is tested where one has one seed.

    >>> a, b = [1] * 16 + [0] * 4, [1] * 7 + [0] * 9 + [1, 1, 0, 0]
    >>> found = difference(a, b)
    >>> round(found.value, 2), round(found.low, 3), round(found.high, 3), round(found.p or 1.0, 4), found.changed
    (0.35, 0.036, 0.664, 0.0308, (7, 9, 2, 2))
    """
    one, other = _pair(a, b, clusters, "a paired test needs", seeds=seeds, share=share)
    return one.minus(other, margin=margin)


def plan(
    difference: float,
    *,
    a: Values | None = None,
    b: Values | None = None,
    items: int | None = None,
    clusters: Any = None,
    power: float = 0.8,
    accuracy: float = 0.7,
    agreement: float = 0.5,
    within: float = 0.1,
    tests: int = 1,
) -> Plan:
    """How many items and clusters show a true `difference` of two systems with the chance `power`, at 0.05.

    From the answers of two pilot systems, `a` and `b`, or of one (`a`) and an assumed `agreement`. Or from a design
    alone (`clusters`, or a number of `items` that share nothing) and assumptions: the `accuracy` of a system, the
    correlation of two systems' answers to one item (`agreement`) and that of the differences of two items of one
    cluster (`within`). The defaults are guesses; medians of the 60 systems of the calibration: .43, .19, .06.
    `tests`: how many such comparisons will be corrected together (Holm).

    >>> plan(0.05, items=400).items
    810
    >>> plan(0.05, clusters=[i // 10 for i in range(400)]).items_in_same_clusters is None
    True
    """
    planning.check(difference, power=power, accuracy=accuracy, agreement=agreement, within=within, tests=tests)
    if a is not None:
        sides = [_scores(a, clusters, "a")] if b is None else _pair(a, b, clusters, "pilots need")
        pilot = planning.Pilot.of(sides, agreement=agreement)
    else:
        names = None if clusters is None else names_by_item(clusters)
        count = items if items is not None else len(names or ())
        if count < 1:
            raise ProbandError("give two pilot systems (a, b), or a number of items or their clusters")
        square = 2 * (1 - agreement) * accuracy * (1 - accuracy)
        design = Clusters.named(names, count).design()
        pilot = planning.Pilot.assumed(design, square=square, correlation=within)
    pilot = replace(pilot, tests=tests)
    now = planning.PlannedDesign(pilot=pilot, scale=pilot.variances())
    more, ends = planning.required(pilot, difference, power=power, by="clusters")
    larger, _ = planning.required(pilot, difference, power=power, by="within")
    n, groups = pilot.items, pilot.clusters
    return Plan(
        power=now.power(difference),
        detectable=now.detectable,
        items=None if more is None else math.ceil(n * more.clusters - 1e-9),
        clusters=None if more is None else math.ceil(groups * more.clusters - 1e-9),
        items_in_same_clusters=None if larger is None else math.ceil(n * larger.within - 1e-9),
        interval=(_items(n, ends[0]), _items(n, ends[1])) if pilot.variance_freedom is not None else None,
    )


def _items(count: int, grown: planning.PlannedDesign | None) -> int | None:
    return None if grown is None else math.ceil(count * grown.clusters - 1e-9)


def _pair(
    a: Values, b: Values, clusters: Any, needs: str, *, seeds: bool | None = None, share: bool | None = None
) -> list[Scores]:
    sides = runs_of(a, "a"), runs_of(b, "b")
    if sides[0].shape[1] != sides[1].shape[1]:
        raise ProbandError(f"a has {sides[0].shape[1]} items and b {sides[1].shape[1]}: {needs} the same items")
    named = Clusters.named(clusters, sides[0].shape[1])
    return [_scores(runs, named, name, seeds=seeds, share=share) for runs, name in zip(sides, "ab")]


def _scores(
    values: Values, clusters: Any, name: str, *, seeds: bool | None = None, share: bool | None = None
) -> Scores:
    runs = runs_of(values, name)
    of = None if share is None else Share() if share else Mean()
    return Scores.of(runs, clusters=clusters, estimator=of, trained=len(runs) > 1 if seeds is None else seeds)
