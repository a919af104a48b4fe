"""How far an estimate may be off, where items share material and where a system was trained several times, and the
interval and the test of one value.

An estimate is, up to a constant, the mean of influence values u_i: if item i counted (1 + e) times, it would move by
e u_i / n. For a mean, u_i = x_i - mean. For the mean over strata of their means, u_i = n/(S n_s) (x_i - mean_s); strata
of one item are collapsed into one, which errs on the safe side. With n items, N ordered pairs of neighbours, deg_i
neighbours of item i, r = sum deg_i^2, A = sum u_i^2, B = sum of u_i u_j over pairs of neighbours, the correlation rho
of neighbours solves E[A], E[B] given that the u have been centred:

    rho = [A N/n + B (n-1)] / [A (N - 2r/n + N^2/n^2) + B N/n]
    rho_1 = min(1, max(0, rho + (0.35 + 1.5/G) sqrt(2/N)))        a margin for its own error; G eff. clusters (none
                                                                   where clusters of several kinds are counted)
    rho_2 = [I rho_1 + w max(rho_1, rho_0)] / (I + w)              a weak prior; m clusters per item,
            rho_0 = min(q/m, n/2N + 4 rho_1)                       less where clusters are large: many items of a
                                                                   cluster tell how alike they are
            I = k(k-1)/2,  k = (sum v)^2 / sum v^2                 k items tell anything: v = u_i^2; for shares, whose
                                                                   spread shrinks near 0 and 1, also k_c clusters:
                                                                   v = (sum of u over a cluster)^2; the smaller of k
                                                                   and k_c (1 + 20 (k/n)^2): k/n is 1 at a mean of
                                                                   1/2, .31 at .2, .06 at .05

The variance of the mean is then D sigma^2 / n with the design effect D = 1 + rho_2 N/n; n_e = n/D is the number of
independent items that would say as much. D is known as well as the number of clusters allows: with G effective
clusters, nu = (G-1) (D/(D-1))^2 degrees of freedom.

Shares (means of numbers between 0 and 1): Wilson's interval for clustered items, and the test that inverts it.

The ends x of the interval around the mean y solve

    (y - x)^2 = t^2 kappa x (1 - x),      kappa = v/n_e, times what training seeds add,

with Student's quantile t, the effective number of items n_e and the spread v of the numbers relative to that of zeros
and ones (v = 1 for them). For a constant c in place of x, t = |y - c| / sqrt(kappa c (1 - c)) gives a p-value that is
below 0.05 if and only if c is outside the interval.

Differences of shares (Bonett and Price's interval at n_e; d~ is drawn towards 0 by half an item):

    d~ = d n_e / (n_e + 1/2),    se^2 = {[n_e mean(d^2) + 1/2] / (n_e + 1/2) - d~^2} / (n_e + 1/2)

Other numbers: d~ = d, se^2 = sum u^2 / (n - n/n_e) / n_e.

Near 0 and 1 the correlation of neighbours is known less and less well, and its prior may widen an interval as the mean
moves outward: an end is never inside those of means still further out (at the same correlation), and p is the largest
over the same means.

Training seeds are a second source of chance: V = s^2/S over S runs, less what the items' own noise explains of it (of
few runs less than all), is added to the variance W that is due to items. Each part keeps its own degrees of freedom (nu
and S - 1; of two systems with V_1 and V_2, Welch's):

    half the width = sqrt(t_nu^2 W + t_(S-1)^2 V),

a t with as many degrees of freedom as make its quantile at .975 the same. Satterthwaite's number for W + V is itself an
estimate, and with two or three seeds it is too large whenever their runs happen to be alike.

A net that was trained once says nothing of its training. Beside another net with three seeds or more, that one's
variance stands in for it: V = s^2 (1/S + 1). Otherwise its training chance is unknown, and nothing is decided.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from proband.core.statistics.clusters import Floats, Ints, Neighbours

LEVEL = 0.975
POWER = 0.8

# ---- Student's t ----------------------------------------------------------------------------------------------------


def quantile(freedom: Floats, level: float = LEVEL) -> Floats:
    from scipy.special import stdtrit

    result: Floats = stdtrit(freedom, level)
    return result


def p_value(distance: Floats, error: Floats, freedom: Floats) -> Floats:
    """Two-sided; 1 where nothing differs and nothing varies."""
    from scipy.special import stdtr

    t = np.where(error > 0, np.abs(distance) / np.where(error > 0, error, 1.0), np.where(distance == 0, 0.0, np.inf))
    return np.where(t == 0, 1.0, 2 * stdtr(freedom, -t))


def ends(centre: Floats, error: Floats, freedom: Floats) -> tuple[Floats, Floats]:
    half = quantile(freedom) * error
    return centre - half, centre + half


def detectable(error: Floats, freedom: Floats, tests: int = 1) -> Floats:
    """The true difference that a test at 0.05 sees four times in five: (t_.975 + t_.8) x standard error; of several
    tests that are corrected together, at 0.05 over their number.

    >>> [float(detectable(np.array(0.01), np.array(np.inf), tests)).__round__(4) for tests in (1, 12)]
    [0.028, 0.0371]
    """
    return (quantile(freedom, level_of(tests)) + quantile(freedom, POWER)) * error


def level_of(tests: int) -> float:
    """The quantile of a two-sided test at 0.05 over so many tests."""
    return 1 - (1 - LEVEL) / tests


def holm(p: Sequence[float]) -> list[float]:
    """Holm's step-down adjustment.

    >>> [round(x, 3) for x in holm([0.01, 0.04, 0.03])]
    [0.03, 0.06, 0.06]
    """
    order = np.argsort(np.asarray(p), kind="stable")
    out, running = [0.0] * len(p), 0.0
    for rank, at in enumerate(order):
        running = max(running, min(1.0, (len(p) - rank) * p[at]))
        out[at] = running
    return out


# ---- training seeds --------------------------------------------------------------------------------------------------


ENOUGH = 3  # seeds whose variance may stand in for that of a net with one
ONE_SEED = "one seed: training chance unknown"
STANDS_IN = "one seed: the other's variance stands in"


@dataclass(frozen=True)
class Seeds:
    """How many training seeds there were, and what they add to the variance of a mean over them. `trained`: another
    seed would have given another system."""

    count: int = 1
    variance: float | Floats = 0.0
    trained: bool = False

    @property
    def unknown(self) -> bool:
        return self.trained and self.count < 2


def seeds_of(values: Floats, influence: Floats, *, trained: bool = False) -> Seeds:
    """What the runs of one system differ by beyond the noise of single items (an interaction of item and seed, which
    the items' variance has counted already). The variance of S runs is known with S - 1 degrees of freedom: 1 - 1/(S-1)
    of that noise is taken off, of two runs nothing.

    >>> u = np.tile([0.5, -0.5], (3, 10))
    >>> round(seeds_of(np.array([0.4, 0.5, 0.6]), u).variance, 5), seeds_of(np.array([0.5] * 3), u).variance
    (0.00333, 0.0)
    """
    count, items = influence.shape[-2:]
    if count < 2:
        return Seeds(trained=trained)
    own = influence - influence.mean(axis=-2, keepdims=True)
    noise = (own**2).sum(axis=(-2, -1)) / (max(items - 1, 1) * (count - 1))
    net = np.maximum(values.var(axis=-1, ddof=1) / count - (1 - 1 / (count - 1)) * noise / (items * count), 0.0)
    return Seeds(count, net if values.ndim > 1 else float(net), trained)


def share_of_trainings(failed: int, count: int) -> tuple[float, float]:
    """The exact 95 % interval (Clopper and Pearson's) of how often trainings fail, where so many of `count` did. Where
    none did, one-sided: they may fail as often as this without being seen.

    >>> [round(end, 2) for failed in (0, 1) for end in share_of_trainings(failed, 5)]
    [0.0, 0.45, 0.01, 0.72]
    """
    from scipy.special import betaincinv

    if not failed:
        return 0.0, float(1 - 0.05 ** (1 / count))
    low, high = betaincinv([failed, failed + 1], [count - failed + 1, count - failed], [1 - LEVEL, LEVEL])
    return float(low), float(high)


def standing_in(one: Seeds, other: Seeds) -> tuple[Seeds, ...]:
    """The seeds of a difference: where one of two nets was trained once, the other's variance stands in for it.

    >>> standing_in(Seeds(4, 0.25, True), Seeds(trained=True))
    (Seeds(count=4, variance=1.25, trained=True),)
    """
    if training(one, other) != STANDS_IN:
        return one, other
    known = other if one.unknown else one
    return (Seeds(known.count, known.variance * (1 + known.count), True),)


def training(*seeds: Seeds) -> str:
    """What is to be said of the training seeds of one system, or of two that are compared.

    >>> training(Seeds(5, 0.01, True), Seeds(5, 0.01, True)), training(Seeds(5, 0.01, True), Seeds(trained=True))
    ('', "one seed: the other's variance stands in")
    >>> training(Seeds(2, 0.01, True), Seeds(trained=True)), training(Seeds(), Seeds(trained=True))
    ('one seed: training chance unknown', 'one seed: training chance unknown')
    """
    if not any(each.unknown for each in seeds):
        return ""
    return STANDS_IN if any(each.trained and each.count >= ENOUGH for each in seeds) else ONE_SEED


def with_seeds(own: Floats, freedom: Floats, seeds: Sequence[Seeds]) -> tuple[Floats, Floats]:
    """The standard error over items and seeds together, and its degrees of freedom."""
    from scipy.special import stdtridf

    several = [each for each in seeds if each.count > 1]
    more = sum((np.asarray(each.variance) for each in several), np.zeros(()))
    if not np.any(more > 0):
        return np.sqrt(own), freedom
    below = sum((np.asarray(each.variance) ** 2 / (each.count - 1) for each in several), np.zeros(()))
    of_seeds = np.where(more > 0, more**2 / np.where(more > 0, below, 1.0), 1.0)
    square = (own * quantile(freedom) ** 2 + more * quantile(of_seeds) ** 2) / (own + more)
    together = np.where(more > 0, stdtridf(LEVEL, np.sqrt(square)), freedom)
    return np.sqrt(own + more), together


def seeds_part(own: float, seeds: Sequence[Seeds]) -> float | None:
    """The share of the variance that is due to seeds, where there were several."""
    if all(each.count < 2 for each in seeds):
        return None
    more = float(sum(each.variance for each in seeds))
    return more / (own + more) if own + more else 0.0


# ---- items that share material --------------------------------------------------------------------------------------


def margin(effective: float, kinds: int = 1) -> float:
    """In standard errors of rho: what is added to it, more where there are few clusters. Clusters of several kinds have
    none: the intervals by each kind alone, which have it, are part of the union."""
    return 0.35 + 1.5 / effective if kinds < 2 else 0.0


@dataclass(frozen=True)
class Prior:
    """w and q above, and whether clusters are counted beside items."""

    weight: float
    least: float
    by_cluster: bool


MIDDLE = 20.0  # how much more a cluster tells where shares are in the middle than near 0 and 1
EXPECTED, TIMES = 0.5, 4.0  # the prior adds at most this to D, and so many times what the items say
SHARE = Prior(6.0, 0.15, True)  # of the mean of zeros and ones
OTHER = Prior(3.0, 0.1, False)  # of differences, and of numbers of any size


@dataclass(frozen=True)
class Spread:
    """Of some influence values (the arrays have one entry per set of them): their mean square, the correlation of
    neighbours before the prior, how many items or clusters tell anything, the effective number of items and the degrees
    of freedom."""

    square: Floats
    correlation: Floats
    telling: Floats
    number: Floats
    freedom: Floats
    fixed: bool = False  # number and freedom do not follow from the rest


def spread(u: Floats, shared: Neighbours, prior: Prior = OTHER) -> Spread:
    """The items are the last axis of `u`.

    >>> from proband.core.statistics.clusters import Clusters
    >>> u = np.array([1.0, 1.0, -1.0, -1.0] * 5)
    >>> alone = Neighbours.of(Clusters.of([(str(i),) for i in range(20)]))
    >>> pairs = Neighbours.of(Clusters.of([(str(i // 2),) for i in range(20)]))
    >>> float(spread(u, alone).number), float(spread(u, pairs).number)
    (20.0, 10.0)
    """
    correlation = neighbours_correlation(u, shared)
    telling = _telling(u**2)
    if prior.by_cluster:
        each = 1 + MIDDLE * (telling / shared.items) ** 2
        telling = np.minimum(telling, each * _telling(shared.cluster_sums(u) ** 2))
    number, freedom = effective(correlation, telling, shared, prior)
    return Spread((u**2).mean(axis=-1), correlation, telling, number, freedom)


def _telling(v: Floats) -> Floats:
    """(sum v)^2 / sum v^2: how many of the numbers are not negligible."""
    below = (v**2).sum(axis=-1)
    number: Floats = v.sum(axis=-1) ** 2 / np.where(below > 0, below, 1.0)
    return number


def neighbours_correlation(u: Floats, shared: Neighbours, *, safe: bool = True) -> Floats:
    """rho_1 above (rho itself where it need not be `safe`); 0 where there are no neighbours or no spread."""
    n, pairs, squares = shared.items, shared.pairs, float((shared.degree**2).sum())
    a = (u**2).sum(axis=-1)
    if not pairs or n < 2:
        return np.zeros_like(a)
    b, more = shared.products(u), margin(shared.effective, shared.kinds) * np.sqrt(2 / pairs) if safe else 0.0
    below = a * (pairs - 2 * squares / n + pairs**2 / n**2) + b * pairs / n
    usable = (a > 0) & (below > 1e-12 * np.abs(a) * pairs)
    rho = np.where(usable, (a * pairs / n + b * (n - 1)) / np.where(usable, below, 1.0), np.where(a > 0, 1.0, 0.0))
    clipped: Floats = np.clip(rho + np.where(a > 0, more, 0.0), 0.0, 1.0)
    return clipped


def effective(correlation: Floats, telling: Floats, shared: Neighbours, prior: Prior) -> tuple[Floats, Floats]:
    """The effective number of items and the degrees of freedom, where `telling` items say anything."""
    informed = np.maximum(telling * (telling - 1) / 2, 0.0)
    around = shared.pairs / shared.items
    limit = EXPECTED / around + TIMES * correlation if around else correlation
    expected = np.maximum(correlation, np.minimum(prior.least / shared.ways, limit))
    rho = (informed * correlation + prior.weight * expected) / (informed + prior.weight)
    more = rho * shared.pairs / shared.items  # D - 1
    groups = max(shared.effective, 2.0) - 1
    with np.errstate(divide="ignore"):
        freedom = np.where(more > 0, groups * ((1 + more) / np.where(more > 0, more, 1.0)) ** 2, np.inf)
    return shared.items / (1 + more), freedom


# ---- shares ----------------------------------------------------------------------------------------------------------


PATH = 12  # counts near 0 over which the end of an interval is made monotone
Scaled = tuple[Floats, Floats, Floats]  # a mean y, its kappa and degrees of freedom


def share_ends(
    mean: Floats, of_items: Spread, shared: Neighbours, *, seeds: Seeds | None = None
) -> tuple[Floats, Floats]:
    """Both ends of the interval."""
    seeds = seeds or Seeds()
    low, high = 1 - _upper(1 - mean, of_items, shared, seeds), _upper(mean, of_items, shared, seeds)
    return np.minimum(low, mean), np.maximum(high, mean)  # but for rounding


def share_p(
    mean: Floats, constant: float, of_items: Spread, shared: Neighbours, *, seeds: Seeds | None = None
) -> Floats:
    """The p-value of a mean that would be `constant`, two-sided; 1 where it is."""
    below = mean < constant
    near, at = np.where(below, mean, 1 - mean), np.where(below, constant, 1 - constant)
    p = _p_above(at, *_outward(near, of_items, shared, seeds or Seeds())).max(axis=0)
    return np.where(mean == constant, 1.0, p)


def _upper(mean: Floats, of_items: Spread, shared: Neighbours, seeds: Seeds) -> Floats:
    highest: Floats = _end(*_outward(mean, of_items, shared, seeds)).max(axis=0)
    return highest


def _end(y: Floats, kappa: Floats, freedom: Floats) -> Floats:
    """The upper end x of the equation above."""
    c = quantile(freedom) ** 2 * kappa
    upper: Floats = (y + c / 2 + np.sqrt(c * y * (1 - y) + c**2 / 4)) / (1 + c)
    return np.minimum(upper, 1.0)


def _p_above(constant: Floats, y: Floats, kappa: Floats, freedom: Floats) -> Floats:
    return p_value(constant - y, np.sqrt(kappa * constant * (1 - constant)), freedom)


def _outward(mean: Floats, of_items: Spread, shared: Neighbours, seeds: Seeds) -> Scaled:
    """Along a new first axis: the mean and those nearer to 0, each as well known as it would be (with the spread v of
    the mean itself)."""
    own = mean, *_scale(mean, of_items, seeds)
    if of_items.fixed or not np.any(mean * shared.items < PATH):
        y, kappa, freedom = (np.asarray(each)[None] for each in own)
        return y, kappa, freedom
    counts = np.arange(PATH).reshape(-1, *(1 for _ in np.shape(mean)))
    y = np.minimum(mean, counts / shared.items)
    telling = np.minimum(of_items.telling, shared.items * y * (1 - y) / ((1 - y) ** 3 + y**3))
    telling = np.where(y < mean, telling, of_items.telling)
    number, freedom = effective(of_items.correlation, telling, shared, SHARE)
    nearer = y, *_scale(mean, replace(of_items, telling=telling, number=number, freedom=freedom), seeds)
    y, kappa, freedom = (
        np.concatenate([np.broadcast_to(one, y.shape[1:])[None], np.broadcast_to(others, y.shape)])
        for one, others in zip(own, nearer)
    )
    return y, kappa, freedom


def _scale(mean: Floats, of_items: Spread, seeds: Seeds) -> tuple[Floats, Floats]:
    """kappa and the degrees of freedom."""
    own = share_variance(mean, of_items)
    total, freedom = with_seeds(own, of_items.freedom, [seeds])
    return _ratio(mean, of_items) * (total**2 / own) / of_items.number, freedom


def _ratio(mean: Floats, of_items: Spread) -> Floats:
    """v: the spread of the numbers beside that of zeros and ones with their mean, one item of which is added."""
    binary = mean * (1 - mean)
    ratio = np.where(binary > 1e-12, of_items.square / np.where(binary > 1e-12, binary, 1.0), 1.0)
    return (of_items.number * ratio + 1) / (of_items.number + 1)


def share_variance(mean: Floats, of_items: Spread) -> Floats:
    inside = (mean * of_items.number + 0.5) / (of_items.number + 1)
    variance: Floats = inside * (1 - inside) * _ratio(mean, of_items) / of_items.number
    return variance


# ---- one value: a mean, its interval and its test --------------------------------------------------------------------


Known = tuple[Floats, Floats]  # a variance with its degrees of freedom


def of_mean(x: Floats, strata: Ints | None = None) -> tuple[float, Floats]:
    """A mean (with `strata`, a number from 0 per item: the mean over them of their means) and its influence values.

    >>> of_mean(np.array([1.0, 0.0, 1.0, 1.0]), np.array([0, 0, 1, 1]))
    (0.75, array([ 0.70710678, -0.70710678,  0.        ,  0.        ]))
    """
    if strata is None:
        return float(x.mean()), x - x.mean()
    sizes = np.bincount(strata)
    means = np.bincount(strata, weights=x) / sizes
    lost = np.sqrt(sizes / np.maximum(sizes - 1, 1))  # a degree of freedom each
    centre, lone = means.copy(), sizes == 1
    if lone.any():  # one item says nothing of the spread within its stratum: such strata are taken together
        count = int(lone.sum())
        centre[lone] = means[lone].mean() if count > 1 else means.mean()
        lost[lone] = np.sqrt(count / max(count - 1, 1))
    return float(means.mean()), (lost * len(x) / (len(sizes) * sizes))[strata] * (x - centre[strata])


def value_ends(
    value: Floats, u: Floats, shared: Neighbours, *, share: bool, seeds: Seeds | None = None, least: Known | None = None
) -> tuple[Floats, Floats]:
    """Both ends of the intervals of values with their influence values (the items are the last axis). `least`: a
    variance that it has at least, with fewer degrees of freedom (strata.py)."""
    seeds, both = seeds or Seeds(), []
    for each in shared.readings:
        of_items = spread(u, each, SHARE if share else OTHER)
        if share:
            both.append(share_ends(value, at_least(value, of_items, least), each, seeds=seeds))
        else:
            centre, own, freedom = plain_parts(value, of_items, each)
            if least is not None:
                own, freedom = np.maximum(own, least[0]), np.minimum(freedom, least[1])
            both.append(ends(centre, *with_seeds(own, freedom, [seeds])))
    return np.min([low for low, _ in both], axis=0), np.max([high for _, high in both], axis=0)


def at_least(value: Floats, of_items: Spread, least: Known | None) -> Spread:
    """The spread of a share whose variance is at least so large."""
    if least is None:
        return of_items
    number = of_items.number * np.minimum(1.0, share_variance(value, of_items) / least[0])
    return replace(of_items, number=number, freedom=np.minimum(of_items.freedom, least[1]), fixed=True)


def value_p(
    constant: float,
    value: Floats,
    u: Floats,
    shared: Neighbours,
    *,
    share: bool,
    seeds: Seeds | None = None,
    least: Known | None = None,
) -> Floats:
    """The p-values of values against a constant, two-sided: below 0.05 if and only if the interval leaves it out."""
    seeds, results = seeds or Seeds(), []
    for each in shared.readings:
        of_items = spread(u, each, SHARE if share else OTHER)
        if share:
            results.append(share_p(value, constant, at_least(value, of_items, least), each, seeds=seeds))
        else:
            centre, own, freedom = plain_parts(value, of_items, each)
            if least is not None:
                own, freedom = np.maximum(own, least[0]), np.minimum(freedom, least[1])
            results.append(p_value(centre - constant, *with_seeds(own, freedom, [seeds])))
    largest: Floats = np.max(results, axis=0)
    return largest


def plain_parts(value: Floats, of_items: Spread, shared: Neighbours) -> tuple[Floats, Floats, Floats]:
    """The centre, the variance and the degrees of freedom of a number that is no share. Such numbers may be skewed, and
    few clusters do not show it: with G effective clusters the error is 1 + 0.4/G times as large."""
    centre, error, freedom = difference_of(value, of_items, shared, share=False, least=value**2 / shared.items)
    if shared.pairs:
        error = error * (1 + 0.4 / shared.effective)
    return centre, error**2, freedom


def difference_of(
    value: Floats, of_items: Spread, shared: Neighbours, *, share: bool, least: Floats | None = None
) -> tuple[Floats, Floats, Floats]:
    """The centre of the interval, its standard error and degrees of freedom."""
    n, number = shared.items, of_items.number
    if share:
        more = number + 0.5
        centre = value * number / more
        variance = ((number * (of_items.square + value**2) + 0.5) / more - centre**2) / more
    else:
        centre, rest = value, np.maximum(n - n / number, 0.5)
        variance = (n * of_items.square + (0.0 if least is None else least)) / rest / number
    return centre, np.sqrt(variance), 1 / (1 / of_items.freedom + 1 / max(n - 1, 1))
