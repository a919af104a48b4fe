"""Logs of other tools as `proband compare` reads them, all of them read to one kind of record (record.py).

samples_*.jsonl of lm-eval (--log_samples), or a folder of them: one task or several   lm_eval_samples.py
.eval and .json logs of inspect_ai                                                     inspect_logs.py
tables (core/tables) with the fields item, correct and, if items share something, cluster (several in CSV by `;`, in
JSON as a list); other fields are tags for `--by`
our own runs: paired by the id of the items, or varied items by that of their source
"""

from __future__ import annotations

from pathlib import Path

from proband.core.errors import ProbandError
from proband.core.tables import SUFFIXES, kind_of, read_table
from proband.pipeline.logs import inspect_logs, lm_eval_samples
from proband.pipeline.logs.record import CLUSTER_FIELDS, Entry, Log, Wanted, collect, entry
from proband.pipeline.report import item_sets


def is_log(path: Path) -> bool:
    """Whether a path is not a folder of our own runs."""
    return path.is_file() or (path.is_dir() and lm_eval_samples.files(path) != [])


def read_log(path: Path, wanted: Wanted) -> Log:
    """The log at a path, whatever tool wrote it."""
    if not path.exists():
        raise ProbandError("no such file or folder", file=path)
    if path.is_dir() and not is_log(path):
        return _read_run(path, wanted)
    if path.is_dir():
        return lm_eval_samples.read_folder(path, wanted)
    if path.suffix == ".eval":
        return inspect_logs.read_eval(path, wanted)
    if path.suffix == ".json":
        return inspect_logs.read_json(path, wanted)
    if path.suffix == ".jsonl" and lm_eval_samples.looks_like(path):
        return lm_eval_samples.read(path, wanted)
    if kind_of(path) in SUFFIXES and path.suffix != ".txt":
        return _read_table(path, wanted)
    raise ProbandError(
        "is not a log: samples_*.jsonl of lm-eval, .eval or .json of inspect, a table (.csv, .jsonl, ...)",
        file=path,
    )


def _read_table(path: Path, wanted: Wanted) -> Log:
    metric, entries = wanted.metric or "correct", []
    for row in read_table(path):
        fields, line = row.cells, row.number
        for name in ("item", metric):
            if fields.get(name) in (None, ""):
                raise ProbandError(f"no {name!r}; there are {', '.join(map(str, fields))}", file=path, line=line)
        tags = {name: value for name, value in fields.items() if name not in ("item", metric, *CLUSTER_FIELDS)}
        item, value = fields["item"], fields[metric]
        entries.append(entry(item, value, wanted, name=metric, fields=fields, tags=tags, file=path, line=line))
    return collect(entries, label=path.stem, metric=metric, path=path)


def _read_run(folder: Path, wanted: Wanted) -> Log:
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
