"""One story as logic: people, told facts, noise, the query and its proof, before any words.

It keeps trying until the closure proves the story; what it cannot prove is not emitted. (abstract.py does the same for
worlds that are known by their rules alone.)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from proband.suites.kinship import noise as noises
from proband.suites.kinship.chain import Ground, Random, Step, backward, revisiting
from proband.suites.kinship.prove import chart, depth, distance
from proband.suites.kinship.relations import FEMALE, MALE
from proband.suites.kinship.rules import NONE, Rules

Goal = tuple[int, str, str]  # target relation, gender of z, gender of x
Accept = Callable[[tuple[int, ...]], bool]
ATTEMPTS = 2000


@dataclass(slots=True)
class Draft:
    """People are 0.. in random order."""

    genders: list[str]
    edges: list[Any]  # [i, word, j]
    query: list[int]
    target: str
    k: int
    depth: int
    noise: list[list[Any]]  # [edge, kind]
    proof: list[list[list[Any]]]
    proofs: int
    clause: tuple[int, ...]  # the relations along the path
    verdict: str


@dataclass(frozen=True, kw_only=True)
class World:
    """What drafts are made from. `sound` judges stories, `rules` chains them (they differ for `--rules clutrr`)."""

    rules: Rules
    sound: Rules
    ground: Callable[[int], Ground]
    families: int
    size: tuple[int, int]  # facts per noise path: from, to
    revisit: bool
    blind: bool = False  # nobody's gender is known but what the facts tell: proofs must not need it
    judged: dict[tuple[Any, ...], tuple[int, int]] = field(default_factory=dict)


def goals(rules: Rules) -> list[Goal]:
    """One slot per target, gender of z and gender of x, so that drawing them in turn balances labels and genders.

    >>> from proband.suites.kinship.rules import load
    >>> len(goals(load("sound"))), len(goals(load("clutrr"))), len(goals(load("grid")))
    (44, 36, 8)
    """
    if not rules.gendered:
        slots = [(r, NONE, NONE) for r in range(len(rules.neutrals))]
    else:
        other = {MALE: FEMALE, FEMALE: MALE}
        slots = [
            (r, z, other[z] if rules.opposite >> r & 1 else x)
            for r in range(len(rules.neutrals))
            for z in (MALE, FEMALE)
            for x in (MALE, FEMALE)
        ]
    heads = {cell for rows in (rules.table, rules.same) for row in rows for cell in row}
    return [slot for slot in slots if 1 << slot[0] in heads]


def family_draft(
    world: World, goal: Goal, k: int, *, task: str, draw: Random, accept: Accept | None = None
) -> Draft | None:
    """A story about somebody in a family, or None where `accept` lets none through."""
    chaining = revisiting if world.revisit else backward
    for _ in range(ATTEMPTS):
        number = int(draw() * world.families)
        ground = world.ground(number)
        pairs = ground.pairs.get(goal)
        if not pairs:
            continue
        pair = pairs[int(draw() * len(pairs))]
        if task == "memory":
            found = _remember(ground, pair, k, draw)
        else:
            found = chaining(ground, pair, k, draw)
        if found is None:
            continue
        path, steps = found
        to = ground.matrix
        clause = tuple([to[a][b] for a, b in pairwise(path)])
        if accept is not None and not accept(clause):
            continue
        kinds = noises.NOISE.get(task, ())
        extra = _extra(world, number, path, kinds, draw) if kinds else []
        if extra is None:
            continue
        draft = _family_story(world, ground, pair, path, steps, clause, extra, task=task, draw=draw)
        if draft is not None:
            return draft
    return None


def _remember(ground: Ground, pair: tuple[int, int], k: int, draw: Random) -> tuple[list[int], list[Step]] | None:
    """A path of k facts one of which is the target itself: the task is to find it again."""
    before = int(draw() * k)
    used = set(pair)
    left = noises.walk(ground, pair[0], before, used=used, draw=draw)
    if left is None:
        return None
    right = noises.walk(ground, pair[1], k - 1 - before, used=used | set(left), draw=draw)
    return None if right is None else ([*left[::-1], *pair, *right], [])


Extra = tuple[Ground, list[int], str]  # whose family, the people of a noise path, its kind


def _extra(world: World, number: int, path: Sequence[int], kinds: Sequence[str], draw: Random) -> list[Extra] | None:
    """One noise path per kind; people of the story's family come once only, except where paths meet the story's."""
    ground, used, extra = world.ground(number), set(path), []
    low, high = world.size
    for kind in kinds:
        size = low + int(draw() * (high + 1 - low))
        home = ground
        if kind == "supporting":
            way = noises.supporting(ground, path, size, used=used, draw=draw)
        elif kind == "irrelevant":
            way = noises.irrelevant(ground, path, size, used=used, draw=draw)
        else:
            home = world.ground((number + 1 + int(draw() * (world.families - 1))) % world.families)
            way = noises.disconnected(home, size, draw=draw)
        if way is None:
            return None
        used.update(way if home is ground else ())
        extra.append((home, way, kind))
    return extra


def _family_story(
    world: World,
    ground: Ground,
    pair: tuple[int, int],
    path: list[int],
    steps: list[Step],
    clause: tuple[int, ...],
    extra: list[Extra],
    *,
    task: str,
    draw: Random,
) -> Draft | None:
    """Number the people, tell the facts, prove the answer."""
    people = list(dict.fromkeys(path)) if world.revisit else path[:]
    if extra:
        people += [p for home, way, _ in extra if home is ground for p in way if p not in path]
    strangers = [way for home, way, _ in extra if home is not ground]
    order = shuffled(len(people) + sum(map(len, strangers)), draw)
    place = dict(zip(people, order))
    genders = [""] * len(order)
    for person, i in place.items():
        genders[i] = ground.genders[person]
    said = ground.said
    edges: list[Any] = [[place[a], said[a][b], place[b]] for a, b in pairwise(path)]
    noise = _place_noise(ground, extra, edges, place, order[len(people) :], genders, draw) if extra else []
    x, z = pair
    proof = []
    for a, y, b in reversed(steps):
        i, j, m, words = place[a], place[b], place[y], said[a]
        proof.append([[i, words[y], m], [m, said[y][b], j], [i, words[b], j]])
    query, target, k = [place[x], place[z]], said[x][z], len(clause)
    draft = Draft(genders, edges, query, target, k, k, noise, proof, 1, clause, "entailed")
    if task == "memory":
        draft.depth = 1
        return draft
    known = list(map(str, path)) if world.blind else [ground.genders[p] for p in path]
    return _judge(world, draft, known, goal=ground.matrix[x][z])


def _place_noise(
    ground: Ground,
    extra: list[Extra],
    edges: list[Any],
    place: dict[int, int],
    spare: list[int],
    genders: list[str],
    draw: Random,
) -> list[list[Any]]:
    """Put each noise path somewhere among the edges; strangers get the spare numbers."""
    noise: list[list[Any]] = []
    for home, way, kind in extra:
        known = place
        if home is not ground:
            known = dict(zip(way, spare))
            spare = spare[len(way) :]
            for person, i in known.items():
                genders[i] = home.genders[person]
        block = [[known[a], home.said[a][b], known[b]] for a, b in pairwise(way)]
        at = int(draw() * (len(edges) + 1))
        edges[at:at] = block
        noise.extend([edge, kind] for edge in block)
    return noise


def _remembered(world: World, draft: Draft, genders: list[str]) -> tuple[int, int]:
    """The closure of a short path; it depends on the relations and genders alone, of which there are few."""
    key = (draft.clause,) if world.blind else (draft.clause, *genders)
    known = world.judged.get(key)
    if known is None:
        known = world.judged[key] = chart(world.sound, draft.clause, genders)
    return known


def _judge(world: World, draft: Draft, genders: list[str], *, goal: int) -> Draft | None:
    """The closure's verdict; None where it does not prove the story (or, for an unsound rule base, says it is open)."""
    left, draft.proofs = (
        chart(world.sound, draft.clause, genders) if draft.k > 4 else _remembered(world, draft, genders)
    )
    if left != 1 << goal:
        if world.rules is world.sound:
            return None
        draft.verdict = "ambiguous"
    if world.revisit:
        x, z = draft.query
        shortest = depth(world.sound, draft.genders, draft.edges, (x, z))
        if shortest is None:
            return None if world.rules is world.sound else draft
        draft.depth, draft.verdict = shortest, "entailed"
    elif draft.noise and distance(draft.edges, draft.query) != draft.k:
        return None
    return draft


def shuffled(n: int, draw: Random) -> list[int]:
    """A uniform order of 0..n-1."""
    order = list(range(n))
    for i in range(n - 1, 0, -1):
        j = int(draw() * (i + 1))
        order[i], order[j] = order[j], order[i]
    return order
