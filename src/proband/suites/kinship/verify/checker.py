"""Replays a certificate: the label follows from the facts by the rules of a table, and the facts are true of a family.

This file imports no other module of Proband. It states the axioms of docs/kinship.md again and reads the table from its
TOML text; each rule of the table that ships is a theorem (proofs/Sound.v) about families that keep these axioms.

    a proof step    y is one of the As of x, z is one of the Bs of y  =>  z is one of the Cs of x:  right if x, y, z are
                    three people and all that the table lists for an A and a B, less what cannot be between people of
                    one gender and what was excluded before, is a C;
                    y is one of the As of x  =>  x is one of the Bs of y:  right if the Bs are the inverses of the As
    an answer       the relations that the proof leaves; where there are several, a family for each of them
    a family        rows of (gender, father, mother, spouse)
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

Row = Sequence[Any]


@dataclass(frozen=True)
class RuleTable:
    meaning: dict[str, tuple[str, str | None]]  # word -> relation, gender of the person
    compose: dict[tuple[str, str], frozenset[str]]
    opposite: frozenset[str]
    inverse: dict[str, str]
    family: bool
    means: dict[str, Callable[[Sequence[Row], Sequence[set[int]], int, int], bool]]  # is j the relation of i?
    married: bool  # parents are married to each other and to nobody else


@lru_cache(maxsize=16)
def read_table(toml: str) -> RuleTable:
    raw = tomllib.loads(toml)
    meaning: dict[str, tuple[str, str | None]] = {}
    for name, entry in raw["relations"].items():
        for gender in ("male", "female"):
            word = entry.get(gender, entry.get("word", name))
            meaning[word] = (name, None if word in meaning else gender)
    compose = {}
    for first, row in raw["compose"].items():
        for second, entry in row.items():
            gives = entry["gives"] if isinstance(entry, dict) else entry
            compose[first, second] = frozenset([gives] if isinstance(gives, str) else gives)
    inverse = {name: entry["inverse"] for name, entry in raw["relations"].items()}
    opposite, family = frozenset(raw.get("opposite", ())), raw.get("world") == "family"
    married = "half-sibling" not in inverse
    return RuleTable(meaning, compose, opposite, inverse, family, HOLDS if married else {**HOLDS, **PARTED}, married)


def check(facts: dict[str, Any], table: RuleTable) -> str | None:
    """The first error in the certificate of an item's facts, or None."""
    genders, edges, (x, z) = facts["genders"], facts["edges"], facts["query"]
    known: dict[tuple[int, int], set[str]] = {}
    for edge in edges:
        if wrong := misnamed(edge, genders, table):
            return wrong
        if known.setdefault((edge[0], edge[2]), {table.meaning[edge[1]][0]}) != {table.meaning[edge[1]][0]}:
            return f"two facts say different things of {[edge[0], edge[2]]}"
    for number, step in enumerate(facts["proof"], start=1):
        left = left_by(step, known, genders, table)
        if isinstance(left, str):
            return f"step {number} of the proof: {left}"
        known[step[-1][0], step[-1][2]] = left
    members = relations_of((x, facts["target"].replace(", ", "|").replace(" or ", "|"), z), genders, table)
    if isinstance(members, str) or known.get((x, z)) != members:
        return f"the proof does not end with {facts['target']!r} for {[x, z]}"
    if not table.family:
        return None if len(members) == 1 else "there is no family for each answer"
    if len(members) > 1 and (wrong := not_each(facts, members, table)):
        return wrong
    return no_family(facts["family"], genders, edges, table)


def not_each(facts: dict[str, Any], members: set[str], table: RuleTable) -> str | None:
    """Why the families fail to show that each of these relations is possible, or None."""
    held = held_in_each(facts, table)
    if isinstance(held, str):
        return held
    shown = set[str]().union(*held)
    if shown != members or len(held) != len(members):
        return f"the families show {sorted(shown)}, not {facts['target']!r}"
    return None


def held_in_each(facts: dict[str, Any], table: RuleTable) -> list[set[str]] | str:
    """The relations that hold for the query in each of the families, or why one of them does not satisfy the facts."""
    held = []
    for rows in facts["families"]:
        if wrong := no_family(rows, facts["genders"], facts["edges"], table):
            return wrong
        parents = [{n for n in row[1:3] if n is not None} for row in rows]
        held.append({name for name in table.inverse if holds(name, table, rows, parents, *facts["query"])})
    return held


def check_open(facts: dict[str, Any], table: RuleTable) -> str | None:
    """Why the two families fail to show that the answer is open, or None. The facts must hold in both, and no relation
    of the query may."""
    if wrong := next(filter(None, (misnamed(edge, facts["genders"], table) for edge in facts["edges"])), None):
        return wrong
    held = held_in_each(facts, table)
    if isinstance(held, str):
        return held
    if len(held) != 2 or held[0] & held[1] or not held[0] | held[1]:
        return "the two families do not differ in what is asked"
    return None


def left_by(
    step: Sequence[Row], known: dict[tuple[int, int], set[str]], genders: Sequence[str], table: RuleTable
) -> set[str] | str:
    """The relations that a step claims are left, or why it does not follow."""
    stated = [relations_of(edge, genders, table) for edge in step]
    if wrong := next((each for each in stated if isinstance(each, str)), None):
        return wrong
    sets = [each for each in stated if isinstance(each, set)]
    if any(known.get((edge[0], edge[2])) != each for edge, each in zip(step[:-1], sets)):
        return "a premise is neither stated nor proved before"
    x, z = step[-1][0], step[-1][2]
    if len(step) == 2:
        turned = (step[0][0], step[0][2]) == (z, x) and sets[1] == {table.inverse.get(name, name) for name in sets[0]}
        return sets[1] if turned else "it is not the other side of a fact"
    if len(step) != 3 or (x, step[0][2], z) != (step[0][0], step[1][0], step[1][2]) or x == z:
        return "its three people do not fit together"
    outcomes = set[str]().union(*(composed(first, second, table) for first in sets[0] for second in sets[1]))
    outcomes -= table.opposite if genders[x] == genders[z] else set()
    outcomes &= known.get((x, z), outcomes)
    if not outcomes:
        return "its premises contradict each other"
    more = outcomes - sets[2]
    return f"it may also be {min(more)!r}" if more else sets[2]


def composed(first: str, second: str, table: RuleTable) -> set[str]:
    """The entry of the table; for `other`, the relations that may close the turned triangle (full_table of
    proofs/Sound.v)."""
    everything = {*table.inverse, "other"}
    if first == second == "other":
        return everything
    if second == "other":
        return {t for t in table.inverse if "other" in table.compose.get((table.inverse[first], t), everything)} | {
            second
        }
    if first == "other":
        return {t for t in table.inverse if "other" in table.compose.get((t, table.inverse[second]), everything)} | {
            first
        }
    return set(table.compose.get((first, second), everything))


def relations_of(edge: Row, genders: Sequence[str], table: RuleTable) -> set[str] | str:
    """The relations of an edge with several words, or the error in it."""
    i, words, j = edge
    for word in words.split("|"):
        if word != "other" and (wrong := misnamed((i, word, j), genders, table)):
            return wrong
    return {"other" if word == "other" else table.meaning[word][0] for word in words.split("|")}


def misnamed(edge: Row, genders: Sequence[str], table: RuleTable) -> str | None:
    i, word, j = edge
    if not all(type(person) is int and 0 <= person < len(genders) for person in (i, j)) or i == j:
        return f"{list(edge)} is not about two of the people"
    if word not in table.meaning or table.meaning[word][1] not in (None, genders[j]):
        return f"{word!r} does not fit person {j}"
    return None


def no_family(rows: Sequence[Row], genders: Sequence[str], edges: Sequence[Row], table: RuleTable) -> str | None:
    """Why the rows are not a family in which the facts hold, or None."""
    people = range(len(rows))
    if [row[0] for row in rows[: len(genders)]] != list(genders):
        return "the family has other genders than the story"
    if any(type(n) is not int or n not in people for row in rows for n in row[1:] if n is not None):
        return "a person in the family does not exist"
    parents = [{n for n in row[1:3] if n is not None} for row in rows]
    if wrong := broken(rows, parents, married=table.married):
        return wrong
    for i, word, j in edges:
        if not holds(table.meaning[word][0], table, rows, parents, i, j):
            return f"{[i, word, j]} does not hold in the family"
    return None


def broken(rows: Sequence[Row], parents: Sequence[set[int]], *, married: bool = True) -> str | None:
    """The first axiom that the family violates, or None."""
    above = [set(some) for some in parents]
    for _ in rows:  # after n rounds everybody has all ancestors
        wider = [some.union(*(above[p] for p in some)) for some in above]
        if wider == above:
            break
        above = wider
    for x, (gender, father, mother, spouse) in enumerate(rows):
        if gender not in ("male", "female"):
            return f"axiom 1: person {x} is {gender!r}"
        if (father is not None and rows[father][0] != "male") or (mother is not None and rows[mother][0] != "female"):
            return f"axiom 1: a parent of person {x} has the wrong gender"
        if married and father is not None and mother is not None and rows[father][3] != mother:
            return f"axiom 2: the parents of person {x} are not married"
        if married and any(rows[p][3] is not None and rows[p][3] not in parents[x] for p in parents[x]):
            return f"axiom 2: a parent of person {x} is married to another"
        if x in above[x]:
            return f"axiom 3: person {x} is their own ancestor"
        if spouse is not None and (rows[spouse][3] != x or rows[spouse][0] == gender):
            return f"axiom 4: persons {x} and {spouse} are no couple"
        if spouse is not None and (above[x] | {x}) & (above[spouse] | {spouse}):
            return f"axiom 4: the spouses {x} and {spouse} are of one family"
    return None if married else of_one_family(rows, parents, above)


def of_one_family(rows: Sequence[Row], parents: Sequence[set[int]], above: Sequence[set[int]]) -> str | None:
    """Two people of one family who must be of different families (axioms 4' and 6 of the blended world), or None."""

    def akin(x: int, y: int) -> bool:
        return bool((above[x] | {x}) & (above[y] | {y}))

    partners = [{row[3]} - {None} for row in rows]
    for some in parents:
        for p in some:
            partners[p] |= some - {p}
    for x, own in enumerate(parents):
        steps = set().union(*(partners[p] for p in own)) - own
        onward = set().union(*(partners[s] for s in steps)) - own
        if any(akin(x, y) for y in partners[x]):
            return f"axiom 4: person {x} and a partner are of one family"
        if any(akin(x, y) for y in steps | onward) or any(akin(s, y) for s in steps for y in partners[x] | steps - {s}):
            return f"axiom 6: a partner of a parent of person {x} is of a family of theirs"
    return None


def _sibling(p: Sequence[set[int]], i: int, j: int) -> bool:
    return i != j and bool(p[i]) and p[i] == p[j]


# relation -> is j that of i? (p: everybody's parents)
HOLDS: dict[str, Callable[[Sequence[Row], Sequence[set[int]], int, int], bool]] = {
    "parent": lambda rows, p, i, j: j in p[i],
    "child": lambda rows, p, i, j: i in p[j],
    "sibling": lambda rows, p, i, j: _sibling(p, i, j),
    "spouse": lambda rows, p, i, j: rows[i][3] == j,
    "grandparent": lambda rows, p, i, j: any(j in p[z] for z in p[i]),
    "grandchild": lambda rows, p, i, j: any(i in p[z] for z in p[j]),
    "pibling": lambda rows, p, i, j: any(_sibling(p, z, j) for z in p[i]),
    "nibling": lambda rows, p, i, j: any(_sibling(p, z, i) for z in p[j]),
    "parent-in-law": lambda rows, p, i, j: rows[i][3] is not None and j in p[rows[i][3]],
    "child-in-law": lambda rows, p, i, j: rows[j][3] is not None and i in p[rows[j][3]],
    "sibling-in-law": lambda rows, p, i, j: any(
        rows[x][3] is not None and _sibling(p, rows[x][3], y) for x, y in ((i, j), (j, i))
    ),
    "great-grandparent": lambda rows, p, i, j: any(j in p[y] for z in p[i] for y in p[z]),
    "great-grandchild": lambda rows, p, i, j: any(i in p[y] for z in p[j] for y in p[z]),
    "cousin": lambda rows, p, i, j: any(_sibling(p, z, y) for z in p[i] for y in p[j]),
}


# the same where parents need not be married (the blended world)
PARTED: dict[str, Callable[[Sequence[Row], Sequence[set[int]], int, int], bool]] = {
    "sibling": lambda rows, p, i, j: len(p[i] & p[j]) == 2,
    "half-sibling": lambda rows, p, i, j: len(p[i] & p[j]) == 1,
    "pibling": lambda rows, p, i, j: any(p[z] & p[j] for z in p[i] - {j}),
    "nibling": lambda rows, p, i, j: any(p[z] & p[i] for z in p[j] - {i}),
    "step-parent": lambda rows, p, i, j: j not in p[i] and any(rows[z][3] == j for z in p[i]),
    "step-child": lambda rows, p, i, j: i not in p[j] and any(rows[z][3] == i for z in p[j]),
    "step-sibling": lambda rows, p, i, j: not p[i] & p[j] and any(rows[z][3] in p[j] for z in p[i]),
}


def holds(name: str, table: RuleTable, rows: Sequence[Row], parents: Sequence[set[int]], i: int, j: int) -> bool:
    """Is j the relation of i in the family?"""
    return i != j and table.means[name](rows, parents, i, j)
