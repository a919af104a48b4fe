"""`proband vary`: items in, the same items with certified variations of them out, as an item set like any other.

A varied folder holds every source item, tagged `variation: original`, and after it what was made from it, so that one
run answers both. `facts.source` names the item that a variation was made from, `facts.effect` what becomes of the
right answer (core/suite.py, `Variation`). Items of splits that are not varied stay as they are.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from proband.core.errors import ProbandError
from proband.core.files import items_path, read_items, read_manifest, sha256_file
from proband.core.metrics import scored_splits
from proband.core.suite import Built, Suite, Variation
from proband.core.types import Item
from proband.pipeline.asking.items_and_answers import name_list
from proband.pipeline.asking.setup import suite_of
from proband.pipeline.build import check_free, write_items, write_manifest
from proband.stats.clusters import clusters_of

ORIGINAL = "original"
MOST_REASONS = 20  # that a manifest lists for each variation


def vary(
    items: str | Path,
    *,
    out: str | Path,
    as_: str | Sequence[str],
    per_item: int = 1,
    split: str = "",
    seed: int = 0,
    force: bool = False,
) -> dict[str, Any]:
    """Make variations of items whose effect on the right answer is known.

    Example: proband vary items -o varied --as rename,reorder,counterfactual

    :param items: Folder of items, or a file.
    :param as_: Variations of the suite (docs/variations.md).
    :param per_item: How many of each to make of every item.
    :param split: Items to vary: train, valid, test or all; default: those scored.
    """
    path, folder = items_path(Path(items)), Path(out)
    suite = suite_of(items)
    if not suite.variations:
        raise ProbandError(f"{suite.name} has no variations")
    chosen = [suite.variation(name) for name in dict.fromkeys(name_list(as_))] or [suite.variation("")]
    if per_item < 1:
        raise ProbandError(f"--per-item {per_item}: must be 1 or more")
    if folder.resolve() == path.parent.resolve():
        raise ProbandError("is the folder of the source items; name another one", file=folder)
    manifest = source_manifest(path)
    splits = scored_splits({item.split for item in read_items(path)}, split)
    work = Varying(suite=suite, variations=chosen, path=path, splits=splits, per_item=per_item, seed=seed)
    options = {"as": [each.name for each in chosen], "per-item": per_item, "split": split, "of": sha256_file(path)}
    check_free(folder, suite=suite, seed=seed, options=options, force=force)
    made = write_items(folder / "items.jsonl", Built(items=work.items(), licence=""), suite=suite.name)
    work.check_that_some_were_made()
    licence = manifest.get("licence", "that of the source items")
    what = {"suite": suite.name, "seed": seed, "options": options, "licence": licence}
    source = {**manifest, "folder": path.parent.name, "sha256": options["of"]}
    return write_manifest(folder, made, what, {"source": source, "variations": work.summary()})


def source_manifest(path: Path) -> Mapping[str, Any]:
    """The manifest of the source items, if there is one; items that it does not describe any more are refused."""
    manifest = read_manifest(path)
    recorded = manifest.get("sha256", {}).get(path.name)
    if recorded is not None and recorded != sha256_file(path):
        raise ProbandError("has changed since it was built (manifest.json has another sha256)", file=path)
    if "variations" in manifest:
        raise ProbandError("holds varied items already; vary their source", file=path.parent)
    return manifest


@dataclass(kw_only=True)
class Varying:
    """One pass over the source items; counts what could not be varied, and why."""

    suite: Suite
    variations: Sequence[Variation]
    path: Path
    splits: Sequence[str]
    per_item: int
    seed: int
    made: Counter[str] = field(default_factory=Counter)
    reasons: dict[str, Counter[str]] = field(default_factory=dict)

    def items(self) -> Iterator[Item]:
        for item in read_items(self.path, check=self.suite.check):
            if item.split not in self.splits:
                yield item
                continue
            yield marked(item, item, name=ORIGINAL, effect="keeps")
            for variation in self.variations:
                yield from self._variations(item, variation)

    def _variations(self, item: Item, variation: Variation) -> Iterator[Item]:
        seen = {item.prompt} if variation.effect != "open" else set()
        for number in range(self.per_item):
            rng = random.Random(f"{self.seed} {variation.name} {number} {item.id}")
            varied = variation.make(item, rng=rng, folder=self.path.parent)
            if not isinstance(varied, str) and varied.prompt in seen and varied.choices == item.choices:
                varied = "no further one differs from it"
            if isinstance(varied, str):
                self.reasons.setdefault(variation.name, Counter())[varied] += 1
                return
            seen.add(varied.prompt)
            self.made[variation.name] += 1
            name = f"{item.id}~{variation.name}" + (f"-{number + 1}" if self.per_item > 1 else "")
            yield marked(replace(varied, id=name), item, name=variation.name, effect=variation.effect)

    def check_that_some_were_made(self) -> None:
        """A variation that no item allows is counted; where nothing was made, that is an error."""
        if self.made.total():
            return
        for name, reasons in self.reasons.items():
            raise ProbandError(f"no item can be varied as {name!r}: {reasons.most_common(1)[0][0]}", file=self.path)
        raise ProbandError("has no items to vary", file=self.path)

    def summary(self) -> dict[str, dict[str, str | int | dict[str, int]]]:
        return {
            each.name: {
                "effect": each.effect,
                "items": self.made[each.name],
                "not_varied": dict(self.reasons.get(each.name, Counter()).most_common(MOST_REASONS)),
            }
            for each in self.variations
        }


def marked(item: Item, source: Item, *, name: str, effect: str) -> Item:
    """An item with its variation and source, in the clusters of its source too."""
    clusters = list(dict.fromkeys((*clusters_of(source), *item.facts.get("clusters", ()))))
    return replace(
        item,
        tags={**item.tags, "variation": name},
        facts={**item.facts, "clusters": clusters, "source": source.id, "effect": effect},
        split=source.split,
    )
