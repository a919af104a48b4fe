"""The certificate of an answer, computed from the facts in any world of families: a proof if it follows, a family for
each relation if the closure leaves several, two families with different answers if nothing follows.

>>> from proband.suites.kinship.world.rules import load
>>> made = certificate(load("sound"), ["male"] * 3, [(0, "son", 1), (1, "uncle", 2)], (0, 2), several="one-of")
>>> made["target"], len(made["families"])
('brother or brother-in-law', 2)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from proband.suites.kinship.logic.closure import close, depth, distance, prove
from proband.suites.kinship.logic.search import entailed, family_of
from proband.suites.kinship.world.families import Row, rows_of
from proband.suites.kinship.world.relations import UNDETERMINED, Edge, lean, one_of
from proband.suites.kinship.world.rules import OTHER, Rules


def families_of_answers(
    rules: Rules, genders: Sequence[str], edges: Sequence[Edge], query: tuple[int, int], left: int, *, all_of: bool
) -> list[list[Row]] | None:
    """Two families with different answers or, with `all_of`, one for each possible relation; None if there are none."""
    (x, z), found = query, list[list[Row]]()
    members = [r for r in range(len(rules.neutrals)) if left >> r & 1]
    for relation in members:
        stated = (x, rules.word(relation, genders[z]), z)
        family = family_of(genders, [*edges, stated], query, world=rules.kin)
        if family is not None:
            found.append(rows_of(lean(family, edges, query)))
        elif all_of:
            return None
        if len(found) == 2 and not all_of:
            return found
    if not all_of and len(found) == 1:  # the other family may have none of the relations
        names = [rules.neutrals[relation] for relation in members]
        family = family_of(genders, edges, query, avoid=names, world=rules.kin)
        return None if family is None else [*found, rows_of(lean(family, edges, query))]
    return found if all_of else None


def certificate(
    rules: Rules,
    genders: Sequence[str],
    edges: Sequence[Edge],
    query: tuple[int, int],
    *,
    several: Literal["", "open", "one-of"] = "",
) -> dict[str, Any] | str:
    """The certificate of an item's facts, or the reason why there is none. `several`: the kind of certificate if more
    than one relation is possible."""
    closure = close(rules, genders, edges)
    words, left = closure.answers(*query), closure.sets[query[0]][query[1]]
    if not closure.consistent:
        return "its facts contradict each other"
    if len(words) == 1 and words[0] != OTHER:
        return _entailed(rules, genders, edges, query, words[0])
    if not several:
        return "no answer follows from its facts"
    if several == "one-of" and left not in rules.sets:
        return "the possible relations are not among the choices"
    families = families_of_answers(rules, genders, edges, query, left, all_of=several == "one-of")
    if families is None:
        return "its families do not show that the answer differs"
    made = {"families": families, "family": families[0], "proofs": 0, "certificate": several}
    if several == "open":
        return {**made, "target": UNDETERMINED, "proof": [], "depth": 0, "certified_by": ["search"]}
    proved, proof = prove(rules, genders, edges, query)
    least = distance(edges, query)
    assert proved == left
    return {**made, "target": one_of(words), "proof": proof, "depth": least, "certified_by": ["closure", "search"]}


def _entailed(
    rules: Rules, genders: Sequence[str], edges: Sequence[Edge], query: tuple[int, int], target: str
) -> dict[str, Any] | str:
    """A proof, a family, and the length of the shortest proof."""
    family = family_of(genders, edges, query, world=rules.kin)
    if family is None:
        return "its facts contradict each other"
    searched = entailed(genders, edges, query, target, world=rules.kin)
    return {
        "target": target,
        "proof": prove(rules, genders, edges, query)[1],
        "family": rows_of(family),
        "depth": depth(rules, genders, edges, query),
        "proofs": 1,
        "certificate": "entailed",
        "certified_by": ["closure", "search"] if searched else ["closure"],
    }
