r"""How many people and judgments for a wanted precision, what is fair pay, what it costs in total.

Units.  The 95 % interval of a share p has half-width h after n labels; labels of one unit go together (intra-class
correlation rho, c labels per unit), so

    n = z^2 p (1 - p) / h^2 * (1 + (c - 1) rho),    units = n / c

Judgments.  A person is right with probability a and errs evenly over the other labels; the rule keeps a label that at
least `need` of m people gave. `reliability` gives P(kept) and P(right | kept), by enumeration.
"""

from __future__ import annotations

import math
import statistics
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement
from typing import Any

from proband.stats.agreement.aggregation import dawid_skene
from proband_annotate.results.collected import Collected, computed_once

Z = 1.959963984540054
ENOUGH = 30  # labels before a measurement replaces a guess


@dataclass(frozen=True, kw_only=True)
class PlanAssumptions:
    """The assumptions of a plan; `measured` lists the values from the study itself."""

    share: float = 0.5
    correlation: float = 0.1
    accuracy: float = 0.85
    seconds: float = 60.0
    labels: int = 2
    per_unit: float = 1.0
    measured: tuple[str, ...] = ()


def labels_needed(half_width: float, *, share: float, per_unit: float, correlation: float) -> int:
    """
    >>> labels_needed(0.05, share=0.5, per_unit=1, correlation=0.0)
    385
    >>> labels_needed(0.05, share=0.5, per_unit=20, correlation=0.1)
    1115
    """
    design = 1 + (per_unit - 1) * correlation
    return math.ceil(Z**2 * share * (1 - share) / half_width**2 * design - 1e-9)


def reliability(people: int, need: int, *, accuracy: float, labels: int) -> tuple[float, float]:
    """P(some label is given by `need` people) and P(it is the right one, given that), for need > people / 2.

    >>> reliability(1, 1, accuracy=0.8, labels=2)
    (1.0, 0.8)
    """
    wrong = (1 - accuracy) / (labels - 1)
    right = other = 0.0
    for given in combinations_with_replacement(range(labels), people):  # label 0 is right
        counts = [given.count(label) for label in range(labels)]
        chance = math.factorial(people) * accuracy ** counts[0] * wrong ** (people - counts[0])
        chance /= math.prod(map(math.factorial, counts))
        if counts[0] >= need:
            right += chance
        elif max(counts[1:]) >= need:
            other += chance
    kept = right + other
    return kept, right / kept if kept else 0.0


def plan(collected: Collected, *, half_width: float) -> dict[str, Any]:
    """The plan for a study in its current state."""
    project, guess = collected.project, guess_of(collected)
    units, done, overlap = len(collected.units), collected.done.get("crowd", 0), project.people.overlap
    needed = labels_needed(half_width, share=guess.share, per_unit=guess.per_unit, correlation=guess.correlation)
    wanted = math.ceil(needed / guess.per_unit)
    answers = wanted * overlap
    per_person = project.people.units_per_person or min(units, max(1, round(3600 / guess.seconds)))
    left = max(0, answers - done)
    fair = guess.seconds / 3600 * project.pay.per_hour
    terms = collected.terms[-1][2]
    pay = float(terms.whole) / terms.tasks if terms.whole and terms.tasks else fair
    return {
        "half_width": half_width,
        "units_needed": wanted,
        "units_there": units,
        "enough_units": units >= wanted,
        "answers_needed": answers,
        "answers_done": done,
        "answers_left": left,
        "people_left": max(math.ceil(left / per_person), overlap if left else 0),
        "hours_left": round(left * guess.seconds / 3600, 2),
        "fair_pay_per_unit": round(fair, 3),
        "pay_per_unit": round(pay, 3),
        "pay_per_hour": round(pay * 3600 / guess.seconds, 2),
        "currency": project.pay.currency,
        "cost_left": round(left * pay * (1 + project.pay.platform_fee), 2),
        "cost_total": round(max(answers, done) * pay * (1 + project.pay.platform_fee), 2),
        "assumed": {
            "share": guess.share,
            "correlation_within_a_unit": guess.correlation,
            "accuracy_of_a_person": guess.accuracy,
            "seconds_per_unit": guess.seconds,
            "labels_per_unit": guess.per_unit,
            "measured": list(guess.measured),
        },
        "judgments_per_label": [rule_row(people, guess) for people in (1, 3, 5, 7, 9)],
    }


def rule_row(people: int, guess: PlanAssumptions) -> dict[str, Any]:
    """A majority, and the rule that all but one agree, for this many people."""
    half = people // 2 + 1
    decided, right = reliability(people, half, accuracy=guess.accuracy, labels=guess.labels)
    kept, pure = reliability(people, max(half, people - 1), accuracy=guess.accuracy, labels=guess.labels)
    return {
        "people": people,
        "majority_decides": round(decided, 4),
        "majority_right": round(right, 4),
        "all_but_one_keeps": round(kept, 4),
        "all_but_one_right": round(pure, 4),
    }


# ---- values that a plan takes from the study itself ---------------------------------------------------------------


@computed_once
def guess_of(collected: Collected) -> PlanAssumptions:
    """Measurements, and guesses for what is not measured yet."""
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
    values["labels"] = min(4, int(values["labels"]))  # more labels change only the time of the enumeration
    return PlanAssumptions(**values, measured=tuple(measured))  # type: ignore[arg-type]


def _hits(collected: Collected) -> Mapping[str, list[float]]:
    """Unit -> whether each of its parts has the label that counts or, if the answer is known, is right."""
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
