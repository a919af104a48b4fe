"""Plain means by model and split, training seeds of one net taken together: the numbers of the sheets that show several
measures side by side. Intervals and tests are the report's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from proband.core.files import dumps
from proband.core.metrics import Metric
from proband.core.suite import Results
from proband.core.types import Run

SPLITS = ("valid", "test")


@dataclass(frozen=True, kw_only=True)
class Line:
    """A model on a split: the mean of each metric in each of its runs."""

    label: str
    run: Run  # the first
    split: str
    values: Mapping[str, Sequence[float]]

    def cell(self, metric: Metric) -> float | None:
        """The mean over the runs; shares in percent."""
        found = self.values[metric.name]
        if not found:
            return None
        return round(100 * fmean(found), 2) if metric.percent else round(fmean(found), 3)

    @property
    def runs(self) -> int:
        return max(map(len, self.values.values()))


def lines(results: Results, metrics: Sequence[Metric]) -> list[Line]:
    """A line per model and split, in the order of the runs; of metrics over items."""
    systems: dict[str, list[int]] = {}
    for at, run in enumerate(results.runs):
        if run.solver != "align":
            systems.setdefault(system(run, results.labels[at]), []).append(at)
    made = []
    for runs in systems.values():
        means = [run_means(results, at, metrics) for at in runs]
        for split in SPLITS:
            values = {m.name: [each[split, m.name] for each in means if (split, m.name) in each] for m in metrics}
            if any(values.values()):
                made.append(Line(label=results.labels[runs[0]], run=results.runs[runs[0]], split=split, values=values))
    return made


def run_means(results: Results, run: int, metrics: Sequence[Metric]) -> dict[tuple[str, str], float]:
    """(split, metric) -> mean, where there is any number."""
    numbers: dict[tuple[str, str], list[float]] = {}
    for item, answer in results.answers(run):
        for metric in metrics if answer.blanks else ():
            numbers.setdefault((item.split, metric.name), []).extend(metric.numbers(item, answer))
    return {key: fmean(values) for key, values in numbers.items() if values}


def system(run: Run, label: str) -> str:
    """The same for all training seeds of one net."""
    return dumps({**run.net, "seed": None, "solver": run.solver}) if run.net else label
