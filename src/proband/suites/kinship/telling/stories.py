"""Facts to English, as a story, plain sentences or triples, and the question about them (sections 3.2.3 and 3.2.6 of
the thesis, figure 3.3 and table 3.3).

For a story the edges are cut at random into paths of one to three connected facts. With our bank it happens at one
occasion: an opening says what it is, and each fact is a verb phrase of it. With other banks each path is told by one
paraphrase, which with a bank of settings is a frame for the doings of one of them.

>>> import random
>>> from proband.suites.kinship.telling.bank import load_bank
>>> facts = [(0, "father", 1), (1, "sister", 2)]
>>> story = tell(facts, names=["Ben", "Tom", "Mia"], genders=["male", "male", "female"],
...              bank=load_bank(), rng=random.Random(1))
>>> sorted(i for group in story.groups for i in group), all(name in story.text for name in ("Ben", "Tom", "Mia"))
([0, 1], True)
>>> plain(facts, ["Ben", "Tom", "Mia"], ["male", "male", "female"])
['Tom is the father of Ben.', 'Mia is the sister of Tom.']
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from proband.core.errors import ProbandError
from proband.suites.kinship.telling.bank import Bank
from proband.suites.kinship.telling.paraphrases import FREE, JOINTS, LONGEST, Key, Occasion, Phrase
from proband.suites.kinship.telling.settings import AND, Doing, Setting, doings_in, fill_doings
from proband.suites.kinship.world.families import Random, shuffle
from proband.suites.kinship.world.relations import (
    ALL_GENDER,
    ALL_INVERSE,
    ALL_NEUTRAL,
    FEMALE,
    MALE,
    UNTOLD,
    Edge,
    one_of,
    word,
)
from proband.suites.kinship.world.rules import YES_NO, Rules

TIMED, SOON = 0.4, 2  # share of the paths with a moment in front, and how many moments may be passed over to it
TRIES: Final = 6  # more draws of a paraphrase whose scene the story has not told yet
INVERSE_WORD: Final = {(w, g): word(ALL_INVERSE[n], g) for w, n in ALL_NEUTRAL.items() for g in (MALE, FEMALE)}
QUESTIONS: Final = (
    "How is {z} related to {x}?",
    "What relation is {z} to {x}?",
    "Who is {z} to {x}?",
    "Which word says what {z} is to {x}?",
    "What is {z} to {x}?",
)
SETS_QUESTION: Final = "Going by the story alone, the full list of what {z} can be to {x} is: ___."
QUESTIONS_OF_PLACES: Final = ("Where does {z} lie, seen from {x}?", "In which relation does {z} stand to {x}?")


# ---- stories -------------------------------------------------------------------------------------------------------


class Telling(NamedTuple):
    text: str
    templates: tuple[str, ...]  # ids, in the order of the text
    groups: tuple[tuple[int, ...], ...]  # the edges each of them tells, as indices


def tell(
    edges: Sequence[Edge],
    *,
    names: Sequence[str],
    genders: Sequence[str],
    bank: Bank,
    rng: random.Random,
    split: str | None = None,
    reveal: int | None = None,
    either_end: bool = False,
) -> Telling:
    """One story that tells every edge once, its paraphrases in random order. `either_end`: a path is told from the end
    that is drawn, not from its first person on.

    Where names do not tell genders (`@entity-1`), `reveal` is a person whose gender some kin word or pronoun must.
    """
    draw = rng.random
    if bank.occasions:
        return _at_an_occasion(edges, names, genders, bank.occasions_of(split), draw)
    menus = bank.menus(split)
    sentences: list[tuple[str, str, tuple[int, ...]]] = []
    scenes: set[str] = set()
    at, numbers = 0, tuple(range(len(edges)))
    while at < len(edges):
        path, key = walk(edges, at, size=1 + int(draw() * LONGEST), genders=genders)
        if either_end and draw() < 0.5:
            other = backwards(path, key, genders)
            path, key = other if menus[other[1]].lines else (path, key)
        while not (menu := menus[key]).lines:
            if len(key) == 2:
                raise ProbandError(f"bank {bank.name} has no paraphrase of {key[1]!r} of a {key[0]} person")
            path, key = walk(edges, at, size=len(key) - 2, genders=genders)
        hidden = path.index(reveal) if reveal is not None and reveal in path else None
        lines = menu.lines if hidden is None else menu.revealing(hidden)
        line = lines[int(draw() * len(lines))]
        for _ in range(TRIES) if not scenes.isdisjoint(line[0].scene) else ():
            line = lines[int(draw() * len(lines))]
            if scenes.isdisjoint(line[0].scene):
                break
        if hidden is not None and hidden in menu.known(line):
            reveal = None
        template, end = line[0].id, at + len(key) - 1
        scenes |= line[0].scene
        sentences.append((menu.tell(line, [names[i] for i in path]), template, numbers[at:end]))
        at = end
    sentences = [sentences[i] for i in shuffle(len(sentences), draw)]
    if bank.settings:
        return _in_settings(sentences, bank.settings_of(split), draw)
    text, ids, groups = zip(*sentences)
    return Telling(" ".join(text), ids, groups)


def _in_settings(
    frames: Sequence[tuple[str, str, tuple[int, ...]]], settings: Sequence[Setting], draw: Random
) -> Telling:
    """The frames with doings of one setting (of a second one only when its doings are used up)."""
    left, doings = list(settings), list[Doing]()
    texts: list[str] = []
    templates: list[str] = []
    for frame, name, _ in frames:
        n = doings_in(frame)
        if len(doings) < n:
            left = left or list(settings)
            setting = left.pop(int(draw() * len(left)))
            doings = list(setting.doings)
            texts.append(setting.openings[int(draw() * len(setting.openings))])
        taken = [doings.pop(int(draw() * len(doings))) for _ in range(n)]
        texts.append(fill_doings(frame, taken))
        templates.append(AND.join([name, *(each.id for each in taken)]))
    return Telling(" ".join(filter(None, texts)), tuple(templates), tuple(facts for _, _, facts in frames))


def shown_names(names: Sequence[str], *, brackets: bool) -> list[str]:
    """The names as a text shows them: in [brackets], or as they are."""
    return [f"[{name}]" for name in names] if brackets else list(names)


def walk(edges: Sequence[Edge], start: int, *, size: int, genders: Sequence[str]) -> tuple[list[int], Key]:
    """The longest path of at most `size` consecutive edges from `start`: its people, and its key for the menu.

    Edges are turned round where they must be.

    >>> walk([(0, "father", 1), (2, "brother", 1)], 0, size=3, genders=["female", "male", "female"])
    ([0, 1, 2], ('female', 'father', 'sister'))
    """
    a, relation, b = edges[start]
    path = [a, b]
    words = [relation]
    for c, relation, d in edges[start + 1 : start + size]:
        end = path[-1]
        if len(path) == 2 and end != c and end != d and (path[0] == c or path[0] == d):
            path.reverse()
            words[0] = INVERSE_WORD[words[0], genders[path[1]]]
            end = path[-1]
        if end == c and d not in path:
            path.append(d)
            words.append(relation)
        elif end == d and c not in path:
            path.append(c)
            words.append(INVERSE_WORD[relation, genders[c]])
        else:
            break
    return path, (genders[path[0]], *words)


def backwards(path: Sequence[int], key: Key, genders: Sequence[str]) -> tuple[list[int], Key]:
    """The same path from its other end.

    >>> backwards([0, 1, 2], ("female", "father", "sister"), ["female", "male", "female"])
    ([2, 1, 0], ('female', 'brother', 'daughter'))
    """
    words = [INVERSE_WORD[word, genders[person]] for word, person in zip(key[1:], path)]
    return list(path[::-1]), (genders[path[-1]], *words[::-1])


class _Venue:
    """Where the story is: an occasion whose phrases are used once each and whose moments follow each other."""

    def __init__(self, occasions: Sequence[Occasion], draw: Random) -> None:
        self.draw = draw
        self.left = list(occasions)
        self.phrases: list[Phrase] = []
        self.moments: tuple[str, ...] = ()
        self.moment = 0  # the next one that may come
        self.begun = False

    def enter(self, occasions: Sequence[Occasion]) -> str:
        """Go to an occasion where the story has not been, if there is one left; returns its opening."""
        self.left = self.left or list(occasions)
        occasion = self.left.pop(int(self.draw() * len(self.left)))
        self.phrases, self.moments = list(occasion.phrases), occasion.moments
        self.moment, self.begun = 0, False
        return occasion.openings[int(self.draw() * len(occasion.openings))]

    def take(self, n: int) -> list[Phrase]:
        return [self.phrases.pop(int(self.draw() * len(self.phrases))) for _ in range(n)]

    def when(self, progress: float) -> str:
        """One of the moments to come, or nothing: at the beginning the first, later none that is behind the story."""
        last = len(self.moments)
        first = max(self.moment, int(progress * last), 1 if self.begun else 0)
        self.begun, begun = True, self.begun
        if first >= last or self.draw() >= TIMED:
            return ""
        self.moment = first + 1 + (int(self.draw() * min(last - first, SOON)) if begun else 0)
        return f"{self.moments[self.moment - 1]}, "


def _at_an_occasion(
    edges: Sequence[Edge], names: Sequence[str], genders: Sequence[str], occasions: Sequence[Occasion], draw: Random
) -> Telling:
    """A story whose sentences all belong to one occasion (to a second one only when its phrases are used up)."""
    paths: list[tuple[list[int], Key, int]] = []
    at = 0
    while at < len(edges):
        path, key = walk(edges, at, size=1 + int(draw() * LONGEST), genders=genders)
        paths.append((path, key, at))
        at += len(key) - 1
    venue = _Venue(occasions, draw)
    texts: list[str] = []
    templates: list[str] = []
    groups: list[tuple[int, ...]] = []
    for number, which in enumerate(shuffle(len(paths), draw)):
        path, key, first = paths[which]
        n = len(key) - 1
        if len(venue.phrases) < n:
            texts.append(venue.enter(occasions))
        phrases, joints, turned = venue.take(n), JOINTS[n], draw() < 0.5
        joint = joints[int(draw() * len(joints))]
        if not joint.free and not joint.suits(phrases):
            joint = FREE[n][int(draw() * len(FREE[n]))]
        text = venue.when(number / len(paths)) + joint.literals[0]
        for phrase, (form, a, b, named), after in zip(phrases, joint.clauses, joint.literals[1:]):
            a, b = (n - a, n - b) if turned else (a, b)
            kin = key[b] if b > a else INVERSE_WORD[key[a], genders[path[b]]]
            if named:
                text += names[path[a]] + " "
            loose = phrase.loose and after[0] == "."
            text += phrase.clause(form, genders[path[a]], kin, names[path[b]], draw() if loose else 0.0) + after
            templates.append(phrase.id)
            groups.append((first + min(a, b),))
        texts.append(text)
    return Telling(" ".join(texts), tuple(templates), tuple(groups))


# ---- plain facts, for telling reading from reasoning ---------------------------------------------------------------


def plain(edges: Sequence[Edge], names: Sequence[str], genders: Sequence[str]) -> list[str]:
    """One plain sentence per fact."""
    for i, relation, j in edges:
        if ALL_GENDER.get(relation, genders[j]) != genders[j]:
            raise ProbandError(f"edge [{i}, {relation!r}, {j}]: person {j} is {genders[j]}")
    return [f"{names[j]} is the {relation} of {names[i]}." for i, relation, j in edges]


def gender_sentences(names: Sequence[str], genders: Sequence[str]) -> list[str]:
    """
    >>> gender_sentences(["Ben", "Ann"], ["male", "female"])
    ['Ben is male.', 'Ann is female.']
    """
    return [f"{name} is {gender}." for name, gender in zip(names, genders)]


def triples(edges: Sequence[Sequence[Any]], names: Sequence[str]) -> str:
    """
    >>> triples([[0, "father", 1]], ["Ben", "Tom"])
    '(Ben, father, Tom)'
    """
    return "\n".join(f"({names[i]}, {relation}, {names[j]})" for i, relation, j in edges)


def gender_lines(names: Sequence[str], genders: Sequence[str]) -> list[str]:
    """
    >>> gender_lines(["Ben", "Ann"], ["male", "female"])
    ['(Ben, male)', '(Ann, female)']
    """
    return [f"({name}, {gender})" for name, gender in zip(names, genders)]


# ---- the question --------------------------------------------------------------------------------------------------


class StoryQuestion(NamedTuple):
    """`facts`: what an item says of its question besides (`asked`, the relation of a yes/no question)."""

    text: str
    choices: tuple[str, ...]
    gold: int
    facts: Mapping[str, str] = {}


def set_choices(rules: Rules, gender: str) -> tuple[str, ...]:
    """All that chains can leave of somebody of this gender.

    >>> from proband.suites.kinship.world.rules import load
    >>> set_choices(load("sound"), "female")[-3:]
    ('sister or sister-in-law', 'wife or sister-in-law', 'sister, wife or sister-in-law')
    """
    return tuple(one_of(rules.set_words(mask, gender)) for mask in rules.sets)


def ask(
    kind: str,
    *,
    x: str,
    z: str,
    target: str,
    rules: Rules,
    draw: Random,
    open: bool = False,
    gender: str = "",
) -> StoryQuestion:
    """A question about x and z. Kinds: choice, a blank to fill from all relations (the paper's K-way
    classification); text, a question in words; yes-no, is z the r of x?; sets, all that z, who is of this `gender`, can
    be. `open`: that it cannot be told is a choice.

    A false relation of a yes/no question has the gender of the true one: gender alone must not give the answer away.

    >>> from proband.suites.kinship.world.rules import load
    >>> ask("choice", x="Arthur", z="Sharon", target="aunt", rules=load("sound"), draw=lambda: 0.9).text
    'Sharon is the ___ of Arthur.'
    >>> ask("yes-no", x="Arthur", z="Sharon", target="aunt", rules=load("sound"), draw=lambda: 0.9)[:3]
    ('Is Sharon the sister-in-law of Arthur?', ('yes', 'no'), 1)
    """
    if kind == "yes-no":
        true = draw() < 0.5
        others = [w for w in rules.choices if w != target and rules.gender[w] == rules.gender[target]]
        choice = target if true else others[int(draw() * len(others))]
        return StoryQuestion(_yes_no(x, z, choice, rules), YES_NO, 0 if true else 1, {"asked": choice})
    if kind == "sets":
        choices = set_choices(rules, gender)
        return StoryQuestion(SETS_QUESTION.format(x=x, z=z), choices, choices.index(target))
    choices = (*rules.choices, UNTOLD) if open else rules.choices
    gold = choices.index(target)
    if kind == "text":
        wordings = QUESTIONS if rules.gendered else QUESTIONS_OF_PLACES
        return StoryQuestion(wordings[int(draw() * len(wordings))].format(x=x, z=z), choices, gold)
    return StoryQuestion(capital(rules.blank.format(i=x, j=z)), choices, gold)


def _yes_no(x: str, z: str, word: str, rules: Rules) -> str:
    stated = rules.sentences[0].format(i=x, j=z, word=word).rstrip(".")
    return f"Is {z} the {word} of {x}?" if rules.gendered else f"Is it true that {stated}?"


def right_answer(question: str, *, x: str, z: str, target: str, rules: Rules, asked: str | None = None) -> str | None:
    """The right answer to a question of `ask` about x and z (yes or no, where it is about the relation `asked`), or
    None where it is none of those.

    >>> from proband.suites.kinship.world.rules import load
    >>> people = {"x": "Arthur", "z": "Sharon", "rules": load("sound")}
    >>> right_answer("Is Sharon the aunt of Arthur?", **people, target="mother", asked="aunt")
    'no'
    >>> right_answer("Sharon is the ___ of Arthur.", x="Arthur", z="Bea", target="aunt", rules=load("sound")) is None
    True
    """
    in_words = (form.format(x=x, z=z) for form in (QUESTIONS if rules.gendered else QUESTIONS_OF_PLACES))
    if question in (capital(rules.blank.format(i=x, j=z)), SETS_QUESTION.format(x=x, z=z), *in_words):
        return target
    if asked not in rules.choices or target == UNTOLD or rules.gender[asked] != rules.gender[target]:
        return None
    return ("yes" if asked == target else "no") if question == _yes_no(x, z, asked, rules) else None


def capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def digest(text: str) -> bytes:
    """What stands for a text where texts are compared."""
    return hashlib.blake2b(text.encode(), digest_size=8).digest()


def seal(prompt: str) -> str:
    """The fingerprint of a prompt, which an item carries: an altered word is found even where it is no kin word."""
    return digest(prompt).hex()
