"""Another right answer that is known: the question asked from the other end, or one fact replaced by one word."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from proband.core.types import Item
from proband.suites.kinship.logic.closure import Edge, entailed, shortest_path
from proband.suites.kinship.telling import stories
from proband.suites.kinship.variations.proved_story import UNREAD, ProvedStory, certified
from proband.suites.kinship.world.relations import GENDER, NEUTRAL
from proband.suites.kinship.world.rules import YES_NO, converse, of_item


def inverse(story: ProvedStory, *, rng: random.Random, folder: Path) -> Item | str:
    if not story.readable:
        return UNREAD
    item, (x, z) = story.item, story.query
    known = (x, story.target, z)
    turned = converse(of_item(item), known, story.genders)
    proof = [*(story.certificate or item.facts)["proof"], (known, turned)]
    varied = _with_question(story, (z, x), turned[1], rng, proof=proof)
    return varied if story.accepts(varied) else "its text does not tell the gender of the person at its other end"


def _with_question(story: ProvedStory, query: tuple[int, int], target: str, rng: random.Random, **facts: Any) -> Item:
    """The same text with a question about `query`."""
    rules, (x, z) = of_item(story.item), query
    kind = "yes-no" if story.item.choices == YES_NO else "choice" if "___" in story.question else "text"
    question = stories.ask(
        "sets" if "possible" in story.item.tags else kind,
        x=story.shown[x],
        z=story.shown[z],
        target=target,
        rules=rules,
        draw=rng.random,
        gender=story.genders[z],
    )
    depths = {"depth": facts["depth"]} if "depth" in facts else {}
    clause = _clause(facts.get("edges", story.edges), query, story.genders, story.item)
    varied = story.with_text(
        facts.pop("text", story.text),
        question=question.text,
        query=query,
        target=target,
        **question.facts,
        **clause,
        **facts,
    )
    tags = {**varied.tags, "target": target, **depths}
    return msgspec.structs.replace(varied, choices=question.choices, gold=question.gold, tags=tags)


def _clause(edges: Sequence[Edge], query: tuple[int, int], genders: Sequence[str], item: Item) -> dict[str, str]:
    """The relations along the chain from the one who asks, where the item names them."""
    if "clause" not in item.facts:
        return {}
    rules, here, names = of_item(item), query[0], list[str]()
    for edge in shortest_path(edges, query) or []:
        side = edge if edge[0] == here else converse(rules, edge, genders)
        names.append(NEUTRAL[side[1]])
        here = side[2]
    return {"clause": ".".join(names)}


def counterfactual(story: ProvedStory, *, rng: random.Random, folder: Path) -> Item | str:
    if not story.readable:
        return UNREAD
    item, rules = story.item, of_item(story.item)
    noise = [tuple(edge) for edge, _ in story.noise]
    chain = [edge for edge in story.edges if edge not in noise]
    for edge in rng.sample(chain, len(chain)):
        i, old, j = edge
        others = [w for w, gender in GENDER.items() if gender == GENDER[old] and w != old]
        for new in rng.sample(others, len(others)):
            edges = [(i, new, j) if each == edge else each for each in story.edges]
            target = entailed(rules, story.genders, edges, story.query)
            if target is None or target == story.target:
                continue
            text = next(_replaced(story, edge, (i, new, j), edges), None)
            if text is None:
                continue
            certificate = certified(item, story.genders, edges, story.query, target)
            if not isinstance(certificate, str) and "search" in certificate["certified_by"]:
                return _with_question(story, story.query, target, rng, text=text, edges=edges, **certificate)
    return "no single word of it can be replaced so that another answer follows"


def _replaced(story: ProvedStory, old: Edge, new: Edge, edges: Sequence[Edge]) -> Iterator[str]:
    """Texts that tell the new fact in place of the old one and differ from the source's in one word."""
    rules = of_item(story.item)
    turned = [converse(rules, edge, story.genders)[1] for edge in (old, new)]
    for before, after in dict.fromkeys([(old[1], new[1]), (turned[0], turned[1])]):
        for place in re.finditer(rf"(?<![\w-]){before}(?![\w-])", story.text):
            article = re.search(r"\b(an?) $", story.text[: place.start()])
            if article and (article[1] == "an") != (after[0] in "aeiou"):
                continue
            text = story.text[: place.start()] + after + story.text[place.end() :]
            if story.accepts(story.with_text(text, edges=edges)):
                yield text
