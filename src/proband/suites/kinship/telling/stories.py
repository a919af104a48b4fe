"""Facts to English, as a story, plain sentences or triples (section 3.2.3 of the thesis, figure 3.3), and the question
about them with its choices and right answer (section 3.2.6, table 3.3).

For a story, the edges are split at random into paths of one or more connected facts. A frame of the bank states each
path, with phrases of one occasion. A story has one occasion (or moves to another when its phrases are used up), uses no
phrase twice, and repeats no construction within three sentences if another one fits.

`tell` draws a `Telling`, which records every choice; `render` turns it into text. `verify` renders a telling again to
check a text (verify/items.py), and variations change the telling (variations/).

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
from typing import Any, Final, NamedTuple

import msgspec

from proband.core.errors import ProbandError
from proband.suites.kinship.telling.bank import OURS, Bank, Frame, Occasion, Phrase, load_bank
from proband.suites.kinship.world.families import Random, shuffle
from proband.suites.kinship.world.relations import ALL_GENDER, ALL_NEUTRAL, UNDETERMINED, Edge, one_of, turned
from proband.suites.kinship.world.rules import YES_NO, Rules

TIMED, SOON = 0.3, 2  # share of sentences that begin with a moment, and how many moments may be skipped
APART: Final = 2  # sentences between two of the same construction
BRIDGE: Final = "Some time later they were all together again."
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
    """Sentences at one occasion, after one of its openings; without occasions, a scene has no name."""

    occasion: str
    opening: int
    sentences: tuple[Sentence, ...]


class Telling(msgspec.Struct, frozen=True, omit_defaults=True):
    """How facts are worded: every choice of the generator.

    A story has `scenes`; other forms have `lines`: the number of a fact, and of its sentence in the rule base.
    """

    form: str = STORY
    scenes: tuple[Scene, ...] = ()
    lines: tuple[tuple[int, int], ...] = ()
    genders: bool = False  # whether all genders are stated after the facts
    bank: str = OURS

    @property
    def sentences(self) -> tuple[Sentence, ...]:
        return tuple(sentence for scene in self.scenes for sentence in scene.sentences)

    def order(self, edges: Sequence[Sequence[Any]]) -> list[int]:
        """The indices of the facts in the order of the text; -1 for a pair of people without a fact."""
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
    along_chain: bool = False,
    order: Sequence[int] | None = None,
    alone: Collection[int] = (),
) -> Telling:
    """A story that states every edge once. `along_chain`: each path from its first person on, as in CLUTRR. `order`:
    that of facts in which paths are looked for. `alone`: facts with their own sentence."""
    draw = rng.random
    places = list(range(len(edges)) if order is None else order)
    facts, apart = [edges[place] for place in places], [place in alone for place in places]
    paths, at = list[list[int]](), 0
    while at < len(facts):
        size = 1 + int(draw() * bank.longest)
        size = next((n for n in range(1, size) if apart[at] or True in apart[at + n : at + n + 1]), size)
        path = walk(facts, at, size=size)
        paths.append(path if along_chain or draw() < 0.5 else path[::-1])
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
    """Along a path, the kin word of each person for the previous one, and for the next one; KeyError if no fact joins
    two of them.

    >>> kin_words([(0, "father", 1)], ["female", "male"], [1, 0])
    (['daughter'], ['father'])
    """
    known = {(i, j): (i, kin, j) for i, kin, j in edges}

    def kin_of(a: int, b: int) -> str:
        return known[a, b][1] if (a, b) in known else turned(known[b, a], genders)[1]

    pairs = list(pairwise(people))
    return [kin_of(a, b) for a, b in pairs], [kin_of(b, a) for a, b in pairs]


class _Teller:
    """Builds the scenes: each phrase is used once, and moments follow each other."""

    def __init__(self, edges: Sequence[Edge], genders: Sequence[str], bank: Bank, draw: Random) -> None:
        self.edges, self.genders, self.bank, self.draw = edges, genders, bank, draw
        self.made: list[tuple[Occasion | None, int, list[Sentence]]] = []
        self.families: list[str] = []  # of the sentences so far
        self.left: list[Phrase] = []
        self.moment = 0  # the next possible moment

    def scenes(self) -> tuple[Scene, ...]:
        return tuple(Scene(each.name if each else "", opening, tuple(some)) for each, opening, some in self.made)

    def begin(self) -> None:
        """Start a new scene, at an occasion that the story has not used."""
        been = [each.name for each, _, _ in self.made if each]
        free = [each for each in self.bank.occasions if each.name not in been] or list(self.bank.occasions)
        occasion = free[int(self.draw() * len(free))] if free else None
        self.left, self.moment = list(occasion.phrases) if occasion else [], 0
        self.made.append((occasion, int(self.draw() * len(occasion.openings)) if occasion else 0, []))

    def tell(self, people: list[int], paths: int) -> None:
        """State a path in one sentence, or in several if no frame fits all of it."""
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
        if not self.made:
            self.begin()
        sentence = self._sentence(frames, people)
        if sentence is None:
            self.begin()
            sentence = self._sentence(frames, people)
        if sentence is None:
            raise ProbandError(f"bank {self.bank.name}: an occasion has no phrase for {frames[0].text!r}")
        self.made[-1][2].append(self._timed(sentence, paths))

    def _sentence(self, frames: Sequence[Frame], people: Sequence[int]) -> Sentence | None:
        """A frame whose construction differs from the last sentences, with unused phrases of the occasion."""
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
        """The sentence with one of the next moments, or with none."""
        occasion, _, some = self.made[-1]
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
    """The text of a telling; an invalid telling is a KeyError or IndexError."""
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
    """The telling among an item's facts; ProbandError if it is invalid."""
    try:
        return msgspec.convert(facts.get("telling"), Telling)
    except msgspec.ValidationError as error:
        raise ProbandError(f"'telling': {error}") from None


def capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def masked_sentences(story: str, names: Collection[str]) -> list[str]:
    """The sentences of a story with masked names, for comparing training and test stories.

    >>> masked_sentences("Ann sat beside her aunt Bea. Bea left.", ["Ann", "Bea"])
    ['_ sat beside her aunt _.', '_ left.']
    """
    masked = NAME.sub(lambda match: "_" if match[0] in names else match[0], story)
    return [sentence for sentence in SENTENCE_END.split(masked) if sentence]


def digest(text: str) -> bytes:
    """A short hash of a text, for comparisons."""
    return hashlib.blake2b(text.encode(), digest_size=8).digest()


def seal(prompt: str) -> str:
    """The fingerprint of a prompt, stored in its item; it detects any changed word."""
    return digest(prompt).hex()


# ---- questions -------------------------------------------------------------------------------------------------------


QUESTIONS: Final = (
    "How is {z} related to {x}?",
    "What relation is {z} to {x}?",
    "Who is {z} to {x}?",
    "Which word says what {z} is to {x}?",
    "What is {z} to {x}?",
)
SETS_QUESTION: Final = "Going by the story alone, the full list of what {z} can be to {x} is: ___."
ANY_QUESTION: Final = ("In which relation does {z} stand to {x}?",)


class StoryQuestion(NamedTuple):
    """`facts`: further facts of the item about its question (`asked`, the relation of a yes/no question)."""

    text: str
    choices: tuple[str, ...]
    gold: int
    facts: Mapping[str, str] = {}


def set_choices(rules: Rules, gender: str) -> tuple[str, ...]:
    """All sets of relations that chains can leave possible for a person of this gender.

    >>> from proband.suites.kinship.world.rules import load
    >>> set_choices(load("sound"), "female")[-3:]
    ('sister or sister-in-law', 'wife or sister-in-law', 'sister, wife or sister-in-law')
    """
    return tuple(one_of(rules.set_words(mask, gender)) for mask in rules.sets)


def ask(
    kind: str, *, x: str, z: str, target: str, rules: Rules, draw: Random, open: bool = False, gender: str = ""
) -> StoryQuestion:
    """A question about x and z. Kinds: choice, a blank with all relations as choices (the paper's K-way
    classification); text, a question in words; yes-no, is z the r of x?; sets, all possible relations of z, a person of
    this `gender`. `open`: "cannot be determined" is a choice. Where that or a set is a choice, the answer depends on
    the world (do people remarry? is an uncle's wife an aunt?), which the question then states in one sentence.

    A false relation of a yes/no question has the gender of the true one, so that gender does not reveal the answer.

    >>> from proband.suites.kinship.world.rules import load
    >>> ask("choice", x="Arthur", z="Sharon", target="aunt", rules=load("sound"), draw=lambda: 0.9).text
    'Sharon is the ___ of Arthur.'
    >>> ask("yes-no", x="Arthur", z="Sharon", target="aunt", rules=load("sound"), draw=lambda: 0.9)[:3]
    ('Is Sharon the sister-in-law of Arthur?', ('yes', 'no'), 1)
    """
    if kind == "yes-no":
        true = draw() < 0.5
        others = [w for w in rules.choices if w != target and rules.gender[w] == rules.gender[target]]
        choice = target if true or not others else others[int(draw() * len(others))]
        return StoryQuestion(_yes_no(x, z, choice, rules), YES_NO, 0 if choice == target else 1, {"asked": choice})
    if kind == "sets":
        choices = set_choices(rules, gender)
        return StoryQuestion(in_world(SETS_QUESTION.format(x=x, z=z), rules), choices, choices.index(target))
    choices = (*rules.choices, UNDETERMINED) if open else rules.choices
    text = capital(rules.blank.format(i=x, j=z))
    if kind == "text":
        wordings = questions_of(rules)
        text = wordings[int(draw() * len(wordings))].format(x=x, z=z)
    return StoryQuestion(in_world(text, rules) if open else text, choices, choices.index(target))


def questions_of(rules: Rules) -> tuple[str, ...]:
    return rules.questions or (QUESTIONS if rules.gendered else ANY_QUESTION)


def in_world(question: str, rules: Rules) -> str:
    """The question, with a sentence before it that states its world."""
    return f"{rules.kin.statement} {question}"


def _yes_no(x: str, z: str, word: str, rules: Rules) -> str:
    stated = rules.sentences[0].format(i=x, j=z, word=word).rstrip(".")
    return f"Is {z} the {word} of {x}?" if rules.gendered else f"Is it true that {stated}?"


def right_answer(
    question: str, *, x: str, z: str, target: str, rules: Rules, asked: str | None = None, stated: bool = False
) -> str | None:
    """The right answer to a question of `ask` about x and z (yes or no, if it is about the relation `asked`), or None
    if it is not such a question. `stated`: it must state its world.

    >>> from proband.suites.kinship.world.rules import load
    >>> people = {"x": "Arthur", "z": "Sharon", "rules": load("sound")}
    >>> right_answer("Is Sharon the aunt of Arthur?", **people, target="mother", asked="aunt")
    'no'
    """
    forms = (SETS_QUESTION, *questions_of(rules))
    known = [capital(rules.blank.format(i=x, j=z)), *(form.format(x=x, z=z) for form in forms)]
    if question in ([in_world(each, rules) for each in known] if stated else known):
        return target
    if stated or asked not in rules.choices or target == UNDETERMINED or rules.gender[asked] != rules.gender[target]:
        return None
    return ("yes" if asked == target else "no") if question == _yes_no(x, z, asked, rules) else None
