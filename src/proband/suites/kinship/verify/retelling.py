"""A text of ours rendered again from its facts and its telling, which must give the same bytes.

An item records every choice of the teller (`facts.telling`: occasion, opening, frames, phrases, who stands where), so
that there is one text of these facts, in any form, and a word that differs from it is an error, whatever it means. What
the teller would not do is an error too: a fact that is told twice or not at all, a phrase that does not fit its frame.

The question, its choices and the names are ours, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from proband.core.errors import ProbandError
from proband.core.types import Item
from proband.suites.kinship.telling.bank import OURS, load_bank
from proband.suites.kinship.telling.questions import SETS_QUESTION, in_world, right_answer, set_choices
from proband.suites.kinship.telling.stories import FACTS, GRAPH, SENTENCES, STORY, Telling, render, telling_of
from proband.suites.kinship.world.families import NAMES
from proband.suites.kinship.world.relations import UNDETERMINED
from proband.suites.kinship.world.rules import YES_NO, Rules, question_of, story_of

WORD: Final = re.compile(r"[A-Z][a-z]+")
AGAIN: Final = "the text cannot be rendered again from its facts"


def mismatch_with_telling(item: Item, rules: Rules, *, foreign_names: bool = False) -> str | None:
    """Why text and question are not what we write of these facts, or None where they are, byte for byte."""
    facts = item.facts
    names, genders, edges = list(facts["names"]), list(facts["genders"]), [tuple(edge) for edge in facts["edges"]]
    if wrong := _misnamed(names, genders, rules, foreign=foreign_names):
        return wrong
    try:
        telling = telling_of(facts)
    except ProbandError as error:
        return f"{AGAIN}: {error}"
    if sorted(telling.order(edges)) != list(range(len(edges))):
        return f"{AGAIN}: not every fact is stated once"
    if wrong := _unlike_ours(telling, rules):
        return f"{AGAIN}: {wrong}"
    try:
        text = render(telling, edges, names=names, genders=genders, rules=rules)
    except (KeyError, IndexError) as error:
        return f"{AGAIN}: {type(error).__name__} {error}"
    story = story_of(item)
    if text != story:
        at = next((n for n, (a, b) in enumerate(zip(text, story)) if a != b), min(len(text), len(story)))
        return f"{AGAIN}: we would not write {story[at : at + 40]!r} there"
    return wrong_question(item, rules)


def _unlike_ours(telling: Telling, rules: Rules) -> str | None:
    """What the teller would not do, or None."""
    if telling.form not in (STORY, FACTS, GRAPH, SENTENCES) or telling.bank != OURS:
        return "it does not use our bank"
    bank, used = load_bank(), list[str]()
    for scene in telling.scenes:
        occasion, moments = bank.occasion[scene.occasion], list[int]()
        if not 0 <= scene.opening < len(occasion.openings):
            return "it has an opening that its occasion does not have"
        for sentence in scene.sentences:
            frame, phrases = bank.by_id[sentence.frame], [occasion.by_id[each] for each in sentence.phrases]
            fits = len(phrases) == len(frame.slots) and all(s.fits(p) for s, p in zip(frame.slots, phrases))
            if not fits or frame.facts != len(sentence.people) - 1 or (sentence.moment >= 0 and not frame.timed):
                return f"a sentence does not fit its frame {frame.id}"
            used += sentence.phrases
            moments += [sentence.moment] * (sentence.moment >= 0)
        if moments != sorted(set(moments)):
            return "its moments do not follow each other"
    return "a phrase is used twice" if len(set(used)) < len(used) else None


def _misnamed(names: Sequence[str], genders: Sequence[str], rules: Rules, *, foreign: bool) -> str | None:
    """A name of which a reader could not tell that it is one, or that tells another gender."""
    own: Mapping[str, Iterable[str]] = rules.names or NAMES
    for name, gender in zip(names, genders):
        known = own.get(gender) or [each for some in own.values() for each in some]
        if not (name in known or (foreign and WORD.fullmatch(name))):
            return f"{name!r} is no name that we give a person who is {gender}"
    return None


def wrong_question(item: Item, rules: Rules) -> str | None:
    """Whether the question is ours, about the two people of the query, and the gold answer is the target."""
    x, z = (item.facts["names"][person] for person in item.facts["query"])
    question, asked = question_of(item), item.facts.get("asked")
    sets = question == in_world(SETS_QUESTION.format(x=x, z=z), rules)
    stated = sets or UNDETERMINED in item.choices
    right = right_answer(
        question, x=x, z=z, target=item.facts["target"], rules=rules, asked=asked, stated=stated
    )  # fmt: skip
    if right is None:
        return f"the question does not ask what {z} is to {x}" + (", or not in its world" if stated else "")
    open = (UNDETERMINED,) if "answer" in item.tags else ()
    choices = YES_NO if right in YES_NO else (*rules.choices, *open)
    if sets:
        choices = set_choices(rules, item.facts["genders"][item.facts["query"][1]])
    if tuple(item.choices) != choices:
        return "the choices are not those of the question"
    if (asked is None) == (right in YES_NO):
        return "'asked' is for the relation of a yes/no question"
    if item.gold is None or not 0 <= item.gold < len(item.choices) or item.choices[item.gold] != right:
        return f"the gold answer is not {right!r}"
    return None
