"""The second prover for coordinates: a SAT solver instead of shortest paths.

Each coordinate is a whole number from 0 to M in order encoding: a variable for "p >= v", and left - right <= c is
(left >= v) -> (right >= v - c) for each v. M is as large as any solution need be: one apart from the next for each
point, plus all that the bounds add. Shares nothing with `differences` but the conditions of the domain's file.

>>> from proband.english.domain import load
>>> from proband.core.types import Fact
>>> facts = (Fact("A", "left", "B"), Fact("B", "right", "C"))
>>> sorted(possible(load("grid"), Problem(facts, ("A", "C")), "any-distance"))
['left', 'overlap', 'right']
"""

from __future__ import annotations

from collections.abc import Iterable

from proband.english.domain import Domain
from proband.proof.differences import Bound, Point, always, answers, bounds, points_of
from proband.proof.problem import Problem


def possible(domain: Domain, problem: Problem, world: str) -> frozenset[str]:
    """The answers that hold in some world of the facts, one call of the solver each."""
    from pysat.solvers import Minisat22

    a, b = problem.question
    things = dict.fromkeys([a, b, *(thing for fact in problem.facts for thing in (fact.who, fact.of))])
    facts = [(bounds(domain, f.who, f.relation, f.of, world, as_answer=f.negated), f.negated) for f in problem.facts]
    points = points_of(domain, things)
    encoding = _Encoding(points, largest=2 * len(points) + sum(abs(each.most) for own, _ in facts for each in own))
    with Minisat22(bootstrap_with=encoding.clauses()) as solver:

        def add(bound: Bound, *condition: int) -> None:
            """The bound holds where the literals of the condition are false."""
            for clause in encoding.bound(bound):
                solver.add_clause([*condition, *clause])

        for each in always(domain, things):
            add(each)
        for own, negated in facts:
            broken = [encoding.fresh() for _ in own] if negated else []
            if negated:
                solver.add_clause(broken)
            for number, each in enumerate(own):
                add(*((each.broken, -broken[number]) if negated else (each,)))
        open_answers = set()
        for answer, added in answers(domain, a, b, world):
            on = encoding.fresh()
            for each in added:
                add(each, -on)
            if answer not in open_answers and solver.solve(assumptions=[on]):
                open_answers.add(answer)
        return frozenset(open_answers)


class _Encoding:
    def __init__(self, points: list[Point], *, largest: int) -> None:
        self.largest = largest
        self.first = {point: number * largest for number, point in enumerate(points)}
        self.used = len(points) * largest

    def fresh(self) -> int:
        self.used += 1
        return self.used

    def at_least(self, point: Point, value: int) -> int | bool:
        """The variable of point >= value; True or False beyond the ends."""
        if value <= 0:
            return True
        return self.first[point] + value if value <= self.largest else False

    def clauses(self) -> Iterable[list[int]]:
        for first in self.first.values():
            yield from ([-(first + v + 1), first + v] for v in range(1, self.largest))

    def bound(self, bound: Bound) -> Iterable[list[int]]:
        left, right, most = bound
        for value in range(self.largest + 2):
            premise, conclusion = self.at_least(left, value), self.at_least(right, value - most)
            if premise is False or conclusion is True:
                continue
            literals = [] if premise is True else [-premise]
            yield literals if conclusion is False else [*literals, conclusion]
