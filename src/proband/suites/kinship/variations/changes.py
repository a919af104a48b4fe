"""The variations of a story: other names, other words, another order, plain sentences; another question, another fact,
more facts."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

import msgspec

from proband.core.types import Item
from proband.suites.kinship.logic.noise import KINDS
from proband.suites.kinship.telling.stories import FACTS, STORY, Scene, Sentence, Telling
from proband.suites.kinship.variations.proved_story import ProvedStory, exchanged, fresh_names
from proband.suites.kinship.world.families import family_of_rows
from proband.suites.kinship.world.relations import FEMALE, MALE, Edge, turned, word
from proband.suites.kinship.world.rules import question_of

TRIES = 30
OTHERS_TEXT = "its text is not ours"


def rename(story: ProvedStory, rng: random.Random) -> Item | str:
    names = fresh_names(story.genders, rng, given=story.given, avoided=exchanged(story.text, {}).split() + story.names)
    if len(names) < len(story.names):
        return "there are too few names"
    other = dict(zip(story.names, names, strict=True))
    text = "" if story.telling else exchanged(story.text, other)
    return replace(story, names=names).varied(question=exchanged(question_of(story.item), other), text=text)


def reword(story: ProvedStory, rng: random.Random) -> Item | str:
    """The same facts in new words, with as few phrases of the source as possible."""
    if story.telling and story.telling.form != STORY:
        return "it consists of plain facts"
    before = {phrase for each in story.telling.sentences for phrase in each.phrases} if story.telling else set[str]()
    best, fewest = None, len(before) + 1
    for _ in range(TRIES):
        telling = story.new_telling(rng)
        shared = len(before & {phrase for each in telling.sentences for phrase in each.phrases})
        if shared < fewest:
            best, fewest = telling, shared
        if not shared:
            break
    assert best is not None
    return replace(story, telling=best).varied()


def reorder(story: ProvedStory, rng: random.Random) -> Item | str:
    """The same sentences or lines in another order; moments keep their order."""
    if story.telling is None:
        return OTHERS_TEXT
    for _ in range(TRIES):
        moved = _shuffled(story.telling, rng)
        if moved != story.telling:
            return replace(story, telling=moved).varied()
    return "it has one sentence"


def _shuffled(telling: Telling, rng: random.Random) -> Telling:
    lines = tuple(rng.sample(telling.lines, len(telling.lines)))
    scenes = []
    for scene in telling.scenes:
        order = rng.sample(range(len(scene.sentences)), len(scene.sentences))
        timed = iter([at for at, each in enumerate(scene.sentences) if each.moment >= 0])
        placed = [next(timed) if scene.sentences[at].moment >= 0 else at for at in order]
        scenes.append(Scene(scene.occasion, scene.opening, tuple(scene.sentences[at] for at in placed)))
    return msgspec.structs.replace(telling, lines=lines, scenes=tuple(scenes))


def twin(story: ProvedStory, rng: random.Random) -> Item | str:
    """Other names and other words; for plain facts, another order."""
    names = fresh_names(story.genders, rng, given=story.given, avoided=exchanged(story.text, {}).split() + story.names)
    if len(names) < len(story.names):
        return "there are too few names"
    question = exchanged(question_of(story.item), dict(zip(story.names, names, strict=True)))
    plain_facts = story.telling is not None and story.telling.form != STORY
    telling = _shuffled(story.telling, rng) if plain_facts and story.telling else story.new_telling(rng)
    return replace(story, names=names, telling=telling).varied(question=question)


def plain_sentences(story: ProvedStory, rng: random.Random) -> Item | str:
    if story.telling and story.telling.form == FACTS:
        return "it is in plain sentences already"
    lines = tuple((place, 0) for place in rng.sample(range(len(story.edges)), len(story.edges)))
    genders = story.item.tags.get("facts") != "along-chain"
    telling = Telling(form=FACTS, lines=lines, genders=genders)
    return replace(story, telling=telling).varied()


# ---- another answer --------------------------------------------------------------------------------------------------


def inverse(story: ProvedStory, rng: random.Random) -> Item | str:
    """The question from the other person's side."""
    if story.telling is None:
        return OTHERS_TEXT
    other = replace(story, query=(story.query[1], story.query[0]))
    made = other.certified()
    return made if isinstance(made, str) else replace(other, own=made).with_question(rng, target=made["target"])


def counterfactual(story: ProvedStory, rng: random.Random) -> Item | str:
    """One fact replaced, so that another answer follows."""
    if story.telling is None:
        return OTHERS_TEXT
    noise = [tuple(edge) for edge, _ in story.noise]
    places = [place for place, edge in enumerate(story.edges) if tuple(edge) not in noise]
    answer = str(story.item.facts["target"])
    for place in rng.sample(places, len(places)):
        i, old, j = story.edges[place]
        others = [w for w, g in story.rules.gender.items() if g in (None, story.genders[j]) and w != old]
        for new in rng.sample(others, len(others)):
            edges = [*story.edges[:place], (i, new, j), *story.edges[place + 1 :]]
            changed = replace(story, edges=edges)
            made = changed.certified()
            if isinstance(made, str) or made["certificate"] != "entailed" or made["target"] == answer:
                continue
            if made["depth"] != story.item.facts["depth"] and story.item.facts["certificate"] == "entailed":
                continue  # the new fact would make others superfluous
            varied = replace(changed, own=made).with_question(rng, target=made["target"])
            if sum(a != b for a, b in zip(varied.prompt.split(), story.item.prompt.split())) <= 2:
                return varied
    return "no single word of it can be replaced so that another answer follows"


# ---- further facts ---------------------------------------------------------------------------------------------------


def noise(story: ProvedStory, rng: random.Random) -> Item | str:
    """Two more facts, supporting, irrelevant or disconnected, in their own sentences at random places."""
    if story.telling is None:
        return OTHERS_TEXT
    if story.noise:
        return "it has noise facts already"
    for kind in rng.sample(KINDS, len(KINDS)):
        for facts, genders in _further(story, kind, rng):
            names = [
                *story.names,
                *fresh_names(genders[len(story.names) :], rng, given=story.given, unlike=story.names),
            ]
            if len(names) < len(genders):
                continue
            stated = [turned(fact, genders) if rng.random() < 0.5 else fact for fact in facts]
            telling = _with_facts(story, stated, genders, rng)
            larger = replace(
                story,
                names=names,
                genders=list(genders),
                edges=[*story.edges, *stated],
                noise=[(fact, kind) for fact in stated],
            )
            made = larger.certified()
            if telling is None or isinstance(made, str) or made["target"] != story.item.facts["target"]:
                continue
            return replace(larger, telling=telling, own=made).varied(tags={"task": kind})
    return "its family has no room for further facts"


def _further(story: ProvedStory, kind: str, rng: random.Random) -> Iterator[tuple[list[Edge], list[str]]]:
    """Two facts of a kind, with the genders of all people."""
    count = len(story.genders)
    if kind == "supporting":
        rows = story.item.facts["family"]
        family = family_of_rows([tuple(row) for row in rows], named=count, world=story.rules.kin)
        ways = [(i, new, j) for i, _, j in story.edges for new in range(count, len(family))]
        for i, new, j in rng.sample(ways, len(ways)):
            facts = [(a, min(family.relations(a, b)), b) for a, b in pairwise((i, new, j)) if family.relations(a, b)]
            if len(facts) == 2:
                seat = {new: count}
                seated = [(seat.get(a, a), kin, seat.get(b, b)) for a, kin, b in facts]
                yield seated, [*story.genders, family.genders[new]]
        return
    for _ in range(TRIES):
        child = rng.choice((MALE, FEMALE))
        spouse = FEMALE if child == MALE else MALE
        more = [child, spouse] if kind == "irrelevant" else [rng.choice((MALE, FEMALE)), child, spouse]
        way = [rng.choice(story.query), count, count + 1] if kind == "irrelevant" else [count, count + 1, count + 2]
        words = word("child", child), word("spouse", spouse)
        yield [(a, kin, b) for (a, b), kin in zip(pairwise(way), words)], [*story.genders, *more]


def _with_facts(
    story: ProvedStory, facts: Sequence[Edge], genders: Sequence[str], rng: random.Random
) -> Telling | None:
    """The telling with a sentence or line for each new fact; None if the occasion has no phrases left."""
    telling = story.telling
    assert telling is not None
    if telling.form != STORY:
        lines = list(telling.lines)
        for number in range(len(facts)):
            lines.insert(rng.randint(0, len(lines)), (len(story.edges) + number, 0))
        return msgspec.structs.replace(telling, lines=tuple(lines))
    scene = telling.scenes[-1]
    occasion, sentences = story.bank.occasion[scene.occasion], list(scene.sentences)
    for i, _, j in facts:
        frames = [frame for frame in story.bank.frames if frame.facts == 1 and len(frame.slots) == 1]
        used = {phrase for each in (*telling.sentences, *sentences) for phrase in each.phrases}
        fits = [(f, p) for f in frames for p in occasion.phrases if p.id not in used and f.slots[0].fits(p)]
        if not fits:
            return None
        frame, phrase = rng.choice(fits)
        people = (i, j) if rng.random() < 0.5 else (j, i)
        sentences.insert(rng.randint(0, len(sentences)), Sentence(frame.id, people, (phrase.id,)))
    return msgspec.structs.replace(
        telling, scenes=(*telling.scenes[:-1], Scene(scene.occasion, scene.opening, tuple(sentences)))
    )
