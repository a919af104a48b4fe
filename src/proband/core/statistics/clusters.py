"""What items share: their clusters, and the neighbours that follow from them.

Two items are neighbours if they have any cluster in common: stories of one clause (one cluster each), analogies that
stand on a common tuple (two clusters each), or whatever a suite names. Items with the same set of clusters form a cell,
so that sums over neighbours need one product with a sparse matrix of cells, whatever the number of items.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from proband.core.types import Item

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
FEW = 6.0  # effective clusters below which no interval can be trusted


def clusters_of(item: Item) -> tuple[str, ...]:
    """The clusters an item names, or itself alone."""
    named = item.facts.get("clusters")
    return tuple(map(str, named)) if named else (item.id,)


@dataclass(frozen=True)
class Clusters:
    """The clusters of all items: item i is in the clusters `member[code[i]]` (-1: none)."""

    code: Ints
    member: Ints

    @classmethod
    def of(cls, names: Sequence[Sequence[str]]) -> Clusters:
        """
        >>> both = Clusters.of([("a",), ("b", "a"), ("a", "b"), ("c",)])
        >>> both.code.tolist(), both.member.tolist()
        ([0, 1, 1, 2], [[0, -1], [0, 1], [2, -1]])
        """
        growing = GrowingClusters()
        for each in names:
            growing.add(each)
        return growing.done()

    @property
    def count(self) -> int:
        """How many clusters there are."""
        return int(self.member.max(initial=-1)) + 1


class GrowingClusters:
    """Collects the clusters of a stream of items; of each item only a number is kept."""

    def __init__(self) -> None:
        self.number: dict[str, int] = {}  # of a cluster
        self.sets: dict[tuple[int, ...], int] = {}
        self.known: dict[tuple[str, ...], int] = {}
        self.code = array("q")

    def add(self, names: Sequence[str]) -> None:
        """The clusters of the next item."""
        key = tuple(names)
        at = self.known.get(key)
        if at is None:
            number = self.number
            members = tuple(sorted({number.setdefault(name, len(number)) for name in key}))
            at = self.known[key] = self.sets.setdefault(members, len(self.sets))
        self.code.append(at)

    def done(self) -> Clusters:
        width = max((len(members) for members in self.sets), default=1)
        member = np.full((len(self.sets), width), -1, dtype=np.int64)
        for members, at in self.sets.items():
            member[at, : len(members)] = members
        return Clusters(np.frombuffer(self.code, dtype=np.int64) if self.code else np.empty(0, np.int64), member)


@dataclass(frozen=True)
class Neighbours:
    """How some items hang together, whatever their numbers are: made once, used for every metric over them.

    `effective` is Kish's number of clusters, (sum n_c)^2 / sum n_c^2: that of equal clusters which would say as much.
    """

    items: int
    clusters: int
    effective: float
    ways: float  # clusters per item
    cell: Ints  # of each item
    belongs: Any  # cells x clusters, sparse: 1 where a cell stands in a cluster
    alike: Any  # cells x cells, sparse: 1 where two cells share a cluster

    @classmethod
    def of(cls, clusters: Clusters, rows: Ints) -> Neighbours:
        """
        >>> found = Neighbours.of(Clusters.of([("a", "b"), ("b", "c"), ("c", "d"), ("e",)]), np.arange(4))
        >>> found.clusters, round(found.effective, 2), found.degree.tolist()
        (5, 4.45, [1.0, 2.0, 1.0, 0.0])
        """
        from scipy.sparse import csr_array

        kept, cell = np.unique(clusters.code[rows], return_inverse=True)
        member = clusters.member[kept]
        place, way = np.nonzero(member >= 0)
        found, renumbered = np.unique(member[place, way], return_inverse=True)
        belongs = csr_array((np.ones(len(place)), (place, renumbered)), shape=(len(kept), len(found)))
        alike = belongs @ belongs.T
        alike.data[:] = 1.0
        sizes = np.bincount(renumbered, weights=np.bincount(cell, minlength=len(kept))[place], minlength=len(found))
        return cls(
            items=len(rows),
            clusters=len(found),
            effective=float(sizes.sum() ** 2 / (sizes**2).sum()),
            ways=float(sizes.sum() / len(rows)),
            cell=cell,
            belongs=belongs,
            alike=alike,
        )

    @property
    def few(self) -> bool:
        """Whether these are too few clusters to tell anything."""
        return self.effective < FEW - 1e-9

    @cached_property
    def degree(self) -> Floats:
        """The number of neighbours of each item, not counting itself."""
        degree: Floats = (self.alike @ np.bincount(self.cell).astype(np.float64) - 1)[self.cell]
        return degree

    @cached_property
    def pairs(self) -> float:
        """Ordered pairs of neighbours."""
        return float(self.degree.sum())

    def cell_sums(self, u: Floats) -> Floats:
        """Sums over the items of each cell; the items are the last axis."""
        if u.ndim == 1:
            return np.bincount(self.cell, weights=u).astype(np.float64)
        from scipy.sparse import csr_array

        size = len(self.cell)
        gather = csr_array((np.ones(size), (self.cell, np.arange(size))), shape=(self.alike.shape[0], size))
        sums: Floats = (gather @ u.reshape(-1, size).T).T.reshape(*u.shape[:-1], -1)
        return sums

    def products(self, u: Floats) -> Floats:
        """The sum of u_i u_j over all ordered pairs of neighbours; the items are the last axis of `u`."""
        sums = self.cell_sums(u)
        around = (self.alike @ sums.reshape(-1, sums.shape[-1]).T).T.reshape(sums.shape)
        found: Floats = (sums * around).sum(axis=-1) - (u**2).sum(axis=-1)
        return found

    def cluster_sums(self, u: Floats) -> Floats:
        """Sums over the items of each cluster; the items are the last axis of `u`."""
        sums = self.cell_sums(u)
        found: Floats = (self.belongs.T @ sums.reshape(-1, sums.shape[-1]).T).T.reshape(*u.shape[:-1], -1)
        return found
