"""Stories in a world that is defined by rules alone: a user's own rule base, or the compass directions of `grid`.

There is no family to take people from, so every rule adds a new person (`symbolic`). The closure proves the
story and discards it if random noise makes it contradictory.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from proband.core.errors import ProbandError
from proband.suites.kinship.generate.story_logic import ATTEMPTS, Accept, Draft, DraftSource, Goal, Step, number_people
from proband.suites.kinship.logic.closure import chart, close
from proband.suites.kinship.logic.noise import NOISE, NoisePath
from proband.suites.kinship.world.families import Pair, Random
from proband.suites.kinship.world.relations import FEMALE, MALE, NO_GENDER, Edge
from proband.suites.kinship.world.rules import Rules, rule_bodies

NumberedEdge = tuple[int, int, int]  # person, relation, person
NoiseFacts = tuple[str, list[NumberedEdge]]  # a noise path: its kind and its facts


def rules_draft(
    source: DraftSource, goal: Goal, k: int, *, task: str, draw: Random, accept: Accept | None = None
) -> Draft | None:
    """A story that the closure proves, or None if `accept` rejects all."""
    rules = source.rules
    target, z, x = goal
    for _ in range(ATTEMPTS):
        chain = _chain(rules, target, k, task, draw)
        if accept is not None and not accept(tuple(chain.relations)):
            continue
        noise = _noise(source, k, NOISE.get(task, ()), draw)
        ends = {chain.ends[0]: x, chain.ends[1]: z}
        genders = _genders(rules, [*chain.facts, *(fact for _, way in noise for fact in way)], ends, draw)
        if genders is None:
            continue
        draft = make_draft(rules, chain, noise, genders, draw)
        if draft is not None and draft.target == rules.word(target, z):
            draft.depth = 1 if task == "memory" else k
            return draft
    return None


class RuleChain(NamedTuple):
    """Relations along a path, the steps of their proof, and the two people of the path that are asked about."""

    relations: list[int]
    steps: list[Step]
    ends: Pair

    @property
    def facts(self) -> list[NumberedEdge]:
        return [(i, relation, i + 1) for i, relation in enumerate(self.relations)]


def _chain(rules: Rules, target: int, k: int, task: str, draw: Random) -> RuleChain:
    if task == "memory":
        at = int(draw() * k)
        relations = [int(draw() * len(rules.neutrals)) for _ in range(k)]
        relations[at] = target
        return RuleChain(relations, [], (at, at + 1))
    chain = symbolic(rules, target, k, draw)
    if chain is None:
        raise ProbandError(f"rule base {rules.name!r}: no {k} facts compose to {rules.neutrals[target]!r}")
    return RuleChain(*chain, (0, k))


def symbolic(rules: Rules, target: int, k: int, draw: Random) -> tuple[list[int], list[Step]] | None:
    """Backward chaining on the rules alone; each step adds a person. Returns k relations and steps over people 0..k.

    >>> import random
    >>> from proband.suites.kinship.world.rules import load
    >>> symbolic(load("grid"), 1, 2, random.Random(0).random)  # east, then north, is northeast
    ([2, 0], [(0, 1, 2)])
    """
    bodies = rule_bodies(rules)
    relations, path, steps = [target], [0, k], []  # labels on the path: the ends, then -1, -2, ... in order of creation
    for fresh in range(1, k):
        places = [i for i, relation in enumerate(relations) if bodies[relation]]
        if not places:
            return None
        at = places[int(draw() * len(places))]
        choice = bodies[relations[at]]
        relations[at : at + 1] = choice[int(draw() * len(choice))]
        steps.append((path[at], -fresh, path[at + 1]))
        path.insert(at + 1, -fresh)
    place = {label: i for i, label in enumerate(path)}
    return relations, [(place[a], place[y], place[b]) for a, y, b in steps]


def _noise(source: DraftSource, k: int, kinds: Sequence[str], draw: Random) -> list[NoiseFacts]:
    """Noise paths with random relations; the closure rejects contradictions later."""
    fresh = k + 1
    noise: list[NoiseFacts] = []
    for kind in kinds:
        sizes = source.size[kind]
        size = sizes[int(draw() * len(sizes))]
        if kind == "supporting":
            gap = 1 + int(draw() * min(size - 1, k))
            at = int(draw() * (k + 1 - gap))
            way = [at, *range(fresh, fresh + size - 1), at + gap]
        elif kind == "irrelevant":
            way = [0 if draw() < 0.5 else k, *range(fresh, fresh + size)]
        else:
            way = list(range(fresh, fresh + size + 1))
        fresh = max(fresh, max(way) + 1)
        noise.append((kind, [(a, int(draw() * len(source.rules.neutrals)), b) for a, b in pairwise(way)]))
    return noise


def _genders(rules: Rules, facts: Sequence[NumberedEdge], fixed: dict[int, str], draw: Random) -> list[str] | None:
    """Random genders that fit the facts; None if the relations contradict the fixed ones."""
    people = 1 + max(max(a, b) for a, _, b in facts)
    if not rules.gendered:
        return [NO_GENDER] * people
    genders = [fixed.get(p) or (MALE, FEMALE)[int(draw() * 2)] for p in range(people)]
    if any(rules.opposite >> r & 1 and genders[a] == genders[b] for a, r, b in facts):
        return None
    return genders


def make_draft(rules: Rules, one: RuleChain, noise: list[NoiseFacts], genders: list[str], draw: Random) -> Draft | None:
    """The facts as a draft, closed under the rules; None for a contradiction or an open answer."""
    ways = []
    for kind, way in noise:
        words = [rules.word(relation, genders[b]) for _, relation, b in way]
        ways.append(NoisePath(kind, [way[0][0], *(b for _, _, b in way)], words, {}))
    chain = [(a, rules.word(relation, genders[b]), b) for a, relation, b in one.facts]
    place, edges, listed = number_people(chain, ways, dict(enumerate(genders)), draw)
    seats = [genders[person] for person in place]
    closure = close(rules, seats, edges)
    x, z = (place[end] for end in one.ends)
    words = closure.answers(x, z)
    if not closure.consistent or len(words) != 1:
        return None

    def known(a: int, b: int) -> Edge:
        return place[a], "|".join(closure.answers(place[a], place[b])), place[b]

    clause = tuple(one.relations)
    return Draft(
        genders=seats,
        edges=edges,
        query=(x, z),
        target=words[0],
        depth=len(clause),
        noise=listed,
        proof=[(known(a, y), known(y, b), known(a, b)) for a, y, b in reversed(one.steps)],
        proofs=chart(rules, clause, genders)[1] if one.ends == (0, len(clause)) else 1,
        clause=clause,
        family=[],
    )
