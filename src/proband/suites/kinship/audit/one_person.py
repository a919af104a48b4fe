"""Finds two names in a text that may mean one person, although the reading treats them as two.

Readers make a separate person of each name, and of each person without a name (*Ann's brother*). The text may mean
fewer: a person without a name may be any of the others, *Dr Hill* may be *Ann Hill*, and two names that no fact links
may belong to one person (*Elizabeth*, *Liz*).

>>> from proband.core.types import Fact
>>> read = Problem((Fact("Cy", "child", "Ann's brother"), Fact("Bo", "sibling", "Ann")), ("Bo", "Cy"))
>>> [pair for *pair, _ in one_person(read, frozenset({"brother"}), unlinked=False)]
[["Ann's brother", 'Bo'], ["Ann's brother", 'Ann']]
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from itertools import combinations
from typing import Final

from proband.english.things import TITLES
from proband.proof.problem import Problem


def one_person(problem: Problem, kin: Collection[str], *, unlinked: bool) -> Iterator[tuple[str, str, Problem]]:
    """Yield two people who may be one, and the problem with them merged. `kin`: words for people without a name;
    `unlinked`: any two may be one, because no facts link the two people of the question."""
    people = dict.fromkeys(thing for fact in problem.facts for thing in (fact.who, fact.of))
    unnamed = {name for name in people if any(word in kin for word in re.findall(r"[\w-]+", name.lower()))}
    for one, other in combinations(people, 2):
        if unlinked or {one, other} & unnamed or _is_part(one, other):
            merged = _merged(problem, one, other)
            if merged is not None:
                yield one, other, merged


def _is_part(one: str, other: str) -> bool:
    """Are the words of one name, without its title, a part of the other?"""
    words, others = set(one.split()), set(other.split())
    one_title = len(TITLES & (words | others)) < 2
    return one_title and (words - TITLES <= others or others - TITLES <= words)


def _merged(problem: Problem, one: str, other: str) -> Problem | None:
    """The problem with the two merged; None if their genders differ, or if a fact or the question relates them."""
    name, genders = {other: one}, dict(problem.genders)
    known = {genders.pop(one, None), genders.pop(other, None)} - {None}
    facts = tuple(f._replace(who=name.get(f.who, f.who), of=name.get(f.of, f.of)) for f in problem.facts)
    a, b = (name.get(each, each) for each in problem.question)
    if len(known) > 1 or a == b != "" or any(fact.who == fact.of for fact in facts):
        return None
    return Problem(facts, (a, b), tuple(sorted({**genders, one: next(iter(known), None)}.items())))


OLDER: Final = {"parent": 1, "grandparent": 1, "child": -1, "grandchild": -1}


def own_ancestor(problem: Problem) -> bool:
    """Do the facts make a person their own ancestor? Other contradictions may come from two people with one name, from
    *are married* (each to somebody else) or from the marriage of relatives.

    >>> from proband.core.types import Fact
    >>> own_ancestor(Problem((Fact("Ann", "parent", "Sam"), Fact("Ann", "grandchild", "Sam")), ("Ann", "Sam")))
    True
    """
    steps = [(f.who, f.of)[:: OLDER[f.relation]] for f in problem.facts if f.relation in OLDER and not f.negated]
    below = {older: {younger for one, younger in steps if one == older} for older, _ in steps}
    for _ in below:
        for younger in below.values():
            younger |= {each for one in tuple(younger) for each in below.get(one, ())}
    return any(older in younger for older, younger in below.items())
