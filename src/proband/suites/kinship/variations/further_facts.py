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
from proband.suites.kinship.telling.bank import load_bank
from proband.suites.kinship.telling.settings import AND
from proband.suites.kinship.telling.stories import plain, shown_names
from proband.suites.kinship.variations.other_texts import fresh_names
from proband.suites.kinship.variations.proved_story import TRIES, UNREAD, ProvedStory, TextUnit, tell_facts
from proband.suites.kinship.world.relations import FEMALE, MALE, Family, turned


def noise(story: ProvedStory, *, rng: random.Random, folder: Path) -> Item | str:
    if story.noise:
        return "it has noise facts already"
    if not story.readable:
        return UNREAD
    tries = (_with_noise(story, kind, rng, folder) for kind in rng.sample(KINDS, len(KINDS)))
    return next((varied for varied in tries if varied is not None), "its family has no room for further facts")


def _with_noise(story: ProvedStory, kind: str, rng: random.Random, folder: Path) -> Item | None:
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
        facts = [turned(fact, genders) for fact in facts]
    names = [*story.names, *fresh_names(genders[count:], rng, unlike=story.names)]
    if len(names) < len(genders):
        return None
    larger = replace(story, names=names, genders=genders, edges=[*story.edges, *facts])
    return _woven_in(story, larger, facts, kind=kind, family=family, rng=rng, folder=folder)


def _woven_in(
    story: ProvedStory,
    larger: ProvedStory,
    facts: list[Edge],
    *,
    kind: str,
    family: Any,
    rng: random.Random,
    folder: Path,
) -> Item | None:
    """The source's own text with a further sentence for each fact at places drawn at random: some of its own stand
    before one of them, and some behind one."""
    units = story.units()
    first = 1 if not any(name in units[0].text for name in story.shown) and story.form == "story" else 0
    own = [at for at, unit in enumerate(units) if at >= first and not unit.text.endswith((" male.", " female."))]
    for _ in range(TRIES):
        places = sorted(rng.randint(own[0], own[-1] + 1) for _ in facts)
        if places[-1] == own[0] or places[0] > own[-1]:
            continue  # in one block before or behind the source
        further, used = list(units), set(story.templates)
        for number, place in reversed(list(enumerate(places, start=len(story.edges)))):
            unit = _one_more(story, larger, number, after=further[:place], used=used, rng=rng, folder=folder)
            if unit is None:
                return None
            used.update(unit.templates)
            further.insert(place, unit)
        further += _genders(story, larger)
        varied = story.with_units(
            further,
            names=larger.names,
            genders=larger.genders,
            edges=larger.edges,
            noise=[(fact, kind) for fact in facts],
            family=family,
        )
        if larger.accepts(varied):
            return msgspec.structs.replace(varied, tags={**varied.tags, "task": kind})
    return None


def _genders(story: ProvedStory, larger: ProvedStory) -> list[TextUnit]:
    """Those of the further people, where the source tells them."""
    shown, genders = shown_names(larger.names, brackets=story.brackets), larger.genders
    telling = stories.gender_lines if story.form == "graph" else stories.gender_sentences
    told = story.form != "story" and all(line in story.text for line in telling(story.shown, story.genders))
    return [TextUnit(line) for line in telling(shown, genders)[len(story.names) :]] if told else []


def _one_more(
    story: ProvedStory,
    larger: ProvedStory,
    number: int,
    *,
    after: Sequence[TextUnit],
    used: set[str],
    rng: random.Random,
    folder: Path,
) -> TextUnit | None:
    """A fact in a sentence of its own: at the occasion where the story is, in words that it has not used."""
    fact, genders, groups = larger.edges[number], larger.genders, ((number,),)
    shown = shown_names(larger.names, brackets=story.brackets)
    if story.form == "graph":
        return TextUnit(stories.triples([fact], shown), (), groups)
    if story.form == "facts":
        return TextUnit(plain([fact], shown, genders)[0], (), groups)
    if story.retold is None or not story.retold.occasions:
        bank = story.retold is None
        telling = tell_facts(story, [fact], names=larger.names, genders=genders, rng=rng, folder=folder, scenes=bank)
        return TextUnit(telling.text, telling.templates, groups)
    told = sum(template in story.templates for unit in after for template in unit.templates)
    place = story.retold.occasions[max(told - 1, 0)]
    setting = next((each for each in load_bank("release2").settings if each.name == place), None)
    if setting is not None:
        taken = {doing for template in used for doing in template.split(AND)[1:]}
        telling = tell_facts(
            story, [fact], names=larger.names, genders=genders, rng=rng, folder=folder, setting=setting.again(taken)
        )
        return TextUnit(telling.text, telling.templates, groups)
    occasion = next(each for each in load_bank().occasions if each.name == place)
    free = [phrase for phrase in occasion.phrases if phrase.id not in used]
    if not free:
        return None
    phrase, (i, word, j) = rng.choice(free), fact if rng.random() < 0.5 else turned(fact, genders)
    comma = rng.random() if phrase.loose else 0.0
    text = f"{shown[i]} {phrase.clause('past', genders[i], word, shown[j], comma)}."
    return TextUnit(text, (phrase.id,), groups)


def _supporting(story: ProvedStory, rows: list[list[Any]], rng: random.Random) -> list[int] | None:
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
