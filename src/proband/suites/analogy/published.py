"""The paper's own figures (tables 1 and 2), to stand beside ours.

`mark` repeats the paper's: `many` (*, one/many-to-many, on the random probe) and `bidirectional` (†, on the reverse
probe). Two cells of table 2 (verb_inf : Ving, reverse and type) are unreadable in our text of the paper and left out.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources

from proband.core.types import Published, Tag

SOURCE = "Rezaee & Camacho-Collados 2022, table {}"


@dataclass(frozen=True)
class Figure:
    """One published cell; `value` in percent, as printed."""

    table: str
    model: str
    setting: str
    group: str
    relation: str
    probe: str
    value: float
    mark: str


@cache
def figures() -> tuple[Figure, ...]:
    """
    >>> [f.value for f in figures() if f.relation == "country : capital"]
    [77.85, 99.15, 90.85]
    """
    text = (resources.files("proband") / "data" / "analogy" / "published.csv").read_text(encoding="utf-8")
    return tuple(
        Figure(**{**row, "value": float(row["value"])})  # type: ignore[arg-type]
        for row in csv.DictReader(text.splitlines())
    )


@cache
def marked() -> frozenset[str]:
    """The relations the paper marks as one/many-to-many or bidirectional."""
    return frozenset(f.relation for f in figures() if f.mark)


def published() -> Sequence[Published]:
    """The same as the report wants them: a tag per row and column, values between 0 and 1."""
    return [
        Published(
            model=figure.model,
            metric="accuracy",
            group=_cell(figure),
            value=round(figure.value / 100, 6),
            source=SOURCE.format(figure.table),
        )
        for figure in figures()
    ]


def _cell(figure: Figure) -> dict[str, Tag]:
    cell: dict[str, Tag] = {"setting": figure.setting, "paper_probe": figure.probe}
    if figure.relation:
        cell["relation"] = figure.relation
    elif figure.group != "All":
        cell["group"] = figure.group
    return cell
