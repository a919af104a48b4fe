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
from proband.suites.kinship.telling import stories
from proband.suites.kinship.telling.stories import plain
from proband.suites.kinship.variations.proved_story import SENTENCE, TRIES, UNREAD, Story, tell_facts
from proband.suites.kinship.world.families import NAMES

WORD = re.compile(r"@?\w[\w-]*")


def rename(story: Story, *, rng: random.Random, folder: Path) -> Item | str:
    names = other_names(story, rng)
    return names if isinstance(names, str) else _renamed(story, names)


def other_names(story: Story, rng: random.Random) -> list[str] | str:
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


def _renamed(story: Story, names: Sequence[str]) -> Item | str:
    other = dict(zip(story.names, names, strict=True))
    text, question = (_exchanged(part, other) for part in (story.text, story.question))
    if not story.readable or not story.faithful(text, story.edges, names):
        return UNREAD
    return story.with_text(text, question=question, names=list(names))


def _exchanged(text: str, other: Mapping[str, str]) -> str:
    """The text with other names."""
    return WORD.sub(lambda match: other.get(match[0], match[0]), text)


def _retold(story: Story, names: Sequence[str], rng: random.Random, folder: Path) -> Item | str:
    """The facts told anew, with as few paraphrases of the source as there can be."""
    if story.form != "story":
        return _shuffled(story, names, rng)
    before, best = set(story.templates), None
    path = _path_first(story)
    for _ in range(TRIES):
        telling = tell_facts(story, [story.edges[place] for place in path], names=names, rng=rng, folder=folder)
        if telling.text == story.text or not story.faithful(telling.text, story.edges, names, telling.templates):
            continue
        shared = len(before.intersection(telling.templates))
        if best is None or shared < best[0]:
            best = shared, telling
        if not shared:
            break
    if best is None:
        return "no other words of the bank tell its facts"
    groups = [tuple(path[fact] for fact in group) for group in best[1].groups]
    question = _exchanged(story.question, dict(zip(story.names, names, strict=True)))
    return story.with_text(
        best[1].text, question=question, names=list(names), templates=best[1].templates, groups=groups
    )


def _path_first(story: Story) -> list[int]:
    """The places of the facts, those of the shortest way between the two people first and in its order."""
    way = shortest_path(story.edges, story.query) or []
    first = [story.edges.index(edge) for edge in way]
    return [*first, *(place for place in range(len(story.edges)) if place not in first)]


def reword(story: Story, *, rng: random.Random, folder: Path) -> Item | str:
    return _retold(story, story.names, rng, folder) if story.form == "story" else "it is told in plain facts"


def twin(story: Story, *, rng: random.Random, folder: Path) -> Item | str:
    names = other_names(story, rng)
    return names if isinstance(names, str) else _retold(story, names, rng, folder)


def reorder(story: Story, *, rng: random.Random, folder: Path) -> Item | str:
    if story.form != "story":
        return _shuffled(story, story.names, rng)
    if not story.readable:
        return UNREAD
    sentences = SENTENCE.split(story.text)
    for _ in range(TRIES if len(sentences) > 1 else 0):
        order = _in_another_order(sentences, story.shown, rng)
        if order != sentences and story.faithful(" ".join(order), story.edges):
            return story.with_text(" ".join(order))
    return "it has one sentence" if len(sentences) == 1 else "its sentences make sense in one order only"


def _in_another_order(sentences: Sequence[str], names: Sequence[str], rng: random.Random) -> list[str]:
    """The sentences in an order in which they make sense: an opening, which names nobody, stays where it is, `Then Ann`
    follows what it followed, and moments (`At noon, Ann`) follow each other as before.

    >>> story = ["It snowed.", "At noon, Ann met Ben.", "Then Ben left.", "Cy saw Ann."]
    >>> _in_another_order(story, ["Ann", "Ben", "Cy"], random.Random(0))
    ['It snowed.', 'Cy saw Ann.', 'At noon, Ann met Ben.', 'Then Ben left.']
    """
    parts = list[list[str]]()
    for sentence in sentences:
        first = min((at for name in names if (at := sentence.find(name)) >= 0), default=-1)
        follows = first < 0 or (first > 0 and "," not in sentence[:first])
        if follows and parts:
            parts[-1].append(sentence)
        else:
            parts.append([sentence])
    opening = [parts.pop(0)] if not any(name in parts[0][0] for name in names) else []
    timed = [at for at, part in enumerate(parts) if not part[0].startswith(tuple(names))]
    order = rng.sample(range(len(parts)), len(parts))
    moments = iter(timed)
    placed = [next(moments) if at in timed else at for at in order]
    return [sentence for part in (*opening, *(parts[at] for at in placed)) for sentence in part]


def _shuffled(story: Story, names: Sequence[str], rng: random.Random) -> Item | str:
    """Plain sentences or triples in another order."""
    between = "\n" if story.form == "graph" else " "
    lines = story.text.split("\n") if story.form == "graph" else SENTENCE.split(story.text)
    for _ in range(TRIES):
        order = rng.sample(lines, len(lines))
        if order != lines or list(names) != story.names:
            moved = story.with_text(between.join(order))
            return _renamed(replace(story, item=moved), names) if list(names) != story.names else moved
    return "it has one sentence"


def plain_sentences(story: Story, *, rng: random.Random, folder: Path) -> Item | str:
    if story.form == "facts":
        return "it is told in plain sentences already"
    order = rng.sample(range(len(story.edges)), len(story.edges))
    order = [place for at, place in enumerate(order) if story.edges[place] not in [story.edges[p] for p in order[:at]]]
    lines = plain([story.edges[place] for place in order], story.shown, story.genders)
    if story.item.tags.get("facts") != "along-chain":
        lines += stories.gender_sentences(story.shown, story.genders)
    text = " ".join(lines)
    if not story.faithful(text, story.edges, templates=[]):
        return "its plain sentences are not read back"
    return story.with_text(text, templates=[], groups=[(place,) for place in order])
