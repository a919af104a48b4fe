"""Exact match by what a blank asks for and by its number of words, a line per model and split."""

from __future__ import annotations

from collections.abc import Sequence

from proband.core.files import dumps
from proband.core.suite import Analysis, Results, Sheet
from proband.core.types import Run
from proband.suites.script.analysis.breakdown import BREAKDOWN, LENGTHS
from proband.suites.script.cloze.categories import CATEGORIES

PARTS = (*CATEGORIES, *LENGTHS)
MEASURES = {metric.name: metric for metric in BREAKDOWN}


class Sums:
    """Right words and blanks of each part."""

    def __init__(self) -> None:
        self.total, self.count = dict.fromkeys(PARTS, 0.0), dict.fromkeys(PARTS, 0)

    def add(self, part: str, numbers: Sequence[float]) -> None:
        self.total[part] += sum(numbers)
        self.count[part] += len(numbers)

    def means(self) -> list[float | None]:
        """In percent."""
        return [
            round(100 * self.total[part] / self.count[part], 2) if self.count[part] else None for part in PARTS
        ]  # fmt: skip


def by_blank(results: Results, seed: int) -> Sequence[Sheet]:
    """Training seeds of one net are taken together: their blanks are the same."""
    found: dict[tuple[str, str], Sums] = {}
    labels: dict[str, str] = {}
    for at, run in enumerate(results.runs):
        if run.solver == "align":
            continue
        key = system(run, results.labels[at])
        labels.setdefault(key, results.labels[at])
        for item, answer in results.answers(at):
            if item.split == "train":
                continue
            sums = found.setdefault((key, item.split), Sums())
            for part in PARTS:
                sums.add(part, MEASURES[f"match_oracle:{part}"].numbers(item, answer))
    lines = sorted(found, key=lambda line: (list(labels).index(line[0]), line[1] != "valid"))
    rows = [(labels[key], split, *found[key, split].means()) for key, split in lines]
    return (
        Sheet(
            name="kinds",
            title="Share of right words (oracle, percent) by kind and length of blank",
            header=("model", "split", *(part.replace("-", " ") for part in PARTS)),
            rows=tuple(row for row in rows if any(cell is not None for cell in row[2:])),
            note="With intervals: the tables match_oracle_KIND.",
        ),
    )


def system(run: Run, label: str) -> str:
    """The same for all training seeds of one net."""
    return dumps({**run.net, "seed": None, "solver": run.solver}) if run.net else label


BY_BLANK = Analysis(name="kinds", help="exact match by kind and length of blank", of=by_blank)
