"""What a log says of one item: how right the answer was, what the item shares with others; and logs as one item set."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from proband.core.errors import ProbandError
from proband.core.files import group_by_key
from proband.core.metrics import Metric
from proband.core.plugins import NoOptions
from proband.core.suite import Built, Suite
from proband.core.types import Answer, Item, Run, Split, Tag
from proband.reporting.numbers.formatting import unique
from proband.reporting.numbers.item_sets import AnsweredRun, ItemSet

CLUSTER_FIELDS = ("clusters", "cluster")


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """What the user asked for: a metric by name, the field that says what items share, where the items of a run are."""

    metric: str = ""
    cluster: str = ""
    items: Path | None = None
    by_source: bool = False  # varied items count under the name of the item they were made from


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One item of a log."""

    item: str
    value: float
    clusters: tuple[str, ...] = ()
    tags: Mapping[str, Tag] = field(default_factory=dict)
    split: Split | None = None  # of one of our own items
    line: int | None = None  # of a file in which no item may occur twice


def entry(
    item: Any, value: Any, wanted: Wanted, *, name: str, fields: Mapping[str, Any], tags: Mapping[str, Any],
    file: Path, line: int | None = None,
) -> Entry:  # fmt: skip
    """An item as a log gives it: `name` is the score's, `fields` may say what the item shares, `tags` group the
    items."""
    return Entry(
        item=str(item),
        value=number(value, file=file, line=line, name=name),
        clusters=clusters_in(fields, wanted.cluster, file=file, line=line),
        tags={name: tag for name, tag in tags.items() if isinstance(tag, (str, int, float, bool))},
        line=line,
    )


@dataclass(frozen=True, kw_only=True)
class Log:
    """One system's answers: by item, in the order of the file."""

    label: str
    metric: str
    entries: Mapping[str, Entry]
    path: Path
    by: str = ""  # the tag that its items are grouped by: a log of several tasks


def collect(entries: Iterable[Entry], *, label: str, metric: str, path: Path, by: str = "") -> Log:
    """A log of these entries. An item that occurs several times (epochs) counts once, with the mean of its values."""
    results = group_by_key((entry.item, entry) for entry in entries)
    if not results:
        raise ProbandError("contains no scored item", file=path)
    for item, (_, *others) in results.items():
        if others and others[0].line is not None:
            raise ProbandError(f"item {item!r} occurs a second time", file=path, line=others[0].line)
    means = {
        item: replace(several[0], value=sum(each.value for each in several) / len(several))
        for item, several in results.items()
    }
    return Log(label=label, metric=metric, entries=means, path=path, by=by)


# ---- values --------------------------------------------------------------------------------------------------------

# what inspect's own reducer takes these words for
WORDS = {"c": 1.0, "p": 0.5, "i": 0.0, "n": 0.0, "yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}


def number(value: Any, *, file: Path, line: int | None, name: str) -> float:
    """A score as a number.

    >>> [number(value, file=Path("f"), line=1, name="acc") for value in (True, "C", "0.5", 1)]
    [1.0, 1.0, 0.5, 1.0]
    """
    try:
        word = value.strip().lower() if isinstance(value, str) else value
        result = WORDS[word] if word in WORDS else float(word)
    except (TypeError, ValueError):
        result = math.nan
    if not math.isfinite(result):
        raise ProbandError(f"{name!r} is {str(value)[:40]!r}, which is not a score", file=file, line=line)
    return result


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


# ---- logs of several systems as one item set with its runs, so that the report's own tests compare them --------------


def join_logs(logs: Sequence[Log]) -> ItemSet:
    """The items that at least two logs have; clusters and tags are those of the first log that gives any."""
    counts = Counter(item for log in logs for item in log.entries)
    shared = [item for item, count in counts.items() if count > 1]
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
    return ItemSet(suite=_suite(logs), items_from=[_item(name, logs) for name in shared], answered=answered)


def _item(name: str, logs: Sequence[Log]) -> Item:
    entries = [log.entries[name] for log in logs if name in log.entries]
    clusters = next(({"clusters": list(entry.clusters)} for entry in entries if entry.clusters), {})
    tags = next((dict(entry.tags) for entry in entries if entry.tags), {})
    split: Split = next((entry.split for entry in entries if entry.split), "test")
    return Item(id=name, suite="log", prompt="", tags=tags, facts=clusters, split=split)


def _suite(logs: Sequence[Log]) -> Suite:
    share = all(0 <= entry.value <= 1 for log in logs for entry in log.entries.values())
    name = " / ".join(dict.fromkeys(log.metric for log in logs))
    metric = Metric(name=name, of=lambda item, answer: answer.scores[0], unit="share" if share else "count")
    return Suite(
        name="logs", question="", cites="", build=lambda options, *, seed: Built(items=(), licence=""),
        options=NoOptions, solvers=(), metrics=(metric,), tables=(), show=lambda item: item.id,
    )  # fmt: skip
