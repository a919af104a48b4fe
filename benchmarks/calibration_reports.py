"""What reports and plans say, simulated: first-screen sentences about models that guess, and the numbers of clusters
that pilot runs recommend."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from proband.core.metrics import ACCURACY
from proband.core.statistics.clusters import Clusters, Floats
from proband.core.statistics.estimates import difference_ends
from proband.core.statistics.planning import Pilot, grown, largest, needed
from proband.core.statistics.spread import neighbours_correlation
from proband.core.suite import Table
from proband.core.types import Answer, Item, Run
from proband.reporting.findings import sentences
from proband.reporting.numbers.cells import Study
from proband.reporting.numbers.comparisons import comparisons
from proband.reporting.numbers.grids import fill
from proband.reporting.numbers.item_sets import AnsweredRun, ItemSet
from proband.suites import suite

KINDS = "abcdef"
TABLE = Table(name="t", title="t", rows=(), columns=("kind",), metric="accuracy")
FINDINGS = ("furthest", "has the highest", "has its highest")
Flags = NDArray[np.bool_]


def said(right: Flags, unread: Flags | None = None) -> list[str]:
    """The first-screen sentences about models (the rows of `right`) on items of six kinds with two choices each."""
    items = [
        Item(id=str(i), suite="analogy", prompt="?", choices=("x", "y"), gold=0, tags={"kind": KINDS[i % 6]})
        for i in range(right.shape[1])
    ]
    answered = []
    for at, row in enumerate(right):
        answers = [
            Answer(item_id=item.id, status="unread", text="?")
            if unread is not None and unread[at, i]
            else Answer(item_id=item.id, scores=(float(row[i]), 1.0 - float(row[i])))
            for i, item in enumerate(items)
        ]
        run = Run(suite="analogy", solver="choose", model=f"m{at}", seed=0, items_sha="")
        answered.append(AnsweredRun(run=run, answers=answers))
    own = dataclasses.replace(suite("analogy"), metrics=(ACCURACY,), tables=(TABLE,))
    study = Study(ItemSet(suite=own, items_from=items, answered=answered))
    return sentences(study, fill(study, TABLE), comparisons(study))


def findings_about_guessers(models: int, reports: int, *, items: int = 120) -> float:
    """The share of reports that say anything of models which all guess."""
    rng = np.random.default_rng(models)
    found = (said(rng.random((models, items)) < 0.5) for _ in range(reports))
    return sum(any(word in each for each in report for word in FINDINGS) for report in found) / reports


def guessers(models: int, repetitions: int) -> list[str]:
    reports = max(20, repetitions // 5)
    return [
        f"- {models} models that guess, 120 items of six kinds: {100 * findings_about_guessers(models, reports):.1f} % "
        f"of {reports} reports say that something stands out."
    ]


def planned(clusters: int, repetitions: int) -> list[str]:
    inside, numbers = plans(clusters, repetitions)
    low, high = np.quantile(numbers, [0.025, 0.975])
    return [
        f"- `plan` from pilots of {clusters} clusters of 6 items: the number of clusters is between {low:.0f} and "
        f"{high:.0f} in 95 % of {repetitions} pilots; its interval contains the true one in {100 * inside:.1f} %."
    ]


def powers(difference: float, tests: int, repetitions: int) -> list[str]:
    """The plan from a pilot that knows everything, carried out: how often the difference is significant."""
    clusters, power = kept_power(difference, tests, repetitions)
    corrected = f", corrected for {tests} tests" if tests > 1 else ""
    return [
        f"- `plan` for a difference of {100 * difference:g} points with a power of 0.8{corrected}: {clusters} clusters "
        f"of 6 items, which find it in {power:.3f} of {repetitions} studies."
    ]


def within(clusters: int, repetitions: int, *, difference: float = 0.08) -> list[str]:
    """More items in the same clusters, where a pilot's plan offers them: the power that they really have."""
    true = _pilots(4000, 6, 1, seed=0, better=0.6 + difference)[0]
    powers = []
    for pilot in _pilots(clusters, 6, repetitions, seed=clusters, better=0.6 + difference):
        plan, _ = largest(dataclasses.replace(pilot, measured=True), difference, power=0.8, by="within")
        if plan:
            own = dataclasses.replace(true, dependence=pilot.dependence)
            powers.append(grown(own, within=plan.within).power(difference))
    told = f"in {100 * len(powers) / repetitions:.0f} % of {repetitions} pilots"
    if powers:
        told += f"; the true power is {np.median(powers):.2f} (median; lowest tenth {np.quantile(powers, 0.1):.2f})"
    return [
        f"- `plan` from pilots of {clusters} clusters offers more items in the same clusters for a difference of "
        f"{100 * difference:g} points {told}."
    ]


def tasks() -> list[Callable[[int], list[str]]]:
    """The sentences of each, given a number of repetitions."""
    return [
        *(partial(powers, difference, tests) for difference, tests in ((0.05, 1), (0.08, 1), (0.15, 1), (0.08, 12))),
        *(partial(planned, clusters) for clusters in (12, 24, 60)),
        *(partial(guessers, models) for models in (2, 8)),
        *(partial(within, clusters) for clusters in (24, 60, 120)),
    ]


def plans(clusters: int, pilots: int, *, size: int = 6, difference: float = 0.08) -> tuple[float, Floats]:
    """How often the interval of the needed clusters contains the number that a pilot of 4,000 clusters gives; and the
    numbers that the pilots recommend."""
    exact = needed(_pilots(4000, size, 1, seed=0)[0], difference, power=0.8, by="clusters")
    if not exact:
        raise ValueError("no number of clusters is enough")
    wanted, inside, numbers = 4000 * exact.clusters, [], []
    for pilot in _pilots(clusters, size, pilots, seed=clusters):
        plan, (low, high) = largest(pilot, difference, power=0.8, by="clusters")
        if not (plan and low and high):
            raise ValueError("no number of clusters is enough")
        inside.append(clusters * low.clusters <= wanted <= clusters * high.clusters)
        numbers.append(clusters * plan.clusters)
    return float(np.mean(inside)), np.array(numbers)


def kept_power(difference: float, tests: int, repetitions: int, *, size: int = 6) -> tuple[int, float]:
    """The clusters that a pilot of 4,000 asks for, and how often a study of so many finds the difference."""
    pilot = dataclasses.replace(_pilots(4000, size, 1, seed=0, better=0.6 + difference)[0], tests=tests)
    plan, _ = largest(pilot, difference, power=0.8, by="clusters")
    if not plan:
        raise ValueError("no number of clusters is enough")
    clusters, found = int(np.ceil(4000 * plan.clusters)), []
    rng = np.random.default_rng(tests)
    shared = Clusters.of([(str(i // size),) for i in range(clusters * size)]).neighbours()
    for _ in range(max(1, repetitions // 20)):
        a, b = _answers(clusters, size, 20, rng, 0.6 + difference)
        d, n = a - b, clusters * size
        mean = d.mean(axis=1)
        least = (a.var(axis=1) + b.var(axis=1) + mean**2) / n
        ends = difference_ends(mean, d - mean[:, None], shared, share=True, least=least)
        found += (tests * ends.p < 0.05).tolist()
    return clusters, float(np.mean(found))


def _answers(
    clusters: int, size: int, repetitions: int, rng: np.random.Generator, better: float
) -> tuple[Floats, Floats]:
    """Two systems of this accuracy and of 0.6 that share half of what makes an item hard."""
    effects = rng.standard_normal((3, repetitions, clusters, 1))
    each = np.sqrt(0.3) * effects + np.sqrt(0.7) * rng.standard_normal((3, repetitions, clusters, size))
    a, b = ((each[0] + each[k]) / np.sqrt(2) for k in (1, 2))
    right = [(z < ndtri(p)).astype(float).reshape(repetitions, -1) for z, p in ((a, better), (b, 0.6))]
    return right[0], right[1]


def _pilots(clusters: int, size: int, repetitions: int, *, seed: int, better: float = 0.65) -> list[Pilot]:
    a, b = _answers(clusters, size, repetitions, np.random.default_rng(seed), better)
    d = a - b
    u = d - d.mean(axis=1, keepdims=True)
    shared = Clusters.of([(str(i // size),) for i in range(clusters * size)]).neighbours()
    rho = neighbours_correlation(u, shared, safe=False)
    return [Pilot(dependence=shared, square=float((v**2).mean()), correlation=float(c)) for v, c in zip(u, rho)]
