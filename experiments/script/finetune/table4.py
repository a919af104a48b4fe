"""Writes table4.md from runs.json: the paper's GPT rows beside a fine-tuned embedded model, and the search on valid.

python experiments/script/finetune/table4.py
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from statistics import mean, stdev
from typing import Any

HERE = Path(__file__).parent
COLUMNS = ("whole_oracle", "top5_word_oracle", "whole_greedy", "top5_word_greedy")
HEAD = "| oracle match | top-5 | greedy match | top-5 | surprisal |"
PUBLISHED = {
    "published, best in-domain": (24.72, 55.09, 24.91, 47.80, 4.780),
    "published, GPT": (23.19, 42.43, 15.55, 32.86, 4.781),
    "published, GPT fine-tuned": (38.01, 63.69, 31.05, 57.05, 3.151),
}
Row = dict[str, Any]


def cell(values: list[float], digits: int) -> str:
    spread = f" ± {stdev(values):.{digits}f}" if len(values) > 1 else ""
    return f"{mean(values):.{digits}f}{spread}"


def cells(rows: list[Row]) -> str:
    shown = [cell([100 * row[column] for row in rows], 1) for column in COLUMNS]
    return " | ".join([*shown, cell([row["surprisal"] for row in rows], 2)])


def way(row: Row) -> str:
    """How the greedy texts were filled."""
    if row.get("beam"):
        return f"beam of {row['beam']}"
    return f"best of {row['samples']} draws" if row["samples"] else "likeliest word"


def grouped(rows: list[Row], key: Callable[[Row], str]) -> dict[str, list[Row]]:
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row)
    return groups


def setting(run: Row) -> str:
    parts = [f"{run['epochs']} epochs, rate {run['rate']:g}"]
    parts += [f"dropout {run['dropout']:g}"] if run["dropout"] else []
    parts += [f"decay {run['decay']:g}"] if run.get("decay", 0.01) != 0.01 else []
    parts += ["loss on both sides"] if run.get("loss") == "all" else []
    return ", ".join(parts)


def table(found: Row, split: str) -> list[str]:
    out = [f"### {split}", "", f"| | greedy by {HEAD} seeds |", "|---|---|---|---|---|---|---|---|"]
    if split == "test":
        out += [f"| {name} | | " + " | ".join(map(str, row)) + " | |" for name, row in PUBLISHED.items()]
    for how, rows in grouped([r for r in found["zero_shot"] if r["split"] == split], way).items():
        out.append(f"| zero-shot | {how} | {cells(rows)} | |")
    for name, runs in grouped(found["final"], setting).items():
        rows = [row for run in runs for row in run["rows"] if row["split"] == split]
        for how, same in grouped(rows, way).items():
            out.append(f"| {name} | {how} | {cells(same)} | {len(same)} |")
    return [*out, ""]


def searched(found: Row) -> list[str]:
    out = ["| setting | epoch | loss per token, valid | greedy by " + HEAD, "|---|---|---|---|---|---|---|---|---|"]
    for run in found["search"]:
        for loss in run["losses"]:
            rows = [row for row in run["valid"] if row["epoch"] == loss["epoch"]]
            start = f"| {setting(run)} | {loss['epoch']} | {loss['valid']:.3f} |"
            out += [f"{start} {way(row)} | {cells([row])} |" for row in rows] or [f"{start} | | | | | |"]
    return [*out, ""]


def main() -> None:
    found = json.loads((HERE / "runs.json").read_text(encoding="utf-8"))
    text = (HERE / "table4.head.md").read_text(encoding="utf-8")
    body = [
        "## Figures",
        "",
        *table(found, "test"),
        *table(found, "valid"),
        "## The search on valid",
        "",
        *searched(found),
    ]
    (HERE / "table4.md").write_text(text + "\n" + "\n".join(body).rstrip() + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
