"""Scores as decisions (accuracy and F1, both directions of a pair right), and the counts of section 3.

A score becomes a decision at the threshold that gives the highest F1 on the validation split. A run that answered none
of it decides only if its answers are yes and no. Methods that look the same from both sides (cosine) cannot have both
directions of a pair right that holds in one only.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from proband.core.suite import Analysis, Results, Sheet
from proband.stats import Scores
from proband.stats.clusters import Clusters, Floats, clusters_of
from proband.suites.inference.curves.measures import (
    PLAIN,
    Cells,
    Records,
    control_of,
    every_split,
    points,
    rounded,
    systems_of,
)
from proband.suites.inference.items import facts_of

OWN, ON_VALID = "its own yes and no", "highest F1 on valid"


def best_threshold(rows: Sequence[tuple[float, float]]) -> float:
    """The score with the highest F1.

    >>> best_threshold([(3.0, True), (2.0, True), (1.0, False)])
    2.0
    """
    records = np.array(rows, dtype=float)
    score, precision, recall = points(records, np.ones(len(records)))
    f1 = 2 * precision * recall / np.maximum(precision + recall, 1e-12)
    return float(score[int(np.argmax(f1))])


def threshold_of(records: Records) -> tuple[float, str] | None:
    """The threshold of a run, and where it comes from; None where there is none."""
    fitting = [record for item, record in records if item.split == "valid" and item.tags["control"] == PLAIN]
    if any(truth > 0.5 for _, truth in fitting):
        return best_threshold(fitting), ON_VALID
    scores = {record[0] for _, record in records}
    return (0.0, OWN) if len(scores) <= 2 and min(scores, default=0.0) < 0 < max(scores, default=0.0) else None


def decisions(results: Results, seed: int) -> Sequence[Sheet]:
    """Base rates, decisions at a threshold, and pairs with both directions right."""
    if control_of(results) == "all":
        return ()
    accuracies: list[Cells] = []
    directions: list[Cells] = []
    for system in systems_of(results):
        name, runs = system.method.name, every_split(results, system)
        cuts = [threshold_of(records) for records in runs]
        tests = [[row for row in records if row[0].split == "test"] for records in runs]
        if not tests[0]:
            continue
        if any(cut is None for cut in cuts):
            accuracies.append((name, len(tests[0]), "no answers on valid", *(None,) * 6))
            continue
        at = [cut[0] for cut in cuts if cut is not None]
        where = cuts[0][1] if cuts[0] else ""
        cells = np.mean([decision_measures(records, cut) for records, cut in zip(tests, at, strict=True)], axis=0)
        band = accuracy_band(tests, at, trained=system.trained)
        accuracies.append((name, len(tests[0]), where, *rounded(cells), *rounded(band)))
        for which in ("all", "directional"):
            chosen = [[row for row in rows if which == "all" or row[0].tags["directional"]] for rows in tests]
            if (line := both_right(chosen, at, trained=system.trained)) is not None:
                directions.append((name, f"{which} test", *line))
    tables = (
        Sheet(
            name="decisions",
            title="Accuracy and F1",
            header=("method", "pairs", "threshold", "precision", "recall", "F1", "accuracy", "low", "high"),
            rows=tuple(accuracies),
            note="Of the test pairs. The threshold is learnt on the validation split and not on what it decides; a "
            "run that was not asked there (`run --split valid,test`) has none. Intervals of accuracy at 95 %.",
        ),
        Sheet(
            name="directions",
            title="Both directions of a pair right",
            header=("method", "pairs", "number", "accuracy", "both right", "low", "high"),
            rows=tuple(directions),
            note="Decisions at the threshold of the table `decisions`. By chance both are right for a quarter of "
            "the pairs; a score that subtracts the reverse direction (both) is told that exactly one direction of "
            "a directional pair holds, and by chance has half of them. Intervals at 95 %, by question.",
        ),
    )
    return [base_rates(results), *(table for table in tables if table.rows)]


def decision_measures(records: Records, at: float) -> tuple[float, float, float, float]:
    """Precision, recall, F1 and accuracy."""
    accepted = np.array([record[0] >= at for _, record in records])
    truth = np.array([record[1] > 0.5 for _, record in records])
    hits = float((accepted & truth).sum())
    precision, recall = hits / max(accepted.sum(), 1), hits / max(truth.sum(), 1)
    f1 = 2 * precision * recall / (precision + recall) if hits else 0.0
    return precision, recall, f1, float((accepted == truth).mean())


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
            pairs[facts_of(item).pair].append((score >= cut) == (truth > 0.5))
            places[facts_of(item).pair] = clusters_of(item)
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
    band = Scores.of(values, clusters=Clusters.of(clusters), trained=trained).interval()
    return band.low, band.high


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
    of=decisions,
    always=True,
)


# ---- section 3 -------------------------------------------------------------------------------------------------------

PAPER: Mapping[str, int | float] = {
    "questions": 573,
    "questionnaires": 1500,
    "pairs judged": 30703,
    "pairs kept": 16371,
    "share kept": round(16371 / 30703, 4),
    "share that makes no sense": 0.23,
    "entailed": 3147,
    "not entailed": 13224,
    "pairs an expert judged": 594,
    "precision against the expert": 0.913,
    "recall of all that the expert calls positive": 0.862,
}


def counts_of(manifest: Mapping[str, Any]) -> dict[str, int | float | None]:
    """The same figures of these items; those of judgments where the items come from judgments."""
    labels, judged = manifest.get("labels", {}), manifest.get("judgments", {})
    kept, audit = judged.get("retained", {}), judged.get("audit", {})
    pairs = judged.get("pairs_judged")
    return {
        "questions": manifest.get("questions"),
        "questionnaires": judged.get("questionnaires"),
        "pairs judged": pairs,
        "pairs kept": kept["pairs"] if judged else sum(labels.values()),
        "share kept": kept.get("share"),
        "share that makes no sense": round(kept["dropped_as_nonsense"] / pairs, 4) if pairs else None,
        "entailed": labels.get("entailed"),
        "not entailed": labels.get("not entailed"),
        "pairs an expert judged": audit.get("items"),
        "precision against the expert": audit.get("precision"),
        "recall of all that the expert calls positive": audit.get("recall_of_all"),
        "recall of those on which the crowd agreed": audit.get("recall_of_agreed"),
        "Krippendorff's alpha": judged.get("alpha", {}).get("value"),
    }


def section3(results: Results, seed: int) -> Sequence[Sheet]:
    if control_of(results) != PLAIN:
        return ()
    ours = counts_of(results.manifest)
    rows = [
        (name, PAPER.get(name), ours[name]) for name in ours if PAPER.get(name) is not None or ours[name] is not None
    ]
    return (
        Sheet(
            name="section3",
            title="The data: section 3 beside these items",
            header=("figure", "Levy and Dagan 2016", "these items"),
            rows=tuple(rows),
            note="The released file has the pairs that were kept, and 564 of the 573 questions; judgments were not "
            "released, so that figures of them stand only beside items made from judgments.",
        ),
    )


SECTION3 = Analysis(name="section3", help="pairs collected, judged and kept (section 3)", of=section3)
