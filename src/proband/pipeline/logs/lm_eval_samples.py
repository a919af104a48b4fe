"""samples_*.jsonl of lm-evaluation-harness: a JSON object a line, with `doc`, the names of `metrics` and their values.

An item is known by `doc.id` where the task's documents have one, otherwise by `doc_hash` (the content) and `doc_id`.
Where a task has several filters (strict-match, flexible-extract), the first one counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

from proband.core.errors import ProbandError
from proband.core.files import decode, raw_lines
from proband.pipeline.logs.record import Entry, Log, Wanted, collect, entry


class Sample(msgspec.Struct):
    """The fields that are read; the metrics are further fields."""

    doc_id: int
    doc: dict[str, Any]
    metrics: list[str]
    filter: str = "none"
    doc_hash: str = ""


def files(folder: Path) -> list[Path]:
    """The logs in a folder of results."""
    return sorted(folder.rglob("samples_*.jsonl"))


def looks_like(path: Path) -> bool:
    """By the first line."""
    for _, raw in raw_lines(path):
        return b'"doc_id"' in raw and b'"metrics"' in raw
    return False


def read(path: Path, wanted: Wanted) -> Log:
    samples = list(_samples(path))
    named = samples[0][0].metrics if samples else []
    if not named:
        raise ProbandError("names no metrics in its first line", file=path, line=1)
    metric = wanted.metric or named[0]
    if metric not in named:
        raise ProbandError(f"no metric {metric!r}; there are {', '.join(named)}", file=path)
    entries = []
    for sample, fields, line in samples:
        if sample.filter != samples[0][0].filter:
            continue
        if metric not in fields:
            raise ProbandError(f"no value of {metric!r}", file=path, line=line)
        doc, value = sample.doc, fields[metric]
        item = doc["id"] if "id" in doc else f"{sample.doc_hash[:16]}/{sample.doc_id}"
        tags = own if isinstance(own := doc.get("tags"), dict) else {}
        about = {**doc, **tags}
        entries.append(entry(item, value, wanted, name=metric, fields=about, tags=tags, file=path, line=line))
    label = path.parent.name if path.parent.name not in ("", ".") else path.stem
    return collect(entries, label=label, metric=metric, path=path)


def read_folder(folder: Path, wanted: Wanted) -> Log:
    """The samples of one model: of one task, or of several, whose items are then named by their task and tagged with
    it. Each task has its own first metric, unless one is wanted by name."""
    result = files(folder)
    if len({file.parent for file in result}) > 1:
        places = ", ".join(sorted({str(file.parent.relative_to(folder)) for file in result}))
        raise ProbandError(f"contains logs of several models: name one of {places}", file=folder)
    if len(result) == 1:
        return read(result[0], wanted)
    entries, metrics, seen = list[Entry](), dict[str, None](), dict[str, Path]()
    for file in result:
        task = task_of(file)
        if task in seen:
            raise ProbandError(f"contains two logs of {task}: name {seen[task].name} or {file.name}", file=folder)
        seen[task] = file
        log = read(file, wanted)
        metrics[log.metric] = None
        for item, own in log.entries.items():
            entries.append(replace(own, item=f"{task}/{item}", tags={**own.tags, "task": task}))
    label = result[0].parent.name
    return collect(entries, label=label, metric=" / ".join(metrics), path=folder, by="task")


def task_of(file: Path) -> str:
    """The task in the name of a log.

    >>> task_of(Path("samples_arc_easy_2026-11-16T10-20-30.123456.jsonl")), task_of(Path("samples_mine.jsonl"))
    ('arc_easy', 'mine')
    """
    return re.sub(r"_\d{4}-\d\d-\d\dT[\d.-]+$", "", file.stem.removeprefix("samples_"))


def _samples(path: Path) -> Iterator[tuple[Sample, dict[str, Any], int]]:
    for line, raw in raw_lines(path):
        fields = decode(dict[str, Any], raw, file=path, line=line)
        try:
            yield msgspec.convert(fields, Sample), fields, line
        except msgspec.ValidationError as error:
            raise ProbandError(f"is not a sample of lm-eval: {error}", file=path, line=line) from None
