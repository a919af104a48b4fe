"""What items share: their clusters, and the neighbours that follow from them.

Two items are neighbours if they have any cluster in common: stories of one clause (one cluster each), analogies that
stand on a common tuple (two clusters each), or whatever a suite names. Items with the same set of clusters form a cell.
Sums over neighbours need no pairs: by inclusion and exclusion over the sets T of clusters that items contain,

    sum over neighbours (i, j) of u_i u_j  =  sum over T of (-1)^(|T| + 1) (sum of u_i over the i that contain T)^2.

Clusters may be of several kinds (document; paragraph, or template; relation; subject): the places in an item's list are
kinds, those in which the same names occur are one (the two tuples of an analogy). A cluster that lies inside another
adds no neighbours and is no further evidence: it does not count. And since estimates with more neighbours may by chance
vary less, an interval is the union of the intervals for every selection of kinds (`readings`), a p-value the largest:
naming a further kind never makes a result more significant.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from proband.core.errors import ProbandError
from proband.core.types import Item

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
WIDE = 5  # clusters per item up to which all their sets are counted
KEPT = 4  # selections of items whose neighbours are remembered
LEAST_CLUSTERS = 6.0  # effective clusters below which no interval can be trusted


def clusters_of(item: Item) -> tuple[str, ...]:
    """The clusters an item names, or itself alone."""
    named = item.facts.get("clusters")
    return tuple(map(str, named)) if named else (item.id,)


@dataclass(frozen=True)
class Clusters:
    """The clusters of all items: item i is in the clusters `member[code[i]]` (-1: none); cluster c is of `kind[c]`."""

    code: Ints
    member: Ints
    kind: Ints
    recent: dict[bytes, Neighbours] = field(default_factory=dict, repr=False, compare=False)
    parts: dict[bytes, list[Neighbours]] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def of(cls, names: Sequence[Sequence[str]]) -> Clusters:
        """
        >>> both = Clusters.of([("a",), ("b", "a"), ("a", "b"), ("c",)])
        >>> both.code.tolist(), both.member.tolist(), both.kind.tolist()
        ([0, 1, 1, 2], [[0, -1], [0, 1], [2, -1]], [0, 0, 0])
        >>> Clusters.of([("document 1", "page 1"), ("document 1", "page 2")]).kind.tolist()
        [0, 1, 1]
        """
        growing = GrowingClusters()
        for each in names:
            growing.add(each)
        return growing.done()

    @classmethod
    def named(cls, clusters: Any, items: int) -> Clusters:
        """From what a user has: one name per item; several (a tuple per item, a two-dimensional array, a data frame or
        a mapping of columns), whose places are kinds of clusters, so that 3 in one and 3 in another are different; or a
        set of names per item, which are of one kind. None: items share nothing.

        >>> both = Clusters.named([(3, 3), (3, 4), (4, 3)], 3)
        >>> both.member.tolist(), both.kind.tolist()
        ([[0, 1], [0, 2], [1, 3]], [0, 1, 1, 0])
        >>> Clusters.named([{"a", "b"}, {"b", "c"}], 2).kind.tolist()
        [0, 0, 0]
        """
        if clusters is None:
            return cls.of([(str(at),) for at in range(items)])
        if isinstance(clusters, cls):
            return clusters
        if hasattr(clusters, "columns"):  # a data frame of pandas or polars
            clusters = {name: list(clusters[name]) for name in clusters.columns}
        if isinstance(clusters, Mapping):
            clusters = list(zip(*clusters.values(), strict=True))
        rows = clusters.tolist() if hasattr(clusters, "tolist") else list(clusters)
        if len(rows) != items:
            raise ProbandError(f"{len(rows)} clusters for {items} items: name what each item shares")
        return cls.of([_by_place(each) for each in rows])

    @property
    def count(self) -> int:
        """How many clusters there are."""
        return int(self.member.max(initial=-1)) + 1

    def neighbours(self, rows: Ints | None = None) -> Neighbours:
        """How some items (or all) hang together. Several systems are asked about the same items one after the other:
        the last few answers are kept."""
        key = b"" if rows is None else rows.tobytes()
        if key not in self.recent:
            while len(self.recent) >= KEPT:
                self.recent.pop(next(iter(self.recent)))
            self.recent[key] = Neighbours.of(self, rows)
        return self.recent[key]

    def by_stratum(self, rows: Ints, strata: Ints) -> list[Neighbours]:
        """The same of the items of each stratum (a number from 0 for each of `rows`)."""
        key = rows.tobytes() + strata.tobytes()
        if key not in self.parts:
            self.parts.clear()
            members = (np.flatnonzero(strata == stratum) for stratum in range(int(strata.max()) + 1))
            self.parts[key] = [Neighbours.of(self, rows[each]) for each in members]
        return self.parts[key]

    def only(self, rows: Ints) -> Clusters:
        """Those of some items, numbered in the order in which they occur among them.

        >>> Clusters.of([("a",), ("b",), ("a",)]).only(np.array([1, 2])).member.tolist()
        [[0], [1]]
        """
        kept, first, code = np.unique(self.code[rows], return_index=True, return_inverse=True)
        order = np.argsort(first)  # cells as they occur
        member = self.member[kept[order]]
        there = member[member >= 0]
        names, at = np.unique(there, return_index=True)
        names = names[np.argsort(at)]
        number = np.full(len(self.kind) + 1, -1, dtype=np.int64)
        number[names] = np.arange(len(names))
        return Clusters(np.argsort(order)[code], number[member], self.kind[names])


def _by_place(names: Any) -> list[str]:
    """The clusters of one item; those at different places have different names.

    >>> _by_place(3), _by_place((3, 3)), _by_place({"b", "a"})
    (['3'], ['0 3', '1 3'], ['a', 'b'])
    """
    if isinstance(names, (set, frozenset)):
        return sorted(map(str, names))
    if isinstance(names, (list, tuple)):
        return [f"{place} {name}" for place, name in enumerate(names)]
    return [str(names)]


class GrowingClusters:
    """Collects the clusters of a stream of items; of each item only a number is kept."""

    def __init__(self) -> None:
        self.number: dict[str, int] = {}  # of a cluster
        self.place: list[int] = []  # of each cluster: where in the list of an item its name stood first
        self.kind: list[int] = []  # of each place: the first place of the same kind
        self.sets: dict[tuple[int, ...], int] = {}
        self.known: dict[tuple[str, ...], int] = {}
        self.code = array("q")

    def add(self, names: Sequence[str]) -> None:
        """The clusters of the next item."""
        key = tuple(names)
        at = self.known.get(key)
        if at is None:
            members = tuple(sorted({self._named(name, place) for place, name in enumerate(key)}))
            at = self.known[key] = self.sets.setdefault(members, len(self.sets))
        self.code.append(at)

    def _named(self, name: str, place: int) -> int:
        if place == len(self.kind):
            self.kind.append(place)
        result = self.number.setdefault(name, len(self.number))
        if result == len(self.place):
            self.place.append(place)
        one, other = sorted((self.kind[place], self.kind[self.place[result]]))
        if one != other:  # a name that stands in two places: they are of one kind
            self.kind = [one if kind == other else kind for kind in self.kind]
        return result

    def done(self) -> Clusters:
        width = max((len(members) for members in self.sets), default=1)
        member = np.full((len(self.sets), width), -1, dtype=np.int64)
        for members, at in self.sets.items():
            member[at, : len(members)] = members
        code = np.frombuffer(self.code, dtype=np.int64) if self.code else np.empty(0, np.int64)
        return Clusters(code, member, np.array([self.kind[place] for place in self.place], dtype=np.int64))


@dataclass(frozen=True)
class Neighbours:
    """How some items hang together, whatever their numbers are: made once, used for every metric over them. Of clusters
    that lie inside others, only the largest are counted.

    `effective` is the number of equal clusters that would say as much: (sum n_c)^2 / sum n_c^2 (Kish's) where every
    item has one cluster; (sum n_c^2)^2 / sum n_c^4 where items have several, so that many small clusters do not make up
    for a few large ones (Satterthwaite's number, where clusters correlate strongly). `beside`: without the largest.
    """

    items: int
    clusters: int
    effective: float
    beside: float  # the same without the largest cluster
    ways: float  # clusters per item
    kinds: int  # of the clusters that are counted
    cell: Ints  # of each item
    belongs: Any  # cells x clusters, sparse: 1 where a cell stands in a cluster
    inside: Any  # cells x sets of clusters, sparse: 1 where a cell contains the set
    sign: Floats  # of each set
    others: tuple[Neighbours, ...] = ()  # the same items by a part of the kinds of clusters

    @classmethod
    def of(cls, clusters: Clusters, rows: Ints | None = None) -> Neighbours:
        """Of some items, or of all.

        >>> chain = Neighbours.of(Clusters.of([("a", "b"), ("b", "c"), ("c", "d"), ("e",)]))
        >>> chain.clusters, round(chain.effective, 2), chain.degree.tolist()
        (3, 2.45, [1.0, 2.0, 1.0, 0.0])
        >>> pages = [(f"document {i // 4}", f"page {i // 2}") for i in range(8)]
        >>> nested = Neighbours.of(Clusters.of(pages))
        >>> nested.clusters, [part.clusters for part in nested.others]
        (2, [4])
        """
        kept, cell = np.unique(clusters.code if rows is None else clusters.code[rows], return_inverse=True)
        member = clusters.member[kept]
        kind = np.where(member >= 0, clusters.kind[member], -1)
        kinds = np.unique(kind[kind >= 0]).tolist()
        whole, key = _neighbours(member, cell, clusters.kind)
        seen, others = {key}, []
        for size in range(1, len(kinds)) if len(kinds) <= WIDE else (1,):
            for chosen in combinations(kinds, size):
                part, key = _neighbours(np.where(np.isin(kind, chosen), member, -1), cell, clusters.kind)
                if key not in seen:
                    others.append(part)
                seen.add(key)
        return replace(whole, others=tuple(others))

    @property
    def readings(self) -> tuple[Neighbours, ...]:
        """By all kinds of clusters, and by each selection of them that differs."""
        return (self, *self.others)

    @property
    def few(self) -> bool:
        """Whether these are too few clusters (of any kind), or too few items, to tell anything. One large cluster
        beside six others makes an interval wide, not impossible."""
        least = min(max(each.effective, each.beside) for each in self.readings)
        return min(least, self.items) < LEAST_CLUSTERS - 1e-9

    @property
    def least(self) -> float:
        """The effective number of clusters of the kind that has fewest."""
        return min(each.effective for each in self.readings)

    @cached_property
    def degree(self) -> Floats:
        """The number of neighbours of each item, not counting itself."""
        counts = np.bincount(self.cell).astype(np.float64)
        degree: Floats = (self.inside @ (self.sign * (self._by_set @ counts)) - 1)[self.cell]
        return degree

    @cached_property
    def pairs(self) -> float:
        """Ordered pairs of neighbours."""
        return float(self.degree.sum())

    @cached_property
    def _by_set(self) -> Any:
        return self.inside.T  # made once: for a few items it takes longer than the product with it

    @cached_property
    def _by_cluster(self) -> Any:
        return self.belongs.T

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
        within = (self._by_set @ sums.reshape(-1, sums.shape[-1]).T).T.reshape(*u.shape[:-1], -1)
        result: Floats = (within**2 @ self.sign) - (u**2).sum(axis=-1)
        return result

    def cluster_sums(self, u: Floats) -> Floats:
        """Sums over the items of each cluster; the items are the last axis of `u`."""
        sums = self.cell_sums(u)
        result: Floats = (self._by_cluster @ sums.reshape(-1, sums.shape[-1]).T).T.reshape(*u.shape[:-1], -1)
        return result


def _neighbours(member: Ints, cell: Ints, kind: Ints) -> tuple[Neighbours, frozenset[int]]:
    """Of items in cells with these clusters (-1: none) of these kinds, and which clusters were counted."""
    from scipy.sparse import csr_array

    named = int(member.max(initial=-1))
    member, cell = _alone(member, cell)
    counts = np.bincount(cell, minlength=len(member))
    member = _largest(member, counts)
    place, way = np.nonzero(member >= 0)
    names, renumbered = np.unique(member[place, way], return_inverse=True)
    belongs = csr_array((np.ones(len(place)), (place, renumbered)), shape=(len(member), len(names)))
    width = int((member >= 0).sum(axis=1).max(initial=1))
    inside, sign = _contained(-np.sort(-member, axis=1)[:, :width]) if width <= WIDE else _pairwise(belongs)
    sizes = np.bincount(renumbered, weights=counts[place], minlength=len(names))
    weight: Floats = np.asarray(sizes if width == 1 else sizes**2, dtype=np.float64)
    neighbours = Neighbours(
        items=len(cell),
        clusters=len(names),
        effective=_equal(weight),
        beside=_equal(np.sort(weight)[:-1]),
        ways=float(sizes.sum() / len(cell)),
        kinds=len(np.unique(kind[names[names <= named]])),
        cell=cell,
        belongs=belongs,
        inside=inside,
        sign=sign,
    )
    return neighbours, frozenset(names.tolist())


def _equal(weight: Floats) -> float:
    """How many equal weights would say as much."""
    return float(weight.sum() ** 2 / (weight**2).sum()) if len(weight) else 0.0


def _alone(member: Ints, cell: Ints) -> tuple[Ints, Ints]:
    """Every item without any cluster gets a cell and a cluster of its own.

    >>> member, cell = _alone(np.array([[0], [-1]]), np.array([0, 1, 1]))
    >>> member.tolist(), cell.tolist()
    ([[0], [1], [2]], [0, 1, 2])
    """
    none: NDArray[np.bool_] = np.all(member < 0, axis=1)
    if not none.any():
        return member, cell
    items = np.flatnonzero(none[cell])
    code = np.where(none[cell], 0, (np.cumsum(~none) - 1)[cell])
    code[items] = (~none).sum() + np.arange(len(items))
    own = np.full((len(items), member.shape[1]), -1, dtype=np.int64)
    own[:, 0] = member.max(initial=-1) + 1 + np.arange(len(items))
    return np.concatenate([member[~none], own]), code


def _largest(member: Ints, counts: Ints) -> Ints:
    """Without the clusters whose items all lie in another one (of two that are equal, the first is kept).

    >>> _largest(np.array([[0, 1], [0, 2], [3, 4]]), np.array([1, 1, 5])).tolist()
    [[0, -1], [0, -1], [3, -1]]
    """
    from scipy.sparse import csr_array

    if member.shape[1] == 1:
        return member
    place, way = np.nonzero(member >= 0)
    shape = (len(member), int(member.max(initial=0)) + 1)
    belongs = csr_array((np.ones(len(place)), (place, member[place, way])), shape=shape)
    common = (belongs.T @ (belongs * counts[:, None])).tocoo()  # items that two clusters share
    sizes = belongs.T @ counts
    one, other = common.coords
    inside = (one != other) & (common.data == sizes[one])
    inside &= (sizes[other] > sizes[one]) | ((sizes[other] == sizes[one]) & (other < one))
    gone = np.zeros(shape[1], dtype=bool)
    gone[one[inside]] = True
    return np.where((member >= 0) & ~gone[member], member, -1)


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
