"""Plain tables of answers (core/tables) with the fields item, correct and, if items share
something, cluster (several in CSV by `;`, in JSON as a list). Other fields are tags for `--by`. And one of our own runs
as a log, so that it can be compared with another tool's.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from proband.core.errors import ProbandError
from proband.core.tables import read_table
from proband.pipeline.logs.record import CLUSTER_FIELDS, Entry, Log, Wanted, collect, each_once
from proband.pipeline.report import item_sets


def read(path: Path, wanted: Wanted) -> Log:
    metric = wanted.metric or "correct"

    def entries() -> Iterator[tuple[int, Entry]]:
        for row in read_table(path):
            fields, line = row.cells, row.number
            for name in ("item", metric):
                if fields.get(name) in (None, ""):
                    raise ProbandError(f"no {name!r}; there are {', '.join(map(str, fields))}", file=path, line=line)
            tags = {name: value for name, value in fields.items() if name not in ("item", metric, *CLUSTER_FIELDS)}
            item, value = fields["item"], fields[metric]
            yield line, Entry.of(item, value, metric, wanted, fields=fields, tags=tags, file=path, line=line)

    return collect(each_once(entries(), path), label=path.stem, metric=metric, path=path)


# ---- our own runs: paired by the id of the items, or varied items by that of their source ----------------------------


def read_run_folder(folder: Path, wanted: Wanted) -> Log:
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
        if (value := metric.value(item, answer)) is not None:
            clusters = tuple(f"clusters={each}" for each in item.facts.get("clusters", ()))
            name = str(item.facts.get("source", item.id)) if wanted.by_source else item.id
            entries.append(Entry(item=name, value=value, clusters=clusters, tags=item.tags, split=item.split))
    return collect(entries, label=items.labels[0], metric=metric.name, path=folder)
