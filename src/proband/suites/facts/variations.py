"""The same fact asked otherwise.

wording  one of the other wordings
alias    the subject by another of its names
reverse  the object is told and the subject asked for: "The capital of ___ is Rabat."
"""

from __future__ import annotations

import random
from functools import lru_cache
from pathlib import Path

from msgspec.structs import replace

from proband.core.files import items_path, read_items
from proband.core.suite import Variation
from proband.core.types import Item
from proband.suites.facts.relations import BLANK, OBJECT, SUBJECT, asked, fold


def wording(item: Item, *, rng: random.Random, folder: Path) -> Item | str:
    others = item.facts["prompts"][1:]
    if not others:
        return "it has one wording"
    at = rng.randrange(len(others)) + 1
    return _asked_once(item, item.facts["prompts"][at], item.facts["wordings"][at])


def alias(item: Item, *, rng: random.Random, folder: Path) -> Item | str:
    told = {fold(item.facts["object"]), fold(item.facts["subject"])}
    names = [name for name in item.facts["aliases"] if name.isascii() and len(name) > 3 and fold(name) not in told]
    if not names:
        return "its subject has no other name"
    name = rng.choice(names)
    prompts = [asked(each, name) for each in item.facts["wordings"]]
    return replace(item, prompt=prompts[0], facts={**item.facts, "subject": name, "prompts": prompts})


def reverse(item: Item, *, rng: random.Random, folder: Path) -> Item | str:
    if item.tags["cardinality"] != "one to one":
        return "several subjects have its object"
    subjects, spelled = _subjects(folder)[str(item.tags["relation"])], item.facts["subject"]
    turned = [
        each.replace(OBJECT, item.facts["object"]).replace(SUBJECT, BLANK)
        for each in item.facts["wordings"]
        if SUBJECT in each and OBJECT in each
    ]
    if len(subjects) < 2 or not turned:
        return "its relation has no other subject"
    return replace(
        item,
        prompt=turned[0],
        choices=subjects,
        gold=subjects.index(spelled),
        facts={
            **item.facts,
            "subject": item.facts["object"],
            "object": spelled,
            "prompts": turned,
            "wordings": [_swapped(each) for each in item.facts["wordings"]],
            "aliases": [],
            "accepted": [spelled, *item.facts["aliases"]],
        },
    )


def _swapped(template: str) -> str:
    """
    >>> _swapped("The capital of [X] is [Y].")
    'The capital of [Y] is [X].'
    """
    return template.replace(SUBJECT, "\0").replace(OBJECT, SUBJECT).replace("\0", OBJECT)


def _asked_once(item: Item, prompt: str, template: str) -> Item:
    return replace(item, prompt=prompt, facts={**item.facts, "prompts": [prompt], "wordings": [template]})


@lru_cache(maxsize=2)
def _subjects(folder: Path) -> dict[str, tuple[str, ...]]:
    """The subjects of each relation in a folder of items."""
    collected: dict[str, dict[str, None]] = {}
    for item in read_items(items_path(folder)):
        collected.setdefault(str(item.tags["relation"]), {})[item.facts["subject"]] = None
    return {relation: tuple(subjects) for relation, subjects in collected.items()}


VARIATIONS = (
    Variation(name="wording", help="one of the other wordings", effect="keeps", make=wording),
    Variation(name="alias", help="the subject by another name", effect="keeps", make=alias),
    Variation(name="reverse", help="the object told, the subject asked for", effect="changes", make=reverse),
)
