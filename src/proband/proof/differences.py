"""A prover for relations that are conditions on coordinates: a.x < b.x, a.y = b.y + 1.

A fact is a conjunction of bounds x - y <= c over the coordinates of its two things. Bounds have a solution (in whole
numbers, if every c is one) iff the graph with an edge y -> x of length c for each has no cycle of negative length; the
shortest paths between the coordinates of the two things of the question then are the tightest bounds that follow, and
an answer is possible iff its own bounds, added to these, close no negative cycle. So the search is complete.
A negated fact breaks one of its bounds: each way to break one is its own case.

>>> from proband.english.domain import load
>>> from proband.core.types import Fact
>>> solve(load("grid"), Problem((Fact("A", "left", "B"), Fact("B", "above", "C")), ("A", "C")), "unit").possible
('upper-left',)
>>> solve(load("grid"), Problem((Fact("A", "left", "B"), Fact("B", "right", "C")), ("A", "C")), "any-distance").possible
('left', 'right', 'overlap')
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import product
from typing import Final, NamedTuple

from proband.core.errors import ProbandError
from proband.english.domain import CONDITION, OTHER, Domain
from proband.proof.problem import Problem, Solution

MOST_CASES: Final = 4096
Point = tuple[str, str]  # thing, coordinate
Positions = Mapping[str, Mapping[str, int]]


class Bound(NamedTuple):
    """left - right <= most."""

    left: Point
    right: Point
    most: int

    @property
    def broken(self) -> Bound:
        """What holds iff this does not: right - left <= -most - 1."""
        return Bound(self.right, self.left, -self.most - 1)


@lru_cache(maxsize=256)
def _condition(text: str) -> tuple[tuple[str, str, str, str, int], ...]:
    """
    >>> _condition("a.x = b.x - 1")
    (('a', 'x', 'b', 'x', -1), ('b', 'x', 'a', 'x', 1))
    """
    match = CONDITION.fullmatch(text)
    if match is None:
        raise ProbandError(f"{text!r} is not a condition such as 'a.x < b.x' or 'a.x = b.x + 1'")
    one, x, sign, other, y, plus, number = match.groups()
    c = int(number or 0) * (-1 if plus == "-" else 1)
    least, most = (other, y, one, x), (one, x, other, y)
    return {
        "<": ((*most, c - 1),),
        "<=": ((*most, c),),
        ">": ((*least, -c - 1),),
        ">=": ((*least, -c),),
        "=": ((*most, c), (*least, -c)),
    }[sign]


def bounds(domain: Domain, a: str, relation: str, b: str, world: str, *, as_answer: bool = False) -> list[Bound]:
    """The bounds of `a is the relation of b` in a world; a fact may be more specific than an answer (`step` in
    the domain's `step_world`)."""
    entry = domain.raw["relations"][relation]
    conditions = entry.get(world, entry["means"])
    if world == domain.raw.get("step_world") and not as_answer:
        conditions = entry.get("step", conditions)
    thing = {"a": a, "b": b}
    return [
        Bound((thing[one], x), (thing[other], y), most)
        for text in conditions
        for one, x, other, y, most in _condition(text)
    ]


def always(domain: Domain, things: Iterable[str]) -> list[Bound]:
    return [
        Bound((thing, x), (thing, y), most)
        for thing in things
        for text in domain.raw.get("always", ())
        for _, x, _, y, most in _condition(text)
    ]


# ---- shortest paths ------------------------------------------------------------------------------------------------


def heights(edges: Sequence[Bound], points: Iterable[Point]) -> dict[Point, int] | None:
    """A solution of the bounds (Bellman and Ford, from a source before all points); None if they have none."""
    return _shortest(edges, dict.fromkeys(points, 0))


def _shortest(edges: Sequence[Bound], value: dict[Point, int]) -> dict[Point, int] | None:
    """The least c such that point - start <= c follows, from these starts, for every point that is bounded at all."""
    for _ in range(len(edges) + 1):
        moved = False
        for left, right, most in edges:
            if right in value and value[right] + most < value.get(left, 1 << 40):
                value[left], moved = value[right] + most, True
        if not moved:
            return value
    return None


# ---- the questions -------------------------------------------------------------------------------------------------


def solve(domain: Domain, problem: Problem, world: str, shown: bool = False) -> Solution:
    """All answers that hold in some world of the facts, and a world for each if they are to be shown."""
    a, b = problem.question
    worlds: dict[str, Positions | None] = {}
    uncertain: set[str] = set()
    for case in cases(domain, problem, world):
        things = sorted({thing for bound in case for thing, _ in bound[:2]} | {a, b})
        edges = [*case, *always(domain, things)]
        points = points_of(domain, things)
        if heights(edges, points) is None:
            continue
        if a == b:
            raise ProbandError("the question is about one thing, not two")
        pair_points = points_of(domain, (a, b))
        known = _projected(edges, pair_points)
        here: set[str] = set()  # the answers that are possible in this case
        for answer, added in answers(domain, a, b, world):
            if answer not in here and heights([*known, *added], pair_points) is not None:
                here.add(answer)
                if answer not in worlds:
                    worlds[answer] = _positions(domain, [*edges, *added], points) if shown else None
        uncertain.update(each for each in domain.inverse if each not in here)
        for answer in here - uncertain - {OTHER} if len(here) > 1 else ():
            meaning = bounds(domain, a, answer, b, world, as_answer=True)
            if any(heights([*known, bound.broken], pair_points) is not None for bound in meaning):
                uncertain.add(answer)
    possible = tuple(answer for answer in (*domain.inverse, OTHER) if answer in worlds)
    uncertain |= {OTHER} if len(possible) > 1 else set()
    certain = tuple(answer for answer in possible if answer not in uncertain)
    return Solution(possible, certain, worlds={each: worlds[each] for each in possible} if shown else {})


def cases(domain: Domain, problem: Problem, world: str) -> Iterator[list[Bound]]:
    """The cases in which the facts hold: one, unless some are negated."""
    certain: list[Bound] = []
    choices: list[list[Bound]] = []
    for fact in problem.facts:
        own = bounds(domain, fact.who, fact.relation, fact.of, world, as_answer=fact.negated)
        if fact.negated:
            choices.append([each.broken for each in own])
        else:
            certain += own
    if math.prod(map(len, choices)) > MOST_CASES:
        raise ProbandError(f"{len(choices)} negated facts are too many to search")
    for broken in product(*choices):
        yield [*certain, *broken]


def answers(domain: Domain, a: str, b: str, world: str) -> Iterator[tuple[str, list[Bound]]]:
    """Each answer with the bounds it adds; `none` with every way to break every relation."""
    meanings = {name: bounds(domain, a, name, b, world, as_answer=True) for name in domain.inverse}
    yield from meanings.items()
    if domain.other:
        for broken in product(*meanings.values()):
            yield OTHER, [each.broken for each in broken]


def points_of(domain: Domain, things: Iterable[str]) -> list[Point]:
    return [(thing, x) for thing in things for x in domain.raw["coordinates"]]


def _projected(edges: Sequence[Bound], points: Sequence[Point]) -> list[Bound]:
    """The tightest bounds between the coordinates of the two things."""
    reach = {start: _shortest(edges, {start: 0}) or {} for start in points}
    return [Bound(p, start, reach[start][p]) for start in points for p in points if p != start and p in reach[start]]


def _positions(domain: Domain, edges: Sequence[Bound], points: Sequence[Point]) -> dict[str, dict[str, int]]:
    value = heights(edges, points)
    assert value is not None  # the projection has one
    names = domain.raw["coordinates"]
    meanings = (text for entry in domain.raw["relations"].values() for text in entry["means"])
    conditions = [each for text in (*meanings, *domain.raw.get("always", ())) for each in _condition(text)]
    compared = any(x != y for _, x, _, y, _ in conditions)  # start and end lie on one axis, x and y do not
    axes = [set(names)] if compared else [{x} for x in names]
    low = {x: min(v for (_, y), v in value.items() if y in axis) for axis in axes for x in axis}
    placed: dict[str, dict[str, int]] = {}
    for (thing, x), v in value.items():
        placed.setdefault(thing, {})[x] = v - low[x]
    return placed
