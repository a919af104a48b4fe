"""Further facts beside the story, supporting, irrelevant or disconnected: what was proved stays proved."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec

from proband.core.types import Item
from proband.suites.kinship.logic.closure import Edge
from proband.suites.kinship.logic.noise import KINDS
from proband.suites.kinship.telling import stories
from proband.suites.kinship.telling.stories import plain, shown_names
from proband.suites.kinship.variations.other_texts import fresh_names
from proband.suites.kinship.variations.proved_story import TRIES, UNREAD, Story, tell_facts
from proband.suites.kinship.world.relations import FEMALE, MALE, Family
from proband.suites.kinship.world.rules import converse, of_item


def noise(story: Story, *, rng: random.Random, folder: Path) -> Item | str:
    if story.noise:
        return "it has noise facts already"
    if not story.readable:
        return UNREAD
    tries = (_with_noise(story, kind, rng, folder) for kind in rng.sample(KINDS, len(KINDS)))
    return next((varied for varied in tries if varied is not None), "its family has no room for further facts")


def _with_noise(story: Story, kind: str, rng: random.Random, folder: Path) -> Item | None:
    rows = [list(row) for row in (story.certificate or story.item.facts)["family"]]
    count = len(story.genders)
    if kind == "supporting":
        way = _supporting(story, rows, rng)
    else:
        start = rng.choice(story.query) if kind == "irrelevant" else _person(rows, rng)
        child = _child(rows, start, rng)
        spouse = _person(rows, rng, gender=FEMALE if rows[child][0] == MALE else MALE)
        rows[child][3], rows[spouse][3] = spouse, child
        way = [start, child, spouse]
    if way is None:
        return None
    fresh = [person for person in way if person >= count]
    order = [*range(count), *fresh, *(p for p in range(count, len(rows)) if p not in fresh)]
    number = {old: new for new, old in enumerate(order)}
    family = [[rows[p][0], *(number.get(q) if q is not None else None for q in rows[p][1:])] for p in order]
    genders = [row[0] for row in family[: count + len(fresh)]]
    world = _family(family)
    way = [number[person] for person in way]
    facts = [(a, min(world.relations(a, b)), b) for a, b in pairwise(way) if world.relations(a, b)]
    if world.broken() or len(facts) < 2:
        return None
    if rng.random() < 0.5:
        facts = [converse(of_item(story.item), fact, genders) for fact in facts]
    names = [*story.names, *fresh_names(genders[count:], rng, unlike=story.names)]
    if len(names) < len(genders):
        return None
    larger = replace(story, names=names, genders=genders, edges=[*story.edges, *facts])
    return _with_sentences(story, larger, facts, kind=kind, family=family, rng=rng, folder=folder)


def _with_sentences(
    story: Story, larger: Story, facts: list[Edge], *, kind: str, family: Any, rng: random.Random, folder: Path
) -> Item | None:
    """The source's own text with further sentences before or after it."""
    shown = shown_names(larger.names, brackets=story.brackets)
    for _ in range(TRIES):
        more: Sequence[str] = ()
        if story.form == "story":
            telling = tell_facts(larger, facts, names=larger.names, rng=rng, folder=folder)
            text, more, between = telling.text, telling.templates, " "
        elif story.form == "graph":
            text, between = stories.triples(facts, shown), "\n"
        else:
            text, between = " ".join(plain(facts, shown, larger.genders)), " "
        whole = between.join((text, story.text) if rng.random() < 0.5 else (story.text, text))
        templates = [*story.templates, *more] if story.templates else []
        if larger.faithful(whole, larger.edges, templates=templates):
            break
    else:
        return None
    varied = story.with_text(
        whole,
        names=larger.names,
        genders=larger.genders,
        edges=larger.edges,
        noise=[(fact, kind) for fact in facts],
        family=family,
        templates=templates,
        groups=[],
    )
    return msgspec.structs.replace(varied, tags={**varied.tags, "task": kind})


def _supporting(story: Story, rows: list[list[Any]], rng: random.Random) -> list[int] | None:
    """Somebody of the family who is not named, between two people that a fact joins."""
    count, world = len(story.genders), _family(rows)
    ways = [
        [i, person, j]
        for i, _, j in story.edges
        for person in range(count, len(rows))
        if world.relations(i, person) and world.relations(person, j)
    ]
    return rng.choice(ways) if ways else None


def _person(rows: list[list[Any]], rng: random.Random, *, gender: str = "") -> int:
    rows.append([gender or rng.choice((MALE, FEMALE)), None, None, None])
    return len(rows) - 1


def _child(rows: list[list[Any]], parent: int, rng: random.Random) -> int:
    """A new child of a person and of whom they are married to."""
    child, spouse = _person(rows, rng), rows[parent][3]
    for person in (parent, spouse):
        if person is not None:
            rows[child][1 if rows[person][0] == MALE else 2] = person
    return child


def _family(rows: Sequence[Sequence[Any]]) -> Family:
    return Family(
        named=len(rows),
        genders=tuple(row[0] for row in rows),
        father=tuple(row[1] for row in rows),
        mother=tuple(row[2] for row in rows),
        spouses=tuple(() if row[3] is None else (row[3],) for row in rows),
    )
