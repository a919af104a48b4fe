"""The scores of one run: every metric of its suite that applies, in all and per main tag, as the report gives them,
with the share of replies that could not be read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from proband.core.metrics import Metric
from proband.pipeline.report import item_sets

MOST = 12  # values of a tag that are listed


def score(folder: str | Path, *, split: str = "") -> dict[str, Any]:
    """How many answers there are, and their mean; None where the metric applies to none of them. `groups` are the same
    per value of the tags of the suite's first table, `others` the other metrics over the same items. `split`: the items
    that are scored, if not those that core/metrics.py settles on."""
    from proband.report.numbers import words
    from proband.report.numbers.cells import Cell, Study

    sets = item_sets([folder])[0]
    study = Study(sets, sets.suite.metrics, split=split)

    def named(metric: Metric) -> dict[str, str]:
        return {"title": words.metric(metric)}

    def line(name: str, cell: Cell | None) -> dict[str, Any]:
        empty = {"mean": None, "low": None, "high": None, "n": 0, "few": False}
        found = empty if cell is None else {field: getattr(cell.estimate, field) for field in empty}
        more = {"chance": None, "unread": 0.0} if cell is None else {"chance": cell.chance, "unread": cell.unread}
        return {"group": name, **found, **more}

    (cell,) = study.cell(study.main, {})
    groups = []
    for table in sets.suite.tables[:1]:
        for tag in (*table.rows, *table.columns):
            codes = study.arrays.tags.get(tag)
            values = [value for value in codes.values if tag != "split" or value in study.splits] if codes else []
            if not 1 < len(values) <= MOST:
                continue
            for value in sorted(values, key=lambda value: (isinstance(value, str), value)):
                (part,) = study.cell(study.main, {tag: value})
                if part is not None:
                    groups.append(line(words.group({tag: value}), part))
    others = []
    for metric in sets.suite.metrics:
        (each,) = study.cell(metric, {}) if metric is not study.main and ":" not in metric.name else (None,)
        if each is not None:
            others.append({**line(study.scope, each), "metric": metric.name, "unit": metric.unit} | named(metric))
    return {
        "metric": study.main.name,
        "unit": study.main.unit,
        **named(study.main),
        "split": list(study.splits),
        **line(study.scope, cell),
        "answers": len(study.arrays.answered[0]),
        "skipped": len(study.arrays.skipped[0]),
        "uncovered": len(study.arrays.uncovered[0]),
        "withheld": study.arrays.statuses[0].get("content_filter", 0),
        "errors": study.arrays.errors[0],
        "groups": groups,
        "others": others,
    }
