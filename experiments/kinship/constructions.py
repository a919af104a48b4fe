"""Trained readers on constructions that they were not trained on: `python experiments/kinship/constructions.py DIR`.

For each construction of bank `release2` a net `extractor` is trained on 1,000 stories of the others (100 of each, two
and three facts) and answers 200 stories of it (two to six facts); the control is trained on as many stories of all.
The figures are in extractor.md. What is in DIR already is not done again.
"""

import json
import random
import sys
from pathlib import Path

import msgspec

import proband
from proband.core.files import read_items
from proband.core.types import Item
from proband.suites.kinship.telling.bank import FAMILIES

NAMES = FAMILIES["release2"]
NET = {"width": 64, "blocks": 5, "epochs": 6, "batch": 25, "rate": 0.003, "near": 1}


def build(folder: Path) -> None:
    for name in NAMES:
        for part, k, per_k, seed in (("train", "2,3", 55, 303), ("test", "2..6", 40, 101)):
            if not (folder / part / name).exists():
                options = {"bank": "release2", "constructions": name, "k": k, "per_k": per_k, "certify": "none"}
                proband.build("kinship", out=folder / part / name, seed=seed, **options)


def training_set(folder: Path, without: str) -> Path:
    """A file with as many stories of each construction but one, or of all."""
    kept = [name for name in NAMES if name != without]
    items: list[Item] = []
    for name in kept:
        stories = list(read_items(folder / "train" / name))
        for item in random.Random(2).sample(stories, round(1000 / len(kept))):
            tags = {**item.tags, "split": "train"}
            items.append(msgspec.structs.replace(item, id=f"{name}-{item.id}", split="train", tags=tags))
    random.Random(1).shuffle(items)
    path = folder / f"{without}.jsonl"
    path.write_bytes(b"".join(msgspec.json.encode(item) + b"\n" for item in items))
    return path


def right(folder: Path, net: str, name: str) -> int:
    """How many of the stories of a construction a net answers rightly."""
    run, gold = folder / f"run-{net}-{name}", {item.id: item.gold for item in read_items(folder / "test" / name)}
    if not run.exists():
        proband.run(folder / "test" / name, model=f"net:{folder / f'net-{net}'}", out=run)
    answers = [json.loads(line) for line in (run / "answers.jsonl").read_text().splitlines()]
    return sum(each["scores"].index(max(each["scores"])) == gold[each["item_id"]] for each in answers if each["scores"])


def main(folder: Path) -> None:
    build(folder)
    for net in ("control", *NAMES):
        if not (folder / f"net-{net}").exists():
            out = folder / f"net-{net}"
            proband.train(training_set(folder, net), net="extractor", out=out, options=NET)
        for name in NAMES if net == "control" else [net]:
            print(net, "on", name, right(folder, net, name), "of 200", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
