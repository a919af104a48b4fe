"""What items share: their clusters, and the neighbours that follow from them.

Two items are neighbours if they have any cluster in common: stories of one clause (one cluster each), analogies that
stand on a common tuple (two clusters each), or whatever a suite names. Items with the same set of clusters form a cell.
Sums over neighbours need no pairs: by inclusion and exclusion over the sets T of clusters that items contain,

    sum over neighbours (i, j) of u_i u_j  =  sum over T of (-1)^(|T| + 1) (sum of u_i over the i that contain T)^2.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from proband.core.types import Item

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
WIDE = 5  # clusters per item up to which all their sets are counted
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
    inside: Any  # cells x sets of clusters, sparse: 1 where a cell contains the set
    sign: Floats  # of each set

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
        inside, sign = _contained(member) if member.shape[1] <= WIDE else _pairwise(belongs)
        sizes = np.bincount(renumbered, weights=np.bincount(cell, minlength=len(kept))[place], minlength=len(found))
        return cls(
            items=len(rows),
            clusters=len(found),
            effective=float(sizes.sum() ** 2 / (sizes**2).sum()),
            ways=float(sizes.sum() / len(rows)),
            cell=cell,
            belongs=belongs,
            inside=inside,
            sign=sign,
        )

    @property
    def few(self) -> bool:
        """Whether these are too few clusters, or too few items, to tell anything."""
        return min(self.effective, self.items) < FEW - 1e-9

    @cached_property
    def degree(self) -> Floats:
        """The number of neighbours of each item, not counting itself."""
        counts = np.bincount(self.cell).astype(np.float64)
        degree: Floats = (self.inside @ (self.sign * (self.inside.T @ counts)) - 1)[self.cell]
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
        gather = csr_array((np.ones(size), (self.cell, np.arange(size))), shape=(self.belongs.shape[0], size))
        sums: Floats = (gather @ u.reshape(-1, size).T).T.reshape(*u.shape[:-1], -1)
        return sums

    def products(self, u: Floats) -> Floats:
        """The sum of u_i u_j over all ordered pairs of neighbours; the items are the last axis of `u`."""
        sums = self.cell_sums(u)
        within = (self.inside.T @ sums.reshape(-1, sums.shape[-1]).T).T.reshape(*u.shape[:-1], -1)
        found: Floats = (within**2 @ self.sign) - (u**2).sum(axis=-1)
        return found

    def cluster_sums(self, u: Floats) -> Floats:
        """Sums over the items of each cluster; the items are the last axis of `u`."""
        sums = self.cell_sums(u)
        found: Floats = (self.belongs.T @ sums.reshape(-1, sums.shape[-1]).T).T.reshape(*u.shape[:-1], -1)
        return found


def _contained(member: Ints) -> tuple[Any, Floats]:
    """Every set of clusters that a cell contains, and its sign: + for one cluster, - for two, and so on."""
    from scipy.sparse import csr_array

    cells, width = member.shape
    places, columns, signs = [], [], []
    start = 0
    for size in range(1, width + 1):
        keys = np.stack([member[:, ways] for ways in combinations(range(width), size)], axis=1)
        place, way = np.nonzero((keys >= 0).all(axis=2))
        code = _numbered(keys[place, way])
        count = int(code.max(initial=-1)) + 1
        places.append(place)
        columns.append(code + start)
        signs.append(np.full(count, 1.0 if size % 2 else -1.0))
        start += count
    where = np.concatenate(places), np.concatenate(columns)
    return csr_array((np.ones(len(where[0])), where), shape=(cells, start)), np.concatenate(signs)


def _pairwise(belongs: Any) -> tuple[Any, Floats]:
    """The same for cells of many clusters, by pairs of cells: 2 s_c s_d = (s_c + s_d)^2 - s_c^2 - s_d^2."""
    from scipy.sparse import csr_array

    cells = belongs.shape[0]
    first, second = (belongs @ belongs.T).nonzero()
    first, second = first[first < second], second[first < second]
    pairs = len(first)
    place = np.concatenate([first, second, np.arange(cells)])
    column = np.concatenate([np.arange(pairs), np.arange(pairs), pairs + np.arange(cells)])
    single = 1.0 - np.bincount(first, minlength=cells) - np.bincount(second, minlength=cells)
    inside = csr_array((np.ones(len(place)), (place, column)), shape=(cells, pairs + cells))
    return inside, np.concatenate([np.ones(pairs), single])


def _numbered(keys: Ints) -> Ints:
    """A number for each row, the same for equal rows.

    >>> _numbered(np.array([[3, 4], [1, 9], [3, 4]])).tolist()
    [1, 0, 1]
    """
    code = np.zeros(len(keys), dtype=np.int64)
    for column in keys.T:
        code = np.unique(code * (int(column.max(initial=0)) + 1) + column, return_inverse=True)[1]
    return code
