"""Facts to English, as a story, plain sentences or triples (section 3.2.3 of the thesis, figure 3.3).

For a story the edges are cut at random into paths of one or more connected facts. Each path is stated by a frame of the
bank, filled with phrases of one occasion. A story keeps to one occasion (a bridge leads to another when its phrases are
used up), uses no phrase twice, and no construction twice in three sentences.

`tell` draws a `Telling`, which records every choice; `render` turns it into text. So a text is checked by rendering its
telling again (verify/retelling.py), and varied by changing the telling (variations/).

>>> import random
>>> from proband.suites.kinship.telling.bank import load_bank
>>> facts, genders = [(0, "father", 1), (1, "sister", 2)], ["male", "male", "female"]
>>> telling = tell(facts, genders=genders, bank=load_bank(), rng=random.Random(1))
>>> text = render(telling, facts, names=["Ben", "Tom", "Mia"], genders=genders, bank=load_bank())
>>> sorted(telling.order(facts)), all(name in text for name in ("Ben", "Tom", "Mia"))
([0, 1], True)
>>> plain(facts, ["Ben", "Tom", "Mia"], ["male", "male", "female"])
['Tom is the father of Ben.', 'Mia is the sister of Tom.']
"""

from __future__ import annotations

import hashlib
import random
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, Final

import msgspec

from proband.core.errors import ProbandError
from proband.suites.kinship.telling.bank import OURS, Bank, Occasion, load_bank
from proband.suites.kinship.telling.template_language import Frame, Phrase
from proband.suites.kinship.world.families import Random, shuffle
from proband.suites.kinship.world.relations import ALL_GENDER, ALL_INVERSE, ALL_NEUTRAL, FEMALE, MALE, Edge, word
from proband.suites.kinship.world.rules import Rules

TIMED, SOON = 0.3, 2  # share of the sentences with a moment in front, and how many moments may be passed over to it
APART: Final = 2  # sentences between two of one construction
BRIDGE: Final = "Some time later they were all together again."
INVERSE_WORD: Final = {(w, g): word(ALL_INVERSE[n], g) for w, n in ALL_NEUTRAL.items() for g in (MALE, FEMALE)}
NAME: Final = re.compile(r"@?\w[\w-]*")  # or another word
SENTENCE_END: Final = re.compile(r"(?<=[.!?])\s+|(?<=[.!?][\"'])\s+")
STORY, FACTS, GRAPH, SENTENCES = "story", "facts", "graph", "sentences"


class Sentence(msgspec.Struct, frozen=True, array_like=True):
    """A frame about the people of a path, its phrases by id, and the moment in front of it (-1: none)."""

    frame: str
    people: tuple[int, ...]
    phrases: tuple[str, ...] = ()
    moment: int = -1


class Scene(msgspec.Struct, frozen=True, array_like=True):
    """Sentences at one occasion, after one of its openings; a bank without occasions has a scene without a name."""

    occasion: str
    opening: int
    sentences: tuple[Sentence, ...]


class Telling(msgspec.Struct, frozen=True, omit_defaults=True):
    """How facts are stated: every choice of the teller.

    In a story `scenes`; in other forms `lines`: the number of a fact, and which sentence of the rule base tells it.
    """

    form: str = STORY
    scenes: tuple[Scene, ...] = ()
    lines: tuple[tuple[int, int], ...] = ()
    genders: bool = False  # whether everybody's gender is stated after the facts
    bank: str = OURS

    @property
    def sentences(self) -> tuple[Sentence, ...]:
        return tuple(sentence for scene in self.scenes for sentence in scene.sentences)

    def order(self, edges: Sequence[Sequence[Any]]) -> list[int]:
        """The numbers of the facts in the order in which they are stated; -1 for a pair of people without a fact."""
        place = {frozenset((i, j)): number for number, (i, _, j) in enumerate(edges)}
        pairs = [pair for sentence in self.sentences for pair in pairwise(sentence.people)]
        return [place.get(frozenset(pair), -1) for pair in pairs] + [fact for fact, _ in self.lines]


# ---- drawing -------------------------------------------------------------------------------------------------------


def tell(
    edges: Sequence[Edge],
    *,
    genders: Sequence[str],
    bank: Bank,
    rng: random.Random,
    along: bool = False,
    order: Sequence[int] | None = None,
    alone: Collection[int] = (),
) -> Telling:
    """A story that tells every edge once. `along`: each path from its first person on, as CLUTRR has it. `order`: the
    facts in the order in which paths are looked for. `alone`: facts that have their own sentence."""
    draw = rng.random
    places = list(range(len(edges)) if order is None else order)
    facts, apart = [edges[place] for place in places], [place in alone for place in places]
    paths, at = list[list[int]](), 0
    while at < len(facts):
        size = 1 + int(draw() * bank.longest)
        size = next((n for n in range(1, size) if apart[at] or True in apart[at + n : at + n + 1]), size)
        path = walk(facts, at, size=size)
        paths.append(path if along or draw() < 0.5 else path[::-1])
        at += len(path) - 1
    teller = _Teller(edges, genders, bank, draw)
    for number in shuffle(len(paths), draw):
        teller.tell(paths[number], len(paths))
    return Telling(scenes=teller.scenes(), bank=bank.name)


def walk(edges: Sequence[Edge], start: int, *, size: int) -> list[int]:
    """The people of the longest path of at most `size` consecutive edges from `start`.

    >>> walk([(0, "father", 1), (2, "brother", 1)], 0, size=3)
    [0, 1, 2]
    """
    path = [edges[start][0], edges[start][2]]
    for i, _, j in edges[start + 1 : start + size]:
        if len(path) == 2 and path[1] not in (i, j) and path[0] in (i, j):
            path.reverse()
        there = j if path[-1] == i else i
        if path[-1] not in (i, j) or there in path:
            break
        path.append(there)
    return path


def kin_words(
    edges: Sequence[Sequence[Any]], genders: Sequence[str], people: Sequence[int]
) -> tuple[list[str], list[str]]:
    """Along a path, the kin word of each person seen from the one before, and of each seen from the one after; a
    KeyError where no fact joins two of them.

    >>> kin_words([(0, "father", 1)], ["female", "male"], [1, 0])
    (['daughter'], ['father'])
    """
    known = {(i, j): kin for i, kin, j in edges}
    ahead, back = list[str](), list[str]()
    for a, b in pairwise(people):
        if (a, b) in known:
            ahead.append(known[a, b])
            back.append(INVERSE_WORD[known[a, b], genders[a]])
        else:
            ahead.append(INVERSE_WORD[known[b, a], genders[b]])
            back.append(known[b, a])
    return ahead, back


class _Teller:
    """Scenes as they grow: phrases are used once each, moments follow each other."""

    def __init__(self, edges: Sequence[Edge], genders: Sequence[str], bank: Bank, draw: Random) -> None:
        self.edges, self.genders, self.bank, self.draw = edges, genders, bank, draw
        self.told: list[tuple[Occasion | None, int, list[Sentence]]] = []
        self.families: list[str] = []  # of the sentences so far
        self.left: list[Phrase] = []
        self.moment = 0  # the next one that may come

    def scenes(self) -> tuple[Scene, ...]:
        return tuple(Scene(each.name if each else "", opening, tuple(some)) for each, opening, some in self.told)

    def begin(self) -> None:
        """A new scene, at an occasion where the story has not been."""
        been = [each.name for each, _, _ in self.told if each]
        free = [each for each in self.bank.occasions if each.name not in been] or list(self.bank.occasions)
        occasion = free[int(self.draw() * len(free))] if free else None
        self.left, self.moment = list(occasion.phrases) if occasion else [], 0
        self.told.append((occasion, int(self.draw() * len(occasion.openings)) if occasion else 0, []))

    def tell(self, people: list[int], paths: int) -> None:
        """One path in one sentence or, where no frame tells it whole, in several."""
        words = kin_words(self.edges, self.genders, people)
        relations = tuple(ALL_NEUTRAL[kin] for kin in words[0])
        frames = self.bank.frames_of(relations, tuple(self.genders[person] for person in people))
        if not frames and len(people) == 2:
            people = people[::-1]
            frames = self.bank.frames_of((ALL_NEUTRAL[words[1][0]],), tuple(self.genders[person] for person in people))
            if not frames:
                raise ProbandError(f"bank {self.bank.name} has no paraphrase of {words[0][0]!r}")
        if not frames:
            for pair in pairwise(people):
                self.tell(list(pair), paths)
            return
        if not self.told:
            self.begin()
        sentence = self._sentence(frames, people)
        if sentence is None:
            self.begin()
            sentence = self._sentence(frames, people)
        if sentence is None:
            raise ProbandError(f"bank {self.bank.name}: an occasion has no phrase for {frames[0].text!r}")
        self.told[-1][2].append(self._timed(sentence, paths))

    def _sentence(self, frames: Sequence[Frame], people: Sequence[int]) -> Sentence | None:
        """A frame of another construction than the last sentences have, with phrases of the occasion that are left."""
        fresh = [frame for frame in frames if frame.family not in self.families[-APART:]]
        frames = fresh or frames
        for at in shuffle(len(frames), self.draw):
            frame, taken = frames[at], list[Phrase]()
            for slot in frame.slots:
                fits = [phrase for phrase in self.left if phrase not in taken and slot.fits(phrase)]
                if not fits:
                    break
                taken.append(fits[int(self.draw() * len(fits))])
            else:
                self.left = [phrase for phrase in self.left if phrase not in taken]
                self.families.append(frame.family)
                return Sentence(frame.id, tuple(people), tuple(phrase.id for phrase in taken))
        return None

    def _timed(self, sentence: Sentence, paths: int) -> Sentence:
        """The sentence with one of the moments to come, or with none."""
        occasion, _, some = self.told[-1]
        last = len(occasion.moments) if occasion else 0
        first = max(self.moment, int(len(some) / paths * last), 1 if some else 0)
        if first >= last or self.draw() >= TIMED or not self.bank.by_id[sentence.frame].timed:
            return sentence
        moment = first + (int(self.draw() * min(last - first, SOON)) if some else 0)
        self.moment = moment + 1
        return msgspec.structs.replace(sentence, moment=moment)


# ---- writing -------------------------------------------------------------------------------------------------------


def render(
    telling: Telling,
    edges: Sequence[Sequence[Any]],
    *,
    names: Sequence[str],
    genders: Sequence[str],
    bank: Bank | None = None,
    rules: Rules | None = None,
) -> str:
    """The text of a telling; one that is none of ours is a KeyError or IndexError."""
    if telling.form == STORY:
        return " ".join(_story(telling, edges, names, genders, bank or load_bank(telling.bank)))
    facts = [edges[fact] for fact, _ in telling.lines]
    stated = zip(names, genders if telling.genders else [])
    if telling.form == GRAPH:
        return "\n".join([triples(facts, names), *(f"({name}, {gender})" for name, gender in stated)])
    if telling.form == FACTS:
        return " ".join([*plain(facts, names, genders), *(f"{name} is {gender}." for name, gender in stated)])
    assert rules is not None
    forms = [rules.sentences[form] for _, form in telling.lines]
    return " ".join(capital(f.format(i=names[i], j=names[j], word=kin)) for f, (i, kin, j) in zip(forms, facts))


def _story(
    telling: Telling, edges: Sequence[Sequence[Any]], names: Sequence[str], genders: Sequence[str], bank: Bank
) -> Iterator[str]:
    for number, scene in enumerate(telling.scenes):
        occasion = bank.occasion[scene.occasion] if bank.occasions else None
        if occasion:
            yield from ([BRIDGE] if number else [])
            yield occasion.openings[scene.opening]
        for sentence in scene.sentences:
            words = kin_words(edges, genders, sentence.people)
            phrases = [occasion.by_id[each] for each in sentence.phrases] if occasion else []
            people = sentence.people
            text = bank.by_id[sentence.frame].fill(
                [names[person] for person in people], [genders[person] for person in people], *words, phrases
            )
            yield f"{occasion.moments[sentence.moment]}, {text}" if occasion and sentence.moment >= 0 else text


def plain(edges: Sequence[Sequence[Any]], names: Sequence[str], genders: Sequence[str]) -> list[str]:
    """One plain sentence per fact."""
    for i, relation, j in edges:
        if ALL_GENDER.get(relation, genders[j]) != genders[j]:
            raise ProbandError(f"edge [{i}, {relation!r}, {j}]: person {j} is {genders[j]}")
    return [f"{names[j]} is the {relation} of {names[i]}." for i, relation, j in edges]


def triples(edges: Sequence[Sequence[Any]], names: Sequence[str]) -> str:
    """
    >>> triples([[0, "father", 1]], ["Ben", "Tom"])
    '(Ben, father, Tom)'
    """
    return "\n".join(f"({names[i]}, {relation}, {names[j]})" for i, relation, j in edges)


def telling_of(facts: Mapping[str, Any]) -> Telling:
    """The telling among an item's facts; ProbandError where it is none."""
    try:
        return msgspec.convert(facts.get("telling"), Telling)
    except msgspec.ValidationError as error:
        raise ProbandError(f"'telling': {error}") from None


def capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def masked_sentences(story: str, names: Collection[str]) -> list[str]:
    """The sentences of a story without its names: what training and test stories can have in common.

    >>> masked_sentences("Ann sat beside her aunt Bea. Bea left.", ["Ann", "Bea"])
    ['_ sat beside her aunt _.', '_ left.']
    """
    masked = NAME.sub(lambda match: "_" if match[0] in names else match[0], story)
    return [sentence for sentence in SENTENCE_END.split(masked) if sentence]


def digest(text: str) -> bytes:
    """What stands for a text where texts are compared."""
    return hashlib.blake2b(text.encode(), digest_size=8).digest()


def seal(prompt: str) -> str:
    """The fingerprint of a prompt, which an item carries: an altered word is found even where it is no kin word."""
    return digest(prompt).hex()
