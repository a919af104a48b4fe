"""One story as logic: a chain of facts that proves the answer, noise next to it, and the query, before any words.

Targets and backward chaining (section 3.2.2 of the paper). The goal is a pair (x, z) with the target relation. Each
iteration chooses one of the facts uniformly as the subgoal, then uniformly one of the rules that resolve it, with a
person y of the family: (a, y) and (y, b) replace the fact (a, b). After k - 1 iterations there are k facts, a path from
x to z from which the goal follows:

    x --- z    x --- y --- z    x --- y --- w --- z    ...

No person is on the path twice, so all k facts are needed. Only rules with a single outcome for the given genders are
used: "a child of my parent-in-law" is a sibling-in-law or my spouse, but a child of my gender is a sibling-in-law.

Such chains mostly state parents, siblings and spouses: few rules with one outcome have a grandparent, an uncle or a
nephew among their premises, and none has a sibling-in-law. With `spread`, these rules are chosen more often, such facts
are not resolved further, and noise states them.

A story that the closure cannot prove is discarded, and another is tried. (rule_world_logic.py does the same for worlds
that are defined by rules alone; pairs.py finds an open story for each story with an answer.)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import NamedTuple

from proband.suites.kinship.logic.closure import Steps, chart, depth, prove
from proband.suites.kinship.logic.noise import NOISE, SECOND, WAYS, NoisePath, noise_paths, walk
from proband.suites.kinship.world.families import FamilyGraph, FamilyPart, Pair, Random, Row, resolve, shuffle, witness
from proband.suites.kinship.world.relations import FEMALE, MALE, NO_GENDER, Edge, turned
from proband.suites.kinship.world.rules import Rules

Goal = tuple[int, str, str]  # target relation, gender of z, gender of x
Step = tuple[int, int, int]  # (a, y, b): the fact (a, b) follows from (a, y) and (y, b)
Chain = tuple[list[int], list[Step]]  # the people of a path, and the steps that lead back to the goal
Accept = Callable[[tuple[int, ...]], bool]
ATTEMPTS = 2000
FAMILIES = 12  # families that a build takes its stories from
SECOND_WAYS = 3  # second paths tried per chain


@dataclass(slots=True, kw_only=True)
class Draft:
    """A story without words. People are 0.. in random order."""

    genders: list[str]
    edges: list[Edge]  # (i, word, j)
    query: tuple[int, int]
    target: str
    depth: int
    noise: list[tuple[Edge, str]]  # noise facts with their kinds
    proof: list[Steps]
    proofs: int
    clause: tuple[int, ...]  # the relations along the path
    family: list[Row]  # a family in which the facts hold; empty in worlds without families
    verdict: str = "entailed"
    families: list[list[Row]] = field(default_factory=list)  # two for an open question; else one per answer
    path: list[int] = field(default_factory=list)  # indices of `edges`, from one end of the chain to the other
    alone: tuple[int, ...] = ()  # facts (indices of `edges`) with their own sentence
    pair: str = ""  # shared by two stories that differ in one fact

    @property
    def k(self) -> int:
        return len(self.clause)


@dataclass(frozen=True, kw_only=True)
class DraftSource:
    """What drafts are made from. `sound` judges stories, `rules` builds chains (they differ for `--rules clutrr`)."""

    rules: Rules
    sound: Rules
    graphs: Callable[[int], FamilyGraph]  # families by number
    size: Mapping[str, Sequence[int]]  # facts per noise path, by kind
    second_held: bool = True  # whether held-out clauses apply to a second path too


def goals(rules: Rules) -> list[Goal]:
    """One slot per target, gender of z and gender of x; drawing them in turn balances labels and genders.

    >>> from proband.suites.kinship.world.rules import load
    >>> len(goals(load("sound"))), len(goals(load("clutrr"))), len(goals(load("grid")))
    (44, 36, 8)
    """
    if not rules.gendered:
        slots = [(r, NO_GENDER, NO_GENDER) for r in range(len(rules.neutrals))]
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


# ---- the chain -----------------------------------------------------------------------------------------------------


def backward(graph: FamilyGraph, goal: Pair, k: int, draw: Random, avoid: Sequence[int] = ()) -> Chain | None:
    """A path of k facts from x to z that avoids some people, or None if the family has none.

    >>> import random
    >>> from proband.suites.kinship.world.families import family_pool
    >>> from proband.suites.kinship.world.rules import load
    >>> graph = family_pool(load("sound"), seed=0)(0)
    >>> path, steps = backward(graph, graph.pairs[6, "female", "male"][0], 3, random.Random(0).random)
    >>> len(path), len(steps)
    (4, 2)
    """
    x, z = goal
    path, used, steps = [x, z], {x, z, *avoid}, []
    splits, matrix, rare = graph.splits, graph.matrix, graph.rare
    for last in range(1, k):
        places = [i for i in range(last) if matrix[path[i]][path[i + 1]] not in rare] if rare else ()  # rare ones stay
        at = places[int(draw() * len(places))] if places else int(draw() * last)
        y = resolve(splits(path[at], path[at + 1]), used, draw)
        if y < 0:  # no rule resolves this subgoal: try another, uniformly
            others = [i for i in range(last) if i != at]
            while others and y < 0:
                at = others.pop(int(draw() * len(others)))
                y = resolve(splits(path[at], path[at + 1]), used, draw)
            if y < 0:
                return None
        steps.append((path[at], y, path[at + 1]))
        path.insert(at + 1, y)
        used.add(y)
    return path, steps


def retrieval(graph: FamilyGraph, goal: Pair, k: int, draw: Random) -> Chain | None:
    """A path of k facts, one of which is the target itself, for the retrieval task."""
    before = int(draw() * k)
    used = set(goal)
    left = walk(graph, goal[0], before, used=used, draw=draw)
    if left is None:
        return None
    right = walk(graph, goal[1], k - 1 - before, used=used | set(left), draw=draw)
    return None if right is None else ([*left[::-1], *goal, *right], [])


def any_path(graph: FamilyGraph, goal: Pair, k: int, draw: Random, avoid: Sequence[int] = ()) -> Chain | None:
    """A path of k facts from x to z that need not prove anything: any relative of both neighbours may come between
    them."""
    path = [*goal]
    while len(path) <= k:
        at = int(draw() * (len(path) - 1))
        free = [y for y in graph.in_common(path[at], path[at + 1]) if y not in path and y not in avoid]
        if not free:
            return None
        path.insert(at + 1, free[int(draw() * len(free))])
    return path, []


# ---- the story -----------------------------------------------------------------------------------------------------


class StoryPath(NamedTuple):
    """A chain in one of the families, without noise, proof or words."""

    family: int
    pair: Pair
    path: list[int]
    steps: list[Step]
    clause: tuple[int, ...]


def family_draft(
    source: DraftSource, goal: Goal, k: int, *, task: str, draw: Random, accept: Accept | None = None
) -> Draft | None:
    """A story about a family, or None if `accept` rejects all."""
    find_chain = retrieval if task == "memory" else any_path if task == "both" else backward
    for _ in range(ATTEMPTS // 20 if task in WAYS else ATTEMPTS):  # few pairs of people are connected by two paths
        number = int(draw() * FAMILIES)
        graph = source.graphs(number)
        pairs = graph.pairs.get(goal)
        if not pairs:
            continue
        pair = pairs[int(draw() * len(pairs))]
        chain = find_chain(graph, pair, k, draw)
        if chain is None:
            continue
        path, steps = chain
        one = StoryPath(number, pair, path, steps, tuple([graph.matrix[a][b] for a, b in pairwise(path)]))
        if accept is not None and not accept(one.clause):
            continue
        second = accept if source.second_held else None
        draft = certified_draft(source, one, goal, task=task, draw=draw, accept=second)
        if draft is not None:
            return draft
    return None


def certified_draft(
    source: DraftSource, one: StoryPath, goal: Goal, *, task: str, draw: Random, accept: Accept | None
) -> Draft | None:
    """The chain with the noise of the task as a draft, or None if its answer does not follow. `accept`: the clauses
    that a second path may have."""
    if task in WAYS:
        return _two_ways(source, one, goal, task=task, draw=draw, accept=accept)
    graph, kinds = source.graphs(one.family), NOISE.get(task, ())
    noise: list[NoisePath] | None = []
    strangers = graph
    if kinds:
        strangers = source.graphs((one.family + 1 + int(draw() * (FAMILIES - 1))) % FAMILIES)
        sizes = {kind: source.size[kind] for kind in kinds}
        noise = noise_paths(graph, strangers, one.path, sizes=sizes, draw=draw)
    if noise is None:
        return None
    draft = make_draft(graph, strangers, one, noise, draw)
    if task == "memory":
        draft.depth = 1
        return draft
    left, draft.proofs = chart(source.sound, draft.clause, [graph.genders[p] for p in one.path])
    if left != 1 << goal[0]:
        if source.rules is source.sound:
            return None
        draft.verdict = "ambiguous"
    return draft


def _two_ways(
    source: DraftSource, one: StoryPath, goal: Goal, *, task: str, draw: Random, accept: Accept | None
) -> Draft | None:
    """The chain and a second path between the same two people, through other people and at most one fact longer. For
    `either` each proves the answer; for `both` only the two together do."""
    graph, both = source.graphs(one.family), task == "both"  # backward chains have one outcome
    first = relations_left(source, graph, one.path) if both else 0
    if both and not first & (first - 1):
        return None
    for _ in range(SECOND_WAYS):
        k = len(one.clause) + int(draw() * 2)
        way = (any_path if both else backward)(graph, one.pair, k, draw, one.path)
        if way is None:
            continue
        left = relations_left(source, graph, way[0]) if both else 0
        if both and (not left & (left - 1) or first & left != 1 << goal[0]):
            continue
        if accept is not None and not both and not accept(tuple(graph.matrix[a][b] for a, b in pairwise(way[0]))):
            continue
        words = [graph.words[a][b] for a, b in pairwise(way[0])]
        other = NoisePath(SECOND, way[0], words, {person: graph.genders[person] for person in way[0][1:-1]})
        draft = make_draft(graph, graph, one._replace(steps=[]) if both else one, [other], draw)
        if both:
            draft.depth = depth(source.sound, draft.genders, draft.edges, draft.query) or len(draft.edges)
            draft.proofs = 0
        return draft
    return None


def relations_left(source: DraftSource, graph: FamilyGraph, path: Sequence[int]) -> int:
    """The relations that a path leaves possible between its ends."""
    return chart(source.sound, [graph.matrix[a][b] for a, b in pairwise(path)], [graph.genders[p] for p in path])[0]


def make_draft(
    graph: FamilyGraph, strangers: FamilyGraph, one: StoryPath, noise: list[NoisePath], draw: Random
) -> Draft:
    """The path and the noise of a family as a draft; its depth and number of proofs are computed later."""
    words, genders = graph.words, {person: graph.genders[person] for person in one.path}
    for each in noise:
        genders.update(each.cast)
    chain = [(a, words[a][b], b) for a, b in pairwise(one.path)]
    place, edges, noise_edges = number_people(chain, noise, genders, draw)
    proof: list[Steps] = []
    for a, y, b in reversed(one.steps):
        i, m, j = place[a], place[y], place[b]
        proof.append(((i, words[a][y], m), (m, words[y][b], j), (i, words[a][b], j)))
    # a family in which the facts hold: part of the one the story is taken from, and part of the strangers', whose
    # people have numbers below 0
    pairs = [pair for people in (one.path, *(each.people for each in noise)) for pair in pairwise(people)]
    home = {person: seat for person, seat in place.items() if person >= 0}
    guests = {-1 - person: seat for person, seat in place.items() if person < 0}
    parts = [FamilyPart(graph.rows, graph.needed, home, [pair for pair in pairs if pair[0] >= 0])]
    parts += [FamilyPart(strangers.rows, strangers.needed, guests, [(-1 - a, -1 - b) for a, b in pairs if a < 0])]
    x, z = one.pair
    return Draft(
        genders=[genders[person] for person in place],
        edges=edges,
        query=(place[x], place[z]),
        target=words[x][z],
        depth=len(one.clause),
        noise=noise_edges,
        proof=proof,
        proofs=1,
        clause=one.clause,
        family=witness(parts, len(place)),
    )


def number_people(
    chain: Sequence[Edge], paths: Sequence[NoisePath], genders: Mapping[int, str], draw: Random
) -> tuple[dict[int, int], list[Edge], list[tuple[Edge, str]]]:
    """Number the people of `genders` at random and insert each noise path among the facts of the chain. Returns the
    number of each person, the facts, and the noise facts with their kinds."""
    people = list(genders)
    place = {people[i]: seat for seat, i in enumerate(shuffle(len(people), draw))}
    edges = [(place[a], word, place[b]) for a, word, b in chain]
    noise: list[tuple[Edge, str]] = []
    for path in paths:
        block = [(place[a], word, place[b]) for (a, b), word in zip(pairwise(path.people), path.words)]
        at = int(draw() * (len(edges) + 1))
        edges[at:at] = block
        noise += [(edge, path.kind) for edge in block]
    return place, edges, noise


def from_either_side(draft: Draft, rules: Rules, draw: Random) -> Draft:
    """The same story with its facts in random order, each stated from a random side. A proof that needs the other side
    of a fact begins with that step.

    >>> from proband.suites.kinship.world.rules import load
    >>> one = Draft(genders=["male", "female"], edges=[(0, "wife", 1)], query=(0, 1), target="wife", depth=1, noise=[],
    ...             proof=[], proofs=1, clause=(3,), family=[])
    >>> other = from_either_side(one, load("sound"), lambda: 0.1)
    >>> other.edges, other.proof
    ([(1, 'husband', 0)], [((1, 'husband', 0), (0, 'wife', 1))])
    """
    sides = {edge: turned(edge, draft.genders, rules.back) if draw() < 0.5 else edge for edge in draft.edges}
    order = shuffle(len(draft.edges), draw)
    x, z = draft.query
    used = {(x, draft.target, z)}.union(*(step[:-1] for step in draft.proof))
    first: list[Steps] = [(side, edge) for edge, side in sides.items() if side != edge and edge in used]
    return replace(
        draft,
        edges=[sides[draft.edges[place]] for place in order],
        noise=[(sides[edge], kind) for edge, kind in draft.noise],
        proof=[*first, *draft.proof],
        path=sorted(range(len(order)), key=lambda place: order[place]),
    )


def with_proof(draft: Draft, rules: Rules) -> Draft:
    """The draft with a proof over sets of relations, if rules with single outcomes gave none."""
    x, z = draft.query
    if draft.proof or draft.verdict != "entailed" or any((x, z) in ((i, j), (j, i)) for i, _, j in draft.edges):
        return draft
    left, steps = prove(rules, draft.genders, draft.edges, draft.query)
    if rules.set_words(left, draft.genders[z]) != [draft.target]:
        raise AssertionError(f"the closure does not prove {draft.target!r} of {draft.edges}")
    return replace(draft, proof=steps)


def order_with_noise(draft: Draft, path: Sequence[int], draw: Random) -> list[int]:
    """The facts in the order of the chain, with each noise fact at its own position among them."""
    noise = {edge for edge, _ in draft.noise}
    order = [place for place in path if draft.edges[place] not in noise]
    for place in path:
        if draft.edges[place] in noise:
            order.insert(int(draw() * (len(order) + 1)), place)
    return order


def in_one_block(draft: Draft, order: Sequence[int]) -> bool:
    """Whether all noise facts come before, or after, the other facts in this order (if there are several of each)."""
    noise = {edge for edge, _ in draft.noise}
    if len(noise) < 2 or len(order) - len(noise) < 2:
        return False
    places = [at for at, fact in enumerate(order) if draft.edges[fact] in noise]
    return bool(places) and (places[-1] == len(places) - 1 or places[0] == len(order) - len(places))
