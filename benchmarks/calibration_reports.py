"""What reports and plans say, simulated: first-screen sentences about models that guess, and the numbers of clusters
that pilot runs recommend."""

from __future__ import annotations

import dataclasses

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from proband.core.metrics import ACCURACY
from proband.core.statistics.clusters import Clusters, Floats
from proband.core.statistics.planning import Pilot, largest, needed
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


def _pilots(clusters: int, size: int, repetitions: int, *, seed: int) -> list[Pilot]:
    """Two systems of accuracy 0.65 and 0.6 that share half of what makes an item hard."""
    rng = np.random.default_rng(seed)
    effects = rng.standard_normal((3, repetitions, clusters, 1))
    each = np.sqrt(0.3) * effects + np.sqrt(0.7) * rng.standard_normal((3, repetitions, clusters, size))
    a, b = ((each[0] + each[k]) / np.sqrt(2) for k in (1, 2))
    d = ((a < ndtri(0.65)).astype(float) - (b < ndtri(0.6)).astype(float)).reshape(repetitions, -1)
    u = d - d.mean(axis=1, keepdims=True)
    shared = Clusters.of([(str(i // size),) for i in range(clusters * size)]).neighbours()
    rho = neighbours_correlation(u, shared, safe=False)
    return [Pilot(dependence=shared, square=float((v**2).mean()), correlation=float(c)) for v, c in zip(u, rho)]
