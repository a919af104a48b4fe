"""The same fact asked otherwise.

wording  one of the other wordings
alias    the subject by another of its names
reverse  the object is told and the subject asked for: "The capital of ___ is Rabat."

Of a fact and its reverse, `BOTH` counts how often both are right in the same wording: who learned that the capital of
Morocco is Rabat may not know whose capital Rabat is (the reversal curse).
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np
from msgspec.structs import replace

from proband.core.files import figure, items_path, read_items
from proband.core.suite import Analysis, Results, Sheet, Variation
from proband.core.types import LEFT_OUT, Answer, Item
from proband.stats import Scores
from proband.stats.clusters import Clusters, clusters_of
from proband.suites.facts.recall import by_wording
from proband.suites.facts.relations import BLANK, OBJECT, SUBJECT, asked, fold


def wording(item: Item, *, rng: random.Random, folder: Path) -> Item | str:
    others = item.facts["prompts"][1:]
    if not others:
        return "it has one wording"
    at = rng.randrange(len(others)) + 1
    prompt, template = item.facts["prompts"][at], item.facts["wordings"][at]
    return replace(item, prompt=prompt, facts={**item.facts, "prompts": [prompt], "wordings": [template]})


def alias(item: Item, *, rng: random.Random, folder: Path) -> Item | str:
    told = {fold(item.facts["object"]), fold(item.facts["subject"])}
    names = [name for name in item.facts["aliases"] if name.isascii() and len(name) > 3 and fold(name) not in told]
    if not names:
        return "its subject has no other name"
    name = rng.choice(names)
    prompts = [asked(each, name) for each in item.facts["wordings"]]
    return replace(item, prompt=prompts[0], facts={**item.facts, "subject": name, "prompts": prompts})


def reverse(item: Item, *, rng: random.Random, folder: Path) -> Item | str:
    if str(item.tags["cardinality"]).startswith("many"):
        return "several subjects have its object"
    subject, known = item.facts["subject"], item.facts["object"]
    right = _right_answers(folder)[str(item.tags["relation"])]
    subjects = tuple(each for each, accepted in right.items() if each == subject or fold(known) not in accepted)
    templates = [_swapped(each) for each in item.facts["wordings"] if SUBJECT in each and OBJECT in each]
    if len(subjects) < 2 or not templates:
        return "its relation has no other subject"
    prompts = [asked(each, known) for each in templates]
    turned = {"subject": known, "object": subject, "prompts": prompts, "wordings": templates}
    accepted = [subject, *item.facts["aliases"]]
    facts = {**item.facts, **turned, "aliases": [], "accepted": accepted}
    return replace(item, prompt=prompts[0], choices=subjects, gold=subjects.index(subject), facts=facts)


def _swapped(template: str) -> str:
    """
    >>> _swapped("The capital of [X] is [Y].")
    'The capital of [Y] is [X].'
    """
    return template.replace(SUBJECT, BLANK).replace(OBJECT, SUBJECT).replace(BLANK, OBJECT)


@lru_cache(maxsize=2)
def _right_answers(folder: Path) -> dict[str, dict[str, set[str]]]:
    """Of each relation in a folder of items, the subjects with all that is right of them."""
    right: dict[str, dict[str, set[str]]] = {}
    for item in read_items(items_path(folder)):
        subjects = right.setdefault(str(item.tags["relation"]), {})
        subjects.setdefault(item.facts["subject"], set()).update(map(fold, item.facts["accepted"]))
    return right


VARIATIONS = (
    Variation(name="wording", help="one of the other wordings", effect="keeps", make=wording),
    Variation(name="alias", help="the subject by another name", effect="keeps", make=alias),
    Variation(name="reverse", help="the object told, the subject asked for", effect="changes", make=reverse),
)


# ---- both directions -----------------------------------------------------------------------------------------------


Asked = tuple[Item, Answer]


def directions(results: Results, seed: int) -> Sequence[Sheet]:
    """Facts that are right as they are, turned round, and both, by relation; nothing where none was turned round."""
    rows: list[tuple[str | int, ...]] = []
    for run, label in enumerate(results.labels):
        answers = [each for each in results.scored(run) if each[1].status not in LEFT_OUT]
        straight = {item.id: (item, answer) for item, answer in answers if item.tags.get("variation") == "original"}
        pairs = [
            (straight[item.facts["source"]], (item, answer))
            for item, answer in answers
            if item.tags.get("variation") == "reverse" and item.facts["source"] in straight
        ]
        named = {str(there[0].tags["relation"]): None for there, _ in pairs}
        for relation in [*named, "all"] if len(named) > 1 else named:
            own = [pair for pair in pairs if relation in ("all", pair[0][0].tags["relation"])]
            rows.append((label, relation, len(own), *_both(own)))
    header = ("model", "relation", "facts", "there", "back", "both", "95 % of both", "if independent", "chance")
    return (
        [Sheet(name="directions", title="Both directions right", header=header, rows=tuple(rows), note=NOTE)]
        if rows
        else []
    )


def _both(pairs: Sequence[tuple[Asked, Asked]]) -> list[str]:
    """There, back, both in one wording (with interval); the product of there and back within relations; chance."""
    numbers, relations = [], np.array([str(there[0].tags["relation"]) for there, _ in pairs])
    for there, back in pairs:
        rights = np.array(list(zip(by_wording(*there), by_wording(*back))))
        choices = len(there[0].choices) * len(back[0].choices)
        numbers.append((*rights.mean(0), rights.prod(1).mean(), 1 / choices))
    clusters = Clusters.of([list(dict.fromkeys([*clusters_of(a[0]), *clusters_of(b[0])])) for a, b in pairs])
    table = np.array(numbers)
    interval = Scores.of(table[:, 2], clusters=clusters).interval()
    span = "too few" if interval.few else f"{figure(interval.low)} to {figure(interval.high)}"
    apart = [table[relations == relation, :2].mean(0).prod() for relation in relations]
    means = [figure(float(mean)) for mean in table[:, :3].mean(0)]
    return [*means, span, figure(float(np.mean(apart))), f"{100 * table[:, 3].mean():.2f}"]


NOTE = (
    "There: the fact as it is (the capital of Morocco is ___). Back: turned round (the capital of ___ is Rabat). Both: "
    "right in both directions in the same wording, mean over wordings. If independent: the product of the two "
    "within each relation, what both would be if knowing a fact in one direction told nothing of the other. Chance: "
    "1 / (answers there x answers back)."
)
BOTH = Analysis(name="directions", help="facts that are right in both directions", of=directions, always=True)
