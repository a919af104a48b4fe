"""Solver `read-and-prove`: the model reads a story into facts, the prover answers.

A report then compares the same model with and without the prover: the errors of composing relations, and those of
reading. The prompt and the checks of a reading are those of `proband audit --reader` (english/model_reader.py).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from typing import Annotated, Any

from msgspec import Meta

from proband.core.errors import ProbandError
from proband.core.types import Answer, Item
from proband.english.domain import Domain, load
from proband.english.model_reader import AGAIN, NAMES, PROMPTS, json_of, read_reply, values_for
from proband.proof.problem import Problem, Prover
from proband.proof.run import PROVERS
from proband.solvers.generate import Asking, GenerateOptions, make_generate_solver
from proband.suites.kinship.audit.family_prover import provided, worlds_of
from proband.suites.kinship.logic.closure import scores
from proband.suites.kinship.world.relations import RELATIONS
from proband.suites.kinship.world.rules import OTHER, SHIPPED, of_item, question_of, story_of


@dataclass(frozen=True, kw_only=True)
class ReadOptions(GenerateOptions):
    """The options of `generate`, with a longer limit because a reading is longer than an answer."""

    max_tokens: Annotated[Annotated[int, Meta(ge=1)] | None, Meta(description="longest reply")] = 2048


@cache
def prover_for(name: str) -> tuple[Domain, Prover, str]:
    """The domain of an item's relations, its prover, and the world in which our own items are proved."""
    domain = load(name)
    made = provided(domain) if domain.prover == "family" else PROVERS[domain.prover](domain)
    return domain, made, str(domain.raw.get("items_world") or next(iter(domain.worlds)))


def domain_of(item: Item) -> str:
    """The name of the item's domain. An item of a world that no domain has is an error."""
    rules = of_item(item)
    if rules.world == "family" and rules.kin in worlds_of(load("kinship")).values():
        return "kinship"
    if rules.world == "family" or rules.reference not in SHIPPED:
        raise ProbandError(f"item {item.id!r}: read-and-prove has no prover for the rules {rules.name!r}")
    return rules.name


def context(item: Item) -> dict[str, Any]:
    return {"facts": {**item.facts, "reading": values_for(load(domain_of(item)), story_of(item), question_of(item))}}


def proved(item: Item, reply: str, sent: str) -> Answer:
    """The scores of the choices by the possible relations."""
    domain, prover, world = prover_for(domain_of(item))
    reading = read_reply(reply, domain=domain, text=story_of(item), question=question_of(item))
    unread = Answer(item_id=item.id, text=reply, status="unread")
    if reading.unread or reading.question is None or not reading.question.who or not reading.question.of:
        return unread
    pair = reading.question.pair
    things = {*pair, *(thing for fact in reading.facts for thing in (fact.who, fact.of))}
    stated = {fact.who: fact.gender for fact in reading.facts if fact.gender and not fact.negated}
    genders = {thing: stated.get(thing) or reading.genders.get(thing) or prover.genders(thing) for thing in things}
    try:
        possible = prover.solve(Problem(reading.facts, pair, tuple(sorted(genders.items()))), world).possible
    except ProbandError:
        return unread
    meaning = {word: domain.word(word) for word in of_item(item).choices}
    word_of = {each.relation: word for word, each in meaning.items() if each}  # "north" for the relation "above"
    words = [each if each in RELATIONS else word_of.get(each, OTHER) for each in possible]
    given = scores(item, words)
    return Answer(item_id=item.id, text=reply, scores=given) if words and any(given) else unread


ASKING = Asking(
    prompts=PROMPTS,
    default=NAMES[0],
    read=proved,
    answer=lambda item: "{}",
    context=context,
    again=lambda item, reply: AGAIN if json_of(reply) is None else "",
)
READ_AND_PROVE = replace(
    make_generate_solver(ASKING),
    name="read-and-prove",
    help="the model extracts facts from the story (JSON), and the prover answers",
    options=ReadOptions,
)
