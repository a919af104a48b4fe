"""How a story is put to a model: its text, the question, the choices (sections 3.2.6 and table 3.3 of the paper).

form      story: paraphrases; facts: one plain sentence per fact; graph: one triple per fact
question  choice: a blank to fill from all relations (the paper's K-way classification); text: a question in words;
          yes-no: is z the r of x?
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

from proband.core.types import Item
from proband.suites.kinship.world.families import Random
from proband.suites.kinship.world.rules import Rules

ASKED = (
    "How is {z} related to {x}?",
    "What relation is {z} to {x}?",
    "Who is {z} to {x}?",
    "Which word says what {z} is to {x}?",
    "What is {z} to {x}?",
)
ASKED_OF_PLACES = ("Where does {z} lie, seen from {x}?", "In which relation does {z} stand to {x}?")


def triples(edges: Sequence[Sequence[Any]], names: Sequence[str]) -> str:
    """
    >>> triples([[0, "father", 1]], ["Ben", "Tom"])
    '(Ben, father, Tom)'
    """
    return "\n".join(f"({names[i]}, {word}, {names[j]})" for i, word, j in edges)


def gender_lines(names: Sequence[str], genders: Sequence[str]) -> list[str]:
    """
    >>> gender_lines(["Ben", "Ann"], ["male", "female"])
    ['(Ben, male)', '(Ann, female)']
    """
    return [f"({name}, {gender})" for name, gender in zip(names, genders, strict=True)]


def gender_sentences(names: Sequence[str], genders: Sequence[str]) -> list[str]:
    """
    >>> gender_sentences(["Ben", "Ann"], ["male", "female"])
    ['Ben is male.', 'Ann is female.']
    """
    return [f"{name} is {gender}." for name, gender in zip(names, genders, strict=True)]


def ask(kind: str, *, x: str, z: str, target: str, rules: Rules, draw: Random) -> tuple[str, tuple[str, ...], int]:
    """(question, choices, index of the right one).

    A false relation of a yes/no question has the gender of the true one: gender alone must not give the answer away.

    >>> from proband.suites.kinship.world.rules import load
    >>> ask("choice", x="Arthur", z="Sharon", target="aunt", rules=load("sound"), draw=lambda: 0.9)[0]
    'Sharon is the ___ of Arthur.'
    >>> ask("yes-no", x="Arthur", z="Sharon", target="aunt", rules=load("sound"), draw=lambda: 0.9)
    ('Is Sharon the sister-in-law of Arthur?', ('yes', 'no'), 1)
    """
    if kind == "yes-no":
        true = draw() < 0.5
        others = [w for w in rules.choices if w != target and rules.gender[w] == rules.gender[target]]
        word = target if true else others[int(draw() * len(others))]
        stated = rules.sentences[0].format(i=x, j=z, word=word).rstrip(".")
        asked = f"Is {z} the {word} of {x}?" if rules.gendered else f"Is it true that {stated}?"
        return asked, ("yes", "no"), 0 if true else 1
    gold = rules.gold[target]
    if kind == "text":
        wordings = ASKED if rules.gendered else ASKED_OF_PLACES
        return wordings[int(draw() * len(wordings))].format(x=x, z=z), rules.choices, gold
    return capital(rules.blank.format(i=x, j=z)), rules.choices, gold


def capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def seal(prompt: str) -> str:
    """The fingerprint of a prompt, which an item carries: an altered word is found even where it is no kin word."""
    return hashlib.blake2b(prompt.encode(), digest_size=8).hexdigest()


def story_of(item: Item) -> str:
    """The story of an item's prompt: all but the last line, which is the question."""
    return item.prompt.rsplit("\n", 1)[0]


def asks(question: str, *, x: str, z: str, target: str, rules: Rules) -> str | None:
    """The right answer to a question of `ask` about x and z, or None where it is none of those.

    >>> from proband.suites.kinship.world.rules import load
    >>> asks("Is Sharon the aunt of Arthur?", x="Arthur", z="Sharon", target="mother", rules=load("sound"))
    'no'
    >>> asks("Sharon is the ___ of Arthur.", x="Arthur", z="Bea", target="aunt", rules=load("sound")) is None
    True
    """
    plain = question.replace(f"[{x}]", x).replace(f"[{z}]", z)
    open_ones = (capital(rules.blank.format(i=x, j=z)), *(form.format(x=x, z=z) for form in (*ASKED, *ASKED_OF_PLACES)))
    if plain in open_ones:
        return target
    for word in rules.choices:
        stated = rules.sentences[0].format(i=x, j=z, word=word).rstrip(".")
        if plain in (f"Is {z} the {word} of {x}?", f"Is it true that {stated}?"):
            return "yes" if word == target else "no"
    return None
