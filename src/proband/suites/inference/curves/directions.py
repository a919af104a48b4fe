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
from proband.core.suite import Analysis, Results, Sheet
from proband.suites.inference.curves.figure import method_name
from proband.suites.inference.curves.measures import points

Judged = tuple[str, float, bool]  # pair, score, truth
GPT4 = (
    "gpt-4-0314 zero-shot, typed arguments (published outputs)",
    "directional test",
    892,
    0.732,
    round(432 / 892, 4),
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


def both_right(rows: Sequence[Judged], at: float) -> tuple[int, float, float] | None:
    """Pairs with two directions, accuracy over their items, and the share of pairs with both right."""
    pairs: dict[str, list[bool]] = defaultdict(list)
    for pair, score, truth in rows:
        pairs[pair].append((score >= at) == truth)
    whole = [each for each in pairs.values() if len(each) == 2]
    if not whole:
        return None
    right = [x for each in whole for x in each]
    return len(whole), sum(right) / len(right), sum(map(all, whole)) / len(whole)


def analysis(results: Results, seed: int) -> Sequence[Sheet]:
    lines: list[tuple[str | float | int | None, ...]] = []
    foreign = False
    for run in range(len(results.runs)):
        fitting: list[tuple[float, bool]] = []
        chosen: dict[str, list[Judged]] = {"all": [], "directional": []}
        for item, answer in results.answers(run):
            record = score_and_truth(item, answer)
            if record is None:
                continue
            foreign |= item.tags["source"] == "levy-holt"
            truth = record[1] > 0.5
            if item.split == "valid":
                fitting.append((record[0], truth))
            if item.split == "test":
                one = (str(item.facts["pair"]), record[0], truth)
                chosen["all"].append(one)
                chosen["directional"] += [one] if item.tags["directional"] else []
        if not chosen["all"]:
            continue
        at = threshold(fitting or [(score, truth) for _, score, truth in chosen["all"]])
        for name, rows in chosen.items():
            found = both_right(rows, at)
            if found is not None:
                pairs, accuracy, both = found
                label = method_name(results.runs[run], results.labels[run])
                lines.append((label, f"{name} test", pairs, round(accuracy, 4), round(both, 4)))
    if not lines:
        return ()
    return (
        Sheet(
            name="directions",
            title="Both directions of a pair right",
            header=("method", "pairs", "number", "accuracy", "both right"),
            rows=(*lines, *([GPT4] if foreign else [])),
            note="Decisions at the threshold of the highest F1 on the validation split (on the items themselves where "
            "there is none). By chance both are right for a quarter of the pairs.",
        ),
    )


DIRECTIONS = Analysis(name="directions", help="the share of pairs with both directions right", of=analysis)
