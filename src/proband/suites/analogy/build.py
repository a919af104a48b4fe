"""Relations -> items, in the two settings of section 2.1.

zero-shot   a query pair and two options (or n), one right: which one completes the analogy?
supervised  one analogy sentence, true or false; half of the tuples train a classifier, the other half tests it.
"""

from __future__ import annotations

import dataclasses
import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal

from msgspec.structs import replace

from proband.core.errors import ProbandError
from proband.core.files import slug
from proband.core.plugins import Meta, name_list
from proband.core.suite import Built
from proband.core.types import Item, Split, Tag
from proband.suites.analogy import multiple_choice, sources
from proband.suites.analogy.frequencies import counts_of
from proband.suites.analogy.probes import (
    FAMILIES,
    PAPER_PROBES,
    PROBES,
    NegativeSampler,
    UnlistedTruths,
    conditions,
    false_negative_rates,
    halves,
    kind_of,
    links_for,
    positives,
    truth_sources,
)
from proband.suites.analogy.relations import Pair, Relation, fingerprint, fold
from proband.suites.analogy.solvers.pseudo_perplexity import DEFAULT, TEMPLATES, fill, pattern, question

PER_RELATION = {"zero-shot": 100, "supervised": 0}
VERDICTS = ("true", "false")
SPLITS: tuple[Split, Split] = ("train", "test")  # splits of the two halves of a relation's tuples


@dataclass(frozen=True, kw_only=True)
class BuildOptions:
    """Options of the analogy items.

    `made_from`: which tuple a negative is made from (probes.py); by default the right option's own, so that the options
    differ only in what the probe asks; with `faithful` as printed in section 2.2 of the paper.
    """

    data: Annotated[str, Meta(description="BATS folder, questions-words.txt, SAT/U2/U4 jsonl, or a table of pairs")] = (
        ""
    )
    setting: Annotated[Literal["zero-shot", "supervised"], Meta(description="the kind of question")] = "zero-shot"
    per_relation: (
        Annotated[
            int,
            Meta(
                description="positives per relation and probe; 0: all (default: zero-shot 100, supervised and"
                " faithful all)",
                ge=0,
            ),
        ]
        | None
    ) = None
    probes: Annotated[str, Meta(description=f"with commas: {', '.join(FAMILIES)}")] = ",".join(PAPER_PROBES)
    faithful: Annotated[bool, Meta(description="the paper's construction: all pairs, no filter of false negatives")] = (
        False
    )
    options: Annotated[int, Meta(description="number of options to choose from", ge=2)] = 2
    made_from: Annotated[
        Literal["", "right", "other", "paper"],
        Meta(description="tuple that a negative is made from (default: right; with --faithful paper, its section 2.2)"),
    ] = ""
    relations: Annotated[str, Meta(description="only relations whose name contains one of these, comma-separated")] = ""
    template: Annotated[str, Meta(description=f"{', '.join(TEMPLATES)}, or text with {{h1}} {{t1}} {{h2}} {{t2}}")] = (
        DEFAULT
    )
    frequencies: Annotated[
        Path | None,
        Meta(description="word counts for the frequency analysis, a word and its count per line (default: wordfreq)"),
    ] = None

    @property
    def families(self) -> tuple[str, ...]:
        """The probes that are built, in the order of `PROBES`."""
        named = name_list(self.probes)
        unknown = next((name for name in named if name not in FAMILIES), None)
        if unknown is not None or not named:
            raise ProbandError(f"'probes' is {self.probes!r}; there are {', '.join(FAMILIES)}")
        return tuple(family for family in FAMILIES if family in named)

    @property
    def base(self) -> str:
        """The tuple that a negative is made from."""
        return self.made_from or ("paper" if self.faithful else "right")

    @property
    def positives(self) -> int:
        """Positives per relation and probe, 0 for all n(n-1) of each half."""
        if self.per_relation is not None:
            return self.per_relation
        return 0 if self.faithful else PER_RELATION[self.setting]


def example_options(options: BuildOptions) -> BuildOptions | None:
    """A few questions per relation, for few-shot examples."""
    if options.setting != "zero-shot" or multiple_choice.looks_like(Path(options.data)):
        return None
    return dataclasses.replace(options, per_relation=2)


def build(options: BuildOptions, *, seed: int) -> Built:
    if options.data and multiple_choice.looks_like(Path(options.data)):
        for each in dataclasses.fields(options):
            if each.name not in ("data", "template") and getattr(options, each.name) != each.default:
                raise ProbandError(f"{each.name!r} is not for multiple choice", file=Path(options.data))
        return multiple_choice.build(Path(options.data), template=options.template)
    plan = plan_of(options, seed=seed)
    return Built(items=plan.items(), licence=plan.licence, summary=plan.summary)


def plan_of(options: BuildOptions, *, seed: int) -> AnalogyPlan:
    """Read the relations and set up a generator of negatives for each."""
    every, licence = sources.read(options.data)
    names = list(map(fold, name_list(options.relations)))
    chosen = [relation for relation in every if not names or any(name in fold(relation.name) for name in names)]
    if not chosen:
        raise ProbandError(f"no relation matches {options.relations!r}")
    links = None if options.faithful else links_for(chosen)
    samplers = [
        NegativeSampler(
            relation,
            others=None if options.faithful else UnlistedTruths(relation, links=links),
            faithful=options.faithful,
            base=options.base,
        )
        for relation in chosen
    ]
    return AnalogyPlan(
        options=options,
        families=options.families,
        seed=seed,
        template=pattern(options.template),
        samplers=samplers,
        every=every,
        licence=licence,
        frequencies=counts_of(options.frequencies, chosen) if options.frequencies else None,
    )


@dataclass
class AnalogyPlan:
    """One build: streams its items and counts them."""

    options: BuildOptions
    families: Sequence[str]  # of probes
    seed: int
    template: str
    samplers: Sequence[NegativeSampler]
    every: Sequence[Relation]  # of the source, chosen or not
    licence: str
    count: Counter[tuple[str, Tag]] = field(default_factory=Counter)  # items by relation and probe
    trained: Counter[tuple[str, Tag]] = field(default_factory=Counter)  # training items by relation and paper's probe
    frequencies: Mapping[str, Any] | None = None  # word frequencies, if a corpus is given

    @cached_property
    def many_valued(self) -> dict[str, bool]:
        """For each relation: do heads usually have several right tails, in the list or in reality?"""
        relations = [sampler.relation for sampler in self.samplers]
        return {each.name: bool(kind_of(each)) or each.cardinality.endswith("to-many") for each in relations}

    def items(self) -> Iterator[Item]:
        names = slugs([sampler.relation for sampler in self.samplers])
        for name, sampler in zip(names, self.samplers, strict=True):
            relation = sampler.relation
            for number, half in enumerate(halves(relation, seed=self.seed)):
                for at in self._sample(relation, half, number):
                    for item in self._items_of(name, sampler, at, half=half, number=number):
                        self.count[relation.name, item.tags["probe"]] += 1
                        if item.split == "train":
                            self.trained[relation.name, item.tags["paper_probe"]] += 1
                        yield item

    def _sample(self, relation: Relation, half: Sequence[int], number: int) -> list[tuple[int, int]]:
        """The positives of a half: all, or a sample without replacement. A right answer is never equal to the query."""
        words = {at: tuple(map(fold, relation.tuples[at].pair)) for at in half}
        pairs = [(i, j) for i, j in positives(half) if words[i] != words[j]]
        share = (self.options.positives + 1 - number) // 2
        rng = random.Random(f"sample {self.seed} {relation.name} {number}")
        if not self.options.positives or share >= len(pairs):
            rng.shuffle(pairs)
            return pairs
        return rng.sample(pairs, share)

    def _items_of(
        self, name: str, sampler: NegativeSampler, at: tuple[int, int], *, half: Sequence[int], number: int
    ) -> Iterator[Item]:
        """The items of one positive: one per probe."""
        relation = sampler.relation
        query, right = relation.tuples[at[0]], relation.tuples[at[1]]
        for probe, wrong, rng in self._negatives_by_probe(sampler, at, half):
            pairs = [right.pair, *wrong]
            if self.options.setting == "zero-shot":
                rng.shuffle(pairs)
                yield self._item(
                    name,
                    relation,
                    at,
                    probe=probe,
                    prompt=question(self.template, query.pair),
                    choices=tuple(" : ".join(pair) for pair in pairs),
                    gold=pairs.index(right.pair),
                    facts={"options": [list(pair) for pair in pairs]},
                )
                continue
            for gold, option in enumerate(pairs):
                prompt, facts = fill(self.template, query.pair, option), {"option": list(option)}
                item = self._item(
                    name, relation, at, probe=probe, prompt=prompt, facts=facts, choices=VERDICTS, gold=gold
                )
                tags = {**item.tags, "part": SPLITS[number]}
                yield replace(item, id=f"{item.id}.{VERDICTS[gold]}", tags=tags, split=SPLITS[number])

    def _negatives_by_probe(
        self, sampler: NegativeSampler, at: tuple[int, int], half: Sequence[int]
    ) -> Iterator[tuple[str, list[Pair], random.Random]]:
        """The probes of a positive with their wrong options, one per family. The random probe replaces the head or the
        tail, whichever has fewer items so far."""
        relation = sampler.relation
        count = self.options.options - 1 if self.options.setting == "zero-shot" else 1
        for family in self.families:
            if family == "reverse" and relation.symmetric and not self.options.faithful:
                continue  # (t, h) is also right, so the item would have two right options
            turns = [probe for probe in PROBES if probe.partition("-")[0] == family]
            for probe in sorted(turns, key=lambda probe: self.count[relation.name, probe]):
                rng = random.Random(f"{probe} {self.seed} {relation.name} {at}")
                wrong = sampler.negatives(probe, at, half=half, rng=rng, count=count)
                if len(wrong) == count:
                    yield probe, wrong, rng
                    break

    def _item(
        self, name: str, relation: Relation, at: tuple[int, int], *, probe: str, facts: dict[str, Any], **more: Any
    ) -> Item:
        """An item made from two tuples; items that share a tuple are not independent."""
        clusters = [f"{relation.name}/{k}" for k in at]
        return Item(
            id=f"{name}.{probe}.{at[0]:02d}.{at[1]:02d}",
            suite="analogy",
            tags={
                "relation": relation.name,
                "group": relation.group,
                "probe": probe,
                "paper_probe": probe.partition("-")[0],
                "setting": self.options.setting,
                "cardinality": relation.cardinality,
                "symmetric": relation.symmetric,
                "many_valued": self.many_valued[relation.name],
            },
            facts={
                "query": list(relation.tuples[at[0]].pair),
                **facts,
                **({} if self.options.template == DEFAULT else {"template": self.options.template}),
                "clusters": clusters,
            },
            **more,
        )

    def summary(self) -> dict[str, Any]:
        """Counts, and how often the first negative drawn was true (a false negative)."""
        return {
            "relations": [
                {
                    **sampler.relation.describe(),
                    "items": {probe: n for probe in PROBES if (n := self.count[sampler.relation.name, probe])},
                    "many_valued": self.many_valued[sampler.relation.name],
                    "wordnet": sorted(sampler.others.own_links) if sampler.others else [],
                    "false_negative_rate": false_negative_rates([sampler]),
                    "no_negative": sum(sampler.without_negative.values()),
                }
                for sampler in self.samplers
            ],
            "fingerprint": fingerprint(self.every),
            **({"frequencies": self.frequencies} if self.frequencies else {}),
            "conditions": conditions(self.options, relations=len(self.samplers), trained=self.trained),
            "duplicates": sum(relation.duplicates for relation in self.every),
            "false_negatives_kept": self.options.faithful,
            "false_negatives_asked": truth_sources(self.samplers),
            "false_negative_rate": false_negative_rates(self.samplers),
        }


def slugs(relations: Sequence[Relation]) -> list[str]:
    """A short name per relation, for ids; equal names get a number.

    >>> slugs([Relation("verb : past", "IM", ()), Relation("verb+past", "IM", ())])
    ['verb-past', 'verb-past-2']
    """
    seen: Counter[str] = Counter()
    names = []
    for name in (slug(relation.name) for relation in relations):
        seen[name] += 1
        names.append(name if seen[name] == 1 else f"{name}-{seen[name]}")
    return names
