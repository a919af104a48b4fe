"""The answers of a study as two small files: answers.parquet and tests.parquet, which rebuild.py makes the tables of.

    proband study kinship-certified --set data=CLUTRR -o results          # or in parts; or kinship-released
    python experiments/kinship/collect.py results experiments/kinship     # adds to what is there; newer runs replace older
    python experiments/kinship/collect.py results experiments/kinship ten-    # the names of the tests begin with ten-

A row of answers.parquet is a run: what the net was trained on, the seed of its stories, the net, its training seed, the
epochs that it was given at most, the test stories, and the number of the relation that it answered for each (uint8, in the
order of `RELATIONS`; 255 for none). Where several relations have the highest score, the label is kept if it is one of
them, and `ties` has their number: accuracy counts one in so many. It is empty for runs without ties, and for those kept
before there was this column, where the first of them is the answer.
A row of tests.parquet is a set of test stories: their labels, k, task and clause in that order, and the sha256 of the
items.jsonl they come from, which `proband build kinship` writes again from the options of the study and `--seed`.

Nothing of CLUTRR's is copied: of stories in the crowd's words only our labels. Of its own rows there are neither texts nor
labels, but audit verdict on the label (`verdicts`) and the first eight bytes of a hash of the row (`rows`: sha256 of
its id and text), by which whoever has the release finds the row again; an answer to one has `WRONG` added where the label is
another.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import polars as pl

from proband.core.files import read_items, read_json, read_run, sha256_file
from proband.core.types import Item
from proband.stats.clusters import clusters_of
from proband.suites.kinship.world.relations import RELATIONS

NONE = 255
WRONG = 128  # added to the answers to CLUTRR's own rows that are not the label
HASH = 8  # bytes
ALIASES = {"ours": "k234", "story": "k234", "clean": "k23", "other": "k23"}  # further names of one build
BUILDS = (
    *(
        "k23",
        "k234",
        "supporting",
        "irrelevant",
        "disconnected",
        "same",
        "facts",
        "facts-chain",
        "story-chain",
        "crowd",
    ),
    *("released-k23", "released-k234"),
    *("released-clean", "released-supporting", "released-irrelevant", "released-disconnected"),
)
KEYS = ["trained_on", "data_seed", "model", "seed", "test"]


class Scores(msgspec.Struct):
    item_id: str
    scores: list[float] = []


def main(results: Path, out: Path, before: str = "") -> int:
    tests, ids = {}, {}
    for folder in sorted((results / "stages" / "build").iterdir()):
        if (folder / "manifest.json").exists():
            sha = sha256_file(folder / "items.jsonl")
            tests[sha], ids[sha] = _test(folder)
            tests[sha]["test"] = before + tests[sha]["test"]
    runs = [row for folder in sorted((results / "stages" / "run").iterdir()) for row in _answers(folder, tests, ids)]
    used = {(row["test"], row["data_seed"]) for row in runs}
    _add(
        out / "tests.parquet",
        [row for row in tests.values() if (row["test"], row["data_seed"]) in used],
        KEYS[-1:] + KEYS[1:2],
    )
    _add(out / "answers.parquet", runs, KEYS)
    print(f"{len(runs)} runs on {len(used)} sets of test stories")
    return 0


def _name(folder: Path) -> str:
    """k234-s0-0123456789 is a set of k234."""
    name = folder.name.rsplit("-", 1)[0]
    name = name.rsplit("-s", 1)[0] if name[-1].isdecimal() and "-s" in name else name
    return ALIASES.get(name, name)


def _test(folder: Path) -> tuple[dict[str, Any], dict[str, tuple[int, int]]]:
    manifest = read_json(folder / "manifest.json")
    items = [item for item in read_items(folder) if item.split == "test"]
    clauses = {name: at for at, name in enumerate(dict.fromkeys(";".join(clusters_of(item)) for item in items))}
    labels = bytes(RELATIONS.index(item.choices[item.gold or 0]) for item in items)
    released = bool(manifest["options"].get("data"))
    row = {
        "test": _name(folder),
        "data_seed": manifest["seed"],
        "items_sha256": sha256_file(folder / "items.jsonl"),
        "tasks": [str(item.tags["task"]) for item in items],
        "k": [int(item.tags["k"]) for item in items],
        "labels": None if released else labels,
        "clauses": [clauses[";".join(clusters_of(item))] for item in items],
        "rows": b"".join(row_hash(item) for item in items) if released else None,
        "verdicts": [str(item.tags["verdict"]) for item in items] if released else None,
    }
    return row, {item.id: (at, label) for at, (item, label) in enumerate(zip(items, labels))}


def row_hash(item: Item) -> bytes:
    """
    >>> row_hash(Item(id="1", suite="kinship", prompt="Ann is Bo's mother.")).hex()
    '622399cfdfe08e4e'
    """
    return hashlib.sha256(f"{item.id}\n{item.prompt}".encode()).digest()[:HASH]


def _answers(
    folder: Path, tests: dict[str, dict[str, Any]], ids: dict[str, dict[str, tuple[int, int]]]
) -> Iterator[dict[str, Any]]:
    if not (folder / "run.json").exists():
        return
    run = read_run(folder / "run.json")
    if run.items_sha not in tests:
        return
    test, places = tests[run.items_sha], ids[run.items_sha]
    if test["labels"] is None and run.model.startswith("solver:"):
        return  # of several relations that may be it solvers name all: no answer of one number
    predictions, ties = bytearray([NONE] * len(places)), bytearray([1] * len(places))
    decoder, count = msgspec.json.Decoder(Scores), 0
    for line in (folder / "answers.jsonl").read_bytes().splitlines():
        answer, count = decoder.decode(line), count + 1
        if any(answer.scores):
            at, label = places[answer.item_id]
            best = [relation for relation, score in enumerate(answer.scores) if score == max(answer.scores)]
            relation, ties[at] = label if label in best else best[0], len(best)
            predictions[at] = relation + WRONG * (test["labels"] is None and relation != label)
    if count != len(places):
        return  # not finished
    trained, model = _trained(run.model)
    yield {
        "trained_on": trained, "data_seed": test["data_seed"], "model": model, "seed": int(run.net.get("seed", 0)),
        "epochs": int(run.net.get("options", {}).get("epochs", 0)), "test": test["test"], "predictions": bytes(predictions),
        "ties": bytes(ties) if max(ties) > 1 else None,
    }  # fmt: skip


def _trained(model: str) -> tuple[str, str]:
    """
    >>> _trained("net:story-chain-gat-both"), _trained("net:ours-mac"), _trained("baseline:ends")
    (('story-chain', 'gat-both'), ('k234', 'mac'), ('', 'baseline:ends'))
    """
    if not model.startswith("net:"):
        return "", model
    name = model.removeprefix("net:")
    build = max((each for each in (*BUILDS, *ALIASES) if name.startswith(f"{each}-")), key=len)
    return ALIASES.get(build, build), name.removeprefix(f"{build}-")


def _add(path: Path, rows: list[dict[str, Any]], keys: list[str]) -> None:
    """Beside the rows that are there, and instead of those with the same keys."""
    schema = {
        "data_seed": pl.Int8,
        "seed": pl.Int8,
        "epochs": pl.Int16,
        "ties": pl.Binary,
        "k": pl.List(pl.Int8),
        "clauses": pl.List(pl.Int16),
    }
    new = pl.DataFrame(rows, schema_overrides={name: kind for name, kind in schema.items() if rows and name in rows[0]})
    if path.exists():
        old = pl.read_parquet(path)
        old = old.with_columns(pl.col("tasks").cast(pl.List(pl.String))) if "tasks" in old.columns else old
        new = pl.concat([old.join(new, on=keys, how="anti"), new], how="diagonal_relaxed")
    path.parent.mkdir(parents=True, exist_ok=True)
    new.sort(keys).write_parquet(path, compression="zstd", compression_level=19)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("prefix", nargs="?", default="")
    given = parser.parse_args()
    sys.exit(main(given.results, given.folder, given.prefix))
