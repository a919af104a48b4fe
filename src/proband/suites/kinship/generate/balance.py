"""Balanced against shortcuts (`balance = "shortcuts"`): stories in sets that no shortcut can tell apart.

The stories of a set have the same length, the same genders of the two people asked about, and chains that begin and end
with the same fact between people of the same genders and climb as many generations; each has another answer. So

    any answer that is a function of these is right on one story of each set, whatever it was trained on.

The share that a shortcut can have is therefore sets / stories, and the manifest says it (`shortcuts_at_most`). It
cannot be 1 / 22: generations add up along a chain, so that who counts them knows the generation of the answer:
parent, pibling and parent-in-law; child, nibling and child-in-law; sibling, spouse and sibling-in-law; and of
grandparent and grandchild nothing to choose. And short chains have few fellows: two facts are their own first and last,
and determine the answer; of three to five facts no three answers share their ends (`answers_by_ends`, by enumeration).
A relation without a fellow is not asked. With `open`, a story that cannot be told is one of a set; where sets of
relations are asked for (`--question sets`), so are stories that leave father or uncle, father or father-in-law.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import product
from typing import NamedTuple

from proband.suites.kinship.generate.story_logic import (
    Accept,
    Candidate,
    Draft,
    Goal,
    Setting,
    backward,
    candidate,
    certified_draft,
    leaving,
    wandering,
)
from proband.suites.kinship.logic.closure import chart
from proband.suites.kinship.world.families import Random
from proband.suites.kinship.world.relations import FEMALE, MALE, UP
from proband.suites.kinship.world.rules import Rules

BATCH, BATCHES = 24, 40  # chains looked through for each story of a set at a time, and how often at most
PATIENCE = 4  # so often a whole set is looked for, then a part of it
TRIED = 5  # chains with the same ends that are certified until one can be
SHORT = 5  # up to so many facts no three answers share their ends


class Wanted(NamedTuple):
    """A story of a set: its goal, whether it is to be one that cannot be told, and the relations that it is to leave
    where these are several (the goal is then one of them)."""

    goal: Goal
    open: bool = False
    possible: int = 0

    def drawn(self, draw: Random) -> Goal:
        """Any of the relations that are left may be the one that holds in the family of the story."""
        members = [r for r in range(self.possible.bit_length()) if self.possible >> r & 1]
        return (members[int(draw() * len(members))], *self.goal[1:]) if members else self.goal


def sets_of(rules: Rules, goals: Sequence[Goal], *, open: bool, several: bool = False) -> list[list[Wanted]]:
    """The largest sets that there can be, one for each generation and the genders of the two.

    >>> from proband.suites.kinship.generate.story_logic import goals
    >>> from proband.suites.kinship.world.rules import load
    >>> rules = load("sound")
    >>> [len(each) for each in sets_of(rules, goals(rules), open=False)]
    [3, 3, 3, 3, 3, 3, 3, 3, 2, 3, 3, 2]
    >>> sum(len(each) for each in sets_of(rules, goals(rules), open=True))
    62
    >>> [len(each) for each in sets_of(rules, goals(rules), open=False, several=True)]
    [5, 5, 5, 5, 5, 5, 5, 5, 3, 6, 6, 3]
    """
    by_generation: dict[Hashable, list[Wanted]] = defaultdict(list)
    for goal in dict.fromkeys(goals):
        by_generation[UP.get(rules.neutrals[goal[0]], 0), *goal[1:]].append(Wanted(goal))
    if several:
        for some in by_generation.values():
            asked = sum(1 << each.goal[0] for each in some)
            fit = [mask for mask in rules.sets if mask.bit_count() > 1 and not mask & ~asked]
            some += [Wanted(some[-1].goal, possible=mask) for mask in fit]
    if open:  # the relation that holds in the first of its two families is not told, so any of the generation will do
        return [[*some, Wanted(some[-1].goal, open=True)] for some in by_generation.values()]
    return [some for some in by_generation.values() if len(some) > 1]


def matched_drafts(
    setting: Setting, wanted: Sequence[Wanted], k: int, *, task: str, draw: Random, accept: Accept | None
) -> list[Draft]:
    """Stories of the set that is wanted or, where it does not come up, of two or more of it; none where that fails."""
    chains: dict[Hashable, dict[Wanted, list[Candidate]]] = defaultdict(lambda: defaultdict(list))  # by their ends
    several = any(each.possible for each in wanted)
    for batch in range(BATCHES):
        for each in wanted:
            for one in _candidates(setting, each, k, draw=draw, accept=accept):
                chains[_ends(setting, one)][each].append(one)
        fewest = 2 if batch >= PATIENCE or (k <= SHORT and not wanted[-1].open) else len(wanted)
        if several:
            fewest = max(2, len(wanted) - batch)
        large = sorted((ends for ends, some in chains.items() if len(some) >= fewest), key=repr)
        while large:
            some = chains.pop(large.pop(int(draw() * len(large))))
            found = [_first(setting, some[each], each, task, draw) for each in wanted if each in some]
            drafts = [draft for draft in found if draft is not None]
            kinds = {draft.verdict for draft in drafts}
            if len(drafts) >= fewest and (not several or len(kinds) == 2):  # so that ends do not tell how many are left
                return [replace(draft, fellows=len(drafts)) for draft in drafts]
    return []


def _candidates(setting: Setting, each: Wanted, k: int, *, draw: Random, accept: Accept | None) -> Iterator[Candidate]:
    """Chains from which the goal follows, or from which nothing does, as wanted."""
    find_chain = leaving(setting, each.possible) if each.possible else wandering if each.open else backward
    for _ in range(BATCH):
        one = candidate(setting, each.drawn(draw), k, find_chain=find_chain, draw=draw)
        if one is not None and (accept is None or accept(one.clause)):
            genders = setting.graphs(one.family).genders
            left, _ = chart(setting.sound, one.clause, [genders[p] for p in one.path])
            if left & (left - 1) if each.open else left == (each.possible or 1 << each.goal[0]):
                yield one


def _ends(setting: Setting, one: Candidate) -> Hashable:
    """The first and the last fact; the genders of the two people asked about are those of the set."""
    genders = setting.graphs(one.family).genders
    return one.clause[0], genders[one.path[1]], one.clause[-1], genders[one.path[-2]]


def _first(setting: Setting, some: Sequence[Candidate], each: Wanted, task: str, draw: Random) -> Draft | None:
    drafts = (
        certified_draft(
            setting, one, each.goal, task=task, draw=draw, open=each.open, balanced=True, possible=each.possible
        )
        for one in some[:TRIED]
    )
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
