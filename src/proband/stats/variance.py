r"""The variance of a weighted mean of items that share clusters, and its degrees of freedom.

With weights w_i that sum to 1, residuals c_i = w_i (x_i - mean), S_g the sum of c_i over cluster g and W_g that of w_i:

    V = sum over g of S_g^2 / (1 - W_g)                                      CR2 (Bell and McCaffrey 2002)
    V = sum over partitions of + or - V, at least the largest of one kind    multiway (Cameron, Gelbach and Miller 2011)
    nu = (tr P)^2 / sum of P_gh^2,
    P_gh = q_g q_h (A_g [g = h] - W_g A_h - W_h A_g + W_g W_h A),  q_g = (1 - W_g)^(-1/2),  A_g = sum of w_i^2 over g

nu is Bell and McCaffrey's Satterthwaite approximation for independent items (Pustejovsky and Tipton 2018); G equal
clusters have nu = G - 1. Of several kinds of clusters nu is the smallest. The multiway sum need not be positive: the
largest one-way variance is taken where the sum is smaller, as Davezies, D'Haultfoeuille and Guyonvarch (2021) do.
Where each item has k clusters of one kind, as analogies have two tuples, taking the mean off each residual takes more
of the effect of a cluster: V is (G - 1)/(G - k) times as large, which is exact for effects of G clusters of which every
two have an item (for k = 2 the factor of Cameron and Miller 2014).

Strata that weigh the same (a macro mean) are blocks: residuals are taken from the mean of their block and W_g is the
share of the cluster in the weight of its block. A block that lies in one cluster does not show its own variance: such
blocks are taken together as one (the collapsed strata of Wolter 2007, section 2.5), which errs on the safe side.

Below five degrees of freedom, those of six equal clusters, nothing is tested. A test that takes nothing for granted but
the symmetry of the clusters' sums (Canay, Romano and Shaikh 2017) has 2^(G-1) sign changes to compare with and cannot
reach 0.05 with five clusters: 1/16. One cluster that holds most of the items has few degrees of freedom too.

Training seeds are a second source of chance, where another training would have given another system.

Of S runs with values v_s the mean varies by V = s^2 / S with S - 1 degrees of freedom (s^2 has the noise of item times
seed in it, which the items' variance has too: this errs on the safe side). It is added to the variance W that is due to
items, and each part keeps its own degrees of freedom:

    half the width = sqrt(t_nu^2 W + t_(S-1)^2 V)          (Banerjee 1960, whose interval never covers less than 95 %)

which is Student's t with as many degrees of freedom as give the same quantile. A net that was trained once shows
nothing of the spread of its training: what two such nets differ by can be measured, not tested.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from proband.stats.clusters import Design, Floats, Ints, Partition

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


def summary_of(design: Design) -> DesignSummary:
    """
    >>> from proband.stats.clusters import Clusters
    >>> summary_of(Clusters.of([(str(i // 5),) for i in range(40)]).design())
    DesignSummary(freedom=7.0, clusters=8, equal=8.0)
    """
    if "summary" in design.memo:
        result: DesignSummary = design.memo["summary"]
        return result
    found = []
    for kind in design.kinds:
        weights = design.weights[kind.items] / np.bincount(kind.items, minlength=design.items)[kind.items]
        whole = _freedom(kind, weights, np.zeros(len(kind.items), dtype=np.int64))
        parts = _freedom(kind, weights, design.blocks[kind.items]) if design.blocks.any() else whole
        shares = np.bincount(kind.group, weights=weights, minlength=kind.count)
        equal = float(shares.sum() ** 2 / (shares**2).sum()) if kind.count else 0.0
        found.append(DesignSummary(round(min(whole, parts), 9), kind.count, round(equal, 9)))
    design.memo["summary"] = min(found, key=lambda each: (each.freedom, each.clusters))
    return summary_of(design)


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

    >>> from proband.stats.clusters import Clusters
    >>> x = np.array([1.0, 1.0, 0.0, 0.0, 1.0, 0.0])
    >>> pairs = Clusters.of([("a",), ("a",), ("b",), ("b",), ("c",), ("c",)]).design()
    >>> round(float(variance(pairs, (x - x.mean()) / 6)), 4)
    0.0833
    """
    sums = [cluster_sums(design, term, residuals) for term in design.terms]
    ways = [] if len(design.terms) == 1 else [cluster_sums(design, way, residuals) for way in design.ways]
    return combined(design, sums, ways)


def combined(design: Design, sums: list[Floats], ways: list[Floats]) -> Floats:
    """V from the adjusted sums over the groups of every term, and of every place alone."""
    total = sum((term.sign * (s**2).sum(axis=-1) for term, s in zip(design.terms, sums, strict=True)), np.zeros(()))
    total = total * max((g - 1) / (g - k) for g, k in design.repeated)
    return np.max([total, *((s**2).sum(axis=-1) for s in ways)], axis=0) if ways else np.asarray(total)


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

    >>> from proband.stats.clusters import Clusters
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
    """From the value of each run.

    >>> round(seeds_of(np.array([0.4, 0.5, 0.6]), trained=True).variance, 5)
    0.00333
    """
    count = len(values)
    return Seeds(count, float(values.var(ddof=1)) / count if count > 1 else 0.0, trained)


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


def share_of_trainings(failed: int, count: int) -> tuple[float, float]:
    """The exact 95 % interval (Clopper and Pearson 1934) of how often trainings fail, where so many of `count` did.
    Where none did, one-sided: they may fail as often as this without being seen.

    >>> [round(end, 2) for failed in (0, 1) for end in share_of_trainings(failed, 5)]
    [0.0, 0.45, 0.01, 0.72]
    """
    from scipy.special import betaincinv

    if not failed:
        return 0.0, float(1 - 0.05 ** (1 / count))
    low, high = betaincinv([failed, failed + 1], [count - failed + 1, count - failed], [1 - LEVEL, LEVEL])
    return float(low), float(high)
