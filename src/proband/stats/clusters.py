r"""What items share: their clusters, the selections of items that estimates are made over, and the variance of a
weighted mean of such items, with its degrees of freedom.

An item names its clusters in places (document, paragraph; template, relation; two tuples of one relation). The places
in which the same names occur are one *kind*. Items that share any cluster may be correlated, so the variance of a mean
is a sum over such pairs. By inclusion and exclusion over the sets T of clusters that items have in common

    sum over pairs that share a cluster of c_i c_j  =  sum over T of (-1)^(|T| + 1) (sum of c_i over the i in T)^2

(Cameron, Gelbach and Miller 2011 for crossed kinds; Aronow, Samii and Assenova 2015 for two clusters of one kind). A
`Design` has one partition of the items per size and place of T; a cluster that lies inside another cancels out.

With weights w_i that sum to 1, residuals c_i = w_i (x_i - mean), S_g the sum of c_i over cluster g and W_g that of w_i:

    V = sum over g of S_g^2 / (1 - W_g)                                      CR2 (Bell and McCaffrey 2002)
    V = sum over partitions of + or - V, at least the largest V/k of a kind  multiway (Cameron, Gelbach and Miller 2011)
    nu = (tr P)^2 / sum of P_gh^2,
    P_gh = q_g q_h (A_g [g = h] - W_g A_h - W_h A_g + W_g W_h A),  q_g = (1 - W_g)^(-1/2),  A_g = sum of w_i^2 over g

nu is Bell and McCaffrey's Satterthwaite approximation for independent items (Pustejovsky and Tipton 2018); G equal
clusters have nu = G - 1. Of several kinds of clusters nu is the smallest. The multiway sum need not be positive: the
largest one-way variance is taken where the sum is smaller, as Davezies, D'Haultfoeuille and Guyonvarch (2021) do. An
item with k clusters of a kind is in k of its sums: V/k is the variance if items are independent.
Where each item has k clusters of one kind, as analogies have two tuples, taking the mean off each residual takes more
of the effect of a cluster: V is (G - 1)/(G - k) times as large, which is exact for effects of G clusters of which every
two have an item (for k = 2 the factor of Cameron and Miller 2014).

Strata that weigh the same (a macro mean) are blocks: residuals are taken from the mean of their block and W_g is the
share of the cluster in the weight of its block. A block that lies in one cluster does not show its own variance: such
blocks are taken together as one (the collapsed strata of Wolter 2007, section 2.5), which errs on the safe side.

Below five degrees of freedom, those of six equal clusters, nothing is tested: a test that assumes only the symmetry of
the clusters' sums (Canay, Romano and Shaikh 2017) has 2^(G-1) sign changes and cannot reach 0.05 with five clusters.

Training seeds are a second source of chance. Of S runs with values v_s the mean varies by V = s^2 / S with S - 1
degrees of freedom (s^2 includes the noise of item times seed, as the variance of items does: this errs on the safe
side). It is added to the variance W of items, and each part keeps its own degrees of freedom:

    half the width = sqrt(t_nu^2 W + t_(S-1)^2 V)          (Banerjee 1960, whose interval never covers less than 95 %)

A net that was trained once shows nothing of this spread: what two such nets differ by is measured, not tested.
"""

from __future__ import annotations

from array import array
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from proband.core.errors import ProbandError
from proband.core.metrics import Floats as Floats
from proband.core.types import Item

Ints = NDArray[np.int64]
MOST = 8  # clusters that one item may name: a variance sums over their sets, at most 255
MISSING = ("None", "nan", "NaT", "<NA>")  # how Python, numpy and pandas write a value that is not there
KEPT = 4  # designs that are remembered: several systems answer the same items, one after the other


def clusters_of(item: Item) -> tuple[str, ...]:
    """The clusters an item names, or itself alone."""
    named = item.facts.get("clusters")
    return tuple(map(str, named)) if named else (item.id,)


@dataclass(frozen=True)
class Clusters:
    """The clusters of all items: item i has the clusters `member[code[i]]` by place (-1: none); the places are of the
    kinds `kind`."""

    code: Ints
    member: Ints
    kind: Ints
    recent: dict[bytes, Design] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def of(cls, names: Sequence[Sequence[str]]) -> Clusters:
        """
        >>> both = Clusters.of([("a",), ("b", "a"), ("a", "b"), ("c",)])
        >>> both.code.tolist(), both.member.tolist(), both.kind.tolist()
        ([0, 1, 2, 3], [[0, -1], [1, 0], [0, 1], [2, -1]], [0, 0])
        >>> Clusters.of([("document 1", "page 1"), ("document 1", "page 2")]).kind.tolist()
        [0, 1]
        """
        growing = GrowingClusters()
        for each in names:
            growing.add(each)
        return growing.done()

    @classmethod
    def named(cls, clusters: Any, items: int) -> Clusters:
        """From one name per item, or several (a tuple per item, a two-dimensional array, a data frame or a mapping of
        columns): each place is then a kind of cluster, so 3 in one place and 3 in another are different clusters. A
        set of names per item has a single kind. None: items share nothing.

        >>> both = Clusters.named([(3, 3), (3, 4), (4, 3)], 3)
        >>> both.member.tolist(), both.kind.tolist()
        ([[0, 1], [0, 2], [3, 1]], [0, 1])
        >>> Clusters.named([{"a", "b"}, {"b", "c"}], 2).kind.tolist()
        [0, 0]
        """
        if clusters is None:
            alone = np.arange(items)
            return cls(alone, alone[:, None].copy(), np.zeros(1, dtype=np.int64))
        rows = clusters.code if isinstance(clusters, cls) else names_by_item(clusters)
        if len(rows) != items:
            raise ProbandError(f"{len(rows)} clusters for {items} items: give one cluster per item")
        return clusters if isinstance(clusters, cls) else cls.of([_by_place(each, at) for at, each in enumerate(rows)])

    @property
    def count(self) -> int:
        """How many clusters there are."""
        return int(self.member.max(initial=-1)) + 1

    def only(self, rows: Ints) -> Clusters:
        """Those of some items.

        >>> Clusters.of([("a",), ("b",), ("a",)]).only(np.array([1, 2])).code.tolist()
        [1, 0]
        """
        return Clusters(self.code[rows], self.member, self.kind)

    def design(self, rows: Ints | None = None) -> Design:
        """The design of some items (or all), each with the same weight."""
        key = b"" if rows is None else rows.tobytes()
        if key not in self.recent:
            while len(self.recent) >= KEPT:
                self.recent.pop(next(iter(self.recent)))
            self.recent[key] = self.weighted(rows)
        return self.recent[key]

    def weighted(self, rows: Ints | None, weights: Floats | None = None, blocks: Ints | None = None) -> Design:
        """The same with weights, and in blocks that each have their own mean."""
        places = self.member[self.code if rows is None else self.code[rows]]
        count = len(places)
        even = np.full(count, 1 / max(count, 1)) if weights is None else weights
        design = Design(places, self.kind, even, np.zeros(count, dtype=np.int64) if blocks is None else blocks)
        design.uniform = weights is None
        return design


def names_by_item(clusters: Any) -> list[Any]:
    """What `Clusters.named` reads, as a list with an entry per item."""
    if hasattr(clusters, "columns"):  # a data frame of pandas or polars
        clusters = {name: list(clusters[name]) for name in clusters.columns}
    if isinstance(clusters, Mapping):
        if len({len(column) for column in clusters.values()}) > 1:
            counts = ", ".join(f"{name!r} {len(column)}" for name, column in clusters.items())
            raise ProbandError(f"the columns of clusters differ in length: {counts}")
        clusters = list(zip(*clusters.values()))
    rows: list[Any] = clusters.tolist() if hasattr(clusters, "tolist") else list(clusters)
    return rows


def _by_place(names: Any, item: int) -> list[str]:
    """The clusters of one item; those at different places have different names.

    >>> _by_place(3, 0), _by_place((3, 3), 1), _by_place({"b", "a"}, 2)
    (['3'], ['0 3', '1 3'], ['a', 'b'])
    """
    several = isinstance(names, (list, tuple, set, frozenset))
    if any(str(name) in MISSING and not isinstance(name, str) for name in (names if several else [names])):
        raise ProbandError(f"item {item} has no cluster name; one that shares nothing needs a name of its own")
    if isinstance(names, (set, frozenset)):
        return sorted(map(str, names))
    return [f"{place} {name}" for place, name in enumerate(names)] if several else [str(names)]


class GrowingClusters:
    """Collects the clusters of a stream of items; of each item only a number is kept."""

    def __init__(self) -> None:
        self.number: dict[str, int] = {}  # of a cluster
        self.place: list[int] = []  # of each cluster: where in the list of an item its name occurred first
        self.kind: list[int] = []  # of each place: the first place of the same kind
        self.known: dict[tuple[str, ...], int] = {}
        self.code = array("q")

    def add(self, names: Sequence[str]) -> None:
        """The clusters of the next item."""
        key = tuple(dict.fromkeys(names))
        if key not in self.known:
            if len(key) > MOST:
                raise ProbandError(f"an item names {len(key)} clusters, beginning with {key[0]!r}: {MOST} at most")
            for place, name in enumerate(key):
                self._place(name, place)
            self.known[key] = len(self.known)
        self.code.append(self.known[key])

    def _place(self, name: str, place: int) -> None:
        if place == len(self.kind):
            self.kind.append(place)
        number = self.number.setdefault(name, len(self.number))
        if number == len(self.place):
            self.place.append(place)
        one, other = sorted((self.kind[place], self.kind[self.place[number]]))
        if one != other:  # a name that occurs in two places: they are of one kind
            self.kind = [one if kind == other else kind for kind in self.kind]

    def done(self) -> Clusters:
        member = np.full((len(self.known), max(len(self.kind), 1)), -1, dtype=np.int64)
        for names, at in self.known.items():
            member[at, : len(names)] = [self.number[name] for name in names]
        code = np.frombuffer(self.code, dtype=np.int64) if self.code else np.empty(0, np.int64)
        return Clusters(code, member, np.array(self.kind or [0], dtype=np.int64))


# ---- the design of a selection of items ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Partition:
    """Items in groups, with a `sign` in the sum over partitions."""

    group: Ints  # of each listed item, from 0
    items: Ints  # the items that are listed: all, or those that have such a set of clusters; some twice
    sign: float
    count: int

    @classmethod
    def of(cls, group: Ints, items: Ints, sign: float = 1.0) -> Partition:
        names, code = np.unique(group, return_inverse=True)
        return cls(code.astype(np.int64), items, sign, len(names))

    def sums(self, values: Floats) -> Floats:
        """Of every group, over its items (the last axis)."""
        order = np.argsort(self.group, kind="stable")
        starts = np.searchsorted(self.group[order], np.arange(self.count))
        return np.add.reduceat(values[..., self.items[order]], starts, axis=-1)


class Design:
    """The items of one selection: their weights, their blocks (each with its own mean) and their partitions.

    >>> pages = Clusters.of([(f"document {i // 4}", f"page {i // 2}") for i in range(8)]).design()
    >>> [(each.count, each.sign) for each in pages.terms], [each.count for each in pages.kinds]
    ([(2, 1.0), (4, 1.0), (4, -1.0)], [2, 4])
    """

    def __init__(self, places: Ints, kind: Ints, weights: Floats, blocks: Ints) -> None:
        self.weights, self.blocks = weights, blocks
        self.uniform = False  # all weights are equal
        alone = np.all(places < 0, axis=1)
        if alone.any():  # an item without clusters is one
            places = places.copy()
            places[alone, 0] = places.max(initial=-1) + 1 + np.arange(int(alone.sum()))
        used = np.any(places >= 0, axis=0)
        self.places, self.kind = places[:, used], kind[used]

    @property
    def items(self) -> int:
        return len(self.weights)

    @cached_property
    def kinds(self) -> list[Partition]:
        """The items by each kind of cluster; an item with two clusters of a kind is listed twice."""
        results = []
        for kind in dict.fromkeys(self.kind.tolist()):
            own = self.places[:, self.kind == kind].copy()
            none = np.all(own < 0, axis=1)
            own[none, 0] = self._alone[none]
            item, place = np.nonzero(own >= 0)
            results.append(Partition.of(own[item, place], item))
        return results

    @cached_property
    def repeated(self) -> list[tuple[int, int]]:
        """Of each kind: the number of clusters, and of an item's clusters at most (fewer than all of them)."""
        counts = [int((self.kind == kind).sum()) for kind in dict.fromkeys(self.kind.tolist())]
        return [(max(part.count, 2), min(k, max(part.count - 1, 1))) for part, k in zip(self.kinds, counts)]

    @cached_property
    def terms(self) -> list[Partition]:
        """The partitions of inclusion and exclusion: by one cluster, two, and so on."""
        width, every = self.places.shape[1], np.arange(self.items)
        if width == 1:
            return self.kinds
        results = []
        for size in range(1, width + 1):
            for columns in self._alike(size):
                keys = np.concatenate([self.places[:, chosen] for chosen in columns])
                items = np.tile(every, len(columns))
                there = (keys >= 0).all(axis=1)
                if there.any():
                    group = _numbered(np.sort(keys[there], axis=1))
                    results.append(Partition.of(group, items[there], 1.0 if size % 2 else -1.0))
        return results

    def _alike(self, size: int) -> list[list[tuple[int, ...]]]:
        """The sets of so many places, those of the same kinds together."""
        by_kind: dict[tuple[int, ...], list[tuple[int, ...]]] = {}
        for chosen in combinations(range(self.places.shape[1]), size):
            by_kind.setdefault(tuple(sorted(self.kind[list(chosen)].tolist())), []).append(chosen)
        return list(by_kind.values())

    @cached_property
    def summary(self) -> DesignSummary:
        """
        >>> Clusters.of([(str(i // 5),) for i in range(40)]).design().summary
        DesignSummary(freedom=7.0, clusters=8, equal=8.0)
        """
        results = []
        for kind in self.kinds:
            weights = self.weights[kind.items] / np.bincount(kind.items, minlength=self.items)[kind.items]
            whole = _freedom(kind, weights, np.zeros(len(kind.items), dtype=np.int64))
            parts = _freedom(kind, weights, self.blocks[kind.items]) if self.blocks.any() else whole
            shares = np.bincount(kind.group, weights=weights, minlength=kind.count)
            equal = float(shares.sum() ** 2 / (shares**2).sum()) if kind.count else 0.0
            results.append(DesignSummary(round(min(whole, parts), 9), kind.count, round(equal, 9)))
        return min(results, key=lambda each: (each.freedom, each.clusters))

    def neighbour_sums(self, u: Floats) -> Floats:
        """Of every item: the sum of `u` over itself and the items that share a cluster with it (the last axis).

        >>> Clusters.of([("a", "b"), ("b", "c"), ("c", "d"), ("e",)]).design().neighbour_sums(np.ones(4)).tolist()
        [2.0, 3.0, 2.0, 1.0]
        """
        total = np.zeros_like(u)
        for term in self.terms:
            np.add.at(total.T, term.items, (term.sign * term.sums(u)[..., term.group]).T)
        return total

    @property
    def _alone(self) -> Ints:
        """A cluster of its own for each item."""
        return int(self.places.max(initial=-1)) + 1 + np.arange(self.items)


def _numbered(keys: Ints) -> Ints:
    """A number for each row, the same for equal rows.

    >>> _numbered(np.array([[3, 4], [1, 9], [3, 4]])).tolist()
    [1, 0, 1]
    """
    code = np.zeros(len(keys), dtype=np.int64)
    for column in keys.T:
        code = np.unique(code * (int(column.max(initial=0)) + 1) + column, return_inverse=True)[1]
    return code


def quotas(kinds: Sequence[Sequence[Hashable]], sizes: Ints, limit: int) -> Ints:
    """How many items of each kind (a value per tag) a sample has: `limit` in all, or every item where there are fewer.
    Each item in turn is of the kind that is furthest behind its share, over its tags and their combination.

    >>> quotas([("a", 1), ("a", 2), ("b", 1), ("b", 2)], np.array([10, 10, 10, 10]), 6).tolist()
    [2, 1, 1, 2]
    """
    total, taken = int(sizes.sum()), np.zeros(len(sizes), dtype=np.int64)
    if limit >= total:
        return sizes.astype(np.int64)
    columns = [[repr(value) for value in column] for column in zip(*kinds)]  # 1 is not True
    codes = [np.unique(column, return_inverse=True)[1] for column in columns] + [np.arange(len(kinds))]
    shares = [np.bincount(code, weights=sizes) / total for code in codes]
    behind = [np.zeros(len(share)) for share in shares]  # by tag and value: its share of the sample, minus what it has
    for _ in range(limit):
        for share, deficit in zip(shares, behind):
            deficit += share
        need = sum((deficit[code] for code, deficit in zip(codes, behind)), start=np.zeros(len(kinds)))
        best = int(np.argmax(np.where(taken < sizes, np.round(need, 9), -np.inf)))
        taken[best] += 1
        for code, deficit in zip(codes, behind):
            deficit[code[best]] -= 1
    return taken


# ---- the variance of a mean, and its degrees of freedom --------------------------------------------------------------

LEAST_FREEDOM = 5.0  # of six equal clusters
LEVEL = 0.975  # both ends of a 95 % interval


def quantile(freedom: Floats | float, level: float = LEVEL) -> Floats:
    """Student's t."""
    from scipy.special import stdtrit

    result: Floats = np.asarray(stdtrit(np.maximum(freedom, 1.0), level))
    return result


def p_value(distance: Floats, error: Floats, freedom: Floats | float) -> Floats:
    """Of Student's t, two-sided; 1 where nothing differs and nothing varies."""
    from scipy.special import stdtr

    t = np.where(error > 0, np.abs(distance) / np.where(error > 0, error, 1.0), np.where(distance == 0, 0.0, np.inf))
    return np.where(t == 0, 1.0, 2 * stdtr(np.maximum(freedom, 1.0), -t))


def shows_power(freedom: float) -> bool:
    """Whether a standard error is more than twice its estimate with a chance of 5 % at most: six degrees of freedom.
    With fewer, many pilots find no possible difference detectable, and the others are too hopeful."""
    from scipy.special import chdtr

    return bool(chdtr(freedom, freedom / 4) <= 0.05)


def variance_factors(freedom: float) -> Floats:
    """How many times its estimate a variance may be: nu / chi^2_nu at the middles of forty equal parts; 1 if known."""
    from scipy.special import chdtri

    nu, middles = max(freedom, 0.1), (np.arange(40) + 0.5) / 40  # power right to 0.0002; quantiles of less underflow
    return np.ones(1) if np.isinf(nu) else np.asarray(nu / chdtri(nu, middles))


@dataclass(frozen=True)
class DesignSummary:
    """How well the items of a design show a mean: the degrees of freedom and the number of clusters of the kind that
    has fewest, and Kish's number of equal clusters of that kind, 1 / sum of W_g^2."""

    freedom: float
    clusters: int
    equal: float

    @property
    def few(self) -> bool:
        """Whether there is too little data."""
        return self.freedom < LEAST_FREEDOM - 1e-9


def _freedom(kind: Partition, weights: Floats, blocks: Ints) -> float:
    """nu above, over the blocks; in O(clusters), by multiplying the square of P out."""
    trace = squares = 0.0
    for block in np.unique(blocks):
        inside = blocks == block
        own, group = weights[inside], kind.group[inside]
        total = float(own.sum())
        w = np.bincount(group, weights=own, minlength=kind.count) / total
        a = np.bincount(group, weights=own**2, minlength=kind.count)
        w, a = w[w > 0], a[w > 0]
        if len(w) < 2:
            continue
        r, every = 1 / (1 - w), float(a.sum())
        trace += float((r * (a - 2 * w * a + w**2 * every)).sum())
        across = float((r * w**2).sum())
        mixed = float((r * a * w).sum())
        squares += (
            2 * float((r * a**2).sum()) * across + 2 * mixed**2 + every**2 * across**2 - 4 * every * mixed * across
        )
        cross = 2 * w * a - w**2 * every
        squares += float((r**2 * ((a - cross) ** 2 - cross**2)).sum())
    return trace**2 / squares if squares > 0 else 0.0


def variance(design: Design, residuals: Floats) -> Floats:
    """V above, of weighted residuals c_i (the items are the last axis).

    >>> x = np.array([1.0, 1.0, 0.0, 0.0, 1.0, 0.0])
    >>> pairs = Clusters.of([("a",), ("a",), ("b",), ("b",), ("c",), ("c",)]).design()
    >>> round(float(variance(pairs, (x - x.mean()) / 6)), 4)
    0.0833
    """
    return combined(design, *sums_of(residuals, design))


def sums_of(residuals: Floats, design: Design) -> tuple[list[Floats], list[Floats]]:
    """The adjusted sums over the groups of every term and, of several terms, of every kind alone."""
    terms, kinds = design.terms, design.kinds if len(design.terms) > 1 else []
    return [cluster_sums(design, each, residuals) for each in terms], [
        cluster_sums(design, each, residuals) for each in kinds
    ]


def combined(design: Design, sums: list[Floats], kinds: list[Floats]) -> Floats:
    """V from the adjusted sums over the groups of every term, and of every kind alone."""
    total = sum((term.sign * (s**2).sum(axis=-1) for term, s in zip(design.terms, sums, strict=True)), np.zeros(()))
    total = total * max((g - 1) / (g - k) for g, k in design.repeated)
    times = (len(kind.items) / design.items for kind in design.kinds)  # that an item is listed
    return np.asarray(np.max([total, *((s**2).sum(axis=-1) / k for s, k in zip(kinds, times))], axis=0))


def cluster_sums(design: Design, part: Partition, residuals: Floats) -> Floats:
    """S_g / sqrt(1 - W_g) of every group; a group in several blocks is the sum of its parts."""
    blocks, listed = design.blocks[part.items], part.items
    cells, cell = np.unique(part.group * (int(blocks.max(initial=0)) + 1) + blocks, return_inverse=True)
    order = np.argsort(cell, kind="stable")
    starts = np.searchsorted(cell[order], np.arange(len(cells)))
    sums = np.add.reduceat(residuals[..., listed[order]], starts, axis=-1)
    weight = np.bincount(design.blocks, weights=design.weights)
    first = order[starts]
    share = np.bincount(cell, weights=design.weights[listed]) / weight[blocks[first]]
    free = 1 - share > 1e-9
    adjusted: Floats = sums * np.where(free, 1 / np.sqrt(np.where(free, 1 - share, 1.0)), 0.0)
    if len(cells) == part.count:
        return adjusted
    group = part.group[first]
    starts = np.searchsorted(group, np.arange(part.count))
    return np.add.reduceat(adjusted, starts, axis=-1)


def collapsed(design: Design, strata: Ints) -> Ints:
    """The blocks of strata: those that lie in a single cluster (of any kind) are one block.

    >>> alone = Clusters.named(None, 6).design()
    >>> collapsed(alone, np.array([0, 0, 1, 2, 3, 3])).tolist()
    [0, 0, 2, 2, 1, 1]
    """
    count = int(strata.max(initial=-1)) + 1
    single = np.zeros(count, dtype=bool)
    for kind in design.kinds:
        pairs = np.unique(np.stack([strata[kind.items], kind.group]), axis=1)
        single |= np.bincount(pairs[0], minlength=count) < 2
    number = np.where(single, count, np.cumsum(~single) - 1)
    _, blocks = np.unique(number[strata], return_inverse=True)
    return blocks.astype(np.int64)


# ---- training seeds --------------------------------------------------------------------------------------------------

ONE_SEED = "one seed: training chance unknown"


@dataclass(frozen=True)
class Seeds:
    """How many training seeds there were, and what they add to the variance of the mean over them. `trained`: another
    seed would have given another system."""

    count: int = 1
    variance: float = 0.0
    trained: bool = False

    @property
    def unknown(self) -> bool:
        return self.trained and self.count < 2


def seeds_of(values: Floats, *, trained: bool) -> Seeds:
    """From the value of each run, or from what each set of items adds to it (runs x sets), if each has its own nets.

    >>> round(seeds_of(np.array([0.4, 0.5, 0.6]), trained=True).variance, 5)
    0.00333
    """
    parts = values.reshape(len(values), -1)
    runs, sets = parts.shape
    variance = float(parts.var(axis=0, ddof=1).sum()) / runs if runs > 1 else 0.0
    return Seeds(1 + sets * (runs - 1), variance, trained)


def with_seeds(own: Floats, freedom: Floats | float, seeds: Sequence[Seeds]) -> tuple[Floats, Floats]:
    """The standard error over items and seeds together, and its degrees of freedom."""
    from scipy.special import stdtridf

    several = [each for each in seeds if each.count > 1 and each.variance > 0]
    if not several:
        return np.sqrt(own), np.maximum(freedom, 1.0)
    more = sum(each.variance for each in several)
    square = own * quantile(freedom) ** 2 + sum(
        float(quantile(each.count - 1.0)) ** 2 * each.variance for each in several
    )
    return np.sqrt(own + more), np.asarray(stdtridf(LEVEL, np.sqrt(square / (own + more))))


def seeds_part(own: float, seeds: Sequence[Seeds]) -> float | None:
    """The share of the variance that is due to seeds, where there were several."""
    if all(each.count < 2 for each in seeds):
        return None
    more = sum(each.variance for each in seeds)
    return more / (own + more) if own + more else 0.0


def highest_hidden_failure_share(count: int) -> float:
    """How often trainings may fail where none of `count` did (Clopper and Pearson 1934, one-sided 95 %).

    >>> round(highest_hidden_failure_share(5), 2)
    0.45
    """
    return 1 - float(0.05 ** (1 / count))
