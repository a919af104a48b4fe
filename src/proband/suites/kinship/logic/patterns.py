"""Stories up to names: what a verdict depends on.

Entailment does not depend on what people are called, nor on facts that are not connected with the question unless these
are impossible by themselves. So stories are reduced to patterns, and a pattern is judged once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

from proband.core.errors import ProbandError
from proband.suites.kinship.world.kernel import Edge, Family
from proband.suites.kinship.world.relations import GENDER, NEUTRAL

Relation = TypeVar("Relation", int, str)
Genders = tuple[str | None, ...]
Pattern = tuple[Genders, tuple[Edge, ...], tuple[int, int]]  # genders, facts, question; the question is (0, 1)


def canonical(
    genders: Sequence[str | None], edges: Sequence[Edge], query: tuple[int, int]
) -> tuple[Pattern, list[int]]:
    """The story with the asked pair as 0 and 1 and the others numbered as the edges meet them; and who is who.

    >>> canonical(["male", "female", "male"], [(2, "mother", 1)], (2, 1))
    ((('male', 'female', 'male'), ((0, 'mother', 1),), (0, 1)), [2, 1, 0])
    """
    check(genders, edges, query)
    known = list(genders)
    for _, relation, j in edges:  # what the words say of genders; a clash is left for the search to find
        known[j] = known[j] or GENDER[relation]
    order = list(dict.fromkeys([*query, *(x for i, _, j in edges for x in (i, j)), *range(len(genders))]))
    number = {x: n for n, x in enumerate(order)}
    renamed = tuple(sorted({(number[i], relation, number[j]) for i, relation, j in edges}))
    pattern = (tuple(known[x] for x in order), renamed, (number[query[0]], number[query[1]]))
    return pattern, order


def parts(
    genders: Sequence[str | None], edges: Sequence[Edge], query: tuple[int, int]
) -> tuple[Pattern, list[int], list[Pattern]]:
    """The pattern of the facts connected with the question and who is who in it; then the patterns of the rest.

    Families of unconnected stories side by side are a family of all, so what is not connected with the question matters
    only if it has no family at all. (The question of a rest is its first fact.)

    >>> parts(["male"] * 5, [(3, "son", 1), (0, "son", 2)], (2, 0))
    ((('male', 'male'), ((1, 'son', 0),), (0, 1)), [2, 0], [(('male', 'male'), ((0, 'son', 1),), (0, 1))])
    """
    check(genders, edges, query)
    piece = list(range(len(genders)))
    for i, _, j in edges:
        old, new = piece[i], piece[j]
        if old != new:
            piece = [new if p == old else p for p in piece]
    asked = {piece[query[0]], piece[query[1]]}
    rest: dict[int, list[Edge]] = {}
    for edge in edges:
        if piece[edge[0]] not in asked:
            rest.setdefault(piece[edge[0]], []).append(edge)
    main = [edge for edge in edges if piece[edge[0]] in asked]
    pattern, order = _trimmed(genders, main, query)
    return pattern, order, [_trimmed(genders, facts, facts[0][::2])[0] for facts in rest.values()]


def _trimmed(genders: Sequence[str | None], edges: Sequence[Edge], query: tuple[int, int]) -> tuple[Pattern, list[int]]:
    """The canonical pattern without the people that no fact is about."""
    (known, facts, asked), order = canonical(genders, edges, query)
    about = 1 + max(x for i, _, j in (*facts, (0, "", 1)) for x in (i, j))
    return (known[:about], facts, asked), order[:about]


def check(genders: Sequence[str | None], edges: Sequence[Edge], query: tuple[int, int]) -> None:
    """Fail in a sentence if the facts speak of people or relations that there are not."""
    for x in [*query, *(x for i, _, j in edges for x in (i, j))]:
        if not 0 <= x < len(genders):
            raise ProbandError(f"person {x} is not one of the {len(genders)} people of the story")
    for _, relation, _ in edges:
        if relation not in NEUTRAL:
            raise ProbandError(f"{relation!r} is not one of the 22 relations")


def restore(found: Family, order: Sequence[int]) -> Family:
    """A family of a canonical pattern with the story's own numbers again."""
    place = {x: n for n, x in enumerate([*order, *range(found.named, len(found))])}  # the story's number -> found's
    old = {n: x for x, n in place.items()}
    turn = [place[x] for x in range(len(found))]

    def person(n: int | None) -> int | None:
        return None if n is None else old[n]

    return Family(
        named=found.named,
        genders=tuple(found.genders[n] for n in turn),
        father=tuple(person(found.father[n]) for n in turn),
        mother=tuple(person(found.mother[n]) for n in turn),
        spouses=tuple(tuple(sorted(old[s] for s in found.spouses[n])) for n in turn),
        world=found.world,
    )


def canonical_clause(clause: tuple[Relation, ...], inverse: Any) -> tuple[Relation, ...]:
    """A clause (the relations along a path) and its reading from the other end, as one; relations are numbers or names.

    >>> canonical_clause((0, 2), {0: 1, 1: 0, 2: 2}), canonical_clause((2, 1), {0: 1, 1: 0, 2: 2})
    ((0, 2), (0, 2))
    """
    return min(clause, tuple([inverse[r] for r in reversed(clause)]))
