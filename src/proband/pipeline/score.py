"""The score of one run: the main metric of its suite over all its items, with the interval that the report gives."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from proband.pipeline.report import item_sets


def score(folder: str | Path) -> dict[str, Any]:
    """How many answers there are, and their mean; None where the metric applies to none of them."""
    from proband.report.numbers.cells import Study

    study = Study(item_sets([folder])[0])
    (cell,) = study.cell(study.main, {})
    empty = {"mean": None, "low": None, "high": None, "n": 0, "few": False}
    return {
        "metric": study.main.name,
        "unit": study.main.unit,
        **(empty if cell is None else {name: getattr(cell.estimate, name) for name in empty}),
        "chance": None if cell is None else cell.chance,
        "answers": len(study.arrays.answered[0]),
    }
