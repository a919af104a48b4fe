"""csv: one table, a line per item."""

from __future__ import annotations

import csv
from pathlib import Path

from proband.core.files import atomic, dumps
from proband.pipeline.export.source import Source


def write_csv(source: Source, out: Path) -> Path:
    """id, suite, split, prompt, one column per choice and per tag, gold (empty for open items), facts as JSON."""
    path = out if out.suffix == ".csv" else out / "items.csv"
    choices, tags = [f"choice_{i}" for i in range(source.width)], [f"tag_{name}" for name in source.tags]
    with atomic(path) as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["id", "suite", "split", "prompt", *choices, "gold", *tags, "facts"])
        for item in source.items():
            padded = [*item.choices, *[""] * (source.width - len(item.choices))]
            values = (item.tags.get(name, "") for name in source.tags)
            gold = "" if item.gold is None else item.gold
            writer.writerow([item.id, item.suite, item.split, item.prompt, *padded, gold, *values, dumps(item.facts)])
    return path if out.suffix == ".csv" else out
