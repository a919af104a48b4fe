"""Logs of several systems as one item set with its runs, so that the report's own tests compare them."""

from __future__ import annotations

from collections.abc import Sequence

from proband.core.errors import ProbandError
from proband.core.metrics import Metric
from proband.core.options import NoOptions
from proband.core.suite import Built, Suite
from proband.core.types import Answer, Item, Run, Split
from proband.pipeline.logs.record import Log
from proband.reporting.numbers.item_sets import Answered, ItemSet
from proband.reporting.numbers.systems import unique


def joined(logs: Sequence[Log]) -> ItemSet:
    """The items that at least one other log has too; clusters and tags are those of the first log that gives any."""
    shared = [item for item in logs[0].entries if any(item in other.entries for other in logs[1:])]
    known = set(shared)
    for at, log in enumerate(logs[1:], start=1):
        others = [each for place, each in enumerate(logs) if place != at]
        shared += [i for i in log.entries if i not in known and any(i in other.entries for other in others)]
        known.update(shared)
    if not shared:
        first, second = logs[0], logs[1]
        raise ProbandError(
            f"{first.path} and {second.path} share no item: one has {_example(first)}, the other {_example(second)}"
        )
    items = [_item(name, logs) for name in shared]
    answered = [
        Answered(
            run=Run(suite="log", solver="", model=label, seed=0, items_sha=""),
            answers=[Answer(item_id=i, scores=(log.entries[i].value,)) for i in shared if i in log.entries],
        )
        for log, label in zip(logs, unique([log.label for log in logs], joint=" #"))
    ]
    return ItemSet(suite=_suite(logs), items_from=items, answered=answered)


def _example(log: Log) -> str:
    return repr(next(iter(log.entries)))


def _item(name: str, logs: Sequence[Log]) -> Item:
    entries = [log.entries[name] for log in logs if name in log.entries]
    clusters = next((entry.clusters for entry in entries if entry.clusters), ())
    tags = next((entry.tags for entry in entries if entry.tags), {})
    split: Split = next((entry.split for entry in entries if entry.split), "test")
    facts = {"clusters": list(clusters)} if clusters else {}
    return Item(id=name, suite="log", prompt="", tags=dict(tags), facts=facts, split=split)


def _suite(logs: Sequence[Log]) -> Suite:
    share = all(0 <= entry.value <= 1 for log in logs for entry in log.entries.values())
    names = dict.fromkeys(log.metric for log in logs)
    metric = Metric(
        name=" / ".join(names), of=lambda item, answer: answer.scores[0], unit="share" if share else "count"
    )
    return Suite(
        name="logs",
        question="",
        cites="",
        build=lambda options, *, seed: Built(items=(), licence=""),
        options=NoOptions,
        solvers=(),
        metrics=(metric,),
        tables=(),
        show=lambda item: item.id,
    )
