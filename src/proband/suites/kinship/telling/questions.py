"""The question about a story, its choices, and its right answer (section 3.2.6 of the thesis, table 3.3).

Where *cannot be determined* or a set of relations is a choice, the answer depends on what a family can be: whether
people remarry, whether an uncle's wife is an aunt. There the question states its world in one sentence, generated from
the axioms (`World.statement`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from proband.suites.kinship.telling.stories import capital
from proband.suites.kinship.world.families import Random
from proband.suites.kinship.world.relations import UNDETERMINED, one_of
from proband.suites.kinship.world.rules import YES_NO, Rules

QUESTIONS: Final = (
    "How is {z} related to {x}?",
    "What relation is {z} to {x}?",
    "Who is {z} to {x}?",
    "Which word says what {z} is to {x}?",
    "What is {z} to {x}?",
)
SETS_QUESTION: Final = "Going by the story alone, the full list of what {z} can be to {x} is: ___."
QUESTIONS_OF_PLACES: Final = ("Where does {z} lie, seen from {x}?", "In which relation does {z} stand to {x}?")


class StoryQuestion(NamedTuple):
    """`facts`: what an item says of its question besides (`asked`, the relation of a yes/no question)."""

    text: str
    choices: tuple[str, ...]
    gold: int
    facts: Mapping[str, str] = {}


def set_choices(rules: Rules, gender: str) -> tuple[str, ...]:
    """All that chains can leave of a person of this gender.

    >>> from proband.suites.kinship.world.rules import load
    >>> set_choices(load("sound"), "female")[-3:]
    ('sister or sister-in-law', 'wife or sister-in-law', 'sister, wife or sister-in-law')
    """
    return tuple(one_of(rules.set_words(mask, gender)) for mask in rules.sets)


def ask(
    kind: str, *, x: str, z: str, target: str, rules: Rules, draw: Random, open: bool = False, gender: str = ""
) -> StoryQuestion:
    """A question about x and z. Kinds: choice, a blank to fill from all relations (the paper's K-way
    classification); text, a question in words; yes-no, is z the r of x?; sets, all that z, who is of this `gender`, can
    be. `open`: that it cannot be determined is a choice.

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
        choice = target if true or not others else others[int(draw() * len(others))]
        return StoryQuestion(_yes_no(x, z, choice, rules), YES_NO, 0 if choice == target else 1, {"asked": choice})
    if kind == "sets":
        choices = set_choices(rules, gender)
        return StoryQuestion(in_world(SETS_QUESTION.format(x=x, z=z), rules), choices, choices.index(target))
    choices = (*rules.choices, UNDETERMINED) if open else rules.choices
    text = capital(rules.blank.format(i=x, j=z))
    if kind == "text":
        wordings = QUESTIONS if rules.gendered else QUESTIONS_OF_PLACES
        text = wordings[int(draw() * len(wordings))].format(x=x, z=z)
    return StoryQuestion(in_world(text, rules) if open else text, choices, choices.index(target))


def in_world(question: str, rules: Rules) -> str:
    """The question after the sentence that states its world."""
    return f"{rules.kin.statement} {question}"


def _yes_no(x: str, z: str, word: str, rules: Rules) -> str:
    stated = rules.sentences[0].format(i=x, j=z, word=word).rstrip(".")
    return f"Is {z} the {word} of {x}?" if rules.gendered else f"Is it true that {stated}?"


def right_answer(
    question: str, *, x: str, z: str, target: str, rules: Rules, asked: str | None = None, stated: bool = False
) -> str | None:
    """The right answer to a question of `ask` about x and z (yes or no, where it is about the relation `asked`), or
    None where it is none of those. `stated`: it must state its world.

    >>> from proband.suites.kinship.world.rules import load
    >>> people = {"x": "Arthur", "z": "Sharon", "rules": load("sound")}
    >>> right_answer("Is Sharon the aunt of Arthur?", **people, target="mother", asked="aunt")
    'no'
    """
    wordings = QUESTIONS if rules.gendered else QUESTIONS_OF_PLACES
    known = [capital(rules.blank.format(i=x, j=z)), *(form.format(x=x, z=z) for form in (SETS_QUESTION, *wordings))]
    if question in ([in_world(each, rules) for each in known] if stated else known):
        return target
    if stated or asked not in rules.choices or target == UNDETERMINED or rules.gender[asked] != rules.gender[target]:
        return None
    return ("yes" if asked == target else "no") if question == _yes_no(x, z, asked, rules) else None
