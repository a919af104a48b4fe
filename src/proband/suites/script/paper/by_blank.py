"""Exact match by what a blank asks for and by its number of words."""

from __future__ import annotations

from collections.abc import Sequence

from proband.core.suite import Analysis, Results, Sheet
from proband.suites.script.analysis.breakdown import BREAKDOWN, LENGTHS
from proband.suites.script.cloze.categories import CATEGORIES
from proband.suites.script.paper.means import lines

PARTS = (*CATEGORIES, *LENGTHS)
BY_PART = {metric.name: metric for metric in BREAKDOWN}


def by_blank(results: Results, seed: int) -> Sequence[Sheet]:
    """A line per model and split, a column per kind and length."""
    metrics = [BY_PART[f"match_oracle:{part}"] for part in PARTS]
    return (
        Sheet(
            name="kinds",
            title="Share of right words (oracle, percent) by kind and length of blank",
            header=("model", "split", *(part.replace("-", " ") for part in PARTS), "runs"),
            rows=tuple(
                (line.label, line.split, *(line.cell(metric) for metric in metrics), line.runs)
                for line in lines(results, metrics)
            ),
            note="With intervals: the tables match_oracle_KIND.",
        ),
    )


BY_BLANK = Analysis(name="kinds", help="exact match by kind and length of blank", of=by_blank)
