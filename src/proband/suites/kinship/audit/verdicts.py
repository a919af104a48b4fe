"""The verdict on one pattern of facts and its label.

    entailed      the label holds in every family of the story
    ambiguous     in some families it holds, in others something else: the alternatives are listed
    false         it holds in none: what holds instead is listed
    inconsistent  the story has no family

Verdicts are given per pattern (`pattern`), not per row, and in batches that begin with fresh solvers: which
counter-family a solver finds depends on what it was asked before, so this makes the audit's bytes independent of the
number of workers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, Final, NamedTuple

from proband.auditing.judging import fewest
from proband.suites.kinship.logic import search
from proband.suites.kinship.logic.closure import distance
from proband.suites.kinship.logic.sat_clauses import WITNESSES
from proband.suites.kinship.logic.search import Pattern
from proband.suites.kinship.world.relations import (
    GENDER,
    NEUTRAL,
    NONE,
    RELATIONS,
    STRICT,
    WORLDS,
    Edge,
    Family,
    World,
    lean,
)

OTHERS: Final = tuple(name for name, world in WORLDS.items() if world != STRICT)
LEVEL: Final = WORLDS["one-generation"]
BATCH: Final = 250


class ProofStep(NamedTuple):
    """Two facts and what is said to follow from them."""

    first: Edge
    second: Edge
    conclusion: Edge

    @property
    def rule(self) -> str:
        """
        >>> ProofStep((0, "son", 1), (1, "uncle", 2), (0, "brother", 2)).rule
        'child∘uncle/aunt → sibling'
        """
        names = {"pibling": "uncle/aunt", "nibling": "nephew/niece"}
        first, second, head = (names.get(NEUTRAL[r], NEUTRAL[r]) for _, r, _ in self)
        return f"{first}∘{second} → {head}"


class Case(NamedTuple):
    """What is to be judged, in the canonical numbering of its pattern."""

    pattern: Pattern
    target: str
    unsound: tuple[ProofStep, ...] = ()  # steps of the row's proof whose rules do not hold in general
    worlds: bool = True  # whether to judge it in the other worlds too


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """`possible` in the order of RELATIONS; `families` shows one family per alternative to the label, the one best
    looked at first."""

    verdict: str
    possible: tuple[str, ...] = ()
    depth: int | None = None  # of an entailed label: the fewest facts it follows from
    blame: str | None = None  # of a label that does not follow: the first unsound rule whose conclusion does not either
    families: dict[str, Family] = field(default_factory=dict)
    worlds: dict[str, str] = field(default_factory=dict)

    @property
    def right(self) -> str | None:
        """The right label of a row whose own is false, where only one relation is possible."""
        only = len(self.possible) == 1 and self.possible[0] in RELATIONS
        return self.possible[0] if self.verdict == "false" and only else None

    @property
    def alternative(self) -> tuple[str, Family | None]:
        """The alternative to show, and its family; none if the label stands."""
        return next(iter(self.families.items()), ("", None))


def judge(case: Case) -> Verdict:
    """
    >>> case = Case((("male", "male", "male"), ((0, "son", 2), (2, "uncle", 1)), (0, 1)), "brother", worlds=False)
    >>> verdict = judge(case)
    >>> verdict.verdict, verdict.possible, verdict.families["brother-in-law"].relations(0, 1)
    ('ambiguous', ('brother', 'brother-in-law'), frozenset({'brother-in-law'}))
    """
    families = search.families_of(case.pattern)
    possible = tuple(r for r in (*RELATIONS, NONE) if r in families)
    if not possible:
        word = "inconsistent"
    elif case.target not in possible:
        word = "false"
    else:
        word = "entailed" if len(possible) == 1 else "ambiguous"
    wrong = word in ("ambiguous", "false")
    unsound = (s.rule for s in case.unsound if wrong and not _follows(*case.pattern[:2], s.conclusion))
    return Verdict(
        verdict=word,
        possible=possible,
        depth=depth(case) if word == "entailed" else None,
        blame=next(unsound, None),
        families=_shown(case, families) if wrong else {},
        worlds=in_other_worlds(case.pattern, case.target, word) if case.worlds else {},
    )


def _shown(case: Case, families: Mapping[str, Family]) -> dict[str, Family]:
    """Families of the alternatives: those first in which nobody married into another generation, then those with a
    relation rather than none, then small ones."""
    level = search.families_of(case.pattern, LEVEL) if case.worlds else {}
    best = {relation: level.get(relation, family) for relation, family in families.items() if relation != case.target}
    order = sorted(best, key=lambda relation: (relation not in level, relation == NONE, len(best[relation]), relation))
    shown = {relation: best[relation] for relation in order}
    shown[order[0]] = lean(shown[order[0]], case.pattern[1], case.pattern[2])
    return shown


# ---- rules ---------------------------------------------------------------------------------------------------------


def is_sound(step: ProofStep, genders: Sequence[str | None]) -> bool:
    """Does the conclusion follow from the two facts alone? (The search remembers the few hundred rules there are.)"""
    return _follows(genders, step[:2], step.conclusion)


def _follows(genders: Sequence[str | None], edges: Sequence[Edge], fact: Edge) -> bool:
    i, relation, j = fact
    return i != j and search.entailed(genders, edges, (i, j), relation)


# ---- true depth ----------------------------------------------------------------------------------------------------


def depth(case: Case) -> int:
    """The fewest facts from which an entailed label follows: along one path if it does, else by leaving out.

    >>> genders, edges = ("female", "male", "male"), ((0, "son", 2), (2, "father", 1), (0, "husband", 1))
    >>> depth(Case((genders, edges, (0, 1)), "husband"))
    1
    """
    genders, edges, query = case.pattern
    for path in sorted(_paths(edges, query), key=len):
        if len(path) < len(edges) and search.entailed(genders, path, query, case.target):
            return len(path)

    def enough(numbers: Sequence[int]) -> bool:
        fewer = [edges[n] for n in numbers]
        return distance(fewer, query) is not None and search.entailed(genders, fewer, query, case.target)

    return len(fewest(len(edges), enough))


def _paths(edges: Sequence[Edge], query: tuple[int, int]) -> Iterable[list[Edge]]:
    """All ways from one person of the query to the other that meet nobody twice."""

    def walk(here: int, met: tuple[int, ...], path: list[Edge]) -> Iterable[list[Edge]]:
        if here == query[1]:
            yield path
            return
        for edge in edges:
            for a, b in ((edge[0], edge[2]), (edge[2], edge[0])):
                if a == here and b not in met:
                    yield from walk(b, (*met, b), [*path, edge])

    if len(edges) <= 24:  # beyond this the ways may be too many to list
        yield from walk(query[0], (query[0],), [])


# ---- other worlds --------------------------------------------------------------------------------------------------

BY_MARRIAGE: Final = ("pibling", "nibling")  # the relations that mean more where uncles may be so by marriage


def in_other_worlds(pattern: Pattern, target: str, strict: str) -> dict[str, str]:
    """The verdict's word in each of OTHERS, given that in the strict world.

    Most follow without a search. A strict family is a family of every laxer world in which the same relations hold;
    only uncles and aunts may become more. So a strict family in which the label holds, or (where it is no uncle) one in
    which it does not, shows the same there; and what all-three allows each of the three worlds may show already.
    """
    verdicts: dict[str, str] = {}
    uncles = any(NEUTRAL[relation] in BY_MARRIAGE for relation in (target, *(r for _, r, _ in pattern[1])))
    for name in OTHERS:
        world = WORLDS[name]
        if name == "one-generation":
            verdicts[name] = _one_generation(pattern, target, strict)
        elif name == "uncles-by-marriage" and not uncles:
            verdicts[name] = strict
        elif strict in ("entailed", "ambiguous"):
            kept = world.by_blood or NEUTRAL[target] not in BY_MARRIAGE
            less = [each for each in verdicts if each != "one-generation"] if name == "all-three" else []
            shown = any(verdicts[each] == "ambiguous" and (kept or not WORLDS[each].by_blood) for each in less)
            open_ = shown or (strict == "ambiguous" and kept) or search.has_counter_family(pattern, target, world=world)
            verdicts[name] = "ambiguous" if open_ else "entailed"
        else:
            verdicts[name] = verdict_in(pattern, target, world)
    return verdicts


def _one_generation(pattern: Pattern, target: str, strict: str) -> str:
    """The strictest world: what holds in every strict family holds in each of its families, if there are any."""
    if strict in ("entailed", "false"):
        return strict if search.find(pattern, world=LEVEL) else "inconsistent"
    return verdict_in(pattern, target, LEVEL) if strict == "ambiguous" else strict


def verdict_in(pattern: Pattern, target: str, world: World) -> str:
    """The verdict's word in any world (in some, several relations may hold of one pair), by search alone."""
    genders, _, query = pattern
    if not search.find(pattern, world=world):
        return "inconsistent"
    if not search.has_counter_family(pattern, target, world=world):
        return "entailed"
    fits = genders[query[1]] in (None, GENDER[target])
    held = fits and search.find(pattern, world=world, some=NEUTRAL[target]) is not None
    return "ambiguous" if held else "false"


# ---- batches -------------------------------------------------------------------------------------------------------


def batches(cases: Iterable[Case]) -> list[list[Case]]:
    """The cases without repetition, in an order of their own: those of one size together, the most witnesses first, so
    that the solver loaded for them has room for the others."""

    def size(case: Case) -> tuple[int, int]:
        return len(case.pattern[0]), len(case.pattern[1])

    def key(case: Case) -> tuple[Any, ...]:
        return *size(case), -sum(WITNESSES[NEUTRAL[r]] for _, r, _ in case.pattern[1]), repr(case)

    groups = (list(group) for _, group in groupby(sorted(set(cases), key=key), size))
    return [group[at : at + BATCH] for group in groups for at in range(0, len(group), BATCH)]


def judging() -> Any:
    """What a worker process does with a batch."""
    return judge_batch


def judge_batch(cases: Sequence[Case]) -> Iterator[Verdict]:
    """It begins with fresh solvers."""
    search.forget()
    yield from map(judge, cases)
