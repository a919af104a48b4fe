"""Both directions: of the pairs whose two directions are in the set, the share with both right.

A score becomes a decision at the threshold that gives the highest F1 on the validation split, or, where there is none,
on the items themselves. Methods that look the same from both sides (cosine) cannot have both directions of a pair
right that holds in one only.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from proband.core.metrics import score_and_truth
from proband.core.statistics.clusters import Clusters, Floats, Neighbours, clusters_of
from proband.core.statistics.estimates import Measured, interval
from proband.core.statistics.influence import of_mean
from proband.core.suite import Analysis, Results, Sheet
from proband.core.types import LEFT_OUT
from proband.suites.inference.curves.measures import points
from proband.suites.inference.curves.method import method_of
from proband.suites.inference.curves.scored import PLAIN, control_of

Judged = tuple[str, float, bool, tuple[str, ...]]  # pair, score, truth, clusters
GPT4 = (
    "gpt-4-0314 zero-shot, typed arguments (published outputs)",
    "directional test",
    892,
    0.732,
    round(432 / 892, 4),
    None,
    None,
)


def threshold(rows: Sequence[tuple[float, bool]]) -> float:
    """The score with the highest F1.

    >>> threshold([(3.0, True), (2.0, True), (1.0, False)])
    2.0
    """
    records = np.array(rows, dtype=float)
    score, precision, recall = points(records, np.ones(len(records)))
    f1 = 2 * precision * recall / np.maximum(precision + recall, 1e-12)
    return float(score[int(np.argmax(f1))])


def both_right(rows: Sequence[Judged], at: float) -> tuple[int, float, Floats, list[tuple[str, ...]]] | None:
    """Pairs with two directions, accuracy over their items, whether both of a pair are right, and its clusters."""
    pairs: dict[str, list[tuple[bool, tuple[str, ...]]]] = defaultdict(list)
    for pair, score, truth, clusters in rows:
        pairs[pair].append(((score >= at) == truth, clusters))
    whole = [each for each in pairs.values() if len(each) == 2]
    if not whole:
        return None
    right = np.array([[one for one, _ in each] for each in whole], dtype=float)
    return len(whole), float(right.mean()), right.min(axis=1), [each[0][1] for each in whole]


def analysis(results: Results, seed: int) -> Sequence[Sheet]:
    if control_of(results) == "all":
        return ()
    lines: list[tuple[str | float | int | None, ...]] = []
    foreign = False
    for run, label in enumerate(results.labels):
        fitting: list[tuple[float, bool]] = []
        chosen: dict[str, list[Judged]] = {"all": [], "directional": []}
        for item, answer in results.answers(run):
            if answer.status in LEFT_OUT or (record := score_and_truth(item, answer)) is None:
                continue
            foreign |= item.tags["source"] == "levy-holt" and control_of(results) == PLAIN
            truth = record[1] > 0.5
            if item.split == "valid":
                fitting.append((record[0], truth))
            if item.split == "test":
                one = (str(item.facts["pair"]), record[0], truth, clusters_of(item))
                chosen["all"].append(one)
                chosen["directional"] += [one] if item.tags["directional"] else []
        if not chosen["all"]:
            continue
        at = threshold(fitting or [(score, truth) for _, score, truth, _ in chosen["all"]])
        for name, rows in chosen.items():
            if (found := both_right(rows, at)) is not None:
                method = method_of(results.runs[run], label)
                lines.append((method.name, f"{name} test", *with_interval(found)))
    if not lines:
        return ()
    return (
        Sheet(
            name="directions",
            title="Both directions of a pair right",
            header=("method", "pairs", "number", "accuracy", "both right", "low", "high"),
            rows=(*lines, *([GPT4] if foreign else [])),
            note="Decisions at the threshold of the highest F1 on the validation split (on the items themselves where "
            "there is none). By chance both are right for a quarter of the pairs. Intervals at 95 %, by question. "
            "Of a run on a sample, the pairs of which both directions are in it.",
        ),
    )


def with_interval(found: tuple[int, float, Floats, list[tuple[str, ...]]]) -> tuple[int | float, ...]:
    pairs, accuracy, both, clusters = found
    value, influence = of_mean(both)
    shared = Neighbours.of(Clusters.of(clusters), np.arange(pairs))
    band = interval(Measured(np.array([value]), influence[None]), shared, share=True)
    return pairs, *(round(each, 4) for each in (accuracy, value, band.low, band.high))


DIRECTIONS = Analysis(name="directions", help="the share of pairs with both directions right", of=analysis)
