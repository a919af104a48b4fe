"""What is wrong with the facts of an item, if anything: files come from other people's programs too."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import msgspec

from proband.core.errors import ProbandError, in_words
from proband.core.types import Item
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
