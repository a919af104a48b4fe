"""The scores of one run with what its items share, and two runs on the pairs that both answered."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from proband.core.metrics import Metric, score_and_truth
from proband.core.statistics.clusters import Clusters, Floats, Neighbours, clusters_of
from proband.core.statistics.estimates import Difference, Interval, Measured, compare, interval, p_against
from proband.core.statistics.influence import of_set
from proband.core.statistics.resampling import draws_of
from proband.core.suite import Results
from proband.core.types import LEFT_OUT, Answer, Item

PLAIN = "none"  # the control of items as they are


@dataclass(frozen=True)
class Scored:
    """Records in the order of the items, the items' ids, and what they share."""

    records: Floats
    ids: tuple[str, ...]
    clusters: tuple[tuple[str, ...], ...]
    shared: Neighbours
    known: dict[str, Measured] = field(default_factory=dict, compare=False)  # what was measured, by metric

    @classmethod
    def of(cls, records: Floats, ids: Sequence[str], clusters: Sequence[tuple[str, ...]]) -> Scored:
        shared = Neighbours.of(Clusters.of(clusters), np.arange(len(records)))
        return cls(records, tuple(ids), tuple(clusters), shared)

    def only(self, wanted: frozenset[str]) -> Scored:
        """The pairs with these ids; itself where that is all of them."""
        rows = [n for n, name in enumerate(self.ids) if name in wanted]
        if len(rows) == len(self.ids):
            return self
        return Scored.of(self.records[rows], [self.ids[n] for n in rows], [self.clusters[n] for n in rows])

    def measured(self, metric: Metric) -> Measured:
        if metric.name not in self.known:
            value, influence = of_set(metric.of, self.records)
            draws = draws_of([partial(metric.of, self.records)], self.shared) if metric.jumps else None
            self.known[metric.name] = Measured(np.array([value]), influence[None], draws=draws)
        return self.known[metric.name]

    def interval(self, metric: Metric) -> tuple[float, Interval]:
        found = self.measured(metric)
        return found.value, interval(found, self.shared, share=True)

    def p_against(self, constant: float, metric: Metric) -> float:
        """Of the metric against a constant; below 0.05 where the interval leaves the constant out."""
        return p_against(constant, self.measured(metric), self.shared, share=True)


def scored(answers: Iterable[tuple[Item, Answer]]) -> Scored | None:
    """The records of a run, or None where there are no scores (or labels are unknown)."""
    return grouped(answers, lambda item: ("all",)).get("all")


def grouped(answers: Iterable[tuple[Item, Answer]], names: Callable[[Item], Iterable[str]]) -> dict[str, Scored]:
    """The same of several groups of items; an item may stand in more than one."""
    rows: dict[str, list[tuple[tuple[float, float], str, tuple[str, ...]]]] = defaultdict(list)
    for item, answer in answers:
        if answer.status in LEFT_OUT or (record := score_and_truth(item, answer)) is None:
            continue
        for name in names(item):
            rows[name].append((record, item.id, clusters_of(item)))
    found = {}
    for name, each in rows.items():
        records, ids, clusters = zip(*each, strict=True)
        found[name] = Scored.of(np.array(records), ids, clusters)
    return found


def difference(metric: Metric, a: Scored, b: Scored, *, margin: float = 0.0) -> Difference | None:
    """The metric of `a` less that of `b` on the pairs that both answered."""
    both = frozenset(a.ids) & frozenset(b.ids)
    if not both:
        return None
    one, other = a.only(both), b.only(both)
    return compare(one.measured(metric), other.measured(metric), one.shared, share=True, margin=margin)


def control_of(results: Results) -> str:
    """Under which control the items were built; `all` where several stand side by side."""
    return str(results.manifest.get("options", {}).get("control", PLAIN))
