"""One story as logic: people, told facts, noise, the query and its proof, before any words.

It keeps trying until the closure proves the story; what it cannot prove is not emitted. (abstract.py does the same for
worlds that are known by their rules alone.)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

from proband.suites.kinship.logic import noise as noises
from proband.suites.kinship.logic.chaining import Ground, Pair, Step, backward, revisiting
from proband.suites.kinship.logic.closure import chart, depth
from proband.suites.kinship.logic.letters import Proofs, Word, genders_of
from proband.suites.kinship.logic.noise import Way
from proband.suites.kinship.world.lazy_table import Lazy
from proband.suites.kinship.world.random_orders import Random, shuffled
from proband.suites.kinship.world.relations import FEMALE, MALE
from proband.suites.kinship.world.rules import NONE, Rules

Goal = tuple[int, str, str]  # target relation, gender of z, gender of x
Edge = tuple[int, str, int]
Inference = tuple[Edge, Edge, Edge]  # two premises and the conclusion
Accept = Callable[[tuple[int, ...]], bool]
ATTEMPTS = 2000


@dataclass(slots=True)
class Draft:
    """People are 0.. in random order."""

    genders: list[str]
    edges: list[Edge]  # (i, word, j)
    query: tuple[int, int]
    target: str
    k: int
    depth: int
    noise: list[tuple[Edge, str]]  # with its kind
    proof: list[Inference]
    proofs: int
    clause: tuple[int, ...]  # the relations along the path
    verdict: str


@dataclass(frozen=True, kw_only=True)
class World:
    """What drafts are made from. `sound` judges stories, `rules` chains them (they differ for `--rules clutrr`)."""

    rules: Rules
    sound: Rules
    ground: Lazy[int, Ground]
    families: int
    size: range  # facts per noise path
    proofs: Proofs
    revisit: bool
    blind: bool = False  # nobody's gender is known but what the facts tell: proofs must not need it


def goals(rules: Rules) -> list[Goal]:
    """One slot per target, gender of z and gender of x, so that drawing them in turn balances labels and genders.

    >>> from proband.suites.kinship.world.rules import load
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
    chaining = _remember if task == "memory" else revisiting if world.revisit else backward
    kinds = noises.NOISE.get(task, ())
    for _ in range(ATTEMPTS):
        number = int(draw() * world.families)
        ground = world.ground[number]
        pairs = ground.pairs.get(goal)
        if not pairs:
            continue
        pair = pairs[int(draw() * len(pairs))]
        found = chaining(ground, pair, k, draw)
        if found is None:
            continue
        path, steps = found
        letters = ground.letters
        word = tuple([letters[a][b] for a, b in pairwise(path)])
        if accept is not None and not accept(tuple([letter >> 2 for letter in word])):
            continue
        ways: list[Way] | None = []
        if kinds:
            other = (number + 1 + int(draw() * (world.families - 1))) % world.families
            ways = noises.ways(world.ground, number, path, kinds=kinds, size=world.size, other=other, draw=draw)
        if ways is not None:
            draft = _story(ground, pair, path, steps=steps, word=word, ways=ways, draw=draw)
            if task == "memory":
                draft.depth = 1
                return draft
            if _judge(world, draft, word, goal=goal[0]):
                return draft
    return None


def _remember(ground: Ground, pair: Pair, k: int, draw: Random) -> tuple[list[int], list[Step]] | None:
    """A path of k facts one of which is the target itself: the task is to find it again."""
    before = int(draw() * k)
    used = set(pair)
    left = noises.walk(ground, pair[0], before, used=used, draw=draw)
    if left is None:
        return None
    right = noises.walk(ground, pair[1], k - 1 - before, used=used | set(left), draw=draw)
    return None if right is None else ([*left[::-1], *pair, *right], [])


def _story(
    ground: Ground, pair: Pair, path: list[int], *, steps: list[Step], word: Word, ways: list[Way], draw: Random
) -> Draft:
    """Number the people, tell the facts, put each noise path somewhere among them."""
    said, genders = ground.said, ground.genders
    cast = {person: genders[person] for person in path}
    for way in ways:
        cast.update(way.cast)
    people = list(cast)
    seats = [people[i] for i in shuffled(len(people), draw)]
    place = dict(zip(seats, range(len(seats))))
    edges = [(place[a], said[a][b], place[b]) for a, b in pairwise(path)]
    noise: list[tuple[Edge, str]] = []
    for way in ways:
        block = [(place[a], told, place[b]) for (a, b), told in zip(pairwise(way.people), way.words)]
        at = int(draw() * (len(edges) + 1))
        edges[at:at] = block
        noise += [(edge, way.kind) for edge in block]
    proof = []
    for a, y, b in reversed(steps):
        i, m, j, words = place[a], place[y], place[b], said[a]
        proof.append(((i, words[y], m), (m, said[y][b], j), (i, words[b], j)))
    (x, z), k, clause = pair, len(word), tuple([letter >> 2 for letter in word])
    return Draft(
        [cast[p] for p in seats], edges, (place[x], place[z]), said[x][z], k, k, noise, proof, 1, clause, "entailed"
    )


def _judge(world: World, draft: Draft, word: Word, *, goal: int) -> bool:
    """Whether the closure proves the story (or, for an unsound rule base, says that it is open)."""
    draft.proofs = world.proofs[word][1]
    if not draft.proofs:  # no line of rules with single outcomes: sets of relations may still leave one
        known = [str(i) for i in range(len(word) + 1)] if world.blind else genders_of(word)
        if chart(world.sound, draft.clause, known)[0] != 1 << goal:
            if world.rules is world.sound:
                return False
            draft.verdict = "ambiguous"
    if world.revisit:
        shortest = depth(world.sound, draft.genders, draft.edges, draft.query)
        if shortest is None:
            return world.rules is not world.sound
        draft.depth, draft.verdict = shortest, "entailed"
    return True
