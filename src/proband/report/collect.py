"""Items ⋈ answers: one number per item, metric and run, kept as arrays so that a cell of a table is a mask.

A tag becomes an array of codes, a metric a pair of arrays (item index, number): a metric may give several numbers
for one item (one per blank) or none. Nothing is averaged here; see cells.py.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from proband.core import stats
from proband.core.errors import ProbandError
from proband.core.types import Answer, Item, Metric, Run, Suite, Tag

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class Loaded:
    """One item set with the runs over it, as the command line reads them from disk."""

    suite: Suite
    items: Sequence[Item]
    runs: Sequence[tuple[Run, Sequence[Answer]]]
    manifest: Mapping[str, Any] = field(default_factory=dict)
    source: str = ""


@dataclass(frozen=True)
class Values:
    """One metric of one run: number `numbers[j]` belongs to item `rows[j]`; rows ascend."""

    rows: Ints
    numbers: Floats


@dataclass(frozen=True)
class Codes:
    """A tag over all items: item i has `values[codes[i]]`, or lacks the tag where the code is -1."""

    values: tuple[Tag, ...]
    codes: Ints


@dataclass(frozen=True, kw_only=True)
class Joined:
    """An item set ready for counting. `key` names its files and its anchor in the page."""

    key: str
    loaded: Loaded
    labels: tuple[str, ...]  # one per run, all different
    answers: tuple[tuple[Answer | None, ...], ...]  # run x item
    metrics: Mapping[str, tuple[Values, ...]]  # metric -> one per run
    tags: Mapping[str, Codes]
    clusters: tuple[tuple[str, ...], ...]
    chance: Floats  # 1 / choices, 0 where an item has none

    @property
    def main(self) -> str:
        """The suite's main metric."""
        return next(iter(self.loaded.suite.metrics))


def join(loaded: Sequence[Loaded]) -> list[Joined]:
    """Join every item set with its runs; sets of the same suite get keys of their own."""
    if not loaded:
        raise ProbandError("nothing to report: no run was given")
    keys = unique([slug(each.suite.name) for each in loaded])
    return [_join(each, key) for each, key in zip(loaded, keys)]


def _join(loaded: Loaded, key: str) -> Joined:
    if not loaded.runs:
        raise ProbandError("no run over these items", file=loaded.source)
    runs = sorted(loaded.runs, key=lambda each: each[0].model.startswith("baseline:"))  # what is to be beaten, last
    loaded = replace(loaded, runs=runs)
    place = {item.id: i for i, item in enumerate(loaded.items)}
    if len(place) != len(loaded.items):
        raise ProbandError("two items share an id", file=loaded.source)
    labels = run_labels([run for run, _ in loaded.runs])
    answers = tuple(_aligned(loaded, place, answers, label) for (_, answers), label in zip(loaded.runs, labels))
    return Joined(
        key=key,
        loaded=loaded,
        labels=labels,
        answers=answers,
        metrics={name: tuple(_values(loaded, name, given) for given in answers) for name in _used(loaded.suite)},
        tags=_tags(loaded.items),
        clusters=tuple(stats.clusters_of(item) for item in loaded.items),
        chance=np.array([1.0 / len(item.choices) if item.choices else 0.0 for item in loaded.items]),
    )


def _used(suite: Suite) -> list[str]:
    """The main metric and those of the tables, each once."""
    if not suite.metrics:
        raise ProbandError(f"suite {suite.name!r} has no metric to report")
    for table in suite.tables:
        if table.metric not in suite.metrics:
            raise ProbandError(f"table {table.name!r} of suite {suite.name!r} asks for metric {table.metric!r}")
    return list(dict.fromkeys([next(iter(suite.metrics)), *(table.metric for table in suite.tables)]))


def _aligned(
    loaded: Loaded, place: Mapping[str, int], answers: Sequence[Answer], label: str
) -> tuple[Answer | None, ...]:
    """The answers in the order of the items; None where a run has none (it was limited or interrupted)."""
    line: list[Answer | None] = [None] * len(place)
    for answer in answers:
        at = place.get(answer.item_id)
        if at is None:
            raise ProbandError(f"{label} answers item {answer.item_id!r}, which is not there", file=loaded.source)
        choices = loaded.items[at].choices
        if choices and answer.scores and len(answer.scores) != len(choices):
            raise ProbandError(
                f"{label} gives item {answer.item_id!r} {len(answer.scores)} scores for {len(choices)} choices",
                file=loaded.source,
            )
        line[at] = answer
    return tuple(line)


def _values(loaded: Loaded, name: str, answers: Sequence[Answer | None]) -> Values:
    metric: Metric = loaded.suite.metrics[name]
    rows: list[int] = []
    numbers: list[float] = []
    for i, (item, answer) in enumerate(zip(loaded.items, answers)):
        number = None if answer is None else metric(item, answer)
        if number is None:
            continue
        for each in (number,) if isinstance(number, (int, float, np.number)) else number:
            if not math.isfinite(each):
                raise ProbandError(f"{name} of item {item.id!r} is not a finite number", file=loaded.source)
            rows.append(i)
            numbers.append(float(each))
    return Values(np.array(rows, dtype=np.int64), np.array(numbers, dtype=np.float64))


def _tags(items: Sequence[Item]) -> dict[str, Codes]:
    """Codes of every tag; True and 1 are different values."""
    found: dict[str, dict[tuple[str, Tag], int]] = {}
    codes: dict[str, Ints] = {}
    for i, item in enumerate(items):
        for name, value in item.tags.items():
            if name not in codes:
                codes[name], found[name] = np.full(len(items), -1, dtype=np.int64), {}
            kind = "number" if isinstance(value, (int, float)) and not isinstance(value, bool) else type(value).__name__
            codes[name][i] = found[name].setdefault((kind, value), len(found[name]))
    return {name: Codes(tuple(value for _, value in found[name]), codes[name]) for name in codes}


# ---- names ---------------------------------------------------------------------------------------------------------


def run_labels(runs: Sequence[Run]) -> tuple[str, ...]:
    """The model's name; with the solver, then the differing settings and seed, then a number, where names collide.

    >>> a = Run(suite="s", solver="zero-shot", model="m", seed=0, items_sha="")
    >>> b = Run(suite="s", solver="probe", model="m", seed=0, items_sha="")
    >>> run_labels([a, b, Run(suite="s", solver="x", model="other", seed=0, items_sha="")])
    ('m · zero-shot', 'm · probe', 'other')
    """
    labels = [run.model for run in runs]
    labels = _told_apart(labels, [run.solver for run in runs])
    for name in sorted({name for run in runs for name in run.settings}):
        labels = _told_apart(labels, [f"{name}={run.settings.get(name)}" for run in runs])
    labels = _told_apart(labels, [f"seed {run.seed}" for run in runs])
    return tuple(unique(labels, joint=" #"))


def _told_apart(labels: Sequence[str], extra: Sequence[str]) -> list[str]:
    """Add `extra` to the labels that occur more than once with different extras."""
    out = []
    for label, own in zip(labels, extra):
        others = {e for each, e in zip(labels, extra) if each == label}
        out.append(f"{label} · {own}" if len(others) > 1 else label)
    return out


def unique(names: Sequence[str], *, joint: str = "-") -> list[str]:
    """The second of equal names gets `-2`, and so on.

    >>> unique(["a", "b", "a"])
    ['a', 'b', 'a-2']
    """
    out: list[str] = []
    for name in names:
        new, count = name, 1
        while new in out:
            count += 1
            new = f"{name}{joint}{count}"
        out.append(new)
    return out


def slug(name: str) -> str:
    """A name that is safe as a file name and an anchor.

    >>> slug("Groups × probes / v1")
    'groups-probes-v1'
    """
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") or "x"
