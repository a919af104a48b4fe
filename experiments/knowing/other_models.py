"""Is it the model's own knowledge? Analogies of one model by the facts that another model recalls.

    tar xJf runs.tar.xz && python other_models.py .

A line per model whose analogies are taken, a column per model whose facts are: the share right of the analogies of
which that model recalls both facts, less that of those of which it recalls neither, in points.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import msgspec
import numpy as np

from proband.core.files import read_items
from proband.core.metrics import accuracy_of
from proband.core.types import Answer, Item
from proband.suites.facts.recall import recalled

Pair = frozenset[str]


def answers(folder: Path, items: dict[str, Item]) -> list[tuple[Item, Answer]]:
    lines = (folder / "answers.jsonl").read_text(encoding="utf-8").splitlines()
    return [(items[answer.item_id], answer) for answer in (msgspec.json.decode(line, type=Answer) for line in lines)]


def pairs(item: Item) -> list[Pair]:
    """A fact, or the query and the right option of an analogy."""
    if item.suite == "facts":
        own = [(item.facts["subject"], item.facts["object"])]
    else:
        own = [item.facts["query"], item.facts["options"][item.gold]] if item.facts.get("options") else []
    return [frozenset(map(str.casefold, pair)) for pair in own]


def main(root: Path) -> None:
    facts, analogies = (
        {item.id: item for item in read_items(root / name / "items.jsonl")} for name in ("facts", "analogy")
    )
    models = sorted(each.parent.name for each in (root / "runs").glob("*/prior"))
    known = {
        model: {pairs(item)[0]: (recalled(item, answer) or 0.0) > 0.5 for item, answer in answers(folder, facts)}
        for model in models
        for folder in [root / "runs" / model / "facts"]
    }
    print("analogies of | facts of", *models, sep=" | ")
    for model in models:
        own = answers(root / "runs" / model / "analogy", analogies)
        used = [(pairs(item), accuracy_of(item, answer)) for item, answer in own if pairs(item)]
        used = [(rested, right) for rested, right in used if all(pair in known[model] for pair in rested)]
        right = np.array([right for _, right in used])
        line = []
        for other in models:
            share = np.array([np.mean([known[other][pair] for pair in rested]) for rested, _ in used])
            line.append(f"{100 * (right[share == 1].mean() - right[share == 0].mean()):+.1f}")
        print(model, *line, sep=" | ")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    main(parser.parse_args().folder)
