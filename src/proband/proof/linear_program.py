"""The second prover for coordinates: linear programming (SciPy's HiGHS) instead of shortest paths.

The matrix of bounds left - right <= c is totally unimodular: if they have a solution, they have one in whole numbers.
It shares the domain's conditions and the cases of negated facts with `differences`.

>>> from proband.english.domain import load
>>> from proband.core.types import Fact
>>> facts = (Fact("A", "left", "B"), Fact("B", "right", "C"))
>>> sorted(possible(load("grid"), Problem(facts, ("A", "C")), "any-distance"))
['left', 'overlap', 'right']
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from proband.english.domain import Domain
from proband.proof.differences import Bound, Point, always, answers, cases, points_of
from proband.proof.problem import Problem


def possible(domain: Domain, problem: Problem, world: str) -> frozenset[str]:
    """The answers that hold in some world of the facts, a program for each."""
    things = dict.fromkeys([*problem.question, *(thing for fact in problem.facts for thing in (fact.who, fact.of))])
    column = {point: number for number, point in enumerate(points_of(domain, things))}
    fixed = [[*always(domain, things), *case] for case in cases(domain, problem, world)]
    known: set[str] = set()
    for answer, added in answers(domain, *problem.question, world):
        if answer not in known and any(_solvable([*case, *added], column) for case in fixed):
            known.add(answer)
    return frozenset(known)


def _solvable(bounds: Sequence[Bound], column: Mapping[Point, int]) -> bool:
    from scipy.optimize import Bounds, LinearConstraint, milp

    matrix = np.zeros((len(bounds), len(column)))
    for row, (left, right, _) in enumerate(bounds):
        matrix[row, column[left]] += 1
        matrix[row, column[right]] -= 1
    held = LinearConstraint(matrix, ub=[bound.most for bound in bounds])
    return bool(milp(np.zeros(len(column)), constraints=held, bounds=Bounds(-np.inf, np.inf)).status == 0)
