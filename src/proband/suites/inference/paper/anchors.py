"""Results of others on Levy/Holt, each with what it was measured on, beside the average precision of our runs there."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from importlib.resources import files
from io import StringIO

import numpy as np

from proband.core.metrics import average_precision, score_and_truth
from proband.core.suite import Analysis, Results, Sheet
from proband.suites.inference.curves.measures import area_above_half
from proband.suites.inference.curves.method import method_of
from proband.suites.inference.curves.scored import PLAIN, control_of


def published() -> list[tuple[str, str, str, float, str]]:
    """Model, measured on, measure, value, source.

    >>> published()[0][2:4]
    ('area under the precision-recall curve', 0.356)
    """
    text = files("proband").joinpath("data/inference/published.csv").read_text(encoding="utf-8")
    return [
        (row["model"], row["measured_on"], row["measure"], float(row["value"]), row["source"])
        for row in csv.DictReader(StringIO(text))
    ]


def analysis(results: Results, seed: int) -> Sequence[Sheet]:
    """Only beside Levy/Holt items."""
    first = next(iter(results.items()), None)
    if first is None or first.tags["source"] != "levy-holt" or control_of(results) != PLAIN:
        return ()
    lines: list[tuple[str | float | int | None, ...]] = list(published())
    for run in range(len(results.runs)):
        records: dict[str, list[tuple[float, float]]] = {"test": [], "directional test": []}
        for item, answer in results.answers(run):
            record = score_and_truth(item, answer)
            if record is not None and item.split == "test":
                records["test"].append(record)
                records["directional test"] += [record] if item.tags["directional"] else []
        name = method_of(results.runs[run], results.labels[run]).name
        for what, rows in records.items():
            if rows:
                table, ones = np.array(rows), np.ones(len(rows))
                on = f"Levy/Holt {what}, {len(rows):,} pairs"
                lines.append((name, on, "average precision", round(average_precision(table, ones), 4), "this report"))
                area = round(area_above_half(table, ones), 4)
                lines.append((name, on, "area, precision at least 0.5 (steps)", area, "this report"))
    return (
        Sheet(
            name="anchors",
            title="Levy/Holt: results of others beside ours",
            header=("model", "measured on", "measure", "value", "source"),
            rows=tuple(lines),
            note="Trained models are known to profit from artefacts of this set: read them beside the controls "
            "(hypothesis only, random premise, swapped entities, no shared lemma).",
        ),
    )


ANCHORS = Analysis(name="anchors", help="results of others on Levy/Holt", of=analysis)
