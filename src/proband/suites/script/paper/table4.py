"""Several measures side by side, as plain means by model and split: table 4 on one page, our models under the published
row that each stands beside, and exact match by kind and length of blank. Intervals and tests are in the tables of one
measure (tables.py)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from statistics import fmean

from proband.core.files import dumps
from proband.core.metrics import Metric
from proband.core.suite import Analysis, Results, Sheet
from proband.core.types import Run
from proband.suites.script.analysis.breakdown import BREAKDOWN, LENGTHS
from proband.suites.script.analysis.metrics import METRICS
from proband.suites.script.cloze.categories import CATEGORIES
from proband.suites.script.paper.published import rows, value

COLUMNS = ("whole_oracle", "top5_word_oracle", "whole_greedy", "top5_word_greedy", "surprisal")
HEADER = ("model", "split", "oracle match", "oracle top-5", "greedy match", "greedy top-5", "surprisal", "runs")
PARTS = (*CATEGORIES, *LENGTHS)
OTHERS = "others"
BY_NAME = {metric.name: metric for metric in (*METRICS, *BREAKDOWN)}
Row = tuple[str | float | int | None, ...]


def means(results: Results, metrics: Sequence[Metric]) -> Iterator[tuple[Run, Row]]:
    """For each model and split its first run, and label, split, the mean of each metric, and the number of runs:
    training seeds of one net are taken together."""
    systems: dict[str, list[int]] = {}
    for at, run in enumerate(results.runs):
        if run.solver != "align":
            own = dumps({**run.net, "seed": None, "solver": run.solver}) if run.net else results.labels[at]
            systems.setdefault(own, []).append(at)
    for runs in systems.values():
        numbers: dict[tuple[str, str, int], list[float]] = defaultdict(list)
        for at in runs:
            for item, answer in results.answers(at):
                for metric in metrics if answer.blanks else ():
                    numbers[item.split, metric.name, at] += metric.numbers(item, answer)
        for split in ("valid", "test"):
            values = [[fmean(v) for at in runs if (v := numbers[split, metric.name, at])] for metric in metrics]
            if any(values):
                cells = map(cell, metrics, values)
                yield results.runs[runs[0]], (results.labels[runs[0]], split, *cells, max(map(len, values)))


def cell(metric: Metric, values: Sequence[float]) -> float | None:
    """The mean over the runs; shares in percent."""
    if not values:
        return None
    return round(100 * fmean(values), 2) if metric.percent else round(fmean(values), 3)


def table4(results: Results, seed: int) -> Sequence[Sheet]:
    """Match and top-5 in percent, surprisal in nats; beside KidsCook's items also the published figures."""
    ours: dict[str, list[Row]] = defaultdict(list)
    for run, line in means(results, [BY_NAME[name] for name in COLUMNS]):
        ours[published_row(run)].append(line)
    made: list[Row] = []
    for name in (*dict.fromkeys(row["row"] for row in rows() if row["table"] == "table4"), OTHERS):
        if "released" in results.manifest and name != OTHERS:
            made.append(printed(name))
        made += ours[name]
    note = "Match is of whole blanks, top-5 of single words, as the released program counts; means over runs (seeds)."
    return (Sheet(name="table4", title="Table 4: the cloze task", header=HEADER, rows=tuple(made), note=note),)


def printed(name: str) -> Row:
    """
    >>> printed("transducer")
    ('published: transducer', '', 24.72, 55.09, 24.91, 47.8, 4.78, None)
    """
    figures = (cell(BY_NAME[column], [value("table4", name, column)]) for column in COLUMNS)
    return f"published: {name}", "", *figures, None


def published_row(run: Run) -> str:
    """The published row that a run stands beside."""
    kind = str(run.net.get("net", ""))
    if run.solver == "cloze":
        return "gpt fine-tuned" if kind == "finetune" else "gpt"
    return kind or OTHERS


def by_blank(results: Results, seed: int) -> Sequence[Sheet]:
    """A line per model and split, a column per kind and length."""
    lines = means(results, [BY_NAME[f"match_oracle:{part}"] for part in PARTS])
    return (
        Sheet(
            name="kinds",
            title="Share of right words (oracle, percent) by kind and length of blank",
            header=("model", "split", *(part.replace("-", " ") for part in PARTS), "runs"),
            rows=tuple(line for _, line in lines),
            note="With intervals: the tables match_oracle_KIND.",
        ),
    )


TABLE4 = Analysis(name="table4", help="the cloze task, all measures of table 4 on one page", of=table4)
BY_BLANK = Analysis(name="kinds", help="exact match by kind and length of blank", of=by_blank)
