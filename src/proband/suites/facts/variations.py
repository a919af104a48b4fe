"""Variations of facts: the same fact with another question.

wording  one of the other wordings
reverse  the question states the object and asks for the subject: "The capital of ___ is Rabat."
"""

from __future__ import annotations

import random
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from proband.core.files import items_path, read_items
from proband.core.suite import Variation
from proband.core.types import Item
from proband.suites.facts.relations import BLANK, OBJECT, SUBJECT, fold, prompt_of


def wording(item: Item, *, rng: random.Random, folder: Path) -> Item | str:
    others = list(zip(item.facts["prompts"], item.facts["wordings"], strict=True))[1:]
    if not others:
        return "it has one wording"
    prompt, template = rng.choice(others)
    return replace(item, prompt=prompt, facts={**item.facts, "prompts": [prompt], "wordings": [template]})


def reverse(item: Item, *, rng: random.Random, folder: Path) -> Item | str:
    if str(item.tags["cardinality"]).startswith("many"):
        return "several subjects have its object"
    subject, known = item.facts["subject"], item.facts["object"]
    right = _right_answers(folder)[str(item.tags["relation"])]
    subjects = tuple(each for each, accepted in right.items() if each == subject or fold(known) not in accepted)
    if len(subjects) < 2:
        return "its relation has no other subject"
    facts = {**turned(item), "aliases": [], "accepted": [subject, *item.facts["aliases"]]}
    return replace(item, prompt=facts["prompts"][0], choices=subjects, gold=subjects.index(subject), facts=facts)


def turned(item: Item) -> dict[str, Any]:
    """The facts of an item with subject and object exchanged."""
    subject, known, wordings = (item.facts[name] for name in ("subject", "object", "wordings"))
    wordings = [each.replace(SUBJECT, BLANK).replace(OBJECT, SUBJECT).replace(BLANK, OBJECT) for each in wordings]
    prompts = [prompt_of(each, known) for each in wordings]
    return {**item.facts, "subject": known, "object": subject, "prompts": prompts, "wordings": wordings}


@lru_cache(maxsize=2)
def _right_answers(folder: Path) -> dict[str, dict[str, set[str]]]:
    """For each relation in a folder of items, all right objects of each subject."""
    right: dict[str, dict[str, set[str]]] = {}
    for item in read_items(items_path(folder)):
        subjects = right.setdefault(str(item.tags["relation"]), {})
        subjects.setdefault(item.facts["subject"], set()).update(map(fold, item.facts["accepted"]))
    return right


def of_its_source(source: Item, varied: Item) -> str | None:
    """How a varied item differs from the fact of its source in the wordings of its source, or None."""
    facts = turned(source) if varied.tags["variation"] == "reverse" else source.facts
    asked, gold = varied.facts, varied.gold
    prompts = [prompt_of(each, facts["subject"]) for each in asked["wordings"] if each in facts["wordings"]]
    same = [asked["prompts"], varied.prompt, asked["subject"]] == [prompts, prompts[0], facts["subject"]]
    right = gold is not None and varied.choices[gold] == asked["object"] == facts["object"]
    return None if same and right else "it is not the fact of its source in the wordings of its source"


_variation = partial(Variation, check=of_its_source)
VARIATIONS = (
    _variation(name="wording", help="one of the other wordings", effect="keeps", make=wording),
    _variation(name="reverse", help="the object is given, the subject is asked for", effect="changes", make=reverse),
)
