"""Facts as items: one for each fact, asked in all wordings of its relation."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from msgspec import Meta

from proband.core.errors import ProbandError
from proband.core.suite import Built
from proband.core.text import Fingerprint, slug
from proband.core.types import Item, Tag
from proband.suites.facts.relations import Fact, FactRelation, asked, leaks
from proband.suites.facts.sources import read

POPULAR = (2.0, 3.0, 4.0)  # bounds of the bands of popularity, as powers of ten of the views of a page in a month


@dataclass(frozen=True, kw_only=True)
class BuildOptions:
    """Which facts, and in how many wordings."""

    data: Annotated[
        str, Meta(description="folder of BEAR, LAMA or LRE, PopQA's TSV, or any table of facts (default: our own)")
    ] = ""
    patterns: Annotated[str, Meta(description="wordings: ParaRel's folder, LAMA's relations.jsonl, or a table")] = ""
    relations: Annotated[str, Meta(description="names of the relations, with commas (default: all)")] = ""
    per_relation: Annotated[Annotated[int, Meta(ge=2)] | None, Meta(description="facts of a relation at most")] = None
    wordings: Annotated[Annotated[int, Meta(ge=1)] | None, Meta(description="wordings of a relation at most")] = None


def build(options: BuildOptions, *, seed: int) -> Built:
    relations, licence = read(options.data, options.patterns)
    if options.relations:
        wanted = [name.strip() for name in options.relations.split(",")]
        named = {relation.name: relation for relation in relations}
        if unknown := next((name for name in wanted if name not in named), None):
            raise ProbandError(f"--relations: no relation {unknown!r}; there are {', '.join(named)}")
        relations = [named[name] for name in wanted]
    else:
        relations = [relation for relation in relations if not relation.by_name]
    digest = Fingerprint()
    for relation in relations:
        for fact in relation.facts:
            digest.add(relation.name, fact.subject, *fact.objects)

    def summary() -> Mapping[str, Any]:
        return {
            "fingerprint": digest.hex(),
            "conditions": {"wordings": max(len(relation.wordings[: options.wordings]) for relation in relations)},
            "relations": {
                relation.name: {
                    "facts": len(relation.facts),
                    "answers": len(relation.answers),
                    "wordings": list(relation.wordings),
                    "leaks": sum(map(leaks, relation.facts)),
                }
                for relation in relations
            },
        }

    return Built(items=list(_items(relations, options, seed)), licence=licence, summary=summary)


def _items(relations: Sequence[FactRelation], options: BuildOptions, seed: int) -> Iterator[Item]:
    for relation in relations:
        numbered = list(enumerate(relation.facts, start=1))
        if options.per_relation is not None and options.per_relation < len(numbered):
            numbered = sorted(random.Random(f"{seed} {relation.name}").sample(numbered, options.per_relation))
        for number, fact in numbered:
            yield _item(relation, fact, number, relation.wordings[: options.wordings])


def _item(relation: FactRelation, fact: Fact, number: int, wordings: Sequence[str]) -> Item:
    choices, gold = relation.choices(fact)
    if len(choices) < 2:
        raise fact.error(f"every answer is right for {fact.subject!r}: there is nothing to choose")
    if fact.question:
        wordings = (*wordings, fact.question)
    prompts = [asked(wording, fact.subject) for wording in wordings]
    return Item(
        id=f"{slug(relation.name)}-{number:04d}",
        suite="facts",
        prompt=prompts[0],
        choices=choices,
        gold=gold,
        tags={
            "relation": relation.name,
            "cardinality": relation.cardinality,
            "leak": leaks(fact),
            **_popularity(fact),
        },
        facts={
            "subject": fact.subject,
            "object": fact.objects[0],
            "wordings": list(wordings),
            "prompts": prompts,
            "aliases": list(fact.aliases),
            "accepted": list(dict.fromkeys([*fact.objects, *fact.object_aliases])),
            "clusters": [f"subject={fact.subject}", f"{relation.name}={fact.objects[0]}"],
        },
    )


def _popularity(fact: Fact) -> dict[str, Tag]:
    """How often the subject's page is read, as a band; nothing where the data does not tell.

    >>> _popularity(Fact(subject="a", objects=("b",), popularity=1500))
    {'popularity': '10^3 to 10^4'}
    """
    if fact.popularity is None:
        return {}
    power = math.log10(max(fact.popularity, 1.0))
    low = max((bound for bound in POPULAR if power >= bound), default=None)
    high = min((bound for bound in POPULAR if power < bound), default=None)
    if low is None or high is None:
        return {"popularity": f"below 10^{high:.0f}" if high is not None else f"10^{low:.0f} or more"}
    return {"popularity": f"10^{low:.0f} to 10^{high:.0f}"}
