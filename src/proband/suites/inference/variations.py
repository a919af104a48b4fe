"""The same inference asked otherwise.

instance  other arguments of the same kinds: a verdict about typed relations stays (items whose arguments have kinds)
voice     the premise or the hypothesis in the passive, where it is one plain verb
inverse   premise and hypothesis change places: what is right then is open
"""

from __future__ import annotations

import random
from functools import lru_cache
from pathlib import Path

from msgspec.structs import replace

from proband.core.files import items_path, read_items
from proband.core.suite import Variation
from proband.core.types import Item
from proband.suites.inference.items import Triple, prompt

PREPOSITION = "by"


def _triples(item: Item) -> tuple[Triple, Triple]:
    return Triple(*item.facts["premise"]), Triple(*item.facts["hypothesis"])


def _with(item: Item, premise: Triple, hypothesis: Triple) -> Item:
    facts = {**item.facts, "premise": list(premise), "hypothesis": list(hypothesis)}
    return replace(item, prompt=prompt(premise, hypothesis), facts=facts)


# ---- other arguments ---------------------------------------------------------------------------------------------


@lru_cache(maxsize=2)
def _arguments(folder: Path) -> dict[str, tuple[str, ...]]:
    """The arguments of all items by kind."""
    kinds: dict[str, dict[str, None]] = {}
    for item in read_items(items_path(folder)):
        premise, _ = _triples(item)
        for kind, argument in zip(item.facts.get("types", ()), (premise.subject, premise.object), strict=False):
            if kind and argument:
                kinds.setdefault(kind, {})[argument] = None
    return {kind: tuple(words) for kind, words in kinds.items()}


def instance(item: Item, *, rng: random.Random, folder: Path) -> Item | str:
    types = item.facts.get("types", ("", ""))
    premise, hypothesis = _triples(item)
    if not any(types) or not premise.relation:
        return "its arguments have no kinds"
    known, other = _arguments(folder), dict[str, str]()
    for kind, argument in zip(types, (premise.subject, premise.object), strict=True):
        others = [word for word in known.get(kind, ()) if word not in (premise.subject, premise.object)]
        if others:
            other[argument] = rng.choice(others)
    if not other:
        return "no other argument is of their kinds"
    if len(set(other.values())) < len(other):
        return "its arguments are of one kind, and one other word is there"
    moved = [
        Triple(other.get(each.subject, each.subject), each.relation, other.get(each.object, each.object))
        for each in (premise, hypothesis)
    ]
    return _with(item, *moved)


# ---- the passive -------------------------------------------------------------------------------------------------


def passive(triple: Triple) -> Triple | None:
    """The passive of a plain verb in the third person or the past tense; None where it is not plainly one.

    >>> passive(Triple("aspirin", "treats", "headaches"))
    Triple(subject='headaches', relation='are treated by', object='aspirin')
    >>> passive(Triple("aspirin", "is a cure for", "headaches")) is None
    True
    """
    from lemminflect import getInflection, getLemma

    word = triple.relation
    if not word.isalpha() or not word.islower():
        return None
    lemmas = getLemma(word, upos="VERB")
    lemma = lemmas[0] if lemmas else ""
    tense = next((tag for tag in ("VBZ", "VBD") if word in getInflection(lemma, tag=tag)), "") if lemma else ""
    participles = getInflection(lemma, tag="VBN") if lemma else ()
    if not tense or not participles or lemma in INTRANSITIVE:
        return None
    several = _plural(triple.object)
    be = {"VBZ": ("is", "are"), "VBD": ("was", "were")}[tense][several]
    return Triple(triple.object, f"{be} {participles[0]} {PREPOSITION}", triple.subject)


INTRANSITIVE = frozenset({"be", "have", "become", "seem", "remain", "resemble", "weigh", "cost", "lack", "fit", "suit"})


def _plural(phrase: str) -> bool:
    """Whether a noun phrase is plural, by its last word; several joined by *and* are."""
    from lemminflect import getLemma

    last = phrase.split()[-1] if phrase.split() else ""
    lemmas = getLemma(last.lower(), upos="NOUN")
    return " and " in phrase or (bool(lemmas) and lemmas[0] != last.lower() and last.lower().endswith("s"))


def voice(item: Item, *, rng: random.Random, folder: Path) -> Item | str:
    premise, hypothesis = _triples(item)
    turned = [(passive(premise), hypothesis), (premise, passive(hypothesis))]
    there = [(one, other) for one, other in turned if one is not None and other is not None]
    if not there or not premise.relation:
        return "neither sentence is one plain transitive verb"
    one, other = rng.choice(there)
    item = replace(item, facts={**item.facts, "straight": not item.facts["straight"]})
    return _with(item, one, other)


# ---- the other direction -----------------------------------------------------------------------------------------


def inverse(item: Item, *, rng: random.Random, folder: Path) -> Item | str:
    premise, hypothesis = _triples(item)
    if not premise.relation:
        return "it has no premise"
    return replace(_with(item, hypothesis, premise), gold=None)


def same_relations(source: Item, varied: Item) -> str | None:
    relations = [[triple.relation for triple in _triples(item)] for item in (source, varied)]
    if relations[0] != relations[1]:
        return "its relations are not those of its source"
    return None if source.gold == varied.gold else "its answer is not that of its source"


def same_arguments(source: Item, varied: Item) -> str | None:
    words = [sorted({word for triple in _triples(item) for word in triple[::2]}) for item in (source, varied)]
    if words[0] != words[1]:
        return "its arguments are not those of its source"
    return None if source.gold == varied.gold else "its answer is not that of its source"


def turned_round(source: Item, varied: Item) -> str | None:
    return None if _triples(source) == _triples(varied)[::-1] else "premise and hypothesis are not its source's"


VARIATIONS = (
    Variation(
        name="instance",
        help="other arguments of the same kinds",
        effect="keeps",
        make=instance,
        check=same_relations,
    ),
    Variation(name="voice", help="one sentence in the passive", effect="keeps", make=voice, check=same_arguments),
    Variation(name="inverse", help="premise and hypothesis exchanged", effect="open", make=inverse, check=turned_round),
)
