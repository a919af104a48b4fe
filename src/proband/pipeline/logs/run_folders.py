"""One of our own runs as a log, so that it can stand beside another tool's: paired by the id of the items, or varied
items by that of their source."""

from __future__ import annotations

from pathlib import Path

from proband.core.errors import ProbandError
from proband.pipeline.logs.record import Entry, Log, Wanted, collected
from proband.pipeline.report import item_sets


def read(folder: Path, wanted: Wanted) -> Log:
    sets = item_sets([folder], items=wanted.items)
    if len(sets) != 1 or len(sets[0].answered) != 1:
        raise ProbandError("holds several runs: name one", file=folder)
    (items,) = sets
    metric = items.suite.metric("" if wanted.metric not in [m.name for m in items.suite.metrics] else wanted.metric)
    if metric.over == "set":
        raise ProbandError(f"metric {metric.name!r} is over a set and cannot be paired with a log", file=folder)
    entries = []
    for item, answer in items.answers(0):
        if item.tags.get("variation") == "original" and wanted.by_source:
            continue  # the other run has it
        if numbers := metric.numbers(item, answer):
            clusters = tuple(f"clusters={each}" for each in item.facts.get("clusters", ()))
            value = sum(numbers) / len(numbers)
            name = str(item.facts.get("source", item.id)) if wanted.by_source else item.id
            entries.append(Entry(item=name, value=value, clusters=clusters, tags=item.tags, split=item.split))
    return collected(entries, label=items.labels[0], metric=metric.name, path=folder)
