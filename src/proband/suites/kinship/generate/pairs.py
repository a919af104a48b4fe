"""Pairs of stories with the same words: the answer follows from one, and the other leaves several (`--open`,
`--question sets`). So no word of a story can say whether its answer is determined.

Beside a story whose answer follows we look for a neighbour, in this order:

    1  the two names of one fact exchanged (*Ann's father Ben* becomes *Ben's father Ann*, where genders allow it)
    2  one name of one fact replaced by that of another person of the story with the same gender
    3  the stated kin words at other facts of the chain: the same multiset of words

A neighbour counts if its facts hold in a family, and the search finds families in which the answer differs (for `sets`:
one for each relation that the closure leaves). The two people of the question stay connected.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Literal, NamedTuple

from proband.suites.kinship.generate.story_logic import Draft
from proband.suites.kinship.logic.certificates import certificate
from proband.suites.kinship.logic.closure import close, shortest_path
from proband.suites.kinship.world.families import Random, shuffle
from proband.suites.kinship.world.relations import Edge
from proband.suites.kinship.world.rules import Rules

REARRANGED = 20  # other places of the kin words that are tried


class Neighbour(NamedTuple):
    """The facts of a neighbour, the place of the fact that differs (-1: several do), and who is named there instead."""

    edges: list[Edge]
    place: int = -1
    other: tuple[tuple[int, int], ...] = ()


def neighbours(draft: Draft, draw: Random) -> Iterator[Neighbour]:
    """Stories with the same words."""
    edges, genders = draft.edges, draft.genders
    noise = {edge for edge, _ in draft.noise}
    places = [place for place in shuffle(len(edges), draw) if edges[place] not in noise]
    for place in places:
        i, kin, j = edges[place]
        if genders[i] == genders[j]:
            yield Neighbour([*edges[:place], (j, kin, i), *edges[place + 1 :]], place, ((i, j), (j, i)))
    for place in places:
        i, kin, j = edges[place]
        for old, kept in ((i, j), (j, i)):
            for new in shuffle(len(genders), draw):
                fact = (new, kin, j) if old == i else (i, kin, new)
                if new not in (i, j) and genders[new] == genders[old]:
                    yield Neighbour([*edges[:place], fact, *edges[place + 1 :]], place, ((old, new), (kept, kept)))
    for _ in range(REARRANGED):
        by_gender: dict[str, list[int]] = {}
        for place in places:
            by_gender.setdefault(genders[edges[place][2]], []).append(place)
        moved = list(edges)
        for some in by_gender.values():
            order = shuffle(len(some), draw)
            for place, at in zip(some, order):
                moved[place] = (edges[place][0], edges[some[at]][1], edges[place][2])
        if moved != edges:
            yield Neighbour(moved)


def opened(draft: Draft, rules: Rules, draw: Random, *, sets: bool) -> tuple[Draft, Neighbour] | None:
    """A neighbour whose answer cannot be determined or, `sets`, is one of several relations."""
    for neighbour in neighbours(draft, draw):
        if not _readable(draft, neighbour.edges):
            continue
        x, z = draft.query
        left = close(rules, draft.genders, neighbour.edges).sets[x][z]
        if not left & (left - 1):
            continue
        several: Literal["one-of", "open"] = "one-of" if sets else "open"
        made = certificate(rules, draft.genders, neighbour.edges, draft.query, several=several)
        if not isinstance(made, str):
            place = dict(zip(draft.edges, neighbour.edges))
            noise = [(place[edge], kind) for edge, kind in draft.noise]
            made = {name: value for name, value in made.items() if name not in ("certificate", "certified_by")}
            return replace(draft, edges=neighbour.edges, noise=noise, verdict=several, **made), neighbour
    return None


def _readable(draft: Draft, edges: Sequence[Edge]) -> bool:
    """Whether everybody is still named, no two facts are about the same people, and facts connect the two people of the
    question without telling what they are."""
    pairs = {frozenset((i, j)) for i, _, j in edges}
    everybody = {person for pair in pairs for person in pair}
    if len(pairs) < len(edges) or len(everybody) < len(draft.genders) or frozenset(draft.query) in pairs:
        return False
    return shortest_path(edges, draft.query) is not None
