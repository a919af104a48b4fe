"""One item looked at: what is wrong with its facts, if anything (files come from other people's programs too); as text;
as a family tree in which its story is true."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

import msgspec

from proband.core.errors import ProbandError, in_words
from proband.core.types import Answer, Item
from proband.suites.kinship.certify.filling_in import fill_in
from proband.suites.kinship.world.family_svg import family_svg
from proband.suites.kinship.world.kernel import lean
from proband.suites.kinship.world.rules import of_item

Edge = tuple[int, str, int]


class Facts(msgspec.Struct):
    """The facts that decide an answer; an item may have a story and no facts."""

    names: list[str] = []
    genders: list[Literal["male", "female", "none"]] = []  # none: in a world without genders
    edges: list[Edge] = []
    query: tuple[int, int] | None = None
    noise: list[tuple[tuple[int, str | None, int], str]] = []  # in CLUTRR's rows without a relation
    proof: list[Annotated[list[Edge], msgspec.Meta(min_length=1)]] = []
    certified_by: list[str] = []
    rules: str = "sound"


def check(item: Item) -> str | None:
    """
    >>> facts = {"names": ["Al", "Bea"], "genders": ["male", "female"], "edges": [[0, "mother", 7]], "query": [0, 1]}
    >>> check(Item(id="a", suite="kinship", prompt="...", facts=facts))
    "edge [0, 'mother', 7] is about person 7, and 'names' has 2"
    >>> facts |= {"edges": [[0, "mother", 1]], "noise": [[[1, None, 0], "supporting"]]}  # as CLUTRR's rows have it
    >>> check(Item(id="a", suite="kinship", prompt="...", facts=facts))
    """
    if "edges" not in item.facts and "names" not in item.facts:
        return None
    try:
        facts = msgspec.convert(item.facts, Facts, strict=True)
    except msgspec.ValidationError as error:
        return "'facts': " + in_words(str(error))
    return _people(facts, item.facts) or _words(facts, item)


def _people(facts: Facts, given: Mapping[str, Any]) -> str | None:
    for name in ("names", "query"):
        if name not in given:
            return f"'facts' has no {name!r}"
    people = len(facts.names)
    if facts.edges and len(facts.genders) != people:
        return f"'genders' has {len(facts.genders)} entries and 'names' has {people}"
    pairs: list[tuple[str, tuple[Any, ...]]] = [("query", facts.query or ())]
    pairs += [("edge", edge) for edge in (*facts.edges, *(edge for edge, _ in facts.noise))]
    pairs += [("proof step", edge) for step in facts.proof for edge in step]
    for what, pair in pairs:
        for person in (pair[0], pair[-1]):
            if not 0 <= person < people:
                return f"{what} {list(pair)} is about person {person}, and 'names' has {people}"
    return None


def _words(facts: Facts, item: Item) -> str | None:
    try:
        rules = of_item(item)
    except ProbandError:
        return None  # rules of another machine: whoever needs them says so
    for edge in facts.edges:
        for word in edge[1].split("|"):
            if word not in rules.code:
                return f"edge {list(edge)} has a relation that the rules {rules.name!r} do not have: {word!r}"
    return None


def show(item: Item) -> str:
    """The prompt, the facts with their noise, the proof line by line and the certificate."""
    facts = item.facts
    lines = [item.prompt, ""]
    if item.gold is not None:
        lines += [f"answer: {item.choices[item.gold]}", ""]
    if "edges" in facts:
        noise = {tuple(edge): kind for edge, kind in facts.get("noise", ())}
        lines.append(
            f"facts ({facts.get('k', '?')} of the clause, {len(noise)} of noise; proof of {facts.get('depth')}):"
        )
        for edge in facts["edges"]:
            kind = noise.get(tuple(edge))
            lines.append(f"  {fact(edge, facts)}" + (f"   [{kind}]" if kind else ""))
        lines.append("proof:" if facts.get("proof") else "proof: it is told")
        lines += [f"  {step(s, facts)}" for s in facts.get("proof", ())]
    if "certificate" in facts:
        by = " and ".join(facts.get("certified_by", ()))
        lines.append(f"certificate: {facts['certificate']}" + (f", by {by}" if by else ""))
    return "\n".join(lines)


def fact(edge: Sequence[Any], facts: Mapping[str, Any]) -> str:
    """
    >>> fact([0, "aunt", 1], {"names": ["Arthur", "Sharon"]})
    'Sharon is the aunt of Arthur'
    """
    i, word, j = edge
    return f"{facts['names'][j]} is the {' or '.join(str(word).split('|'))} of {facts['names'][i]}"


def step(premises: Sequence[Sequence[Any]], facts: Mapping[str, Any]) -> str:
    """
    >>> names = {"names": ["Al", "Bea", "Cy"]}
    >>> step([[0, "mother", 1], [1, "brother", 2], [0, "uncle", 2]], names)
    'Bea is the mother of Al, Cy is the brother of Bea: Cy is the uncle of Al'
    """
    *given, last = (fact(edge, facts) for edge in premises)
    return f"{', '.join(given)}: {last}"


def draw_item(item: Item, answer: Answer | None = None) -> str | None:
    """A family in which the item's story is true, the question marked; None for items without such a family.

    With an answer the arc carries what was answered, and what is right where that differs.
    """
    facts: Mapping[str, Any] = item.facts
    try:
        edges = [(int(i), str(relation), int(j)) for i, relation, j in facts["edges"]]
        names, genders, (a, b) = list(facts["names"]), list(facts["genders"]), facts["query"]
        family = fill_in(genders, edges)
    except (KeyError, TypeError, ValueError, ProbandError):
        return None
    if family is None:
        return None
    noise = [tuple(edge) for edge, _ in facts.get("noise", ())]
    noisy = {x for i, _, j in noise for x in (i, j)}
    needed = {x for edge in edges if edge not in noise for x in edge[::2]}
    return family_svg(
        lean(family, edges, (a, b)),
        names,
        query=(a, b),
        answer=_verdict(item, answer),
        faint=noisy - needed,
        title=f"The family of {item.id}",
    )


def _verdict(item: Item, answer: Answer | None) -> str:
    right = str(item.facts.get("target", ""))
    if answer is None or len(answer.scores) != len(item.choices) or not answer.scores:
        return right
    said = item.choices[max(range(len(answer.scores)), key=lambda n: answer.scores[n])]
    return f"{right} ✓" if said == right else f"{said} ✗ ({right})"
