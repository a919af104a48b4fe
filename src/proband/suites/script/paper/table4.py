"""Table 4 on one page: our models under the published row that each stands beside. Intervals are in the tables of its
columns (tables.py)."""

from __future__ import annotations

from collections.abc import Sequence

from proband.core.suite import Analysis, Results, Sheet
from proband.core.types import Run
from proband.suites.script.analysis.metrics import METRICS
from proband.suites.script.paper.means import lines
from proband.suites.script.paper.published import rows, value

COLUMNS = ("whole_oracle", "top5_word_oracle", "whole_greedy", "top5_word_greedy", "surprisal")
HEADER = ("model", "split", "oracle match", "oracle top-5", "greedy match", "greedy top-5", "surprisal", "runs")
OTHERS = "others"
Row = tuple[str | float | int | None, ...]


def table4(results: Results, seed: int) -> Sequence[Sheet]:
    """Match and top-5 in percent, surprisal in nats; beside KidsCook's items also the published figures."""
    metrics = [next(metric for metric in METRICS if metric.name == name) for name in COLUMNS]
    ours: dict[str, list[Row]] = {}
    for line in lines(results, metrics):
        row = line.label, line.split, *(line.cell(metric) for metric in metrics), line.runs
        ours.setdefault(published_row(line.run), []).append(row)
    made: list[Row] = []
    for name in (*dict.fromkeys(row["row"] for row in rows() if row["table"] == "table4"), OTHERS):
        if "released" in results.manifest and name != OTHERS:
            made.append(printed(name))
        made += ours.get(name, [])
    note = "Match is of whole blanks, top-5 of single words, as the released program counts; means over runs (seeds)."
    return (Sheet(name="table4", title="Table 4: the cloze task", header=HEADER, rows=tuple(made), note=note),)


def printed(name: str) -> Row:
    """
    >>> printed("transducer")
    ('published: transducer', '', 24.72, 55.09, 24.91, 47.8, 4.78, None)
    """
    figures = [value("table4", name, column) for column in COLUMNS]
    return f"published: {name}", "", *(round(100 * x, 2) for x in figures[:-1]), figures[-1], None


def published_row(run: Run) -> str:
    """The published row that a run stands beside."""
    kind = str(run.net.get("net", ""))
    if run.solver == "cloze":
        return "gpt fine-tuned" if kind == "finetune" else "gpt"
    return kind or OTHERS


TABLE4 = Analysis(name="table4", help="the cloze task, all measures of table 4 on one page", of=table4)
