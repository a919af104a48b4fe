"""One story as logic: people, told facts, noise, the query and its proof, before any words.

It keeps trying until the closure proves the story; what it cannot prove is not emitted. (rule_world_logic.py does the
same for worlds that are known by their rules alone.)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from proband.suites.kinship.logic import noise as noises
from proband.suites.kinship.logic.chaining import FamilyGraph, Pair, Step, backward, revisiting
from proband.suites.kinship.logic.closure import chart, depth
from proband.suites.kinship.logic.noise import NoisePath
from proband.suites.kinship.logic.witness import Part, Row, witness
from proband.suites.kinship.world.relations import FEMALE, MALE
from proband.suites.kinship.world.rules import NONE, Rules
from proband.suites.kinship.world.tables import Lazy, Random, shuffled

Goal = tuple[int, str, str]  # target relation, gender of z, gender of x
Edge = tuple[int, str, int]
Inference = tuple[Edge, ...]  # two premises (one: a fact read from its other side) and the conclusion
Accept = Callable[[tuple[int, ...]], bool]
ATTEMPTS = 2000


@dataclass(slots=True, kw_only=True)
class Draft:
    """A story without words. People are 0.. in random order."""

    genders: list[str]
    edges: list[Edge]  # (i, word, j)
    query: tuple[int, int]
    target: str
    depth: int
    noise: list[tuple[Edge, str]]  # with its kind
    proof: list[Inference]
    proofs: int
    clause: tuple[int, ...]  # the relations along the path
    family: list[Row]  # one in which the facts hold; empty in worlds without families
    verdict: str = "entailed"
    path: list[int] = field(default_factory=list)  # places in `edges`, from one end of the chain to the other

    @property
    def k(self) -> int:
        return len(self.clause)


@dataclass(frozen=True, kw_only=True)
class Setting:
    """What drafts are made from. `sound` judges stories, `rules` chains them (they differ for `--rules clutrr`)."""

    rules: Rules
    sound: Rules
    ground: Lazy[int, FamilyGraph]
    families: int
    size: Mapping[str, range]  # facts per noise path, by kind
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
    setting: Setting, goal: Goal, k: int, *, task: str, draw: Random, accept: Accept | None = None
) -> Draft | None:
    """A story about somebody in a family, or None where `accept` lets none through."""
    chaining = _remember if task == "memory" else revisiting if setting.revisit else backward
    kinds = noises.NOISE.get(task, ())
    for _ in range(ATTEMPTS):
        number = int(draw() * setting.families)
        ground = setting.ground[number]
        pairs = ground.pairs.get(goal)
        if not pairs:
            continue
        pair = pairs[int(draw() * len(pairs))]
        found = chaining(ground, pair, k, draw)
        if found is None:
            continue
        path, steps = found
        clause = tuple([ground.matrix[a][b] for a, b in pairwise(path)])
        if accept is not None and not accept(clause):
            continue
        ways: list[NoisePath] | None = []
        other = number
        if kinds:
            other = (number + 1 + int(draw() * (setting.families - 1))) % setting.families
            ways = noises.ways(setting.ground, number, path, kinds=kinds, size=setting.size, other=other, draw=draw)
        if ways is not None:
            strangers = setting.ground[other] if "disconnected" in kinds else None
            draft = make_draft(
                ground, pair, path, steps=steps, clause=clause, ways=ways, strangers=strangers, draw=draw
            )
            if task == "memory":
                draft.depth = 1
                return draft
            if _proved(setting, draft, [ground.genders[p] for p in path], goal=goal[0]):
                return draft
    return None


def _remember(ground: FamilyGraph, pair: Pair, k: int, draw: Random) -> tuple[list[int], list[Step]] | None:
    """A path of k facts one of which is the target itself: the task is to find it again."""
    before = int(draw() * k)
    used = set(pair)
    left = noises.walk(ground, pair[0], before, used=used, draw=draw)
    if left is None:
        return None
    right = noises.walk(ground, pair[1], k - 1 - before, used=used | set(left), draw=draw)
    return None if right is None else ([*left[::-1], *pair, *right], [])


def from_either_side(draft: Draft, rules: Rules, draw: Random) -> Draft:
    """The same story with its facts in random order, each stated from a side drawn at random. Where a proof needs the
    other side of a fact, it begins with that step.

    >>> from proband.suites.kinship.world.rules import load
    >>> one = Draft(genders=["male", "female"], edges=[(0, "wife", 1)], query=(0, 1), target="wife", depth=1, noise=[],
    ...             proof=[], proofs=1, clause=(3,), family=[])
    >>> turned = from_either_side(one, load("sound"), lambda: 0.1)
    >>> turned.edges, turned.proof
    ([(1, 'husband', 0)], [((1, 'husband', 0), (0, 'wife', 1))])
    """
    sides = {edge: converse(rules, edge, draft.genders) if draw() < 0.5 else edge for edge in draft.edges}
    order = shuffled(len(draft.edges), draw)
    x, z = draft.query
    used = {(x, draft.target, z)}.union(*(step[:-1] for step in draft.proof))
    turned: list[Inference] = [(side, edge) for edge, side in sides.items() if side != edge and edge in used]
    return replace(
        draft,
        edges=[sides[draft.edges[place]] for place in order],
        noise=[(sides[edge], kind) for edge, kind in draft.noise],
        proof=[*turned, *draft.proof],
        path=sorted(range(len(order)), key=lambda place: order[place]),
    )


def converse(rules: Rules, edge: Edge, genders: Sequence[str]) -> Edge:
    """The same fact from its other side."""
    i, word, j = edge
    return j, rules.word(rules.inverse[rules.code[word]], genders[i]), i


def number_people(
    chain: Sequence[Edge], ways: Sequence[NoisePath], genders: Mapping[int, str], draw: Random
) -> tuple[dict[int, int], list[Edge], list[tuple[Edge, str]]]:
    """Number the people of `genders` at random, and put each noise path somewhere among the facts of the chain: (who
    has which number, the facts, the noise among them with its kind)."""
    people = list(genders)
    place = {people[i]: seat for seat, i in enumerate(shuffled(len(people), draw))}
    edges = [(place[a], word, place[b]) for a, word, b in chain]
    noise: list[tuple[Edge, str]] = []
    for way in ways:
        block = [(place[a], word, place[b]) for (a, b), word in zip(pairwise(way.people), way.words)]
        at = int(draw() * (len(edges) + 1))
        edges[at:at] = block
        noise += [(edge, way.kind) for edge in block]
    return place, edges, noise


def make_draft(
    ground: FamilyGraph,
    pair: Pair,
    path: list[int],
    *,
    steps: list[Step],
    clause: tuple[int, ...],
    ways: list[NoisePath],
    strangers: FamilyGraph | None,
    draw: Random,
) -> Draft:
    """The path and the ways of a family as a draft; its depth and number of proofs are judged later."""
    said, genders = ground.said, {person: ground.genders[person] for person in path}
    for way in ways:
        genders.update(way.cast)
    place, edges, noise = number_people([(a, said[a][b], b) for a, b in pairwise(path)], ways, genders, draw)
    proof: list[Inference] = []
    for a, y, b in reversed(steps):
        i, m, j, words = place[a], place[y], place[b], said[a]
        proof.append(((i, words[y], m), (m, said[y][b], j), (i, words[b], j)))
    x, z = pair
    return Draft(
        genders=[genders[person] for person in place],
        edges=edges,
        query=(place[x], place[z]),
        target=said[x][z],
        depth=len(clause),
        noise=noise,
        proof=proof,
        proofs=1,
        clause=clause,
        family=_family(ground, path, ways, place=place, strangers=strangers),
    )


def _family(
    ground: FamilyGraph,
    path: list[int],
    ways: list[NoisePath],
    *,
    place: Mapping[int, int],
    strangers: FamilyGraph | None,
) -> list[Row]:
    """A family in which the facts hold: part of the one the story is taken from, and part of the strangers'."""
    if strangers is None:
        pairs = [step for people in (path, *(way.people for way in ways)) for step in pairwise(people)]
        return witness((Part(ground.rows, ground.needed, dict(place), pairs),), len(place))
    near = [step for way in ways if way.kind != "disconnected" for step in pairwise(way.people)]
    far = [(-1 - a, -1 - b) for way in ways if way.kind == "disconnected" for a, b in pairwise(way.people)]
    home = {person: seat for person, seat in place.items() if person >= 0}
    guests = {-1 - person: seat for person, seat in place.items() if person < 0}
    return witness(
        (
            Part(ground.rows, ground.needed, home, [*pairwise(path), *near]),
            Part(strangers.rows, strangers.needed, guests, far),
        ),
        len(place),
    )


def _proved(setting: Setting, draft: Draft, genders: Sequence[str], *, goal: int) -> bool:
    """Whether the closure proves the story (or, for an unsound rule base, says that it is open)."""
    known = [str(i) for i in range(len(genders))] if setting.blind else genders
    left, draft.proofs = chart(setting.sound, draft.clause, known)
    if left != 1 << goal:
        if setting.rules is setting.sound:
            return False
        draft.verdict = "ambiguous"
    if setting.revisit:
        shortest = depth(setting.sound, draft.genders, draft.edges, draft.query)
        if shortest is None:
            return setting.rules is not setting.sound
        draft.depth, draft.verdict = shortest, "entailed"
    return True
