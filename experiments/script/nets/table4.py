"""Writes table4.md from runs.json: Table 4 of the paper beside our nets, in every way of counting.

python experiments/script/nets/table4.py
"""

from __future__ import annotations

import json
from pathlib import Path
from statistics import mean, stdev
from typing import Any

HERE = Path(__file__).parent
PUBLISHED = {  # oracle match and top-5, greedy match and top-5, surprisal
    "lm": (21.59, 52.32, 21.72, 43.33, 3.970),
    "seq2seq": (23.57, 53.38, 23.44, 45.76, 3.755),
    "attention": (24.52, 53.98, 24.57, 47.34, 3.780),
    "transducer": (24.72, 55.09, 24.91, 47.80, 4.780),
    "transducer-param": (23.81, 53.98, 24.00, 46.19, 3.547),
}
COUNTS = {"share": "prop", "word": "word", "whole": "all"}
COLUMNS = ("oracle_match", "oracle_top5", "best5_match", "best5_top5")
Run = dict[str, Any]


def cell(values: list[float], digits: int) -> str:
    spread = f" ± {stdev(values):.{digits}f}" if len(values) > 1 else ""
    return f"{mean(values):.{digits}f}{spread}"


def line(runs: list[Run], split: str, ending: str) -> list[str]:
    cells = [cell([run[split][f"{column}_{ending}"] for run in runs], 1) for column in COLUMNS]
    return [*cells, cell([run[split]["oracle_surp"] for run in runs], 2)]


def tables(groups: dict[str, list[Run]]) -> list[str]:
    out = []
    for split in ("test", "valid"):
        out += [
            f"### {split}",
            "",
            "| net | counted | oracle match | top-5 | greedy match | top-5 | surprisal | runs |",
        ]
        out += ["|---|---|---|---|---|---|---|---|"]
        for name, runs in groups.items():
            published = PUBLISHED.get(name)
            if published:
                out.append(f"| {name} | published | " + " | ".join(map(str, published)) + " | |")
            for count, ending in COUNTS.items():
                out.append(f"| {name} | {count} | " + " | ".join(line(runs, split, ending)) + f" | {len(runs)} |")
        out.append("")
    return out


def alignments(groups: dict[str, list[Run]]) -> list[str]:
    out = ["| net | words per aligned position, valid | runs |", "|---|---|---|"]
    for name, runs in groups.items():
        lengths = [run["align_len"] for run in runs if run.get("align_len")]
        if lengths:
            out.append(f"| {name} | {cell(lengths, 2)} | {len(lengths)} |")
    return [*out, ""]


def main() -> None:
    groups: dict[str, list[Run]] = {}
    for run in json.loads((HERE / "runs.json").read_text(encoding="utf-8")):
        groups.setdefault(run["row"], []).append(run)
    text = (HERE / "table4.head.md").read_text(encoding="utf-8")
    body = "\n".join(["## Figures", "", *tables(groups), "## Length of alignments", "", *alignments(groups)])
    (HERE / "table4.md").write_text(text + "\n" + body.rstrip() + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
