"""Facts as items: one for each fact, with all wordings of its relation."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from msgspec import Meta

from proband.core.errors import ProbandError
from proband.core.plugins import name_list
from proband.core.suite import Built
from proband.core.types import Item
from proband.suites.facts.relations import FactRelation, leaks, prompt_of
from proband.suites.facts.sources import read

LISTED = 200  # rows left out that the manifest lists


@dataclass(frozen=True, kw_only=True)
class BuildOptions:
    """Options that select the facts and the number of wordings."""

    data: Annotated[str, Meta(description="folder of BEAR or LAMA, or any table of facts (default: our own)")] = ""
    patterns: Annotated[str, Meta(description="wordings in ParaRel's folder, LAMA's relations.jsonl or a table")] = ""
    relations: Annotated[str, Meta(description="names of the relations, with commas (default: all)")] = ""
    per_relation: Annotated[Annotated[int, Meta(ge=2)] | None, Meta(description="facts per relation, at most")] = None
    wordings: Annotated[Annotated[int, Meta(ge=1)] | None, Meta(description="wordings per relation, at most")] = None


def build(options: BuildOptions, *, seed: int) -> Built:
    relations, licence, left_out = read(options.data, options.patterns)
    if options.relations:
        wanted = name_list(options.relations)
        named = {relation.name: relation for relation in relations}
        if unknown := next((name for name in wanted if name not in named), None):
            raise ProbandError(f"--relations: no relation {unknown!r}; there are {', '.join(named)}")
        relations = [named[name] for name in wanted]
    else:
        relations = [relation for relation in relations if not relation.by_name]

    def summary() -> Mapping[str, Any]:
        return {
            **({"left_out": {"rows": len(left_out), "listed": list(left_out[:LISTED])}} if left_out else {}),
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

    items = [_item(relation, at, options.wordings) for relation in relations for at in _sample(relation, options, seed)]
    return Built(items=items, licence=licence, summary=summary)


def _sample(relation: FactRelation, options: BuildOptions, seed: int) -> Sequence[int]:
    """The indices of the sampled facts."""
    every = range(len(relation.facts))
    if options.per_relation is None or options.per_relation >= len(every):
        return every
    return sorted(random.Random(f"{seed} {relation.name}").sample(every, options.per_relation))


def _item(relation: FactRelation, at: int, most: int | None) -> Item:
    fact = relation.facts[at]
    choices, gold = relation.choices(fact)
    wordings = list(relation.wordings[:most])
    prompts = [prompt_of(wording, fact.subject) for wording in wordings]
    return Item(
        id=relation.item_id(at + 1),
        suite="facts",
        prompt=prompts[0],
        choices=choices,
        gold=gold,
        tags={"relation": relation.name, "cardinality": relation.cardinality, "leak": leaks(fact)},
        facts={
            "subject": fact.subject,
            "object": fact.objects[0],
            "wordings": wordings,
            "prompts": prompts,
            "aliases": list(fact.aliases),
            "accepted": list(dict.fromkeys([*fact.objects, *fact.object_aliases])),
            "clusters": [f"subject={fact.subject}", f"{relation.name}={fact.objects[0]}"],
            **({"rests_on": list(fact.rests_on)} if fact.rests_on else {}),
        },
    )
