"""csv: one table, a line per item."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from proband.core.files import atomic, dumps
from proband.core.text import csv_lines
from proband.pipeline.export.source import Source


def write_csv(source: Source, out: Path) -> Path:
    """id, suite, split, prompt, one column per choice and per tag, gold (empty for open items), facts as JSON."""
    path = out if out.suffix == ".csv" else out / "items.csv"
    choices, tags = [f"choice_{i}" for i in range(source.width)], [f"tag_{name}" for name in source.tags]

    def rows() -> Iterator[Sequence[Any]]:
        yield ["id", "suite", "split", "prompt", *choices, "gold", *tags, "facts"]
        for item in source.items():
            padded = [*item.choices, *[""] * (source.width - len(item.choices))]
            values = (item.tags.get(name, "") for name in source.tags)
            gold = "" if item.gold is None else item.gold
            yield [item.id, item.suite, item.split, item.prompt, *padded, gold, *values, dumps(item.facts)]

    with atomic(path) as file:
        file.writelines(csv_lines(rows(), guarded=False))  # for programs: the texts as they are
    return path if out.suffix == ".csv" else out
