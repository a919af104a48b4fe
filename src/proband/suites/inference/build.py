"""A data set, or our own, as items."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from proband.core.errors import ProbandError
from proband.core.options import Meta
from proband.core.suite import Built
from proband.suites.inference.controls import controlled, shares_lemma
from proband.suites.inference.datasets import leaks
from proband.suites.inference.datasets.formats import LICENCES, examples
from proband.suites.inference.items import items
from proband.suites.inference.triples import Example


@dataclass(frozen=True, kw_only=True)
class BuildOptions:
    """Which pairs, and under which control."""

    data: Annotated[Path | None, Meta(description="file or folder of a data set (default: our own)")] = None
    format: Annotated[
        Literal["auto", "levy-dagan", "levy-holt", "holt", "zeichner"],
        Meta(description="format of the data; auto: told from names and first lines"),
    ] = "auto"
    control: Annotated[
        Literal["none", "hypothesis-only", "random-premise", "swapped-entities"],
        Meta(description="what is taken away, for a control of artefacts and memory"),
    ] = "none"
    directional: Annotated[bool, Meta(description="only pairs that hold in one direction")] = False
    new_lemmas: Annotated[bool, Meta(description="leave out pairs whose relations share a content lemma")] = False
    splits: Annotated[str, Meta(description="which splits to write, with commas (default: all)")] = ""


def build(options: BuildOptions, *, seed: int) -> Built:
    if options.data is None:
        raise ProbandError("name a data set with --data")
    name, found = examples(options.data, options.format)
    chosen = selected(found, options)
    made = controlled(chosen, options.control, seed=seed)

    def summary() -> Mapping[str, Any]:
        labels = Counter("unlabelled" if each.entailed is None else LABELS[each.entailed] for each in chosen)
        return {
            "format": name,
            "labels": dict(labels),
            "questions": len({each.question for each in chosen}),
            "directional": sum(each.directional for each in chosen),
            "share_a_lemma": sum(map(shares_lemma, chosen)),
            "leaks": leaks.report(chosen),
        }

    return Built(items=items(made, control=options.control), licence=LICENCES[name], summary=summary)


LABELS = {True: "entailed", False: "not entailed"}


def selected(found: Sequence[Example], options: BuildOptions) -> list[Example]:
    """The splits and the kinds of pairs that were asked for."""
    wanted = [name.strip() for name in options.splits.split(",") if name.strip()]
    there = {each.split for each in found}
    if unknown := [name for name in wanted if name not in there]:
        raise ProbandError(f"'splits' names {unknown[0]!r}; this data set has {', '.join(sorted(there))}")
    kept = [each for each in found if not wanted or each.split in wanted]
    if options.directional:
        kept = [each for each in kept if each.directional]
    return [each for each in kept if not (options.new_lemmas and shares_lemma(each))]
