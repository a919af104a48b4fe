"""Logs of other tools as `proband compare` and `proband items` read them, and logs or runs as one item set.

samples_*.jsonl of lm-eval (--log_samples), or a folder of them: one task or several
.eval and .json logs of inspect_ai
tables (core/tables) with the fields item, correct and, if items share something, cluster (several in CSV by `;`, in
JSON as a list); other fields are tags for `--by`
our own runs: paired by the id of the items, or varied items by that of their source
"""

from __future__ import annotations

import json
import math
import re
import sys
import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import msgspec

from proband.core.errors import ProbandError
from proband.core.files import raw_lines
from proband.core.metrics import Metric
from proband.core.plugins import NoOptions
from proband.core.suite import Built, Suite
from proband.core.tables import SUFFIXES, kind_of, read_table
from proband.core.types import Answer, Item, Run, Split, Tag
from proband.pipeline.report import item_sets
from proband.reporting.numbers.formatting import unique
from proband.reporting.numbers.study import AnsweredRun, ItemSet

CLUSTER_FIELDS = ("clusters", "cluster")
SAMPLES = "samples_*.jsonl"  # the logs of lm-eval


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One item of a log: its scores by the chosen metric (several where the tool repeated it), of which the mean
    counts."""

    scores: list[float]
    clusters: tuple[str, ...]
    tags: Mapping[str, Tag]
    split: Split | None = None

    @property
    def value(self) -> float:
        return sum(self.scores) / len(self.scores)


@dataclass(kw_only=True)
class Log:
    """One system's answers: by item, in the order of the file."""

    label: str
    path: Path
    metric: str  # that is wanted, or the first of the file
    cluster: str = ""  # the fields that say what items share, if they are not called so
    by: str = ""  # the tag that its items are grouped by: a log of several tasks
    entries: dict[str, Entry] = field(default_factory=dict)

    def add(
        self, item: str, scores: Mapping[str, Any], *, fields: Mapping[str, Any], tags: Mapping[str, Any],
        split: Split | None = None, line: int | None = None,
    ) -> None:  # fmt: skip
        """An item with its scores by name, what it may share with others and what it is tagged with; `line`: of a file
        in which no item may occur twice."""
        self.metric, where = self.metric or next(iter(scores), ""), "" if line else f"item {item!r}: "
        problem, value = "", number(scores.get(self.metric))
        if self.metric not in scores:
            problem = f"{where}no metric {self.metric!r}; there are {', '.join(map(str, scores)) or 'none'}"
        elif line and item in self.entries:
            problem = f"item {item!r} occurs a second time"
        elif value is None:
            problem = f"{where}{self.metric!r} is {str(scores[self.metric])[:40]!r}, which is not a score"
        if problem or value is None:
            raise ProbandError(problem, file=self.path, line=line)
        clusters = clusters_in(fields, self.cluster, file=self.path, line=line)
        plain = {name: tag for name, tag in tags.items() if isinstance(tag, (str, int, float, bool))}
        new = Entry(scores=[], clusters=clusters, tags=plain, split=split)
        self.entries.setdefault(item, new).scores.append(value)


def is_log(path: Path) -> bool:
    """Whether a path is not a folder of our own runs."""
    return path.is_file() or any(path.rglob(SAMPLES))


def read_log(
    path: Path, *, metric: str = "", cluster: str = "", items: str | Path | None = None, by_source: bool = False
) -> Log:
    """The log at a path, of any tool; `items` and `by_source` are for our own runs."""
    if not path.exists():
        raise ProbandError("no such file or folder", file=path)
    log = Log(label=path.stem, path=path, metric=metric, cluster=cluster)
    _, first = next(raw_lines(path), (1, b"")) if path.suffix == ".jsonl" and path.is_file() else (1, b"")
    if path.is_dir() and not is_log(path):
        _read_run(log, items=items, by_source=by_source)
    elif path.is_dir():
        _read_samples_folder(log)
    elif path.suffix in (".eval", ".json"):
        _read_inspect(log)
    elif b'"doc_id"' in first and b'"metrics"' in first:
        _read_samples(log)
    elif kind_of(path) in SUFFIXES and path.suffix != ".txt":
        _read_table(log)
    else:
        known = "samples_*.jsonl of lm-eval, .eval or .json of inspect, a table (.csv, .jsonl, ...)"
        raise ProbandError(f"is not a log: {known}", file=path)
    if not log.entries:
        raise ProbandError("contains no scored item", file=path)
    return log


def _read_table(log: Log) -> None:
    log.metric = log.metric or "correct"
    for row in read_table(log.path):
        cells = row.cells
        if cells.get("item") in (None, ""):
            raise row.error(f"no 'item'; there are {', '.join(map(str, cells))}")
        tags = {name: value for name, value in cells.items() if name not in ("item", log.metric, *CLUSTER_FIELDS)}
        log.add(str(cells["item"]), cells, fields=cells, tags=tags, line=row.number)


def _read_run(log: Log, *, items: str | Path | None, by_source: bool) -> None:
    """`by_source`: varied items count under the name of the item they were made from."""
    sets = item_sets([log.path], items=items)
    if len(sets) != 1 or len(sets[0].answered) != 1:
        raise ProbandError("contains several runs: name one", file=log.path)
    (known,) = sets
    metric = known.suite.metric("" if log.metric not in [m.name for m in known.suite.metrics] else log.metric)
    if metric.over == "set":
        raise ProbandError(f"metric {metric.name!r} is over a set and cannot be paired with a log", file=log.path)
    log.label, log.metric, log.cluster = known.labels[0], metric.name, ""
    for item, answer in known.answers(0):
        if item.tags.get("variation") == "original" and by_source:
            continue  # the other run has it
        if (value := metric.value(item, answer)) is not None:
            name = str(item.facts.get("source", item.id)) if by_source else item.id
            shared = {"clusters": item.facts.get("clusters", ())}
            log.add(name, {metric.name: value}, fields=shared, tags=item.tags, split=item.split)


# ---- inspect_ai: .json (one object) and .eval (a zip of header.json and a JSON file per sample and epoch) ------------


class InspectSample(msgspec.Struct):
    """The fields that are read."""

    id: str | int
    scores: dict[str, dict[str, Any]] | None = None
    metadata: dict[str, Any] | None = None


class InspectLog(msgspec.Struct):
    eval: dict[str, Any]
    status: str = ""
    samples: list[InspectSample] | None = None


def _read_inspect(log: Log) -> None:
    """A sample's score is that of the first scorer, or of the one named by `--metric`; epochs are averaged."""
    path = log.path
    read = _zipped(path) if path.suffix == ".eval" else _decode(path.read_bytes(), InspectLog, path)
    if read.status not in ("success", ""):
        raise ProbandError(f"the evaluation ended with status {read.status!r}", file=path)
    log.label = str(read.eval.get("model") or path.stem)
    for sample in read.samples or ():
        scores = {name: score.get("value") for name, score in (sample.scores or {}).items()}
        log.add(str(sample.id), scores, fields=sample.metadata or {}, tags=sample.metadata or {})


def _zipped(path: Path) -> InspectLog:
    if sys.version_info >= (3, 14):
        import zipfile
    else:
        from backports.zstd import zipfile  # what zipfile is from 3.14 on
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
            if "header.json" not in names:
                raise ProbandError("has no header.json: the evaluation did not end, or this is not a log", file=path)
            log: InspectLog = _decode(archive.read("header.json"), InspectLog, path, "header.json: ")
            samples = sorted(name for name in names if name.startswith("samples/") and name.endswith(".json"))
            log.samples = [_decode(archive.read(name), InspectSample, path, f"{name}: ") for name in samples]
            return log
    except NotImplementedError as error:
        raise ProbandError(f"is compressed in a way that cannot be read: {error}", file=path) from None
    except (zipfile.BadZipFile, zlib.error, OSError, EOFError) as error:
        raise ProbandError(f"is not a log of inspect: {error}", file=path) from None


def _decode(raw: bytes, kind: Any, path: Path, member: str = "") -> Any:
    """By `json`, since inspect writes NaN for a metric that has no value."""
    try:
        return msgspec.convert(json.loads(raw), kind)
    except (ValueError, msgspec.ValidationError) as error:
        raise ProbandError(f"{member}is not a log of inspect: {error}", file=path) from None


# ---- lm-eval: samples_*.jsonl, a JSON object a line, with `doc`, the names of `metrics` and their values -------------
#
# An item is known by `doc.id` where the task's documents have one, otherwise by `doc_hash` (the content) and `doc_id`.
# Where a task has several filters (strict-match, flexible-extract), the first one counts.


def _read_samples(log: Log) -> None:
    log.label, first = log.path.parent.name if log.path.parent.name not in ("", ".") else log.path.stem, None
    for row in read_table(log.path):
        cells = row.cells
        doc, metrics, place = cells.get("doc"), cells.get("metrics"), cells.get("doc_id")
        if not (isinstance(doc, dict) and isinstance(metrics, list) and isinstance(place, int)):
            raise row.error("is not a sample of lm-eval, with 'doc_id', 'doc' and 'metrics'")
        kept = cells.get("filter", "none")
        first = kept if first is None else first
        if kept == first:
            tags = doc["tags"] if isinstance(doc.get("tags"), dict) else {}
            item = doc["id"] if "id" in doc else f"{str(cells.get('doc_hash') or '')[:16]}/{place}"
            scores = {name: cells.get(name) for name in metrics}
            log.add(str(item), scores, fields={**doc, **tags}, tags=tags, line=row.number)


def _read_samples_folder(log: Log) -> None:
    """The samples of one model: of one task, or of several, whose items are then named by their task and tagged with
    it. Each task has its own first metric, unless one is wanted by name."""
    files, folder = sorted(log.path.rglob(SAMPLES)), log.path
    if len({file.parent for file in files}) > 1:
        places = ", ".join(sorted({str(file.parent.relative_to(folder)) for file in files}))
        raise ProbandError(f"contains logs of several models: name one of {places}", file=folder)
    seen, logs = dict[str, Path](), list[Log]()
    for file in files:
        task = task_of(file)
        if task in seen:
            raise ProbandError(f"contains two logs of {task}: name {seen[task].name} or {file.name}", file=folder)
        seen[task] = file
        logs.append(replace(log, path=file, entries={}))
        _read_samples(logs[-1])
        for item, own in logs[-1].entries.items():
            several = {f"{task}/{item}": replace(own, tags={**own.tags, "task": task})}
            log.entries |= several if len(files) > 1 else {item: own}
    log.label, log.by = logs[0].label, "task" if len(files) > 1 else ""
    log.metric = " / ".join(dict.fromkeys(each.metric for each in logs))


def task_of(file: Path) -> str:
    """The task in the name of a log.

    >>> task_of(Path("samples_arc_easy_2026-11-16T10-20-30.123456.jsonl")), task_of(Path("samples_mine.jsonl"))
    ('arc_easy', 'mine')
    """
    return re.sub(r"_\d{4}-\d\d-\d\dT[\d.-]+$", "", file.stem.removeprefix("samples_"))


# ---- values --------------------------------------------------------------------------------------------------------

# the values of inspect's own reducer
WORDS = {"c": 1.0, "p": 0.5, "i": 0.0, "n": 0.0, "yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}


def number(value: Any) -> float | None:
    """A score as a number; None where it is none.

    >>> [number(value) for value in (True, "C", "0.5", 1, "nan")]
    [1.0, 1.0, 0.5, 1.0, None]
    """
    try:
        word = value.strip().lower() if isinstance(value, str) else value
        result = WORDS[word] if word in WORDS else float(word)
    except (TypeError, ValueError):
        return None
    return result if math.isfinite(result) else None


def clusters_in(fields: Mapping[str, Any], wanted: str, *, file: Path, line: int | None) -> tuple[str, ...]:
    """What the item shares with others: the fields that were asked for (`document;paragraph`), or one called clusters
    or cluster."""
    if not wanted:
        return next((_values_of(name, fields[name]) for name in CLUSTER_FIELDS if name in fields), ())
    names = [name.strip() for name in wanted.split(";")]
    absent = next((name for name in names if name not in fields), None)
    if absent is not None:
        known = ", ".join(sorted(map(str, fields))) or "none"
        raise ProbandError(f"no field {absent!r} to cluster by; there are {known}", file=file, line=line)
    return tuple(cluster for name in names for cluster in _values_of(name, fields[name]))


def _values_of(name: str, value: Any) -> tuple[str, ...]:
    several = value if isinstance(value, (list, tuple)) else str(value).split(";") if value is not None else ()
    return tuple(f"{name}={text}" for each in several if (text := str(each).strip()))


# ---- logs of several systems, or runs, as one item set, so that the report's own tests compare them ------------------


def one_set(
    paths: Sequence[Path], *, metric: str = "", cluster: str = "", items: str | Path | None = None, apart: bool = False
) -> tuple[ItemSet, list[Log]]:
    """The runs or logs as one item set, in their order; and the logs, where there are some. Runs over an item set and
    over variations of it, or over two variations of one set, are joined by the source of the items, like logs.
    `apart`: the same run under two paths counts twice."""
    of_logs, sides = any(map(is_log, paths)), [[path] for path in paths] if apart else [paths]
    sets = [] if of_logs else [each for side in sides for each in item_sets(side, items=items)]
    hashes = {each.runs[0].items_sha for each in sets}
    sources = {each.manifest.get("source", {}).get("sha256", each.runs[0].items_sha) for each in sets}
    by_source = len(hashes) > 1 and len(sources) == 1
    if by_source or of_logs:
        logs = [read_log(each, metric=metric, cluster=cluster, items=items, by_source=by_source) for each in paths]
        return join_logs(logs), logs
    if cluster:
        raise ProbandError("--cluster is for logs of other tools; items of a run have their own clusters")
    if len(hashes) > 1:
        raise ProbandError(f"{' and '.join(map(str, paths))} answered different sets of items")
    return replace(sets[0], answered=[each for one in sets for each in one.answered]), []


def join_logs(logs: Sequence[Log]) -> ItemSet:
    """The items that at least two logs have; clusters and tags are those of the first log that gives any."""
    counts = Counter(item for log in logs for item in log.entries)
    shared = [item for item, count in counts.items() if count > 1]
    if len(logs) < 2:
        raise ProbandError("is the only log: name two or more", file=logs[0].path)
    if not shared:
        (first, one), (second, other) = ((log.path, next(iter(log.entries))) for log in logs[:2])
        raise ProbandError(f"{first} and {second} share no item: one has {one!r}, the other {other!r}")
    answered = [
        AnsweredRun(
            run=Run(suite="log", solver="", model=label, seed=0, items_sha=""),
            answers=[Answer(item_id=i, scores=(log.entries[i].value,)) for i in shared if i in log.entries],
        )
        for log, label in zip(logs, unique([log.label for log in logs], joint=" #"))
    ]
    share = all(0 <= entry.value <= 1 for log in logs for entry in log.entries.values())
    name = " / ".join(dict.fromkeys(log.metric for log in logs))
    metric = Metric(name=name, of=lambda item, answer: answer.scores[0], unit="share" if share else "count")
    suite = Suite(
        name="logs", question="", cites="", build=lambda options, *, seed: Built(items=(), licence=""),
        options=NoOptions, solvers=(), metrics=(metric,), tables=(), show=lambda item: item.id,
    )  # fmt: skip
    return ItemSet(suite=suite, items_from=[_item(name, logs) for name in shared], answered=answered)


def _item(name: str, logs: Sequence[Log]) -> Item:
    entries = [log.entries[name] for log in logs if name in log.entries]
    clusters = next(({"clusters": list(entry.clusters)} for entry in entries if entry.clusters), {})
    tags = next((dict(entry.tags) for entry in entries if entry.tags), {})
    split: Split = next((entry.split for entry in entries if entry.split), "test")
    return Item(id=name, suite="log", prompt="", tags=tags, facts=clusters, split=split)
