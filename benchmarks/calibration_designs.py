"""The designs that calibration.py simulates: which item stands in which clusters, and latent variables on them.

z = sqrt(r) g + sqrt(1-r) e, with g the mean (scaled to variance 1) of the effects of an item's clusters, drawn anew in
every repetition. Two systems share half of g and half of e.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from proband.core.statistics.clusters import Clusters, Floats, Ints, Neighbours


@dataclass(frozen=True)
class Layout:
    """Which item stands in which clusters (items x ways)."""

    name: str
    like: str  # the suite that it is taken from
    member: Ints

    @property
    def clusters(self) -> int:
        return int(self.member.max()) + 1

    @cached_property
    def known(self) -> Clusters:
        return Clusters.of([tuple(map(str, row)) for row in self.member.tolist()])

    @cached_property
    def shared(self) -> Neighbours:
        return self.known.neighbours()

    @property
    def items(self) -> int:
        return len(self.member)


def single(name: str, like: str, sizes: Sequence[int]) -> Layout:
    return Layout(f"{name}", like, np.repeat(np.arange(len(sizes)), sizes)[:, None])


def double(tuples: int, items: int, relations: int = 1) -> Layout:
    """Items on two different tuples of one relation, drawn without replacement from all pairs."""
    rng = np.random.default_rng(tuples * 1000 + items)
    pairs = np.array([(i, j) for i in range(tuples) for j in range(tuples) if i != j])
    parts = [pairs[rng.permutation(len(pairs))[:items]] + k * tuples for k in range(relations)]
    pooled = f"{relations} x " if relations > 1 else ""
    return Layout(f"{pooled}{items} items on {tuples} tuples", "analogy", np.concatenate(parts))


def nested(*counts: int) -> Layout:
    """Documents, paragraphs in each, items in each (or fewer levels); every item names all of them."""
    items = math.prod(counts)
    columns = [np.arange(items) // (items // count) for count in np.cumprod(counts).tolist()]
    return Layout(" x ".join(map(str, counts)), "nested", _apart(columns))


def crossed(items: int, *counts: int) -> Layout:
    """Items that name one cluster of each of several kinds (templates, relations, subjects), drawn independently."""
    rng = np.random.default_rng(items + sum(counts))
    columns = [rng.permutation(np.arange(items) % count) for count in counts]
    return Layout(f"{items} items, {' x '.join(map(str, counts))}", "crossed", _apart(columns))


def relations(count: int, tuples: int, items: int) -> Layout:
    """Analogies that name their relation beside their two tuples."""
    pairs = double(tuples, items, count).member
    columns = _apart([np.repeat(np.arange(count), items), pairs[:, 0]])
    return Layout(
        f"{count} relations x {items} items on {tuples} tuples", "nested", np.c_[columns[:, 0], pairs + count]
    )


def _apart(columns: Sequence[Ints]) -> Ints:
    """Clusters of different kinds have different numbers."""
    starts = np.cumsum([0, *(int(column.max()) + 1 for column in columns[:-1])])
    return np.column_stack([column + start for column, start in zip(columns, starts)])


def layouts() -> list[Layout]:
    unequal = [max(1, round(40 / (k + 1))) for k in range(24)]
    return [
        double(10, 40),
        double(25, 50),
        double(25, 300),
        double(50, 100),
        double(50, 600),
        double(20, 60, relations=4),
        single("8 clauses x 12", "kinship", [12] * 8),
        single("12 clauses x 8", "kinship", [8] * 12),
        single("30 clauses x 10", "kinship", [10] * 30),
        single("24 clauses, 40 to 2 stories", "kinship", unequal),
        single("6 clauses x 15", "kinship", [15] * 6),
        single("7 questions x 30", "inference", [30] * 7),
        single("15 questions x 20", "inference", [20] * 15),
        single("60 questions x 5", "inference", [5] * 60),
        single("40 captions x 3", "script", [3] * 40),
        single("300 captions x 2", "script", [2] * 300),
        single("60 items apart", "all", [1] * 60),
        single("10 x 10, 100 items apart", "all", [10] * 10 + [1] * 100),
        nested(3, 120),
        nested(3, 30, 4),
        nested(4, 16, 5),
        nested(8, 8, 5),
        nested(12, 6, 4),
        nested(20, 5, 4),
        nested(20, 10),
        relations(6, 10, 15),
        relations(20, 10, 15),
        crossed(400, 5, 20, 100),
        crossed(400, 8, 20, 100),
        crossed(400, 15, 20, 100),
        crossed(300, 10, 10),
        crossed(60, 10, 12),
    ]


def latent(layout: Layout, r: float, repetitions: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Two systems (repetitions x items)."""
    effects = rng.standard_normal((3, repetitions, layout.clusters))
    own = rng.standard_normal((3, repetitions, layout.items))
    g = effects[:, :, layout.member].mean(axis=-1) * np.sqrt(layout.member.shape[1])
    each = np.sqrt(r) * g + np.sqrt(1 - r) * own
    return (each[0] + each[1]) / np.sqrt(2), (each[0] + each[2]) / np.sqrt(2)
