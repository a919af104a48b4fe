"""Stories in a world that is known by its rules alone: a user's own rule base, or the compass directions of `grid`.

There is no family to take people from, so every rule brings somebody new (chain.symbolic). The closure proves the
story and looks for contradictions, which noise drawn at random may bring: such a story is thrown away.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from proband.core.errors import ProbandError
from proband.suites.kinship.generate.story_logic import ATTEMPTS, Accept, Draft, Edge, Goal, World
from proband.suites.kinship.logic import noise as noises
from proband.suites.kinship.logic.chaining import Step, symbolic
from proband.suites.kinship.logic.closure import chart, close
from proband.suites.kinship.world.random_orders import Random, shuffled
from proband.suites.kinship.world.relations import FEMALE, MALE
from proband.suites.kinship.world.rules import NONE, Rules

Fact = tuple[int, int, int]  # person, relation, person


def rules_draft(
    world: World, goal: Goal, k: int, *, task: str, draw: Random, accept: Accept | None = None
) -> Draft | None:
    """A story that the closure proves, or None where `accept` lets none through."""
    rules = world.rules
    target, z, x = goal
    for _ in range(ATTEMPTS):
        relations, steps, ends = _chain(rules, target, k, task, draw)
        if accept is not None and not accept(tuple(relations)):
            continue
        facts = [(i, relation, i + 1) for i, relation in enumerate(relations)]
        noise = _strange(world, facts, noises.NOISE.get(task, ()), draw)
        everything = facts + [fact for fact, _ in noise]
        people = 1 + max(max(a, b) for a, _, b in everything)
        genders = _genders(rules, people, everything, {ends[0]: x, ends[1]: z}, draw)
        if genders is None:
            continue
        draft = _story(rules, facts, noise, genders, steps, ends, draw)
        if draft is not None and draft.target == rules.word(target, z):
            draft.depth = 1 if task == "memory" else k
            return draft
    return None


def _chain(rules: Rules, target: int, k: int, task: str, draw: Random) -> tuple[list[int], list[Step], tuple[int, int]]:
    """Relations along a path, the steps of their proof, and which two people of the path are asked about."""
    if task == "memory":
        at = int(draw() * k)
        relations = [int(draw() * len(rules.neutrals)) for _ in range(k)]
        relations[at] = target
        return relations, [], (at, at + 1)
    found = symbolic(rules, target, k, draw)
    if found is None:
        raise ProbandError(f"rule base {rules.name!r}: no {k} facts compose to {rules.neutrals[target]!r}")
    return *found, (0, k)


def _strange(world: World, facts: list[Fact], kinds: Sequence[str], draw: Random) -> list[tuple[Fact, str]]:
    """Noise paths with relations drawn at random; the closure throws out contradictions later."""
    k, fresh = len(facts), len(facts) + 1
    noise: list[tuple[Fact, str]] = []
    for kind in kinds:
        size = world.size[int(draw() * len(world.size))]
        if kind == "supporting":
            gap = 1 + int(draw() * min(size - 1, k))
            at = int(draw() * (k + 1 - gap))
            way = [at, *range(fresh, fresh + size - 1), at + gap]
        elif kind == "irrelevant":
            way = [0 if draw() < 0.5 else k, *range(fresh, fresh + size)]
        else:
            way = list(range(fresh, fresh + size + 1))
        fresh = max(fresh, max(way) + 1)
        noise += [((a, int(draw() * len(world.rules.neutrals)), b), kind) for a, b in pairwise(way)]
    return noise


def _genders(rules: Rules, people: int, facts: Sequence[Fact], fixed: dict[int, str], draw: Random) -> list[str] | None:
    """Genders that fit the facts, drawn at random; None where these relations leave no room for the fixed ones."""
    if not rules.gendered:
        return [NONE] * people
    genders = [fixed.get(p) or (MALE, FEMALE)[int(draw() * 2)] for p in range(people)]
    if any(rules.opposite >> r & 1 and genders[a] == genders[b] for a, r, b in facts):
        return None
    return genders


def _story(
    rules: Rules,
    facts: list[Fact],
    noise: list[tuple[Fact, str]],
    genders: list[str],
    steps: list[Step],
    ends: tuple[int, int],
    draw: Random,
) -> Draft | None:
    """Number the people, tell the facts, close them; None for a contradiction or an open answer."""
    order = shuffled(len(genders), draw)

    def told(fact: Fact) -> Edge:
        a, relation, b = fact
        return order[a], rules.word(relation, genders[b]), order[b]

    edges = [told(fact) for fact in facts]
    kinds: dict[str, list[Edge]] = {}
    for fact, kind in noise:
        kinds.setdefault(kind, []).append(told(fact))
    for block in kinds.values():
        at = int(draw() * (len(edges) + 1))
        edges[at:at] = block
    numbered = [""] * len(genders)
    for i, gender in enumerate(genders):
        numbered[order[i]] = gender
    closure = close(rules, numbered, edges)
    x, z = order[ends[0]], order[ends[1]]
    words = closure.answers(x, z)
    if not closure.consistent or len(words) != 1:
        return None

    def known(a: int, b: int) -> Edge:
        return order[a], "|".join(closure.answers(order[a], order[b])), order[b]

    listed = [(edge, kind) for kind, block in kinds.items() for edge in block]
    if listed and noises.harm(edges, listed, (x, z), len(facts)):
        return None
    _, proofs = chart(rules, [r for _, r, _ in facts], genders) if ends == (0, len(facts)) else (0, 1)
    proof = [(known(a, y), known(y, b), known(a, b)) for a, y, b in reversed(steps)]
    clause, k = tuple(r for _, r, _ in facts), len(facts)
    return Draft(numbered, edges, (x, z), words[0], k, k, listed, proof, proofs, clause, "entailed")
