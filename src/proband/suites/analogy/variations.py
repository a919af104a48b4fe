"""Variations of analogy items.

order     the options in another order
template  the same question in another template (solvers/pseudo_perplexity.py)
inverse   both pairs reversed: what France is to Paris, Italy is to Rome
twin      other tuples of the same relation, probe and band of frequency, in a pairing that the source does not have
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from proband.core.errors import ProbandError
from proband.core.files import items_path, read_items, read_manifest
from proband.core.plugins import read_options
from proband.core.suite import Variation
from proband.core.types import Item, Tag
from proband.suites.analogy.build import AnalogyPlan, BuildOptions, plan_of
from proband.suites.analogy.probes import halves
from proband.suites.analogy.relations import Pair, Relation, query_and_options
from proband.suites.analogy.solvers.pseudo_perplexity import TEMPLATES, question, template_of

BAND = 0.5  # difference in mean Zipf frequency up to which two pairs are equally common
NO_CHOICE = "it is not a choice between pairs"


def order(item: Item, *, rng: random.Random, folder: Path) -> Item | str:
    if len(item.facts.get("options", ())) < 2 or item.gold is None:
        return NO_CHOICE
    places = list(range(len(item.choices)))
    while places == sorted(places):
        rng.shuffle(places)
    return replace(
        item,
        choices=tuple(item.choices[place] for place in places),
        gold=places.index(item.gold),
        facts={**item.facts, "options": [item.facts["options"][place] for place in places]},
    )


def template(item: Item, *, rng: random.Random, folder: Path) -> Item | str:
    if "options" not in item.facts:
        return NO_CHOICE
    query, _ = query_and_options(item)
    prompts = {name: question(pattern, query) for name, pattern in TEMPLATES.items()}
    name = rng.choice([name for name, prompt in prompts.items() if prompt != item.prompt])
    return replace(item, prompt=prompts[name], facts={**item.facts, "template": name})


TURNED = {  # value of a tag -> its value when both pairs are reversed
    "random-head": "random-tail",
    "random-tail": "random-head",
    "one-to-many": "many-to-one",
    "many-to-one": "one-to-many",
}


def inverse(item: Item, *, rng: random.Random, folder: Path) -> Item | str:
    if "options" not in item.facts:
        return NO_CHOICE
    query, options = query_and_options(item)
    turned = [(tail, head) for head, tail in options]
    tags: dict[str, Tag] = {tag: TURNED.get(str(value), value) for tag, value in item.tags.items()}
    if "cardinality" in tags:
        tags["many_valued"] = str(tags["cardinality"]).endswith("to-many")
    return replace(
        item,
        prompt=question(template_of(item), (query[1], query[0])),
        choices=tuple(" : ".join(pair) for pair in turned),
        tags=tags,
        facts={**item.facts, "query": list(query[::-1]), "options": [list(pair) for pair in turned]},
    )


# ---- twins -------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=2)
def _source(folder: Path) -> tuple[Mapping[str, Relation], AnalogyPlan, frozenset[tuple[Pair, Pair]]]:
    """The relations that the items of a folder were built from, and the pairs of tuples that the items use."""
    manifest = read_manifest(folder)
    if "options" not in manifest:
        raise ProbandError("has no manifest.json: a twin needs the source of the items", file=folder)
    known = {name: value for name, value in manifest["options"].items() if value is not None}
    plan = plan_of(read_options(BuildOptions, known, of="build analogy"), seed=manifest["seed"])
    used = set[tuple[Pair, Pair]]()
    for item in read_items(items_path(folder)):
        if item.gold is not None and "options" in item.facts:
            query, options = query_and_options(item)
            used.add((query, options[item.gold]))
    return {sampler.relation.name: sampler.relation for sampler in plan.samplers}, plan, frozenset(used)


def twin(item: Item, *, rng: random.Random, folder: Path) -> Item | str:
    if item.gold is None or "options" not in item.facts:
        return NO_CHOICE
    if item.tags["probe"] == "multiple-choice":
        return "its source has no other word pairs of its relation"
    relations, plan, used = _source(folder)
    relation = relations.get(str(item.tags["relation"]))
    if relation is None:
        return "its relation is not among those of the source"
    query, options = query_and_options(item)
    sampler = next(each for each in plan.samplers if each.relation is relation)
    near = _equally_common(relation, query, options[item.gold], used=used, seed=plan.seed)
    for i, j, half in rng.sample(near, len(near)):
        probe, count = str(item.tags["probe"]), len(options) - 1
        wrong = sampler.negatives(probe, (i, j), half=half, rng=rng, count=count)
        if len(wrong) < count:
            continue
        right = relation.tuples[j].pair
        pairs = [right, *wrong]
        rng.shuffle(pairs)
        return replace(
            item,
            prompt=question(plan.template, relation.tuples[i].pair),
            choices=tuple(" : ".join(pair) for pair in pairs),
            gold=pairs.index(right),
            facts={
                **item.facts,
                "query": list(relation.tuples[i].pair),
                "options": [list(pair) for pair in pairs],
                "clusters": [f"{relation.name}/{k}" for k in (i, j)],
            },
        )
    return "its relation has no other word pairs of similar frequency"


@lru_cache(maxsize=4096)
def _zipf(pair: Pair) -> float:
    from wordfreq import zipf_frequency

    return float(sum(zipf_frequency(word, "en") for word in pair) / 2)


def _equally_common(
    relation: Relation, query: Pair, right: Pair, *, used: frozenset[tuple[Pair, Pair]], seed: int
) -> list[tuple[int, int, Any]]:
    """Pairs of other tuples of one half, each as common as the one it replaces."""
    pairs = []
    tuples = relation.tuples
    for half in halves(relation, seed=seed):
        heads, tails = (
            [
                k
                for k in half
                if tuples[k].pair not in (query, right) and abs(_zipf(tuples[k].pair) - _zipf(pair)) < BAND
            ]
            for pair in (query, right)
        )
        pairs += [(i, j, half) for i in heads for j in tails if i != j and (tuples[i].pair, tuples[j].pair) not in used]
    return pairs


# ---- checks ------------------------------------------------------------------------------------------------------


def _unlike_its_pairs(varied: Item) -> str | None:
    """Why the prompt or the choices differ from the pairs rendered again in the item's template, or None."""
    query, options = query_and_options(varied)
    if varied.prompt != question(template_of(varied), query) or list(varied.choices) != [
        " : ".join(pair) for pair in options
    ]:
        return "its pairs cannot be found in its prompt or its choices"
    return None


def same_options(source: Item, varied: Item) -> str | None:
    """How query, options or right option differ from those of the source, or None."""
    if source.facts["query"] != varied.facts["query"] or sorted(source.choices) != sorted(varied.choices):
        return "its pairs are not those of its source"
    right = [item.choices[item.gold] if item.gold is not None else None for item in (source, varied)]
    return _unlike_its_pairs(varied) if right[0] == right[1] else "its answer is not that of its source"


def turned_round(source: Item, varied: Item) -> str | None:
    old, new = ([list(pair) for pair in (item.facts["query"], *item.facts["options"])] for item in (source, varied))
    turned = old == [pair[::-1] for pair in new] and source.gold == varied.gold
    return _unlike_its_pairs(varied) if turned else "its pairs are not the reversed pairs of its source"


def another_pair(source: Item, varied: Item) -> str | None:
    if any(source.tags.get(name) != varied.tags.get(name) for name in ("relation", "probe")):
        return "it is of another relation or probe than its source"
    if source.facts["query"] == varied.facts["query"]:
        return "it asks what its source asks"
    return _unlike_its_pairs(varied)


VARIATIONS = (
    Variation(name="order", help="the options in another order", effect="keeps", make=order, check=same_options),
    Variation(name="template", help="another template", effect="keeps", make=template, check=same_options),
    Variation(name="inverse", help="both pairs reversed", effect="changes", make=inverse, check=turned_round),
    Variation(name="twin", help="other word pairs of similar frequency", effect="twin", make=twin, check=another_pair),
)
