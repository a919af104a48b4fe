"""Syllogisms: does a statement follow from statements such as "All A are B", "Some B are not C"?

Monadic logic by enumeration: a world is determined, for such statements, by which of the 2^n kinds of individuals
(A or not, B or not, ...) there are; with three terms these are 2^8 worlds. A statement follows iff no world makes the
premises true and it false. The second prover refutes: the premises, the statement denied and a witness for every
"some" are clauses over constants, given to a SAT solver.

>>> parsed = read("1. All dogs are cats\\n2. Some cats are bees\\nDoes it logically follow that:\\nSome dogs are bees?")
>>> solution = solve(parsed, "inhabited")
>>> solution.possible, solution.why
(('No',), ('not in a world of 2, who are: A and B; B and C',))
"""

from __future__ import annotations

import re
from functools import cache
from itertools import combinations, product
from typing import Final, NamedTuple

from proband.proof.problem import Solution
from proband_puzzles.puzzle import Puzzle, solution

STATEMENT: Final = re.compile(r"(All|No|Some) (\S+) are (not )?(\S+?)[.?]?")
LINE: Final = re.compile(r"(?m)^\s*\d+[.)] (.+?)\s*$")
ASKED: Final = re.compile(r"Does it (?:logically )?follow that:?\s+(.+?\?)\s*(?:\(Answer Yes or No\))?\s*\Z")
WORLDS: Final = {
    "inhabited": "every term has members, as in Aristotle's logic",
    "may-be-empty": "a term may have no members, as in modern logic",
}


class Proposition(NamedTuple):
    """`kind` is All, No, Some or Some-not."""

    kind: str
    a: str
    b: str

    def __str__(self) -> str:
        return f"{self.kind.removesuffix('-not')} {self.a} are {'not ' if self.kind == 'Some-not' else ''}{self.b}"


class Syllogism(NamedTuple):
    premises: tuple[Proposition, ...]
    conclusion: Proposition

    @property
    def terms(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(term for each in (*self.premises, self.conclusion) for term in each[1:]))


def read(question: str) -> Syllogism | None:
    asked = ASKED.search(question)
    lines = LINE.findall(question[: asked.start()]) if asked else []
    parts = [_statement(text) for text in (*lines, asked[1] if asked else "")]
    premises = [each for each in parts[:-1] if each]
    if not premises or len(premises) != len(lines) or not parts[-1] or len({t for p in parts if p for t in p[1:]}) > 3:
        return None
    return Syllogism(tuple(premises), parts[-1])


def _statement(text: str) -> Proposition | None:
    match = STATEMENT.fullmatch(text.strip())
    if not match or (match[3] and match[1] != "Some"):
        return None
    return Proposition(match[1] + "-not" * bool(match[3]), match[2], match[4])


Kind = frozenset[str]  # an individual, by the terms it falls under


def _true(statement: Proposition, world: frozenset[Kind]) -> bool:
    a, b = statement.a, statement.b
    some = any(a in each and (b in each) == (statement.kind in ("Some", "No")) for each in world)
    return some == statement.kind.startswith("Some")  # All: no A outside B; No: no A inside it


@cache
def _worlds(terms: tuple[str, ...]) -> tuple[frozenset[Kind], ...]:
    """All worlds, the smallest first."""
    kinds = [frozenset(t for t, held in zip(terms, row) if held) for row in product((True, False), repeat=len(terms))]
    return tuple(frozenset(each) for size in range(len(kinds) + 1) for each in combinations(kinds, size))


def solve(parsed: Syllogism, world: str) -> Solution:
    letters = {term: chr(ord("A") + n) for n, term in enumerate(parsed.terms)}  # the worlds of any terms, once
    premises = [Proposition(p.kind, letters[p.a], letters[p.b]) for p in parsed.premises]
    denied = Proposition(parsed.conclusion.kind, letters[parsed.conclusion.a], letters[parsed.conclusion.b])
    for each in _worlds(tuple(letters.values())):
        if world == "inhabited" and not all(any(x in kind for kind in each) for x in letters.values()):
            continue
        if all(_true(p, each) for p in premises) and not _true(denied, each):
            people = sorted(" and ".join(sorted(kind)) or "none of them" for kind in each)
            return solution(("No",), f"not in a world of {len(people)}, who are: {'; '.join(people)}")
    return solution(("Yes",), "no world makes the premises true and the conclusion false")


def check(parsed: Syllogism, world: str) -> frozenset[str]:
    """By refutation: is there a model with one witness per "some" and, where terms are inhabited, one per term?"""
    from pysat.solvers import Solver

    denials = {"All": "Some-not", "No": "Some", "Some": "No", "Some-not": "All"}
    held = [*parsed.premises, parsed.conclusion._replace(kind=denials[parsed.conclusion.kind])]
    some = [each for each in held if each.kind.startswith("Some")]
    inhabited = parsed.terms if world == "inhabited" else ()
    count = max(1, len(some) + len(inhabited))
    number = {(t, who): 1 + n for n, (t, who) in enumerate(product(parsed.terms, range(count)))}
    clauses = [[number[each.a, who]] for who, each in enumerate(some)]
    clauses += [[number[each.b, who] * (1 if each.kind == "Some" else -1)] for who, each in enumerate(some)]
    clauses += [[number[term, len(some) + n]] for n, term in enumerate(inhabited)]
    for each in held:
        if not each.kind.startswith("Some"):
            sign = 1 if each.kind == "All" else -1
            clauses += [[-number[each.a, who], sign * number[each.b, who]] for who in range(count)]
    with Solver(name="minisat22", bootstrap_with=clauses) as solver:
        return frozenset(("No",) if solver.solve() else ("Yes",))


def form(parsed: Syllogism) -> str:
    """
    >>> form(read("1. No cats are dogs\\nDoes it follow that:\\nNo dogs are cats?"))
    'No A are B, so No B are A'
    """
    letters = {term: chr(ord("A") + n) for n, term in enumerate(parsed.terms)}
    *premises, conclusion = (
        each._replace(a=letters[each.a], b=letters[each.b]) for each in (*parsed.premises, parsed.conclusion)
    )
    return f"{', '.join(map(str, premises))}, so {conclusion}"


def answer(text: str, parsed: Syllogism) -> str | None:
    plain = text.strip().strip(".!*\"'").lower()
    return plain.capitalize() if plain in ("yes", "no") else None


SYLLOGISM: Final = Puzzle(
    name="syllogism",
    gym_world="inhabited",
    worlds=WORLDS,
    read=read,
    solve=solve,
    check=check,
    answer=answer,
    statements=lambda parsed: tuple(map(str, parsed.premises)),
    form=form,
    choices=lambda parsed: ("Yes", "No"),
)
