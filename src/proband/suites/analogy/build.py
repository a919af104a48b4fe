"""Relations -> items, in the two settings of section 2.1.

zero-shot    a query pair and two options (or n), one right: which one completes the analogy?
supervised   one analogy sentence, true or false; the tuples of one half train a classifier, those of the other test it.
retrieval    a : b :: c : ? over a vocabulary (for the classical vector methods).
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from proband.core.errors import ProbandError
from proband.core.types import Built, Item, Tag
from proband.suites.analogy import sources
from proband.suites.analogy.probes import BASES, PROBES, Spoiler, halves, paper_probe, positives
from proband.suites.analogy.relations import Pair, Relation, select
from proband.suites.analogy.sources import multiple_choice
from proband.suites.analogy.templates import DEFAULT, fill, pattern

SETTINGS = ("zero-shot", "supervised", "retrieval")
PER_RELATION = {"zero-shot": 100, "supervised": 0, "retrieval": 100}
VERDICTS = ("true", "false")


def build(
    *,
    seed: int = 0,
    data: str | None = None,
    setting: str = "zero-shot",
    per_relation: int | None = None,
    faithful: bool = False,
    options: int = 2,
    negatives: str = "uniform",
    made_from: str = "",
    split: str = "tuples",
    relations: str = "",
    template: str = DEFAULT,
) -> Built:
    """`per_relation` positives per relation and probe; 0 (and `faithful`, unless told otherwise): all n(n-1) of a half.

    `made_from` says which tuple a negative spoils: by default the right option's own, so that the options differ in
    nothing but what the probe asks; with `faithful` any other tuple, as the paper's words ("simply a random tuple from
    R") and its fastText row have it.
    """
    made_from = made_from or ("other" if faithful else "right")
    _check(
        setting=(setting, SETTINGS), negatives=(negatives, ("uniform", "hard")), split=(split, ("tuples", "lexical"))
    )
    _check(**{"made-from": (made_from, BASES)})
    if options < 2:
        raise ProbandError(f"'options' is {options}; a choice needs 2 at least")
    if data is not None and multiple_choice.looks_like(Path(data)):
        return multiple_choice.build(Path(data), seed=seed, template=template)
    every, licence = sources.read(data)
    chosen = select(every, [name.strip() for name in relations.split(",") if name.strip()])
    if not chosen:
        raise ProbandError(f"no relation matches {relations!r}")
    wanted = (0 if faithful else PER_RELATION[setting]) if per_relation is None else per_relation
    plan = Plan(
        seed=seed,
        setting=setting,
        per_relation=wanted,
        faithful=faithful,
        options=options,
        lexical=split == "lexical",
        template=pattern(template),
        spoilers=[
            Spoiler(relation, faithful=faithful, base=made_from, hard=negatives == "hard") for relation in chosen
        ],
    )
    return Built(items=plan.items(), licence=licence, summary=plan.summary)


def _check(**given: tuple[str, Sequence[str]]) -> None:
    for name, (value, known) in given.items():
        if value not in known:
            raise ProbandError(f"{name!r} is {value!r}; there are {', '.join(known)}")


class Plan:
    """One build: streams its items and counts what it saw."""

    def __init__(self, **settings: Any) -> None:
        self.seed: int = settings["seed"]
        self.setting: str = settings["setting"]
        self.per_relation: int = settings["per_relation"]
        self.faithful: bool = settings["faithful"]
        self.options: int = settings["options"]
        self.lexical: bool = settings["lexical"]
        self.template: str = settings["template"]
        self.spoilers: list[Spoiler] = settings["spoilers"]
        self.count: Counter[str] = Counter()
        self.words_dropped: dict[str, int] = {}

    def items(self) -> Iterator[Item]:
        names = slugs([spoiler.relation for spoiler in self.spoilers])
        for slug, spoiler in zip(names, self.spoilers, strict=True):
            relation = spoiler.relation
            parts = halves(relation, seed=self.seed, lexical=self.lexical)
            self.words_dropped[relation.name] = len(relation.tuples) - len(parts[0]) - len(parts[1])
            for number, half in enumerate(parts):
                for rank, at in enumerate(self._sample(relation, half, number)):
                    for item in self._items_of(slug, spoiler, at, half=half, number=number, rank=rank):
                        self.count[f"{relation.name}\t{item.tags['probe']}"] += 1
                        yield item

    def _sample(self, relation: Relation, half: Sequence[int], number: int) -> list[tuple[int, int]]:
        """The positives of a half: all, or as many as asked for, drawn without return."""
        pairs = positives(half)
        if self.setting == "retrieval":
            pairs = [(i, j) for i, j in pairs if relation.tuples[i].head != relation.tuples[j].head]
        share = (self.per_relation + 1 - number) // 2
        rng = random.Random(f"sample {self.seed} {relation.name} {number}")
        if not self.per_relation or share >= len(pairs):
            rng.shuffle(pairs)
            return pairs
        return rng.sample(pairs, share)

    def _items_of(
        self, slug: str, spoiler: Spoiler, at: tuple[int, int], *, half: Sequence[int], number: int, rank: int
    ) -> Iterator[Item]:
        """The items of one positive: one per probe, where random takes head and tail by turns."""
        if self.setting == "retrieval":
            yield self._retrieval_item(slug, spoiler.relation, at)
            return
        for probe in ("random-head", "random-tail")[rank % 2], "reverse", "type":
            if probe == "reverse" and spoiler.relation.symmetric and not self.faithful:
                continue  # (t, h) is as right as (h, t): there is no question to ask
            rng = random.Random(f"{probe} {self.seed} {spoiler.relation.name} {at}")
            count = self.options - 1 if self.setting == "zero-shot" else 1
            wrong = spoiler.negatives(probe, at, half=half, rng=rng, count=count)
            if len(wrong) < count:
                continue
            name = f"{slug}.{probe}.{at[0]:02d}.{at[1]:02d}"
            tags = self._tags(spoiler.relation, probe)
            if self.setting == "zero-shot":
                yield self._choice_item(name, spoiler.relation, at, wrong, tags, rng)
            else:
                tags["part"] = ("train", "test")[number]
                yield from self._verdict_items(name, spoiler.relation, at, wrong[0], tags)

    def _tags(self, relation: Relation, probe: str) -> dict[str, Tag]:
        return {
            "relation": relation.name,
            "group": relation.group,
            "probe": probe,
            "paper_probe": paper_probe(probe),
            "setting": self.setting,
            "cardinality": relation.cardinality,
            "symmetric": relation.symmetric,
        }

    def _choice_item(
        self,
        name: str,
        relation: Relation,
        at: tuple[int, int],
        wrong: Sequence[Pair],
        tags: Mapping[str, Tag],
        rng: random.Random,
    ) -> Item:
        query, right = relation.tuples[at[0]].pair, relation.tuples[at[1]].pair
        options = [right, *wrong]
        rng.shuffle(options)
        return Item(
            id=name,
            suite="analogy",
            prompt=question(self.template, query),
            choices=tuple(" : ".join(pair) for pair in options),
            gold=options.index(right),
            tags=tags,
            facts={
                "query": list(query),
                "options": [list(pair) for pair in options],
                "clusters": clusters(relation, at),
            },
        )

    def _verdict_items(
        self, name: str, relation: Relation, at: tuple[int, int], wrong: Pair, tags: Mapping[str, Tag]
    ) -> Iterator[Item]:
        query, right = relation.tuples[at[0]].pair, relation.tuples[at[1]].pair
        for gold, option in enumerate((right, wrong)):
            yield Item(
                id=f"{name}.{VERDICTS[gold]}",
                suite="analogy",
                prompt=fill(self.template, query, option),
                choices=VERDICTS,
                gold=gold,
                tags=tags,
                facts={"query": list(query), "option": list(option), "clusters": clusters(relation, at)},
            )

    def _retrieval_item(self, slug: str, relation: Relation, at: tuple[int, int]) -> Item:
        query, other = relation.tuples[at[0]], relation.tuples[at[1]]
        tags = {**self._tags(relation, "retrieval"), "paper_probe": "retrieval"}
        return Item(
            id=f"{slug}.retrieval.{at[0]:02d}.{at[1]:02d}",
            suite="analogy",
            prompt=f"{query.head} is to {query.tail} as {other.head} is to ___",
            tags=tags,
            facts={
                "query": list(query.pair),
                "head": other.head,
                "answers": list(other.tails),
                "clusters": clusters(relation, at),
            },
        )

    def summary(self) -> dict[str, Any]:
        """Counts, and how often the first draw of a negative was true after all (a false negative)."""
        lines = []
        for spoiler in self.spoilers:
            relation = spoiler.relation
            lines.append(
                {
                    **relation.describe(),
                    "items": {probe: n for probe in PROBES if (n := self.count[f"{relation.name}\t{probe}"])},
                    "false_negative_rate": rates(spoiler),
                    "no_negative": sum(spoiler.given_up.values()),
                    "left_out_by_split": self.words_dropped.get(relation.name, 0),
                }
            )
        drawn = sum((spoiler.drawn for spoiler in self.spoilers), Counter())
        true = sum((spoiler.true for spoiler in self.spoilers), Counter())
        return {
            "relations": lines,
            "false_negatives_kept": self.faithful,
            "false_negative_rate": {p: round(true[p] / drawn[p], 4) for p in PROBES if drawn[p]},
        }


def rates(spoiler: Spoiler) -> dict[str, float]:
    return {p: round(spoiler.true[p] / spoiler.drawn[p], 4) for p in PROBES if spoiler.drawn[p]}


def clusters(relation: Relation, at: tuple[int, int]) -> list[str]:
    """The two tuples an item is made of: items that share one are not independent."""
    return [f"{relation.name}/{k}" for k in at]


def question(template: str, query: Pair) -> str:
    """What a reader is asked.

    >>> question("What {h1} is to {t1}, {h2} is to {t2}.", ("Paris", "France"))
    'Which pair completes the analogy? What Paris is to France, ___ is to ___.'
    """
    return "Which pair completes the analogy? " + fill(template, query, ("___", "___"))


def slugs(relations: Sequence[Relation]) -> list[str]:
    """A short name per relation, for ids; a number is added where two would be the same.

    >>> slugs([Relation("verb : past", "IM", ()), Relation("verb+past", "IM", ())])
    ['verb-past', 'verb-past-2']
    """
    seen: Counter[str] = Counter()
    found = []
    for relation in relations:
        slug = re.sub(r"[^a-z0-9]+", "-", relation.name.lower()).strip("-") or "relation"
        seen[slug] += 1
        found.append(slug if seen[slug] == 1 else f"{slug}-{seen[slug]}")
    return found
