"""Scores as decisions: accuracy and F1, both directions of a pair right, and how far the direction alone decides.

A score becomes a decision at the threshold that gives the highest F1 on the validation split. A run that answered none
of it decides only if its answers are yes and no. Methods that look the same from both sides (cosine) cannot have both
directions of a pair right that holds in one only.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

import numpy as np

from proband.core.statistics.clusters import Clusters, Floats, Neighbours, clusters_of
from proband.core.statistics.estimates import Measured, interval
from proband.core.suite import Analysis, Results, Sheet
from proband.core.types import Item
from proband.suites.inference.curves.measures import points
from proband.suites.inference.curves.scored import PLAIN, Cells, control_of, rounded, scores_of, systems_of

Records = Sequence[tuple[Item, tuple[float, float]]]
GPT4: Cells = (
    "gpt-4-0314 zero-shot, typed arguments (published outputs)",
    "directional test",
    892,
    0.732,
    round(432 / 892, 4),
    None,
    None,
)
OWN, ON_VALID = "its own yes and no", "highest F1 on valid"


def threshold(rows: Sequence[tuple[float, float]]) -> float:
    """The score with the highest F1.

    >>> threshold([(3.0, True), (2.0, True), (1.0, False)])
    2.0
    """
    records = np.array(rows, dtype=float)
    score, precision, recall = points(records, np.ones(len(records)))
    f1 = 2 * precision * recall / np.maximum(precision + recall, 1e-12)
    return float(score[int(np.argmax(f1))])


def decided(records: Records) -> tuple[float, str] | None:
    """The threshold of a run, and where it comes from; None where there is none."""
    fitting = [record for item, record in records if item.split == "valid" and item.tags["control"] == PLAIN]
    if any(truth > 0.5 for _, truth in fitting):
        return threshold(fitting), ON_VALID
    scores = {record[0] for _, record in records}
    return (0.0, OWN) if len(scores) <= 2 and min(scores, default=0.0) < 0 < max(scores, default=0.0) else None


def analysis(results: Results, seed: int) -> Sequence[Sheet]:
    if control_of(results) == "all":
        return ()
    decisions: list[Cells] = []
    directions: list[Cells] = []
    foreign = False
    for system in systems_of(results):
        name, runs = system.method.name, list(scores_of(results, system))
        thresholds = [decided(records) for records in runs]
        tested = [[row for row in records if row[0].split == "test"] for records in runs]
        if not tested[0]:
            continue
        if any(each is None for each in thresholds):
            decisions.append((name, len(tested[0]), "no answers on valid", *(None,) * 6))
            continue
        at = [each[0] for each in thresholds if each is not None]
        where = thresholds[0][1] if thresholds[0] else ""
        cells = np.mean([measures(records, cut) for records, cut in zip(tested, at, strict=True)], axis=0)
        band = accuracy_band(tested, at, trained=system.trained)
        decisions.append((name, len(tested[0]), where, *rounded(cells), *rounded(band)))
        foreign |= tested[0][0][0].tags["source"] == "levy-holt" and control_of(results) == PLAIN
        for which in ("all", "directional"):
            chosen = [[row for row in rows if which == "all" or row[0].tags["directional"]] for rows in tested]
            if (line := both_right(chosen, at, trained=system.trained)) is not None:
                directions.append((name, f"{which} test", *line))
    sheets = [base_rates(results)]
    if decisions:
        sheets.append(
            Sheet(
                name="decisions",
                title="Accuracy and F1",
                header=("method", "pairs", "threshold", "precision", "recall", "F1", "accuracy", "low", "high"),
                rows=tuple(decisions),
                note="Of the test pairs. The threshold is learnt on the validation split and not on what it decides; a "
                "run that was not asked there (`run --split valid,test`) has none. Intervals of accuracy at 95 %.",
            )
        )
    if directions:
        sheets.append(
            Sheet(
                name="directions",
                title="Both directions of a pair right",
                header=("method", "pairs", "number", "accuracy", "both right", "low", "high"),
                rows=(*directions, *([GPT4] if foreign else [])),
                note="Decisions at the threshold of the table `decisions`. By chance both are right for a quarter of "
                "the pairs; a score that subtracts the reverse direction (both) is told that exactly one direction of "
                "a directional pair holds, and by chance has half of them. Intervals at 95 %, by question.",
            )
        )
    return sheets


def measures(records: Records, at: float) -> tuple[float, float, float, float]:
    """Precision, recall, F1 and accuracy."""
    said = np.array([record[0] >= at for _, record in records])
    truth = np.array([record[1] > 0.5 for _, record in records])
    hits = float((said & truth).sum())
    precision, recall = hits / max(said.sum(), 1), hits / max(truth.sum(), 1)
    f1 = 2 * precision * recall / (precision + recall) if hits else 0.0
    return precision, recall, f1, float((said == truth).mean())


def accuracy_band(runs: Sequence[Records], at: Sequence[float], *, trained: bool) -> tuple[float, float]:
    right = np.array(
        [[(score >= cut) == (truth > 0.5) for _, (score, truth) in rows] for rows, cut in zip(runs, at, strict=True)],
        dtype=float,
    )
    return band_of(right, [clusters_of(item) for item, _ in runs[0]], trained=trained)


def both_right(runs: Sequence[Records], at: Sequence[float], *, trained: bool) -> Cells | None:
    """Pairs with two directions, accuracy over their items, the share with both right and its interval."""
    rights, clusters = [], list[tuple[str, ...]]()
    for records, cut in zip(runs, at, strict=True):
        pairs: dict[str, list[bool]] = defaultdict(list)
        places: dict[str, tuple[str, ...]] = {}
        for item, (score, truth) in records:
            pairs[str(item.facts["pair"])].append((score >= cut) == (truth > 0.5))
            places[str(item.facts["pair"])] = clusters_of(item)
        whole = [name for name, each in pairs.items() if len(each) == 2]
        rights.append([pairs[name] for name in whole])
        clusters = [places[name] for name in whole]
    if not clusters:
        return None
    right = np.array(rights, dtype=float)  # runs x pairs x directions
    both = right.min(axis=2)
    band = band_of(both, clusters, trained=trained)
    return (len(clusters), *rounded((right.mean(), both.mean(), *band)))


def band_of(values: Floats, clusters: Sequence[tuple[str, ...]], *, trained: bool) -> tuple[float, float]:
    shared = Neighbours.of(Clusters.of(clusters), np.arange(len(clusters)))
    result = interval(Measured.of_means(values, trained=trained), shared, share=True)
    return result.low, result.high


def base_rates(results: Results) -> Sheet:
    """How many pairs of each split and direction are entailed: what is known before any word is read."""
    counts, entailed = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    for item in results.items():
        if item.gold is not None:
            key = (item.split, str(item.tags["direction"]))
            counts[key] += 1
            entailed[key] += item.gold == 0
    return Sheet(
        name="base-rates",
        title="Entailed pairs by direction",
        header=("split", "direction", "pairs", "entailed", "share entailed"),
        rows=tuple((*key, counts[key], entailed[key], round(entailed[key] / counts[key], 4)) for key in sorted(counts)),
        note="Where the shares differ, the direction alone ranks pairs: its average precision is that of "
        "`solver:direction`.",
    )


DECISIONS = Analysis(
    name="directions",
    help="accuracy and F1 at a threshold learnt on valid, pairs with both directions right, base rates",
    of=analysis,
    always=True,
)
