r"""How many people and judgments for a wanted precision, what is fair pay, what it costs in total.

Units.  The 95 % interval of a share p has half-width h after n labels; labels of one unit go together (intra-class
correlation rho, c labels per unit), so

    n = z^2 p (1 - p) / h^2 * (1 + (c - 1) rho),    units = n / c

Judgments.  A person is right with probability a and errs evenly over the other labels; the rule keeps a label that at
least `need` of m people gave. `reliability` gives P(kept) and P(right | kept), by enumeration.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from proband.annotate.project import Project

Z = 1.959963984540054


@dataclass(frozen=True, kw_only=True)
class Guess:
    """What a plan starts from; `measured` says which values the study itself gave."""

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
    for counts in _splits(people, labels):
        chance = math.factorial(people) * accuracy ** counts[0] * wrong ** (people - counts[0])
        chance /= math.prod(map(math.factorial, counts))
        if counts[0] >= need:
            right += chance
        elif max(counts[1:]) >= need:
            other += chance
    kept = right + other
    return kept, right / kept if kept else 0.0


def _splits(total: int, parts: int) -> Iterator[tuple[int, ...]]:
    if parts == 1:
        yield (total,)
        return
    for first in range(total + 1):
        for rest in _splits(total - first, parts - 1):
            yield (first, *rest)


def plan(project: Project, guess: Guess, *, half_width: float, units: int, done: int = 0) -> dict[str, Any]:
    """The plan for a study with `units` units of which `done` answers are in."""
    overlap = project.people.overlap
    needed = labels_needed(half_width, share=guess.share, per_unit=guess.per_unit, correlation=guess.correlation)
    wanted = math.ceil(needed / guess.per_unit)
    answers = wanted * overlap
    per_person = project.people.units_per_person or min(units, max(1, round(3600 / guess.seconds)))
    left = max(0, answers - done)
    fair = guess.seconds / 3600 * project.pay.per_hour
    pay = project.pay.per_unit or fair
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


def rule_row(people: int, guess: Guess) -> dict[str, Any]:
    """A majority, and the rule that all but one agree, with so many people."""
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
