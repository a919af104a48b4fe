"""Judgments as arrays (item, worker and label of each by number), and aggregation by counting."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from proband.core.errors import ProbandError
from proband.core.types import Judgment

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Votes:
    """N judgments: `item[n]`, `worker[n]` and `label[n]` index the three lists of names."""

    items: tuple[str, ...]
    workers: tuple[str, ...]
    labels: tuple[str, ...]
    item: Ints
    worker: Ints
    label: Ints

    @classmethod
    def of(cls, judgments: Iterable[Judgment], *, labels: Sequence[str] = ()) -> Votes:
        """In order of appearance; `labels` fixes which there are, and any other one is an error. A worker's last
        judgment of an item counts.

        >>> both = Votes.of([Judgment(item_id="a", worker="w", value=v, seconds=1.0) for v in ("yes", "no")])
        >>> both.labels, both.count.tolist()
        (('no',), [[1]])
        """
        last = {(each.item_id, each.worker): each.value for each in judgments}
        items = {name: n for n, name in enumerate(dict.fromkeys(item for item, _ in last))}
        workers = {name: n for n, name in enumerate(dict.fromkeys(worker for _, worker in last))}
        known = {name: n for n, name in enumerate(labels or sorted(set(last.values())))}
        for (item, worker), value in last.items():
            if value not in known:
                raise ProbandError(f"{worker} judged {item!r} {value!r}, not one of {', '.join(known)}")
        rows = [(items[item], workers[worker], known[value]) for (item, worker), value in last.items()]
        item_at, worker_at, label_at = np.array(rows, dtype=np.int64).reshape(-1, 3).T
        return cls(tuple(items), tuple(workers), tuple(known), item_at, worker_at, label_at)

    @cached_property
    def count(self) -> Ints:
        """How often each item got each label (items x labels)."""
        size = len(self.items) * len(self.labels)
        return np.bincount(self.item_label, minlength=size).reshape(len(self.labels), -1).T

    @cached_property
    def item_label(self) -> Ints:
        """The cell of every judgment in a table of items x labels, stored label after label: over the few labels of an
        item numpy is many times quicker that way."""
        return self.label * len(self.items) + self.item

    @cached_property
    def worker_label(self) -> Ints:
        """The cell of every judgment in a table of workers x labels."""
        return self.worker * len(self.labels) + self.label

    @cached_property
    def count_by_worker(self) -> Ints:
        """How often each worker gave each label (workers x labels)."""
        size = len(self.workers) * len(self.labels)
        return np.bincount(self.worker_label, minlength=size).reshape(-1, len(self.labels))

    def sum_by_item(self, weights: Floats) -> Floats:
        """Sums of a weight per judgment (items x labels)."""
        size = len(self.items) * len(self.labels)
        sums: Floats = np.bincount(self.item_label, weights, size).astype(np.float64)
        return sums.reshape(len(self.labels), -1).T

    def sum_by_worker(self, weights: Floats) -> Floats:
        """Sums of a weight per judgment (workers x labels)."""
        size = len(self.workers) * len(self.labels)
        sums: Floats = np.bincount(self.worker_label, weights, size).astype(np.float64)
        return sums.reshape(-1, len(self.labels))

    def named(self, chosen: Ints) -> Mapping[str, str | None]:
        """The label of each item by name; -1: none."""
        return {item: self.labels[at] if at >= 0 else None for item, at in zip(self.items, chosen, strict=True)}


@dataclass(frozen=True)
class Aggregate:
    """One label per item (None: no decision) and, where the method gives it, its probability of each label."""

    labels: Mapping[str, str | None]
    probability: Floats | None = None  # items x labels, in the order of the votes

    @property
    def retained(self) -> float:
        """The share of items that got a label."""
        return sum(label is not None for label in self.labels.values()) / max(1, len(self.labels))


# ---- majority, and the rule of Levy & Dagan --------------------------------------------------------------------------


def majority(votes: Votes) -> Aggregate:
    """The label that most people gave; no decision where two tie.

    >>> from proband.core.types import Judgment
    >>> labels = {"a": "yes yes no", "b": "yes no"}
    >>> votes = Votes.of(Judgment(item_id=i, worker=str(n), value=v, seconds=1.0)
    ...                  for i, all in labels.items() for n, v in enumerate(all.split()))
    >>> majority(votes).labels
    {'a': 'yes', 'b': None}
    """
    best = votes.count.max(axis=1, keepdims=True)
    alone = (votes.count == best).sum(axis=1) == 1
    return Aggregate(votes.named(np.where(alone, votes.count.argmax(axis=1), -1)))


def all_but(votes: Votes, *, dissent: int = 1, least: int = 5) -> Aggregate:
    """Levy & Dagan's rule, "unanimous up to one": the label that all of an item's people gave except at most `dissent`
    (4 of 5); no decision where fewer than `least` judged the item."""
    people = votes.count.sum(axis=1)
    most = votes.count.max(axis=1)
    enough = (people >= least) & (most >= people - dissent) & (2 * most > people)
    return Aggregate(votes.named(np.where(enough, votes.count.argmax(axis=1), -1)))
