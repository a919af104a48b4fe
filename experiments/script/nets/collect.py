"""Adds the nets of a folder to runs.json, from the answers that `proband paper script` left beside its tables.

proband paper script --data KIDSCOOK --set nets=NETS -o TABLES
python experiments/script/nets/collect.py NETS TABLES/answers TABLES/items
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from statistics import mean
from typing import Any

from proband.suites.script.metrics import alignment_length

HERE = Path(__file__).parent
MODES = {"oracle": ("oracle", "ranks"), "best5": ("guess", "greedy_ranks")}


def figures(blanks: list[dict[str, Any]]) -> dict[str, float]:
    """Every way of counting (table4.md): by each blank's share, by word, by whole blank."""
    found: dict[str, float] = {}
    for mode, (said, ranks) in MODES.items():
        kinds = {
            "match": [[a == b for a, b in zip(blank[said], blank["gold"], strict=True)] for blank in blanks],
            "top5": [[rank <= 5 for rank in blank[ranks]] for blank in blanks],
        }
        for kind, hits in kinds.items():
            found[f"{mode}_{kind}_prop"] = 100 * mean(mean(each) for each in hits)
            found[f"{mode}_{kind}_word"] = 100 * mean(hit for each in hits for hit in each)
            found[f"{mode}_{kind}_all"] = 100 * mean(all(each) for each in hits)
    found["oracle_surp"] = mean(s for blank in blanks for s in blank["surprisals"])
    found["oracle_rank"] = mean(rank for blank in blanks for rank in blank["ranks"])
    return {name: round(float(value), 3) for name, value in found.items()}


def row(folder: Path, answers: Path, splits: dict[str, str]) -> dict[str, Any]:
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    (file,) = answers.glob(f"*{folder.name}.answer.*.jsonl")
    said = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    by = {split: [answer for answer in said if splits[answer["item_id"]] == split] for split in ("valid", "test")}
    found = {
        "row": config["kind"] + (", then Viterbi EM" if "viterbi" in folder.name else ""),
        "seed": config["seed"],
        "trained_on": "cloze texts",
        "schedule": config["schedule"],
        "epochs": config["trained"]["epochs"],
        "valid_nats": config["trained"]["valid"],
        "train_s": round(config["trained"]["history"][-1]["seconds"], 1),
    }
    paths = [blank["path"] for answer in by["valid"] for blank in answer["blanks"] if "path" in blank]
    if paths:
        found["align_len"] = round(alignment_length(paths), 3)
    return found | {split: figures([b for answer in part for b in answer["blanks"]]) for split, part in by.items()}


def main(nets: Path, answers: Path, items: Path) -> None:
    lines = (items / "items.jsonl").read_text(encoding="utf-8").splitlines()
    splits = {item["id"]: item["tags"]["split"] for item in map(json.loads, lines)}
    path = HERE / "runs.json"
    runs = [run for run in json.loads(path.read_text(encoding="utf-8")) if run.get("trained_on") != "cloze texts"]
    runs = [{**run, "trained_on": "released sequences"} for run in runs]
    folders = sorted(note.parent for note in nets.glob("*/config.json") if not note.parent.name.endswith("-sequences"))
    runs += [row(folder, answers, splits) for folder in folders]
    order = ["lm", "seq2seq", "attention", "transducer", "transducer-param"]
    runs.sort(key=lambda run: (order.index(run["row"].split(",")[0]), run["row"], run["trained_on"], run["seed"]))
    path.write_text(json.dumps(runs, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:4]))
