"""The scores of a system with what its items share, and two systems on the pairs that both answered.

A system is a method: the rules that come first and what scores the rest. Runs of one net with several training seeds
are one system; its value is the mean over them, and their spread is part of its interval.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import PurePath

import numpy as np

from proband.core.files import dumps
from proband.core.metrics import Metric, score_and_truth
from proband.core.statistics.clusters import Clusters, Floats, Neighbours, clusters_of
from proband.core.statistics.estimates import Difference, Interval, Measured, compare, interval, p_against
from proband.core.statistics.influence import of_set
from proband.core.statistics.resampling import draws_of
from proband.core.suite import Results
from proband.core.types import LEFT_OUT, Answer, Item, Run

PLAIN = "none"  # the control of items as they are
LEMMA, RELEASED, GRAPH, TYPED, PPDB = "lemma", "lemma (released)", "graph", "typed graph", "PPDB"
LEMMA_RUNS = {"solver:lemma": LEMMA, "solver:lemma-released": RELEASED}
WORDS, RELATIONS = "word embeddings", "relation embeddings"


# ---- methods ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Method:
    """`rules` in the order in which they come, `base` what scores the rest ("" for rules alone), `how` its setting."""

    rules: tuple[str, ...]
    base: str
    kind: str = ""  # of the base: word embeddings, relation embeddings, or the solver's name
    how: str = ""

    @property
    def name(self) -> str:
        """What a reader calls it."""
        base = f"{self.base} ({self.how})" if self.how else self.base
        return ", ".join([*self.rules, *([base] if base else [])])

    @property
    def beside(self) -> tuple[str, str]:
        """What two runs of one base have in common, whatever the rules."""
        return self.base, self.how


def method_of(run: Run, label: str) -> Method:
    """
    >>> run = Run(suite="inference", solver="direct", model="net:relations", seed=0, items_sha="",
    ...           settings={"on-lemma": True, "graph": "a/b.tsv", "context": "add"}, net={"net": "relations"})
    >>> method_of(run, "net:relations · context=add").name
    'lemma, graph, net:relations (add)'
    >>> run = Run(suite="inference", solver="direct", model="scores:a/llama.pmi.txt.gz", seed=0, items_sha="")
    >>> method_of(run, "scores:a/llama.pmi.txt.gz").name
    'llama (pmi)'
    """
    settings = run.settings
    if run.model in LEMMA_RUNS:
        return Method((LEMMA_RUNS[run.model],), "")
    rules = [name for name, key in ((LEMMA, "on-lemma"), (GRAPH, "graph"), (PPDB, "ppdb")) if used(settings.get(key))]
    if LEMMA in rules and settings.get("lemma") == "released":
        rules[0] = RELEASED
    if GRAPH in rules and settings.get("typed"):
        rules[rules.index(GRAPH)] = TYPED
    named = 1 if run.solver in ("direct", "as-is") else 2  # model and solver
    net = str(run.net.get("net", ""))
    base = f"net:{net}" if net else " · ".join(label.split(" · ")[:named])
    kind = {"words": WORDS}.get(run.solver, RELATIONS if net == "relations" else run.solver)
    how = settings.get("context", "none") if kind == RELATIONS else settings.get("score", "")
    if run.model.startswith("scores:"):  # of another system: NAME.HOW.tsv
        base, _, how = PurePath(run.model).name.partition(".")
        how = how.partition(".")[0] if "." in how else ""
    if run.model == "solver:rules":
        return Method(tuple(rules), "")
    return Method(tuple(rules), base, kind, "" if how == "none" else str(how))


def used(value: object) -> bool:
    return bool(value) and value != "none"


@dataclass(frozen=True)
class System:
    """A method, and which runs of the results are its."""

    label: str
    method: Method
    runs: tuple[int, ...]
    trained: bool  # another training seed would have given another system


def systems_of(results: Results) -> list[System]:
    groups: dict[str, list[int]] = {}
    for at, run in enumerate(results.runs):
        net = {name: value for name, value in run.net.items() if name != "seed"}
        key = dumps([run.solver, run.seed, run.settings, net]) if run.net else f"run {at}"
        groups.setdefault(key, []).append(at)
    return [
        System(results.labels[group[0]], method_of(results.runs[group[0]], results.labels[group[0]]), tuple(group), net)
        for group in groups.values()
        for net in [bool(results.runs[group[0]].net)]
    ]


# ---- scores ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Scored:
    """Records of every run (runs x items x score and truth), the items' ids, and what they share."""

    runs: Floats
    ids: tuple[str, ...]
    clusters: tuple[tuple[str, ...], ...]
    shared: Neighbours
    trained: bool = False
    known: dict[str, Measured] = field(default_factory=dict, compare=False)  # what was measured, by metric

    @classmethod
    def of(
        cls, runs: Floats, ids: Sequence[str], clusters: Sequence[tuple[str, ...]], *, trained: bool = False
    ) -> Scored:
        shared = Neighbours.of(Clusters.of(clusters), np.arange(len(ids)))
        return cls(runs, tuple(ids), tuple(clusters), shared, trained)

    @property
    def records(self) -> Floats:
        """Of the first run."""
        first: Floats = self.runs[0]
        return first

    @property
    def share(self) -> float:
        """Of entailed pairs."""
        return float(self.records[:, 1].mean())

    @property
    def constant(self) -> bool:
        """Whether every pair has the same score."""
        return bool((self.runs[:, :, 0] == self.runs[:, :1, 0]).all())

    def only(self, wanted: frozenset[str]) -> Scored:
        """The pairs with these ids; itself where that is all of them."""
        rows = [n for n, name in enumerate(self.ids) if name in wanted]
        if len(rows) == len(self.ids):
            return self
        ids, clusters = [self.ids[n] for n in rows], [self.clusters[n] for n in rows]
        return Scored.of(self.runs[:, rows], ids, clusters, trained=self.trained)

    def measured(self, metric: Metric) -> Measured:
        if metric.name not in self.known:
            collected = [of_set(metric.of, np.ascontiguousarray(records)) for records in self.runs]
            values, influence = np.array([value for value, _ in collected]), np.array([each for _, each in collected])
            each = [partial(metric.of, np.ascontiguousarray(records)) for records in self.runs]
            draws = draws_of(each, self.shared) if metric.jumps else None
            self.known[metric.name] = Measured(values, influence, trained=self.trained, draws=draws)
        return self.known[metric.name]

    def value(self, metric: Metric) -> float:
        """Without an interval."""
        return float(np.mean([metric.of(records, np.ones(len(self.ids))) for records in self.runs]))

    def interval(self, metric: Metric, *, share: bool = True) -> tuple[float, Interval]:
        result = self.measured(metric)
        return result.value, interval(result, self.shared, share=share)

    def p_against(self, constant: float, metric: Metric) -> float:
        """Of the metric against a constant; below 0.05 where the interval leaves the constant out."""
        return p_against(constant, self.measured(metric), self.shared, share=True)


Groups = Callable[[Item], Iterable[str]]
Row = tuple[tuple[float, float], str, tuple[str, ...]]  # score and truth, id, clusters


def grouped(results: Results, system: System, groups: Groups = lambda item: ("all",)) -> dict[str, Scored]:
    """The scores of a system by group; an item may stand in more than one. Pairs under a control have the id of the
    pair as it is, so that groups can be compared pair by pair."""
    runs = [rows_of(results.scored(at), groups) for at in system.runs]
    collected = {}
    for name in runs[0]:
        by_id = [{row[1]: row for row in run.get(name, [])} for run in runs]
        ids = [each for each in by_id[0] if all(each in other for other in by_id)]
        records = np.array([[rows[each][0] for each in ids] for rows in by_id])
        clusters = [by_id[0][each][2] for each in ids]
        if ids:
            collected[name] = Scored.of(records, ids, clusters, trained=system.trained)
    return collected


def rows_of(answers: Iterable[tuple[Item, Answer]], groups: Groups) -> dict[str, list[Row]]:
    """The rows of a run that have scores and a label."""
    rows: dict[str, list[Row]] = defaultdict(list)
    for item, answer in answers:
        if answer.status in LEFT_OUT or (record := score_and_truth(item, answer)) is None:
            continue
        for name in groups(item):
            rows[name].append((record, str(item.facts.get("source", item.id)), clusters_of(item)))
    return rows


def scores_of(results: Results, system: System) -> Iterator[list[tuple[Item, tuple[float, float]]]]:
    """Of each run, all its items, of every split, with score and truth."""
    for at in system.runs:
        collected = []
        for item, answer in results.answers(at):
            if answer.status not in LEFT_OUT and (record := score_and_truth(item, answer)) is not None:
                collected.append((item, record))
        yield collected


def difference(metric: Metric, a: Scored, b: Scored, *, margin: float = 0.0) -> Difference | None:
    """The metric of `a` less that of `b` on the pairs that both answered."""
    both = frozenset(a.ids) & frozenset(b.ids)
    if not both:
        return None
    one, other = a.only(both), aligned(b.only(both), a.only(both))
    return compare(one.measured(metric), other.measured(metric), one.shared, share=True, margin=margin)


def aligned(scored: Scored, like: Scored) -> Scored:
    """The same pairs in the order of another."""
    if scored.ids == like.ids:
        return scored
    place = {name: n for n, name in enumerate(scored.ids)}
    rows = [place[name] for name in like.ids]
    return Scored.of(scored.runs[:, rows], like.ids, [scored.clusters[n] for n in rows], trained=scored.trained)


def control_of(results: Results) -> str:
    """Under which control the items were built; `all` where several stand side by side."""
    return str(results.manifest.get("options", {}).get("control", PLAIN))


def rounded(values: Iterable[float]) -> tuple[float, ...]:
    return tuple(round(float(each), 4) for each in values)


def p_value(result: Difference) -> float:
    return float(f"{result.p:.2g}")


Cells = tuple[str | float | int | None, ...]
Named = Mapping[str, Scored]
