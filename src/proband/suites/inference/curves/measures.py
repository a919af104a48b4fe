r"""Measures of a precision-recall curve, and the scores of systems under them.

With the distinct scores in falling order, P_k and R_k are precision and
recall of all pairs that score at least the k-th, and dR_k = R_k - R_{k-1}:

    recall at precision p   max { R_k : P_k >= p }
    normalised              \sum_k dR_k max(P_k - 1/2, 0) / (1/2)            0: never above one half; 1: perfect

The sums are step functions, like scikit-learn's average precision. A method that gives many pairs one score has few
points, and no threshold reaches the points on a straight line between them. The literature draws such lines, so one of
its areas is given too; only this area may be compared with published figures:

    AUC_norm         trapezoids over max(P_k - b, 0), beginning at precision 1 and recall 0, divided by 1 - b, where b
                     is the share of positives (McKenna et al. 2023; 0: no better than chance)

A system is a method: the rules that come first and the scorer of the remaining
pairs. Runs of one net with several training seeds
are one system; its value is the mean over them, and their spread is part of its interval.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import PurePath

import numpy as np
from numpy.typing import NDArray

from proband.core.metrics import Metric
from proband.core.suite import Results, Table, runs_by_system
from proband.core.types import LEFT_OUT, Item, Run
from proband.stats import Difference, Scores, estimator_of, on_common_items
from proband.stats.clusters import Clusters, Floats, clusters_of
from proband.stats.ranking import AUC, AVERAGE_PRECISION, F1, YES_NO_ACCURACY, score_and_truth
from proband.suites.inference.items import PLAIN

HALF = 0.5


class Distinct:
    """Remembers the distinct scores of the last records and the place of each record: intervals use the same records
    hundreds of times, with other weights."""

    def __init__(self) -> None:
        self.records: Floats | None = None

    def of(self, records: Floats) -> tuple[Floats, NDArray[np.int64], Floats]:
        if self.records is not records:
            values, place = np.unique(-records[:, 0], return_inverse=True)
            self.known = values, place, (records[:, 1] > 0.5).astype(np.float64)
            self.records = records
        return self.known


DISTINCT = Distinct()


def points(records: Floats, weights: Floats) -> tuple[Floats, Floats, Floats]:
    """Score, precision and recall at every distinct score, the highest first.

    >>> [each.tolist() for each in points(np.array([[3.0, 1], [2.0, 0], [1.0, 1]]), np.ones(3))]
    [[3.0, 2.0, 1.0], [1.0, 0.5, 0.666...], [0.5, 0.5, 1.0]]
    """
    values, place, truth = DISTINCT.of(records)
    true = np.bincount(place, weights=weights * truth, minlength=len(values)).cumsum()
    accepted = np.bincount(place, weights=weights, minlength=len(values)).cumsum()
    there = accepted > 0
    total = max(float(true[-1]) if len(true) else 0.0, 1e-12)
    return -values[there], true[there] / accepted[there], true[there] / total


def steps(recall: Floats) -> Floats:
    """dR_k.

    >>> steps(np.array([0.25, 0.5, 1.0])).tolist()
    [0.25, 0.25, 0.5]
    """
    return np.concatenate([recall[:1], recall[1:] - recall[:-1]])  # np.diff takes several times as long


def recall_at(records: Floats, weights: Floats, *, precision: float) -> float:
    _, reached, recall = points(records, weights)
    return float(recall[reached >= precision].max(initial=0.0))


def normalised_area(records: Floats, weights: Floats) -> float:
    """
    >>> [normalised_area(np.array([[score, 1.0], [0.0, 0.0]]), np.ones(2)) for score in (1.0, 0.0)]
    [1.0, 0.0]
    """
    _, precision, recall = points(records, weights)
    return float((steps(recall) * np.maximum(precision - HALF, 0.0)).sum() / (1 - HALF))


def auc_norm(records: Floats, weights: Floats) -> float:
    """
    >>> [auc_norm(np.array([[score, 1.0], [0.0, 0.0]]), np.ones(2)) for score in (1.0, 0.0)]
    [1.0, 0.5]
    """
    _, precision, recall = points(records, weights)
    total = float(weights.sum())
    share = float((weights * (records[:, 1] > 0.5)).sum()) / total if total else 0.0
    if not 0.0 < share < 1.0:
        return 0.0
    above = np.maximum(np.concatenate([[1.0], precision]) - share, 0.0)
    trapezoids = (above[1:] + above[:-1]) / 2 * steps(recall)
    return float(trapezoids.sum()) / (1 - share)


def _over(name: str, of: Callable[[Floats, Floats], float], title: str) -> Metric:
    return Metric(name=name, of=of, over="set", each=score_and_truth, title=title, jumps=True)


RECALL_AT_80 = _over("recall_at_80", partial(recall_at, precision=0.8), "recall at 80 % precision")
NORMALISED = _over("normalised_area", normalised_area, "area above precision 0.5, normalised")
AUC_NORM = _over("auc_norm", auc_norm, "AUC_norm (trapezoids, minus the share of positives)")


def decides(run: Run) -> bool:
    """Whether the answers of a run are yes or no. Other runs only rank: zero is not a threshold of their scores.

    >>> def run(model, solver):
    ...     return Run(suite="inference", solver=solver, model=model, seed=0, items_sha="")
    >>> decides(run("solver:rules", "direct")), decides(run("hf:a", "generate")), decides(run("hf:a", "prompts"))
    (True, True, False)
    """
    return run.solver in DECIDING_SOLVERS or run.model.startswith(DECIDING_MODELS)


DECIDING_SOLVERS = ("generate", "choose", "nli")
DECIDING_MODELS = ("solver:lemma", "solver:rules", "baseline:")
METRICS = (
    *(AVERAGE_PRECISION, RECALL_AT_80, NORMALISED, AUC_NORM, AUC),
    replace(F1, applies=decides),
    replace(YES_NO_ACCURACY, applies=decides),
)

# ---- tables ----------------------------------------------------------------------------------------------------------

ORDER = {"split": ("test", "valid", "train"), "lemma": ("none shared", "shared")}


def _table(name: str, title: str, metric: str, columns: tuple[str, ...] = ("split",), note: str = "") -> Table:
    return Table(
        name=name, title=title, rows=("source", "control"), columns=columns, metric=metric, order=ORDER, note=note
    )


CONTROL = (
    "A control keeps the labels and removes the information that should decide. A score above the share of entailed "
    "pairs is an artefact, like those of solver:hypothesis-words (trained on hypotheses alone) and solver:direction."
)
TABLES = (
    _table("average-precision", "Average precision", "average_precision", note=CONTROL),
    _table("recall-at-80", "Recall at 80 % precision", "recall_at_80"),
    _table("normalised-area", "Area above precision one half, normalised", "normalised_area"),
    _table("lemmas", "Average precision with and without pairs that share a lemma", "average_precision", ("lemma",)),
    _table(
        "directional", "Average precision of pairs that hold in one direction", "average_precision", ("directional",)
    ),
    _table("direction", "Average precision by direction", "average_precision", ("direction",)),
)

# ---- methods ---------------------------------------------------------------------------------------------------------


LEMMA, RELEASED, GRAPH, TYPED, PPDB = "lemma", "lemma (released)", "graph", "typed graph", "PPDB"
LEMMA_RUNS = {"solver:lemma": LEMMA, "solver:lemma-released": RELEASED}
WORDS, RELATIONS = "word embeddings", "relation embeddings"


@dataclass(frozen=True)
class Method:
    """`rules` in their order, `base` the scorer of the remaining pairs ("" for rules alone), `variant` of the base."""

    rules: tuple[str, ...]
    base: str
    kind: str = ""  # of the base: word embeddings, relation embeddings, or the solver's name
    variant: str = ""

    @property
    def name(self) -> str:
        """The name in tables."""
        base = f"{self.base} ({self.variant})" if self.variant else self.base
        return ", ".join([*self.rules, *([base] if base else [])])

    @property
    def setting(self) -> tuple[str, str]:
        """The base and its setting, without the rules."""
        return self.base, self.variant


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
    named = 1 if run.solver == "direct" else 2  # model and solver
    net = str(run.net.get("net", ""))
    base = f"net:{net}" if net else " · ".join(label.split(" · ")[:named])
    kind = {"words": WORDS}.get(run.solver, RELATIONS if net == "relations" else run.solver)
    chosen = settings.get("context", "none") if kind == RELATIONS else settings.get("score", "")
    if run.model.startswith("scores:"):  # of another system: NAME.HOW.tsv
        base, _, chosen = PurePath(run.model).name.partition(".")
        chosen = chosen.partition(".")[0] if "." in chosen else ""
    if run.model == "solver:rules":
        return Method(tuple(rules), "")
    return Method(tuple(rules), base, kind, "" if chosen == "none" else str(chosen))


def used(value: object) -> bool:
    return bool(value) and value != "none"


@dataclass(frozen=True)
class ScoredSystem:
    """A method and its runs among the results."""

    label: str
    method: Method
    runs: tuple[int, ...]
    trained: bool  # another training seed would have given another system


def systems_of(results: Results) -> list[ScoredSystem]:
    """The systems of the results; two methods with one name are distinguished by the labels of their runs."""
    groups = runs_by_system(results.runs)
    methods = [method_of(results.runs[group[0]], results.labels[group[0]]) for group in groups]
    names = Counter(method.name for method in methods)
    systems = []
    for method, group in zip(methods, groups, strict=True):
        label = results.labels[group[0]]
        own = replace(method, base=label) if method.base and names[method.name] > 1 else method
        systems.append(ScoredSystem(label, own, tuple(group), bool(results.runs[group[0]].net)))
    return systems


# ---- scores ----------------------------------------------------------------------------------------------------------


def is_constant(pairs: Scores) -> bool:
    """Whether every pair has the same score."""
    return bool((pairs.numbers[:, :, 0] == pairs.numbers[:, :1, 0]).all())


Groups = Callable[[Item], Iterable[str]]


def grouped(results: Results, system: ScoredSystem, groups: Groups = lambda item: ("all",)) -> dict[str, Scores]:
    """The scores of a system by group; an item may be in several. Pairs under a control have the id of the original
    pair, so that groups can be compared pair by pair."""
    runs = []
    for at in system.runs:
        rows: dict[str, dict[str, tuple[tuple[float, float], tuple[str, ...]]]] = defaultdict(dict)
        for item, answer in results.scored(at):
            record = None if answer.status in LEFT_OUT else score_and_truth(item, answer)
            if record is not None:
                for name in groups(item):
                    rows[name][str(item.facts.get("source", item.id))] = record, clusters_of(item)
        runs.append(rows)
    by_group = {}
    for name, first in list(runs[0].items()):
        ids = [each for each in first if all(each in run[name] for run in runs)]
        records = np.array([[run[name][each][0] for each in ids] for run in runs])
        if ids:
            clusters = Clusters.of([first[each][1] for each in ids])
            by_group[name] = Scores.of(
                records, items=ids, clusters=clusters, estimator=estimator_of(AVERAGE_PRECISION), trained=system.trained
            )
    return by_group


def difference(metric: Metric, a: Scores, b: Scores, *, margin: float = 0.0) -> Difference | None:
    """The metric of `a` minus that of `b` on the pairs that both answered."""
    one, other = on_common_items(a, b)
    return one.under(metric).minus(other.under(metric), margin=margin) if len(one) else None


def control_of(results: Results) -> str:
    """The control that the items were built with; `all` for several."""
    return str(results.manifest.get("options", {}).get("control", PLAIN))


def rounded(values: Iterable[float]) -> tuple[float, ...]:
    return tuple(round(float(each), 4) for each in values)


def rounded_p(result: Difference) -> float | None:
    return None if result.p is None else float(f"{result.p:.2g}")


Cells = tuple[str | float | int | None, ...]
Named = Mapping[str, Scores]
