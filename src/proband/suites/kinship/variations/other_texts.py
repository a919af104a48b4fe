"""The same facts in another text: other names, other words, another order, plain sentences; the twin has all of it."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from proband.core.types import Item
from proband.suites.kinship.generate.wording import likeness
from proband.suites.kinship.logic.closure import shortest_path
from proband.suites.kinship.reading.reader import TRIPLE
from proband.suites.kinship.telling import stories
from proband.suites.kinship.telling.stories import plain
from proband.suites.kinship.variations.proved_story import SENTENCE, TRIES, UNREAD, ProvedStory, TextUnit, tell_facts
from proband.suites.kinship.world.families import NAMES

WORD = re.compile(r"@?\w[\w-]*")


def rename(story: ProvedStory, *, rng: random.Random, folder: Path) -> Item | str:
    names = other_names(story, rng)
    return names if isinstance(names, str) else _renamed(story, names)


def other_names(story: ProvedStory, rng: random.Random) -> list[str] | str:
    """Other names of the same genders, none of them in the story now, no two alike."""
    names = fresh_names(story.genders, rng, avoided=WORD.findall(story.text))
    return names if len(names) == len(story.genders) else "there are too few names"


def fresh_names(
    genders: Sequence[str], rng: random.Random, *, avoided: Sequence[str] = (), unlike: Sequence[str] = ()
) -> list[str]:
    """A name for each gender, none like another or like `unlike`, none to be avoided; fewer where names run out."""
    taken = {key for name in unlike for key in likeness(name)}
    names = list[str]()
    for gender in genders:
        free = [name for name in NAMES[gender] if name not in avoided and taken.isdisjoint(likeness(name))]
        if not free:
            break
        names.append(rng.choice(free))
        taken |= likeness(names[-1])
    return names


def _renamed(story: ProvedStory, names: Sequence[str]) -> Item | str:
    other = dict(zip(story.names, names, strict=True))
    text, question = (exchanged(part, other) for part in (story.text, story.question))
    varied = story.with_text(text, question=question, names=list(names))
    return varied if story.readable and story.accepts(varied) else UNREAD


def exchanged(text: str, other: Mapping[str, str]) -> str:
    """The text with other names."""
    return WORD.sub(lambda match: other.get(match[0], match[0]), text)


def _retold(story: ProvedStory, names: Sequence[str], rng: random.Random, folder: Path) -> Item | str:
    """The facts told anew, with as few paraphrases of the source as there can be."""
    if story.form != "story":
        return _shuffled(story, names, rng)
    before, best = set(story.templates), None
    path = _path_first(story)
    question = exchanged(story.question, dict(zip(story.names, names, strict=True)))
    for _ in range(TRIES):
        text, templates, told = tell_facts(
            story, [story.edges[place] for place in path], names=names, rng=rng, folder=folder
        )
        groups = [tuple(path[fact] for fact in group) for group in told]
        varied = story.with_text(text, question=question, names=list(names), templates=templates, groups=groups)
        if text == story.text or not story.accepts(varied):
            continue
        shared = len(before.intersection(templates))
        if best is None or shared < best[0]:
            best = shared, varied
        if not shared:
            break
    return best[1] if best else "no other words of the bank tell its facts"


def _path_first(story: ProvedStory) -> list[int]:
    """The places of the facts, those of the shortest way between the two people first and in its order."""
    way = shortest_path(story.edges, story.query) or []
    first = [story.edges.index(edge) for edge in way]
    return [*first, *(place for place in range(len(story.edges)) if place not in first)]


def reword(story: ProvedStory, *, rng: random.Random, folder: Path) -> Item | str:
    return _retold(story, story.names, rng, folder) if story.form == "story" else "it is told in plain facts"


def twin(story: ProvedStory, *, rng: random.Random, folder: Path) -> Item | str:
    names = other_names(story, rng)
    return names if isinstance(names, str) else _retold(story, names, rng, folder)


def reorder(story: ProvedStory, *, rng: random.Random, folder: Path) -> Item | str:
    if story.form != "story":
        return _shuffled(story, story.names, rng)
    if not story.readable:
        return UNREAD
    units = story.units()
    for _ in range(TRIES if len(units) > 1 else 0):
        order = _in_another_order(units, story.shown, rng)
        varied = story.with_units(order)
        if order != units and story.accepts(varied):
            return varied
    return "it has one sentence" if len(units) == 1 else "its sentences make sense in one order only"


def _in_another_order(units: Sequence[TextUnit], names: Sequence[str], rng: random.Random) -> list[TextUnit]:
    """In an order in which they make sense: an opening, which names nobody, stays where it is, and moments (`At noon,
    Ann`) follow each other as before.

    >>> story = [TextUnit("It snowed."), TextUnit("At noon, Ann met Ben. Then Ben left."), TextUnit("Cy saw Ann.")]
    >>> [unit.text for unit in _in_another_order(story, ["Ann", "Ben", "Cy"], random.Random(0))]
    ['It snowed.', 'Cy saw Ann.', 'At noon, Ann met Ben. Then Ben left.']
    """
    units = list(units)
    opening = [units.pop(0)] if not any(name in SENTENCE.split(units[0].text)[0] for name in names) else []
    timed = [at for at, unit in enumerate(units) if not unit.text.startswith(tuple(names))]
    order = rng.sample(range(len(units)), len(units))
    moments = iter(timed)
    placed = [next(moments) if at in timed else at for at in order]
    return [*opening, *(units[at] for at in placed)]


def _shuffled(story: ProvedStory, names: Sequence[str], rng: random.Random) -> Item | str:
    """Plain sentences or triples in another order."""
    units = story.units()
    for _ in range(TRIES):
        order = rng.sample(units, len(units))
        if story.form == "graph" and not TRIPLE.fullmatch(order[0].text):
            continue  # a graph begins with a fact
        if order != units or list(names) != story.names:
            moved = story.with_units(order)
            return _renamed(replace(story, item=moved), names) if list(names) != story.names else moved
    return "it has one sentence"


def plain_sentences(story: ProvedStory, *, rng: random.Random, folder: Path) -> Item | str:
    if story.form == "facts":
        return "it is told in plain sentences already"
    order = rng.sample(range(len(story.edges)), len(story.edges))
    order = [place for at, place in enumerate(order) if story.edges[place] not in [story.edges[p] for p in order[:at]]]
    lines = plain([story.edges[place] for place in order], story.shown, story.genders)
    if story.item.tags.get("facts") != "along-chain":
        lines += stories.gender_sentences(story.shown, story.genders)
    varied = story.with_text(" ".join(lines), templates=[], groups=[(place,) for place in order])
    return varied if story.accepts(varied) else "its plain sentences cannot be told again"
