"""Balanced against shortcuts (`balance = "shortcuts"`): stories in sets that no shortcut can tell apart.

The stories of a set have the same length, the same genders of the two people asked about, and chains that begin and end
with the same fact between people of the same genders and climb as many generations; each has another answer. So

    any answer that is a function of these is right on one story of each set, whatever it was trained on.

The share that a shortcut can have is therefore sets / stories, and the manifest says it (`shortcuts_at_most`). It
cannot be 1 / 22: generations add up along a chain, so that who counts them knows the generation of the answer:
parent, pibling and parent-in-law; child, nibling and child-in-law; sibling, spouse and sibling-in-law; and of
grandparent and grandchild nothing to choose. And short chains have few partners: two facts are their own first and
last, and determine the answer; of three to five facts no three answers share their ends (`answers_by_ends`, by
enumeration).
A relation without another of its generation is not asked.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import product

from proband.suites.kinship.generate.story_logic import (
    Accept,
    Candidate,
    Draft,
    DraftSource,
    Goal,
    backward,
    candidate,
    certified_draft,
)
from proband.suites.kinship.logic.closure import chart
from proband.suites.kinship.world.families import Random
from proband.suites.kinship.world.relations import FEMALE, MALE, UP
from proband.suites.kinship.world.rules import Rules

BATCH, BATCHES = 24, 40  # chains looked through for each story of a set at a time, and how often at most
PATIENCE = 4  # so often a whole set is looked for, then a part of it
TRIED = 5  # chains with the same ends that are certified until one can be
SHORT = 5  # up to so many facts no three answers share their ends


def sets_of(rules: Rules, goals: Sequence[Goal]) -> list[list[Goal]]:
    """The largest sets that there can be, one for each generation and the genders of the two.

    >>> from proband.suites.kinship.generate.story_logic import goals
    >>> from proband.suites.kinship.world.rules import load
    >>> rules = load("sound")
    >>> [len(each) for each in sets_of(rules, goals(rules))]
    [3, 3, 3, 3, 3, 3, 3, 3, 2, 3, 3, 2]
    """
    by_generation: dict[Hashable, list[Goal]] = defaultdict(list)
    for goal in dict.fromkeys(goals):
        by_generation[UP.get(rules.neutrals[goal[0]], 0), *goal[1:]].append(goal)
    return [some for some in by_generation.values() if len(some) > 1]


def matched_drafts(
    source: DraftSource, wanted: Sequence[Goal], k: int, *, task: str, draw: Random, accept: Accept | None
) -> list[Draft]:
    """Stories of the set that is wanted or, where it does not come up, of two or more of it; none where that fails."""
    chains: dict[Hashable, dict[Goal, list[Candidate]]] = defaultdict(lambda: defaultdict(list))  # by their ends
    for batch in range(BATCHES):
        for goal in wanted:
            for one in _candidates(source, goal, k, draw=draw, accept=accept):
                chains[_ends(source, one)][goal].append(one)
        fewest = 2 if batch >= PATIENCE or k <= SHORT else len(wanted)
        large = sorted((ends for ends, some in chains.items() if len(some) >= fewest), key=repr)
        while large:
            some = chains.pop(large.pop(int(draw() * len(large))))
            found = [_first(source, some[goal], goal, task, draw) for goal in wanted if goal in some]
            drafts = [draft for draft in found if draft is not None]
            if len(drafts) >= fewest:
                return [replace(draft, balanced_set_size=len(drafts)) for draft in drafts]
    return []


def _candidates(source: DraftSource, goal: Goal, k: int, *, draw: Random, accept: Accept | None) -> Iterator[Candidate]:
    """Chains from which the goal follows."""
    for _ in range(BATCH):
        one = candidate(source, goal, k, find_chain=backward, draw=draw)
        if one is not None and (accept is None or accept(one.clause)):
            genders = source.graphs(one.family).genders
            if chart(source.sound, one.clause, [genders[p] for p in one.path])[0] == 1 << goal[0]:
                yield one


def _ends(source: DraftSource, one: Candidate) -> Hashable:
    """The first and the last fact; the genders of the two people asked about are those of the set."""
    genders = source.graphs(one.family).genders
    return one.clause[0], genders[one.path[1]], one.clause[-1], genders[one.path[-2]]


def _first(source: DraftSource, some: Sequence[Candidate], goal: Goal, task: str, draw: Random) -> Draft | None:
    drafts = (certified_draft(source, one, goal, task=task, draw=draw) for one in some[:TRIED])
    return next((draft for draft in drafts if draft is not None), None)


def answers_by_ends(rules: Rules, clauses: Iterable[tuple[int, ...]]) -> Counter[int]:
    """Of all castings of these chains that prove an answer: how many different first and last facts there are, for the
    same genders and generations, by the number of answers that share them.

    >>> from proband.suites.kinship.world.rules import load
    >>> two_facts = [(a, b) for a in range(11) for b in range(11)]
    >>> answers_by_ends(load("sound"), two_facts)  # 240 of them, each with one answer
    Counter({1: 240})
    """
    answers: dict[Hashable, set[int]] = defaultdict(set)
    for clause in clauses:
        for genders in product((MALE, FEMALE), repeat=len(clause) + 1):
            left, _ = chart(rules, clause, genders)
            if left and not left & (left - 1) and left < 1 << len(rules.neutrals):
                climbed = sum(UP.get(rules.neutrals[relation], 0) for relation in clause)
                answers[clause[0], clause[-1], *genders[:2], *genders[-2:], climbed].add(left)
    return Counter(len(some) for some in answers.values())
