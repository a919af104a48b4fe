"""One story as logic: a chain of facts that proves the answer, noise beside it, and the query, before any words.

Targets and backward chaining (section 3.2.2 of the paper). The goal is a pair (x, z) with the target relation. Each
iteration takes one of the facts at hand, uniformly, as the subgoal, then one of the rules that resolve it, uniformly,
and with it somebody y of the family: the fact (a, b) gives way to (a, y) and (y, b). After k - 1 iterations k facts are
left, a path from x to z from which the goal follows:

    x --- z    x --- y --- z    x --- y --- w --- z    ...

Nobody stands on the path twice, so that all k facts are needed; `revisit` allows it, as the paper's generator does.
Only rules with a single outcome are used, given the genders: "a child of my parent-in-law" is a sibling-in-law or my
spouse, but when the child has my gender it is a sibling-in-law.

A story that the closure cannot prove is thrown away, and another is tried. (rule_world_logic.py does the same for
worlds that are known by their rules alone.)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import NamedTuple

from proband.suites.kinship.logic.closure import chart, depth, derivation, entailed, narrowings, shortest_path
from proband.suites.kinship.logic.noise import NOISE, SECOND, WAYS, NoisePath, noise_paths, walk
from proband.suites.kinship.logic.search import family_of
from proband.suites.kinship.world.families import (
    FamilyGraph,
    Pair,
    Part,
    Random,
    Row,
    family_of_rows,
    matrix,
    resolve,
    rows_of,
    shuffle,
    witness,
)
from proband.suites.kinship.world.relations import FEMALE, MALE, UNTOLD, Edge, World, lean, one_of
from proband.suites.kinship.world.rules import NONE, Rules, converse

Goal = tuple[int, str, str]  # target relation, gender of z, gender of x
Step = tuple[int, int, int]  # (a, y, b): the fact (a, b) follows from (a, y) and (y, b)
Chain = tuple[list[int], list[Step]]  # the people of a path, and the steps that lead back to the goal
Inference = tuple[Edge, ...]  # two premises (one: a fact read from its other side) and the conclusion
Accept = Callable[[tuple[int, ...]], bool]
FindChain = Callable[[FamilyGraph, Pair, int, Random], Chain | None]
ATTEMPTS = 2000
SECOND_WAYS = 10  # looked for beside one chain
INSERTIONS = 6  # people tried between two of a chain, where it must leave a certain set


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
    families: list[list[Row]] = field(default_factory=list)  # of an open question, two; one for each that can be
    path: list[int] = field(default_factory=list)  # places in `edges`, from one end of the chain to the other
    people: list[int] = field(default_factory=list)  # who they are in the family the story is taken from
    fellows: int = 1  # stories of a balanced set, with itself

    @property
    def k(self) -> int:
        return len(self.clause)


@dataclass(frozen=True, kw_only=True)
class Setting:
    """What drafts are made from. `sound` judges stories, `rules` chains them (they differ for `--rules clutrr`)."""

    rules: Rules
    sound: Rules
    graphs: Callable[[int], FamilyGraph]  # families by number
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


# ---- the chain -----------------------------------------------------------------------------------------------------


def backward(graph: FamilyGraph, goal: Pair, k: int, draw: Random) -> Chain | None:
    """A path of k facts from x to z, or None where the family gives out.

    >>> import random
    >>> from proband.suites.kinship.world.families import FamilyShape, family_pool
    >>> from proband.suites.kinship.world.rules import load
    >>> graph = family_pool(load("sound"), seed=0, shape=FamilyShape())(0)
    >>> path, steps = backward(graph, graph.pairs[6, "female", "male"][0], 3, random.Random(0).random)
    >>> len(path), len(steps)
    (4, 2)
    """
    x, z = goal
    path, used, steps = [x, z], {x, z}, []
    splits = graph.splits
    for last in range(1, k):
        at = int(draw() * last)
        y = resolve(splits(path[at], path[at + 1]), used, draw)
        if y < 0:  # this subgoal cannot be resolved: another one, uniformly
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


def revisiting(graph: FamilyGraph, goal: Pair, k: int, draw: Random) -> Chain | None:
    """Like `backward`, but somebody may come twice, as in the paper's generator: k may exceed the depth.

    Nobody stands beside themselves, and no fact is told twice.
    """
    path, steps = [*goal], []
    for _ in range(20 * k):
        at = int(draw() * (len(path) - 1))
        a, b = path[at], path[at + 1]
        y = resolve(graph.splits(a, b), {a, b}, draw)
        facts = {frozenset(fact) for fact in pairwise(path)}
        if y >= 0 and frozenset((a, y)) not in facts and frozenset((y, b)) not in facts:
            steps.append((a, y, b))
            path.insert(at + 1, y)
            if len(path) == k + 1:
                return path, steps
    return None


def retrieval(graph: FamilyGraph, goal: Pair, k: int, draw: Random) -> Chain | None:
    """A path of k facts one of which is the target itself: the task is to find it again."""
    before = int(draw() * k)
    used = set(goal)
    left = walk(graph, goal[0], before, used=used, draw=draw)
    if left is None:
        return None
    right = walk(graph, goal[1], k - 1 - before, used=used | set(left), draw=draw)
    return None if right is None else ([*left[::-1], *goal, *right], [])


def wandering(graph: FamilyGraph, goal: Pair, k: int, draw: Random) -> Chain | None:
    """A path of k facts from x to z that need not prove anything: between two people anybody may come who is kin of
    both."""
    path = [*goal]
    while len(path) <= k:
        at = int(draw() * (len(path) - 1))
        free = [y for y in graph.in_common(path[at], path[at + 1]) if y not in path]
        if not free:
            return None
        path.insert(at + 1, free[int(draw() * len(free))])
    return path, []


def leaving(setting: Setting, possible: int) -> FindChain:
    """Finds a path of k facts that leave exactly this set of relations between x and z."""

    def find(graph: FamilyGraph, goal: Pair, k: int, draw: Random) -> Chain | None:
        path = [*goal]
        while len(path) <= k:
            at = int(draw() * (len(path) - 1))
            free = [y for y in graph.in_common(path[at], path[at + 1]) if y not in path]
            for _ in range(min(len(free), INSERTIONS)):
                longer = [*path[: at + 1], free.pop(int(draw() * len(free))), *path[at + 1 :]]
                left = _left_of(setting, graph, longer)
                if not left & ~possible and (len(longer) <= k or left == possible):
                    path = longer
                    break
            else:
                return None
        return path, []

    return find


# ---- the story -----------------------------------------------------------------------------------------------------


class Candidate(NamedTuple):
    """A chain in one of the families, before noise, proof and words."""

    family: int
    pair: Pair
    path: list[int]
    steps: list[Step]
    clause: tuple[int, ...]


def candidate(setting: Setting, goal: Goal, k: int, *, find_chain: FindChain, draw: Random) -> Candidate | None:
    """A chain of k facts for the goal in a family drawn at random, or None where that family gives out."""
    number = int(draw() * setting.families)
    graph = setting.graphs(number)
    pairs = graph.pairs.get(goal)
    if not pairs:
        return None
    pair = pairs[int(draw() * len(pairs))]
    chain = find_chain(graph, pair, k, draw)
    if chain is None:
        return None
    path, steps = chain
    return Candidate(number, pair, path, steps, tuple([graph.matrix[a][b] for a, b in pairwise(path)]))


def family_draft(
    setting: Setting, goal: Goal, k: int, *, task: str, draw: Random, accept: Accept | None = None, open: bool = False
) -> Draft | None:
    """A story about somebody in a family, or None where `accept` lets none through. `open`: its answer does not follow,
    which a second family shows."""
    find_chain = retrieval if task == "memory" else revisiting if setting.revisit else backward
    find_chain = wandering if open or task == "both" else find_chain
    for _ in range(ATTEMPTS // 20 if task == "both" else ATTEMPTS):  # few relations need two ways
        one = candidate(setting, goal, k, find_chain=find_chain, draw=draw)
        if one is None or (accept is not None and not accept(one.clause)):
            continue
        draft = certified_draft(setting, one, goal, task=task, draw=draw, open=open)
        if draft is not None:
            return draft
    return None


def certified_draft(
    setting: Setting,
    one: Candidate,
    goal: Goal,
    *,
    task: str,
    draw: Random,
    open: bool = False,
    balanced: bool = False,
    possible: int = 0,
) -> Draft | None:
    """The chain with the noise of the task as a draft, if its answer follows (or, `open`, does not; or is one of the
    set `possible`, and may be each)."""
    graph, path, kinds = setting.graphs(one.family), one.path, NOISE.get(task, ())
    noise: list[NoisePath] | None = []
    strangers = graph
    if task in WAYS:
        return _two_ways(setting, one, goal, task=task, draw=draw)
    if kinds:
        strangers = setting.graphs((one.family + 1 + int(draw() * (setting.families - 1))) % setting.families)
        noise = noise_paths(graph, strangers, path, sizes={kind: setting.size[kind] for kind in kinds}, draw=draw)
    if noise is None:
        return None
    draft = make_draft(graph, strangers, path, noise, pair=one.pair, steps=one.steps, clause=one.clause, draw=draw)
    if open:
        if not _opened(setting, draft, [graph.genders[p] for p in path]):
            return None
        families = (draft.family, draft.families[0])
        if balanced or len({_related(draft, each, setting.sound.kin) for each in families}) == 1:
            seats = {person: seat for seat, person in enumerate(draft.people)}  # facts alone do not see to the relation
            draft.family = _family(graph, strangers, path, noise, seats, asked=[one.pair])
        draft.families.insert(0, draft.family)
        return draft
    if possible:
        return draft if _one_of(setting, draft, [draft.people.index(p) for p in path], possible) else None
    if task == "memory":
        draft.depth = 1
        return draft
    return draft if _proved(setting, draft, [graph.genders[p] for p in path], goal=goal[0]) else None


def _two_ways(setting: Setting, one: Candidate, goal: Goal, *, task: str, draw: Random) -> Draft | None:
    """The chain and a second way between the two, past everybody else and at most one fact longer: `either` proves the
    answer, or neither does and `both` together do."""
    graph, answer = setting.graphs(one.family), 1 << goal[0]
    proves: Callable[[int], bool] = answer.__eq__ if task == "either" else lambda left: not left & (left - 1)
    if proves(_left_of(setting, graph, one.path)) != (task == "either"):
        return None
    for _ in range(SECOND_WAYS):
        k = len(one.clause) + int(draw() * 2)
        way = (backward if task == "either" else wandering)(graph, one.pair, k, draw)
        if way is None or set(way[0][1:-1]) & set(one.path):
            continue
        together = along(setting, graph, one.path) & along(setting, graph, way[0])
        if proves(_left_of(setting, graph, way[0])) != (task == "either") or (task == "both" and together != answer):
            continue
        words = [graph.words[a][b] for a, b in pairwise(way[0])]
        other = NoisePath(SECOND, way[0], words, {person: graph.genders[person] for person in way[0][1:-1]})
        steps = one.steps if task == "either" else []
        draft = make_draft(graph, graph, one.path, [other], pair=one.pair, steps=steps, clause=one.clause, draw=draw)
        if task == "both":
            draft.depth = depth(setting.sound, draft.genders, draft.edges, draft.query) or len(draft.edges)
            draft.proofs = 0
        return draft
    return None


def _left_of(setting: Setting, graph: FamilyGraph, path: Sequence[int]) -> int:
    """The relations that a path leaves between its ends."""
    return chart(setting.sound, [graph.matrix[a][b] for a, b in pairwise(path)], [graph.genders[p] for p in path])[0]


def along(setting: Setting, graph: FamilyGraph, path: Sequence[int]) -> int:
    """The relations that are left between the ends when the facts of a path are composed one after the other, which is
    how the checker does it; never fewer than `chart` leaves."""
    rules, left = setting.sound, 1 << graph.matrix[path[0]][path[1]]
    for here, there in pairwise(path[1:]):
        known = not left >> len(rules.neutrals)  # nothing is said of people who are not related
        left = rules.union(left, 1 << graph.matrix[here][there]) if known else rules.full
        left &= ~rules.opposite if graph.genders[path[0]] == graph.genders[there] else rules.full
    return left


def make_draft(
    graph: FamilyGraph,
    strangers: FamilyGraph,
    path: list[int],
    noise: list[NoisePath],
    *,
    pair: Pair,
    steps: list[Step],
    clause: tuple[int, ...],
    draw: Random,
) -> Draft:
    """The path and the noise of a family as a draft; its depth and number of proofs are judged later."""
    words, genders = graph.words, {person: graph.genders[person] for person in path}
    for each in noise:
        genders.update(each.cast)
    place, edges, noise_edges = number_people([(a, words[a][b], b) for a, b in pairwise(path)], noise, genders, draw)
    proof: list[Inference] = []
    for a, y, b in reversed(steps):
        i, m, j = place[a], place[y], place[b]
        proof.append(((i, words[a][y], m), (m, words[y][b], j), (i, words[a][b], j)))
    x, z = pair
    return Draft(
        genders=[genders[person] for person in place],
        edges=edges,
        query=(place[x], place[z]),
        target=words[x][z],
        depth=len(clause),
        noise=noise_edges,
        proof=proof,
        proofs=1,
        clause=clause,
        family=_family(graph, strangers, path, noise, place),
        people=sorted(place, key=place.__getitem__),
    )


def _family(
    graph: FamilyGraph,
    strangers: FamilyGraph,
    path: list[int],
    noise: list[NoisePath],
    place: Mapping[int, int],
    *,
    asked: Sequence[Pair] = (),
) -> list[Row]:
    """A family in which the facts hold: part of the one the story is taken from, and part of the strangers', whose
    people have numbers below 0."""
    pairs = [*asked, *(pair for people in (path, *(each.people for each in noise)) for pair in pairwise(people))]
    home = {person: seat for person, seat in place.items() if person >= 0}
    parts = [Part(graph.rows, graph.needed, home, [pair for pair in pairs if pair[0] >= 0])]
    if guests := {-1 - person: seat for person, seat in place.items() if person < 0}:
        far = [(-1 - a, -1 - b) for a, b in pairs if a < 0]
        parts.append(Part(strangers.rows, strangers.needed, guests, far))
    return witness(parts, len(place))


def number_people(
    chain: Sequence[Edge], paths: Sequence[NoisePath], genders: Mapping[int, str], draw: Random
) -> tuple[dict[int, int], list[Edge], list[tuple[Edge, str]]]:
    """Number the people of `genders` at random, and put each noise path somewhere among the facts of the chain: (who
    has which number, the facts, the noise among them with its kind)."""
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
    order = shuffle(len(draft.edges), draw)
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


def other_questions(draft: Draft, rules: Rules, draw: Random) -> Iterator[Draft]:
    """The same story with other questions, in random order: about two people of its chain with other people between
    them, where the answer follows; the facts outside are then noise that leads away."""
    steps, people = shortest_path(draft.edges, draft.query) or [], [draft.query[0]]
    for i, _, j in steps:
        people.append(j if i == people[-1] else i)
    spans = [(a, b) for a in range(len(people)) for b in range(a + 2, len(people)) if b - a < len(steps)]
    for place in shuffle(len(spans), draw):
        first, last = spans[place]
        query = (people[first], people[last]) if draw() < 0.5 else (people[last], people[first])
        own, genders = steps[first:last], draft.genders
        target, proof = entailed(rules, genders, own, query), derivation(rules, genders, own, query)
        if target is None or proof is None:
            continue
        along = people[first : last + 1][:: 1 if query[0] == people[first] else -1]
        known = {(i, j): rules.code[word] for edge in own for i, word, j in (edge, converse(rules, edge, genders))}
        clause = tuple(known[pair] for pair in pairwise(along))
        yield replace(
            draft,
            query=query,
            target=target,
            depth=len(own),
            noise=[(edge, "irrelevant") for edge in draft.edges if edge not in own],
            proof=proof,
            proofs=chart(rules, clause, [genders[person] for person in along])[1],
            clause=clause,
        )


def _related(draft: Draft, family: Sequence[Row], world: World) -> int:
    """The relation of the two people asked about in a family."""
    whole = family_of_rows(family, named=len(draft.genders), world=world)
    return matrix(whole)[draft.query[0]][draft.query[1]]


def _opened(setting: Setting, draft: Draft, genders: Sequence[str]) -> bool:
    """Whether there is a family in which the facts hold and the question has another answer than in the draft's own."""
    left, _ = chart(setting.sound, draft.clause, genders)
    if not left & (left - 1):
        return False
    rules, told = setting.sound, (draft.genders, draft.edges, draft.query)
    other = family_of(*told, avoid=[rules.neutrals[rules.code[draft.target]]], world=rules.kin)
    if other is None:
        return False
    draft.families = [rows_of(lean(other, draft.edges, draft.query))]
    draft.target, draft.verdict, draft.depth, draft.proofs = UNTOLD, "open", 0, 0
    return True


def _one_of(setting: Setting, draft: Draft, path: Sequence[int], possible: int) -> bool:
    """Whether the chain leaves this set, and each of it holds in a family of its own in which the facts hold."""
    rules, genders = setting.sound, [draft.genders[seat] for seat in path]
    if chart(rules, draft.clause, genders)[0] != possible:
        return False
    names = [name for r, name in enumerate(rules.neutrals) if possible >> r & 1]
    for name in names:  # one of the set holds, so where the others do not, this one does
        others = [other for other in names if other != name]
        family = family_of(draft.genders, draft.edges, draft.query, avoid=others, world=rules.kin)
        if family is None:
            return False
        draft.families.append(rows_of(lean(family, draft.edges, draft.query)))
    left = {(i, i + 1): 1 << relation for i, relation in enumerate(draft.clause)}

    def known(i: int, j: int) -> Edge:
        return path[i], "|".join(rules.set_words(left[i, j], genders[j])), path[j]

    draft.proof = []
    for i, m, j, rest in narrowings(rules, draft.clause, genders):
        left[i, j] = rest
        draft.proof.append((known(i, m), known(m, j), known(i, j)))
    draft.target, draft.verdict, draft.proofs = one_of(rules.set_words(possible, genders[-1])), "one-of", 0
    return True


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
