"""Build items from a released data set or from our own."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Annotated, Any, Literal

from proband.core.errors import ProbandError
from proband.core.files import DATA, group_by_key
from proband.core.plugins import Meta, name_list
from proband.core.suite import Built
from proband.suites.inference.controls import CONTROLS, controlled, kept_types
from proband.suites.inference.datasets.formats import LICENCES, detect, examples
from proband.suites.inference.gold import Judged, read_judged, read_own
from proband.suites.inference.gold import summary as judgments_summary
from proband.suites.inference.items import PLAIN, Example, content, items, shares_lemma


@dataclass(frozen=True, kw_only=True)
class BuildOptions:
    """Options that select the pairs and the control."""

    data: Annotated[Path | None, Meta(description="file or folder of a data set (default: our own)")] = None
    format: Annotated[
        Literal["auto", "levy-dagan", "levy-holt", "zeichner", "judgments", "own"],
        Meta(description="format of the data; auto: from file names and first lines"),
    ] = "auto"
    rule: Annotated[
        Literal["all-but-one", "majority", "dawid-skene", "mace"],
        Meta(description="aggregation rule for judgments (all-but-one: at least 4 of 5, the paper's)"),
    ] = "all-but-one"
    control: Annotated[
        Literal["none", "hypothesis-only", "random-premise", "swapped-entities", "typed-placeholders", "all"],
        Meta(description="control for artefacts and memorisation: what is removed; all: the pairs under each control"),
    ] = "none"
    directional: Annotated[bool, Meta(description="only pairs that hold in one direction")] = False
    pairs: Annotated[
        int, Meta(description="sample of about this many pairs per split, with both directions of a pair; 0: all")
    ] = 0
    splits: Annotated[str, Meta(description="splits to write, comma-separated (default: all)")] = ""


def build(options: BuildOptions, *, seed: int) -> Built:
    data = options.data or DATA / "inference"
    name: str = options.format
    if name == "auto":
        name = detect(options.data) if options.data else "own"
    judged, labelled = read(data, name, options.rule)
    every = selected(labelled, options)
    kept = sample(every, options.pairs) if options.pairs else range(len(every))
    chosen = [every[at] for at in kept]
    controls = CONTROLS if options.control == "all" else (options.control,)
    made = {  # of all examples, not only the sample
        control: every if control == PLAIN else controlled(every, control, seed=seed) for control in controls
    }

    def summary() -> Mapping[str, Any]:
        labels = Counter("unlabelled" if each.entailed is None else LABELS[each.entailed] for each in chosen)
        return {
            "format": name,
            "labels": dict(labels),
            "questions": len({each.question for each in chosen}),
            "directional": sum(each.directional for each in chosen),
            "share_a_lemma": sum(map(shares_lemma, chosen)),
            "leaks": leaks(chosen),
            **{name: kept_types(every, each) for name, each in made.items() if name == "swapped-entities"},
            **({"judgments": judgments_summary(judged)} if judged else {}),
        }

    return Built(
        items=chain.from_iterable(
            items(each, control=control, plain=every, kept=kept) for control, each in made.items()
        ),
        licence=LICENCES[name],
        summary=summary,
    )


def read(data: Path, name: str, rule: str) -> tuple[Judged | None, list[Example]]:
    """The examples of a data set, with their judgments if the set has them."""
    if name == "judgments":
        return read_judged(data, rule)
    if name == "own":
        return read_own(data, rule)
    return None, examples(data, name)[1]


LABELS = {True: "entailed", False: "not entailed"}


def selected(results: Sequence[Example], options: BuildOptions) -> list[Example]:
    """The splits and the kinds of pairs that were asked for."""
    wanted = name_list(options.splits)
    there = {each.split for each in results}
    if unknown := [name for name in wanted if name not in there]:
        raise ProbandError(f"'splits' names {unknown[0]!r}; this data set has {', '.join(sorted(there))}")
    kept = [each for each in results if not wanted or each.split in wanted]
    if options.directional:
        kept = [each for each in kept if each.directional]
    return kept


def sample(examples: Sequence[Example], count: int) -> list[int]:
    """The indices of `count` examples per split, or a few more. Pairs stay whole and are sorted by a hash of their
    names, so a smaller sample is part of a larger one."""
    pairs: dict[str, dict[str, int]] = defaultdict(dict)
    for each in examples:
        pairs[each.split][each.pair] = pairs[each.split].get(each.pair, 0) + 1
    chosen: set[tuple[str, str]] = set()
    for split, sizes in pairs.items():
        drawn = sorted(sizes, key=lambda pair: hashlib.sha256(pair.encode()).digest())
        before = 0
        for pair in drawn:
            if before >= count:
                break
            chosen.add((split, pair))
            before += sizes[pair]
    return [at for at, each in enumerate(examples) if (each.split, each.pair) in chosen]


# ---- leaks -----------------------------------------------------------------------------------------------------------


def leaks(examples: Sequence[Example]) -> dict[str, int]:
    """Counts for the manifest: repeated pairs, contradictions, and what the splits share."""
    seen = group_by_key(((each.premise.text.lower(), each.hypothesis.text.lower()), each) for each in examples)
    groups = list(seen.values())
    counts = {
        "repeated_pairs": sum(len(group) - 1 for group in groups),
        "contradictory_pairs": sum(len({each.entailed for each in group}) > 1 for group in groups),
        "without_common_argument": sum(not each.matched for each in examples),
    }
    splits = sorted({each.split for each in examples})
    for what, key in SHARED.items():
        for n, one in enumerate(splits):
            for other in splits[n + 1 :]:
                sides = [{key(each) for each in examples if each.split == split} for split in (one, other)]
                counts[f"{what}_in_{one}_and_{other}"] = len(sides[0] & sides[1])
    return counts


SHARED: Mapping[str, Callable[[Example], Hashable]] = {
    "pairs": lambda each: each.pair,
    "questions": lambda each: each.question,
    "relation_pairs": lambda each: (content(each.premise.relation), content(each.hypothesis.relation), each.straight),
}
