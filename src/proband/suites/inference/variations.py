"""Variations of inference items.

instance  other arguments of the same kinds: a verdict about typed relations stays (items whose arguments have kinds)
voice     the premise or the hypothesis in the passive, where it is one plain verb
inverse   premise and hypothesis change places: the right answer is then unknown

Premise and hypothesis may spell one argument in two ways (`the earth`, `Earth`): arguments are distinguished by their
places, never by their spelling.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from proband.core.files import items_path, read_items
from proband.core.suite import Variation
from proband.core.types import Item
from proband.english.unreal import listed
from proband.suites.inference import items
from proband.suites.inference.controls import UNKNOWN, draw
from proband.suites.inference.items import Triple, content, facts_of, likeness, prompt, words

QUANTIFIER = items.NEGATION | items.ARTICLE - listed("the its his her their our my your")
QUANTIFIER |= listed("all many most few several both either more less much half one two three same other only")


def _triples(item: Item) -> tuple[Triple, Triple]:
    facts = facts_of(item)
    return facts.premise, facts.hypothesis


def _with(item: Item, premise: Triple, hypothesis: Triple, **facts: Any) -> Item:
    changed = {**item.facts, "premise": list(premise), "hypothesis": list(hypothesis), **facts}
    return replace(item, prompt=prompt(premise, hypothesis), facts=changed)


def _turned_types(item: Item) -> dict[str, Any]:
    """The kinds of the arguments with the order in the premise reversed."""
    return {"types": item.facts["types"][::-1]} if "types" in item.facts else {}


def _quantified(argument: str) -> bool:
    """Whether an argument is quantified over a kind: `a painter`, `all mammals`, `the same length`."""
    return not QUANTIFIER.isdisjoint(words(argument))


# ---- other arguments ---------------------------------------------------------------------------------------------


@lru_cache(maxsize=2)
def _arguments(folder: Path) -> Mapping[tuple[str, bool], tuple[str, ...]]:
    """The arguments of all premises by kind and number."""
    pools: dict[tuple[str, bool], dict[str, str]] = {}
    for item in read_items(items_path(folder)):
        premise, _ = _triples(item)
        for kind, argument in zip(item.facts.get("types", ()), premise[::2], strict=False):
            if kind not in ("", UNKNOWN) and argument and not _quantified(argument):
                pools.setdefault((kind, plural(argument)), {}).setdefault(argument.lower(), argument)
    return {key: tuple(arguments.values()) for key, arguments in pools.items()}


def instance(item: Item, *, rng: random.Random, folder: Path) -> Item | str:
    types = item.facts.get("types", ("", ""))
    premise, hypothesis = _triples(item)
    if not premise.relation:
        return "it has no premise"
    if all(kind in ("", UNKNOWN) for kind in types):
        return "its arguments have no kinds"
    pools, new = _arguments(folder), list[str]()
    taken = {word for argument in premise[::2] for word in content(argument)}
    ends = hypothesis if item.facts["straight"] else hypothesis.swapped
    for kind, argument, same in zip(types, premise[::2], ends[::2], strict=True):
        pool = pools.get((kind, plural(argument)), ())
        if pool and likeness(argument, same) < 1:
            return "its hypothesis has another argument than its premise"
        if pool and plural(argument) != plural(same):
            return "an argument is one in the premise and several in the hypothesis, or the other way round"
        new.append((draw(pool, str(rng.random()), taken) if pool else None) or "")
        taken |= set(content(new[-1]))
    if not any(new):
        return "no other argument is of their kinds and number"
    return _with(item, premise.put(*new), hypothesis.put(*(new if item.facts["straight"] else new[::-1])))


def same_relations(source: Item, varied: Item) -> str | None:
    relations = [[triple.relation for triple in _triples(item)] for item in (source, varied)]
    if relations[0] != relations[1] or source.facts["straight"] != varied.facts["straight"]:
        return "its relations are not those of its source"
    (old, old_end), (new, new_end) = _triples(source), _triples(varied)
    if not source.facts["straight"]:
        old_end, new_end = old_end.swapped, new_end.swapped
    for place, kind in zip((0, 2), source.facts.get("types", ("", "")), strict=True):
        if old[place] == new[place]:
            if old_end[place] != new_end[place]:
                return f"the hypothesis has another argument, {new_end[place]!r}, and the premise has not"
        elif kind in ("", UNKNOWN):
            return f"{old[place]!r} is of no kind and was replaced"
        elif new[place] != new_end[place]:
            return f"the premise is about {new[place]!r}, the hypothesis about {new_end[place]!r}"
    return _same_answer(source, varied)


def _same_answer(source: Item, varied: Item) -> str | None:
    if source.gold != varied.gold or source.choices != varied.choices:
        return "its answer is not that of its source"
    return _unlike_its_triples(varied)


def _unlike_its_triples(varied: Item) -> str | None:
    """Why the prompt differs from its two sentences rendered again, or None."""
    return None if varied.prompt == prompt(*_triples(varied)) else "its two sentences cannot be found in its prompt"


# ---- the passive -------------------------------------------------------------------------------------------------


# verbs without a passive, or with one that means something else (`was married by`)
NO_PASSIVE = listed(
    "be have become seem remain resemble weigh cost lack fit suit equal mean total number last comprise contain possess"
    " involve concern belong look get want marry divorce ally contribute suffer say cry remark believe murmur regard"
    " consider spend allow enable"
)


def passive(triple: Triple) -> Triple | None:
    """The passive of a plain verb in the third person or the past tense; None if the verb is unclear, or if the passive
    could mean something else: `a painter represents England` is about painters, its passive about one.

    >>> passive(Triple("aspirin", "treats", "headaches"))
    Triple(subject='headaches', relation='are treated by', object='aspirin')
    >>> [passive(Triple("a nurse", verb, "pain")) for verb in ("treats", "is a cure for")]
    [None, None]
    >>> [passive(Triple("aspirin", verb, "headaches")) for verb in ("beat", "considerations", "resembles")]
    [None, None, None]
    """
    from lemminflect import getInflection, getLemma

    word = triple.relation
    if not word.isalpha() or not word.islower() or any(map(_quantified, triple[::2])):
        return None
    lemma = next(iter(getLemma(word, upos="VERB", lemmatize_oov=False)), word)
    if lemma == word or lemma in NO_PASSIVE:  # `beat` may be present or past
        return None
    forms = {tag: getInflection(lemma, tag=tag, inflect_oov=False) for tag in ("VBZ", "VBD", "VBN")}
    tense = next((tag for tag in ("VBZ", "VBD") if word in forms[tag]), "")
    if not tense or not forms["VBN"] or (plural(triple.object) and triple.object.split()[-1][0].isupper()):
        return None  # `the United States` is one, `the Alps` are many
    be = {"VBZ": ("is", "are"), "VBD": ("was", "were")}[tense][plural(triple.object)]
    participle = word if word in forms["VBN"] else forms["VBN"][0]
    return Triple(triple.object, f"{be} {participle} by", triple.subject)


@lru_cache(maxsize=50_000)
def plural(phrase: str) -> bool:
    """Whether a noun phrase is plural, by its last word or the one before *of*; phrases joined by *and* are plural.

    >>> [plural(each) for each in ("the parts of the body", "Venus", "the men", "salt and pepper")]
    [True, False, True, True]
    """
    from lemminflect import getLemma

    last = (phrase.lower().split(" of ")[0].split() or [""])[-1]
    lemmas = getLemma(last, upos="NOUN", lemmatize_oov=False)
    return " and " in phrase or last in items.PLURALS or (bool(lemmas) and last not in lemmas and last.endswith("s"))


def voice(item: Item, *, rng: random.Random, folder: Path) -> Item | str:
    premise, hypothesis = _triples(item)
    if not premise.relation:
        return "it has no premise"
    turned = [(each, passive(each)) for each in (premise, hypothesis)]
    both = {premise.lower, hypothesis.lower}
    pairs = [(old, new) for old, new in turned if new is not None and new.lower not in both]
    if not pairs:
        return "neither sentence is one plain transitive verb"
    old, new = rng.choice(pairs)
    types = _turned_types(item) if old is premise else {}
    sentences = (new, hypothesis) if old is premise else (premise, new)
    return _with(item, *sentences, straight=not item.facts["straight"], **types)


def same_arguments(source: Item, varied: Item) -> str | None:
    arguments = [sorted({word for triple in _triples(item) for word in triple[::2]}) for item in (source, varied)]
    if arguments[0] != arguments[1]:
        return "its arguments are not those of its source"
    turned = [(old, new) for old, new in zip(_triples(source), _triples(varied), strict=True) if old != new]
    if len(turned) != 1 or passive(turned[0][0]) != turned[0][1]:
        return "it is not its source with one sentence in the passive"
    return _same_answer(source, varied)


# ---- the other direction -----------------------------------------------------------------------------------------


def inverse(item: Item, *, rng: random.Random, folder: Path) -> Item | str:
    premise, hypothesis = _triples(item)
    if not premise.relation:
        return "it has no premise"
    types = {} if item.facts["straight"] else _turned_types(item)
    direction = {items.FORWARD: items.BACKWARD, items.BACKWARD: items.FORWARD}.get(str(item.tags.get("direction")))
    tags = {**item.tags, **({"direction": direction} if direction else {})}
    return replace(_with(item, hypothesis, premise, **types), gold=None, tags=tags)


def turned_round(source: Item, varied: Item) -> str | None:
    if _triples(source) != _triples(varied)[::-1] or varied.gold is not None or source.choices != varied.choices:
        return "premise and hypothesis are not its source's"
    return _unlike_its_triples(varied)


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
