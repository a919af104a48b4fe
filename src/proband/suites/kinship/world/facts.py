"""The facts of a kinship item, decoded once: solvers, nets, shortcuts, checks and views take these.

An item may come from somebody else's program, so that what is read from a file is checked (`check`). `verify` alone
reads the bare dictionary: it trusts nobody, and its checker shares nothing with us.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import msgspec

from proband.core.errors import ProbandError, in_words
from proband.core.types import Item
from proband.suites.kinship.world.relations import Edge
from proband.suites.kinship.world.rules import of_item

YES_NO = ("yes", "no")  # the choices of a question about one relation


class StoryFacts(msgspec.Struct, frozen=True):
    """The facts that decide an answer; an item may have a story and no facts."""

    names: tuple[str, ...] = ()
    genders: tuple[Literal["male", "female", "none"], ...] = ()  # none: in a world without genders
    edges: tuple[Edge, ...] = ()
    query: tuple[int, int] | None = None
    target: str | None = None
    asked: str | None = None  # the relation of a yes/no question
    k: int | None = None
    depth: int | None = None
    noise: tuple[tuple[tuple[int, str | None, int], str], ...] = ()  # in CLUTRR's rows without a relation
    proof: tuple[Annotated[tuple[Edge, ...], msgspec.Meta(min_length=1)], ...] = ()
    certificate: str = ""
    certified_by: tuple[str, ...] = ()
    families: tuple[Any, ...] = ()  # two in which the answer differs, where it cannot be told
    rules: str = "sound"

    @property
    def pair(self) -> tuple[int, int]:
        """The two people of the question."""
        assert self.query is not None  # `facts_of` and `check` refuse an item without it
        return self.query


def facts_of(item: Item) -> StoryFacts:
    """The facts of an item that has some.

    >>> facts_of(Item(id="a", suite="kinship", prompt="...", facts={"names": ["Al"], "query": ["Al", 1]}))
    Traceback (most recent call last):
    proband.core.errors.ProbandError: item 'a': 'facts': 'query' [0] must be a whole number, not text
    """
    try:
        facts = msgspec.convert(item.facts, StoryFacts)
    except msgspec.ValidationError as error:
        raise ProbandError(f"item {item.id!r}: 'facts': {in_words(str(error))}") from error
    if facts.query is None:
        raise ProbandError(f"item {item.id!r} has no 'query' in its facts")
    return facts


def asked_relation(item: Item) -> str:
    """The relation that a yes/no question asks about."""
    asked = item.facts.get("asked")
    if not isinstance(asked, str):
        raise ProbandError(f"item {item.id!r} has no 'asked' in its facts, the relation of its yes/no question")
    return asked


def check(item: Item) -> str | None:
    """What is wrong with the facts of an item, if anything.

    >>> facts = {"names": ["Al", "Bea"], "genders": ["male", "female"], "edges": [[0, "mother", 7]], "query": [0, 1]}
    >>> check(Item(id="a", suite="kinship", prompt="...", facts=facts))
    "edge [0, 'mother', 7] is about person 7, and 'names' has 2"
    >>> facts |= {"edges": [[0, "mother", 1]], "noise": [[[1, None, 0], "supporting"]]}  # as CLUTRR's rows have it
    >>> check(Item(id="a", suite="kinship", prompt="...", facts=facts))
    """
    if "edges" not in item.facts and "names" not in item.facts:
        return None
    try:
        facts = msgspec.convert(item.facts, StoryFacts)
    except msgspec.ValidationError as error:
        return "'facts': " + in_words(str(error))
    return _wrong_people(facts, item.facts) or _wrong_words(facts, item)


def _wrong_people(facts: StoryFacts, given: Mapping[str, Any]) -> str | None:
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


def _wrong_words(facts: StoryFacts, item: Item) -> str | None:
    try:
        rules = of_item(item)
    except ProbandError:
        return None  # rules of another machine: whoever needs them says so
    for edge in facts.edges:
        for word in edge[1].split("|"):
            if word not in rules.code:
                return f"edge {list(edge)} has a relation that the rules {rules.name!r} do not have: {word!r}"
    return None
