"""What a plan can take from the study itself once there are answers."""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Mapping, Sequence

from proband.annotate.planning import Guess
from proband.annotate.results.collected import Collected, kept
from proband.core.agreement.aggregation import dawid_skene

ENOUGH = 30  # labels before a measurement replaces a guess


@kept
def guess_of(collected: Collected) -> Guess:
    """Guesses for what is not measured yet, measurements for the rest."""
    first = next(iter(collected.units.values()), None)
    body = first["body"] if first else {}
    parts = [len(collected.task.parts(unit["body"])) or 1 for unit in collected.units.values()]
    values: dict[str, float] = {
        "seconds": float(collected.project.time.expected_seconds),
        "per_unit": statistics.fmean(parts) if parts else 1.0,
        "labels": (len(collected.task.choices(body)) if body else 0) or 2,
    }
    measured = []
    seconds = [each.seconds for each in collected.counted()]
    if len(seconds) >= ENOUGH:
        values["seconds"] = max(1.0, statistics.median(seconds))
        measured.append("seconds")
    hits = _hits(collected)
    if sum(map(len, hits.values())) >= ENOUGH:
        flat = [hit for group in hits.values() for hit in group]
        values["share"] = min(0.99, max(0.01, statistics.fmean(flat)))
        values["correlation"] = intraclass(list(hits.values()))
        measured += ["share", "correlation"]
    if collected.votes is not None and len(collected.votes.item) >= ENOUGH and len(collected.votes.labels) > 1:
        accuracy = dawid_skene(collected.votes).accuracy()
        values["accuracy"] = min(0.999, max(1.01 / values["labels"], float(accuracy.mean())))
        measured.append("accuracy")
    values["labels"] = min(4, int(values["labels"]))  # more labels change nothing but the time to enumerate
    return Guess(**values, measured=tuple(measured))  # type: ignore[arg-type]


def _hits(collected: Collected) -> Mapping[str, list[float]]:
    """Unit -> whether each of its parts has the label that counts (or, where the answer is known, it is right)."""
    groups: dict[str, list[float]] = defaultdict(list)
    if collected.task.positive:
        for part, label in collected.labels.items():
            if label is not None and part in collected.groups:
                groups[collected.groups[part]].append(float(label == collected.task.positive))
    elif collected.votes is not None:
        for each in collected.counted():
            if each.gold is not None:
                groups[each.unit].append(collected.task.share_right(each.body, each.answer, each.gold))
    return groups


def intraclass(groups: Sequence[Sequence[float]]) -> float:
    """The intra-class correlation by analysis of variance, between 0 and 1.

    >>> intraclass([[1, 1], [0, 0], [1, 1]]), round(intraclass([[1, 0], [0, 1], [1, 0]]), 2)
    (1.0, 0.0)
    """
    sizes = [len(group) for group in groups]
    n, k = sum(sizes), len(groups)
    if k < 2 or n <= k:
        return 0.1
    mean = sum(map(sum, groups)) / n
    between = sum(len(g) * (statistics.fmean(g) - mean) ** 2 for g in groups) / (k - 1)
    within = sum((x - statistics.fmean(g)) ** 2 for g in groups for x in g) / (n - k)
    size = (n - sum(s * s for s in sizes) / n) / (k - 1)
    total = between + (size - 1) * within
    return min(1.0, max(0.0, (between - within) / total)) if total else 0.1
