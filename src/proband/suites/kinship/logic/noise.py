"""Noise facts (section 3.3.2 of the paper): paths that do not help, of three kinds.

    supporting      both ends on the story's path, by a way that is longer than the path itself
    irrelevant      exactly one end shared, with one of the two people asked about
    disconnected no person shared: people of another family

A fourth path does help (`second`): it connects the two people asked about through other people. In the task `either`
each of the two paths proves the answer; in `both` neither does alone (one leaves, for example, sibling or
sibling-in-law, the other spouse or sibling-in-law).

All facts come from families, so the story stays consistent and proofs stay valid. No proof gets shorter: a relation
follows only from facts that connect the two people (closure.distance), and the distance stays k, because a path from
position i to position j of the chain with more than j - i facts is no shortcut.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from proband.suites.kinship.world.families import RARE, FamilyGraph, Random, resolve

KINDS = ("supporting", "irrelevant", "disconnected")
NOISE = {"clean": (), "supporting": KINDS[:1], "irrelevant": KINDS[1:2], "disconnected": KINDS[2:], "all": KINDS}
WAYS = ("either", "both")
SECOND = "second"
TRIES = 30


class NoisePath(NamedTuple):
    """A noise path: its people, the word for each step, and the genders of the people that it adds to the story."""

    kind: str
    people: list[int]  # numbers of the story's family; negative: strangers
    words: list[str]
    cast: dict[int, str]


def noise_paths(
    home: FamilyGraph, strangers: FamilyGraph, path: Sequence[int], *, sizes: Mapping[str, Sequence[int]], draw: Random
) -> list[NoisePath] | None:
    """One path per kind of `sizes`, with as many facts as it allows; None if the family has none.

    No person of the story's family `home` occurs twice, except where noise touches the path.
    """
    used, paths = set(path), []
    for kind, allowed in sizes.items():
        size = allowed[int(draw() * len(allowed))]
        graph = strangers if kind == "disconnected" else home
        if kind == "supporting":
            people = supporting(graph, path, size, used=used, draw=draw)
        else:
            on_path = kind == "irrelevant"
            start = (path[0] if draw() < 0.5 else path[-1]) if on_path else int(draw() * len(graph.genders))
            away = walk(graph, start, size, used=used if on_path else set(), draw=draw)
            people = None if away is None else [start, *away]
        if people is None:
            return None
        words, genders = [graph.words[a][b] for a, b in pairwise(people)], graph.genders
        if kind == "disconnected":
            cast = {-1 - p: genders[p] for p in people}
            people = list(cast)
        else:
            cast = {p: genders[p] for p in people if p not in used}
            used.update(cast)
        paths.append(NoisePath(kind, people, words, cast))
    return paths


def kin_of(graph: FamilyGraph, here: int, draw: Random) -> int:
    """A relative: any, or with `spread` one of a random relation, rare relations more often."""
    kin = graph.kin[here]
    if not graph.rare:
        return kin[int(draw() * len(kin))]
    known = [(r, people) for r, people in enumerate(graph.by_relation[here][: graph.none]) if people]
    weights = [RARE if r in graph.rare else 1 for r, _ in known]
    at, chosen = draw() * sum(weights), 0
    while at >= weights[chosen]:
        at -= weights[chosen]
        chosen += 1
    people = known[chosen][1]
    return people[int(draw() * len(people))]


def walk(graph: FamilyGraph, start: int, size: int, *, used: set[int], draw: Random) -> list[int] | None:
    """A path of `size` unused relatives from `start` (excluded); None if there is none."""
    for _ in range(TRIES):
        path: list[int] = []
        here = start
        while len(path) < size:
            here = kin_of(graph, here, draw)
            if here in used or here in path or here == start:
                break
            path.append(here)
        else:
            return path
    return None


def supporting(graph: FamilyGraph, path: Sequence[int], size: int, *, used: set[int], draw: Random) -> list[int] | None:
    """A path of `size` facts between two people of the story's path that are fewer than `size` facts apart on it."""
    last = len(path) - 1
    for _ in range(TRIES):
        gap = 1 + int(draw() * min(size - 1, last))
        at = int(draw() * (last + 1 - gap))
        ends = path[at], path[at + gap]
        if draw() < 0.5:
            ends = ends[1], ends[0]
        inner = walk(graph, ends[0], size - 2, used=used, draw=draw) if size > 2 else []
        if inner is None:
            continue
        here = inner[-1] if inner else ends[0]
        common = graph.in_common(here, ends[1])
        common = [y for y in common if graph.matrix[here][y] in graph.rare] or common
        y = resolve([common], used.union(inner), draw) if common else -1
        if y >= 0:
            return [ends[0], *inner, y, ends[1]]
    return None
