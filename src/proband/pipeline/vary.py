"""`proband vary`: writes an item set with the source items and certified variations of them.

A varied folder has every source item, tagged `variation: original`, followed by its variations, so that one run answers
both. `facts.source` names the item that a variation was made from, `facts.effect` what becomes of the right answer
(core/suite.py, `Variation`). Items of splits that are not varied stay as they are.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from proband.core.errors import ProbandError
from proband.core.files import items_path, read_items, read_manifest, sha256_file
from proband.core.metrics import scored_splits
from proband.core.plugins import name_list
from proband.core.suite import Built, Variation
from proband.core.types import Item
from proband.pipeline.asking.setup import suite_of
from proband.pipeline.build import check_free, write_items, write_manifest
from proband.stats.clusters import clusters_of

ORIGINAL = "original"
MOST_REASONS = 20  # that a manifest lists for each variation


def vary(
    items: str | Path, *, out: str | Path, as_: str | Sequence[str], split: str = "", seed: int = 0, force: bool = False
) -> dict[str, Any]:
    """Make variations of items whose effect on the right answer is known.

    Example: proband vary items -o varied --as rename,reorder,counterfactual

    :param items: Folder of items, or a file.
    :param as_: Variations of the suite (docs/variations.md).
    :param split: Items to vary: train, valid, test or all; default: those scored.
    """
    path, folder = items_path(Path(items)), Path(out)
    suite = suite_of(items)
    if not suite.variations:
        raise ProbandError(f"{suite.name} has no variations")
    chosen = [suite.variation(name) for name in dict.fromkeys(name_list(as_))] or [suite.variation("")]
    if folder.resolve() == path.parent.resolve():
        raise ProbandError("is the folder of the source items; choose another one", file=folder)
    manifest = read_manifest(path)
    if manifest.get("sha256", {}).get(path.name) not in (None, sha256_file(path)):
        raise ProbandError("has changed since it was built (its SHA-256 is not that of manifest.json)", file=path)
    if "variations" in manifest:
        raise ProbandError("contains varied items already; vary their source", file=path.parent)
    splits = scored_splits({item.split for item in read_items(path)}, split)
    made, reasons = Counter[str](), {each.name: Counter[str]() for each in chosen}  # why there is none

    def varied_items() -> Iterator[Item]:
        for item in read_items(path, check=suite.check):
            if item.split not in splits:
                yield item
                continue
            yield marked(item, item, name=ORIGINAL, effect="keeps")
            for each in chosen:
                varied = variation_of(item, each, seed=seed, folder=path.parent)
                if isinstance(varied, str):
                    reasons[each.name][varied] += 1
                else:
                    made[each.name] += 1
                    yield varied
        if not made.total():
            why = (f"no item can be varied as {n!r}: {r.most_common(1)[0][0]}" for n, r in reasons.items() if r)
            raise ProbandError(next(why, "has no items to vary"), file=path)

    options = {"as": [each.name for each in chosen], "split": split, "of": sha256_file(path)}
    check_free(folder, suite=suite, seed=seed, options=options, force=force)
    counts = write_items(folder / "items.jsonl", Built(items=varied_items(), licence=""), suite=suite.name)
    what = {"suite": suite.name, "seed": seed, "options": options}
    what["licence"] = manifest.get("licence", "that of the source items")
    source = {**manifest, "folder": path.parent.name, "sha256": options["of"]}
    variations = {
        each.name: {
            "effect": each.effect,
            "items": made[each.name],
            "not_varied": dict(reasons[each.name].most_common(MOST_REASONS)),
        }
        for each in chosen
    }
    return write_manifest(folder, counts, what, {"source": source, "variations": variations})


def variation_of(item: Item, variation: Variation, *, seed: int, folder: Path) -> Item | str:
    """The variation of an item, or the reason why there is none."""
    varied = variation.make(item, rng=random.Random(f"{seed} {variation.name} 0 {item.id}"), folder=folder)
    if isinstance(varied, str):
        return varied
    if variation.effect != "open" and (varied.prompt, varied.choices) == (item.prompt, item.choices):
        return "it would be the same question"
    named = replace(varied, id=f"{item.id}~{variation.name}")
    return marked(named, item, name=variation.name, effect=variation.effect)


def marked(item: Item, source: Item, *, name: str, effect: str) -> Item:
    """An item with its variation and source, in the clusters of its source too."""
    clusters = list(dict.fromkeys((*clusters_of(source), *item.facts.get("clusters", ()))))
    return replace(
        item,
        tags={**item.tags, "variation": name},
        facts={**item.facts, "clusters": clusters, "source": source.id, "effect": effect},
        split=source.split,
    )
