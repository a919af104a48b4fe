r"""Item analysis: items and systems on one scale, the reliability of a ranking, differences by group, shorter tests.

The explanatory item response model (what makes an item hard) is

    P(system s answers item i right) = 1 / (1 + exp(d_i - theta_s)),    d_i = x_i w + e_i,    e_i ~ N(0, tau^2)

theta_s are the abilities, d_i the difficulties, x_i what is known of an item (its length, its relation), w the weights.
Without predictors this is Rasch's model. Given the abilities an item's answers say no more than their sum r_i, so that
the residual e_i is integrated out on one grid for all items:

    log L_i = log sum_g N(d_g; x_i w, tau^2) exp(-r_i d_g - sum_s log(1 + exp(theta_s - d_g)))

Items of one cluster share more than their predictors. The estimate stays consistent without saying how (each item's
own distribution is right), and the interval of a weight is that of the mean of every item's influence on it (stats):
clusters of several kinds count, and few of them are too few to tell.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from proband.core.errors import ProbandError
from proband.core.metrics import Estimate
from proband.stats import Difference, Macro, Mean, Scores
from proband.stats.clusters import Clusters, Design, Floats, Ints, p_value, quantile

GRID = np.linspace(-9.0, 9.0, 181)  # of difficulties
LEAST_SPREAD = 0.12  # of difficulties: the grid is too coarse for less
FAR = 4.0  # the standard deviation of abilities before anything is known: one who has all right has a number too
LEAST_SYSTEMS, LEAST_ITEMS = 5, 20
BLOCKS = 40  # of clusters, each left out once
LEAST_IN_GROUP = 3  # systems
PER_STRATUM, LEAST = 2, 20  # items


@dataclass(frozen=True, kw_only=True, eq=False)
class Fit:
    """Abilities, difficulties and weights of one matrix of answers (systems x items)."""

    right: Floats
    x: Floats  # items x predictors, centred
    theta: Floats
    w: Floats
    tau: float
    influence: Floats  # weights x items
    difficulty: Floats  # of each item, expected
    error: Floats  # the standard deviation of what is not known of it
    expected: Floats  # the chance that each system has each item right

    def misfit(self) -> tuple[Floats, Floats]:
        """Mean squares of the residuals of each item, weighted by their variance (infit) and not (outfit): about 1
        where answers follow the model, more where the wrong systems are right."""
        p = _logistic(self.theta[:, None] - self.difficulty)
        variance, square = np.maximum(p * (1 - p), 1e-6), (self.right - p) ** 2
        return square.sum(axis=0) / variance.sum(axis=0), (square / variance).mean(axis=0)

    def weights(self, clusters: Clusters) -> list[Difference]:
        """The weights with 95 % intervals and tests over clusters of items, for these systems."""
        x = np.column_stack([np.ones(len(self.x)), self.x])
        leverage = ((np.linalg.pinv(x.T @ x) @ x.T) * clusters.design().neighbour_sums(x.T)).sum(axis=0)
        u = self.influence / (1 - np.clip(leverage, 0.0, 0.5))  # a cluster draws the weights to itself
        numbers = self.w[:, None] + u - u.mean(axis=1, keepdims=True)
        return [Scores.of(own, clusters=clusters, estimator=Mean()).against(0.0) for own in numbers]


def fit(right: Any, x: Any = None) -> Fit:
    """The model of these answers, by maximum likelihood.

    >>> rng = np.random.default_rng(0)
    >>> k = np.repeat([2.0, 3.0, 4.0], 40)
    >>> chance = _logistic(np.linspace(-1, 3, 20)[:, None] - (k - 2) - rng.normal(0, 0.5, 120))
    >>> model = fit(rng.random(chance.shape) < chance, k[:, None])
    >>> round(float(model.w[0]), 1), round(model.tau, 1)
    (1.1, 0.6)
    """
    from scipy.optimize import minimize

    right = np.asarray(right, dtype=np.float64)
    systems, items = right.shape
    if systems < LEAST_SYSTEMS or items < LEAST_ITEMS:
        least = f"{LEAST_SYSTEMS} systems and {LEAST_ITEMS} common items"
        raise ProbandError(f"item analysis needs {least}; there are {systems} systems on {items} items")
    x = np.zeros((items, 0)) if x is None else np.asarray(x, dtype=np.float64)
    x = x - x.mean(axis=0)
    share = (right.mean(axis=1) * items + 0.5) / (items + 1)
    start = np.concatenate([np.log(share / (1 - share)), np.zeros(x.shape[1]), [0.0]])
    bounds = [(-8.0, 8.0)] * systems + [(None, None)] * x.shape[1] + [(np.log(LEAST_SPREAD), 1.5)]

    def objective(at: Floats) -> tuple[float, Floats]:
        value, scores, _ = _likelihood(at, right, x)
        theta = at[:systems]
        slope = scores.sum(axis=0) - np.concatenate([theta / FAR**2, np.zeros(len(at) - systems)])
        return -value + float((theta**2).sum()) / (2 * FAR**2), -slope

    best = minimize(objective, start, jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": 500})
    _, scores, posterior = _likelihood(best.x, right, x)
    theta, difficulty = best.x[:systems], posterior @ GRID
    influence = np.zeros((0, items))
    if x.shape[1]:  # n H^-1 s_i, where H is the curvature at the estimate
        moves = 1e-4 * np.eye(len(best.x))
        curvature = np.array([(objective(best.x + move)[1] - objective(best.x - move)[1]) / 2e-4 for move in moves])
        every = items * np.linalg.solve((curvature + curvature.T) / 2, (scores - scores.mean(axis=0)).T)
        influence = every[systems:-1]
    return Fit(
        right=right,
        x=x,
        theta=theta,
        w=best.x[systems:-1],
        tau=float(np.exp(best.x[-1])),
        influence=influence,
        difficulty=difficulty,
        error=np.sqrt(np.maximum(posterior @ GRID**2 - difficulty**2, 0.0)),
        expected=_logistic(theta[:, None] - GRID) @ posterior.T,
    )


def _likelihood(at: Floats, right: Floats, x: Floats) -> tuple[float, Floats, Floats]:
    """The log-likelihood, what each item adds to its slope (items x parameters), and the posterior on the grid."""
    systems = len(right)
    theta, w, tau = at[:systems], at[systems:-1], np.exp(at[-1])
    logits = theta[:, None] - GRID
    mean = (x @ w)[:, None] if x.shape[1] else np.zeros((right.shape[1], 1))
    log = -((GRID - mean) ** 2) / (2 * tau**2) - at[-1]
    log -= right.sum(axis=0)[:, None] * GRID + np.logaddexp(0, logits).sum(axis=0)
    top = log.max(axis=1, keepdims=True)
    posterior = np.exp(log - top)
    total = posterior.sum(axis=1, keepdims=True)
    posterior /= total
    value = float((np.log(total) + top).sum() + (theta @ right).sum())
    away = posterior @ GRID - mean[:, 0]
    square = posterior @ GRID**2 - 2 * mean[:, 0] * (posterior @ GRID) + mean[:, 0] ** 2
    scores = np.concatenate(
        [(right - _logistic(logits) @ posterior.T).T, x * (away / tau**2)[:, None], (square / tau**2 - 1)[:, None]],
        axis=1,
    )
    return value, scores, posterior


def _logistic(x: Floats) -> Floats:
    result: Floats = 1 / (1 + np.exp(-x))
    return result


# ---- discrimination of items -----------------------------------------------------------------------------------------


def discrimination(right: Floats, clusters: Clusters) -> Floats:
    """The correlation, over systems, of being right on an item with the share of the other items that are right: of
    those that share no cluster with it, so that a cluster does not agree with itself. NaN where all answers are equal.

    >>> right = np.array([[1, 1, 1, 0], [1, 1, 0, 0], [0, 0, 0, 1]], dtype=float)
    >>> discrimination(right, Clusters.named(None, 4)).round(2).tolist()
    [0.5, 0.5, 0.5, -0.94]
    """
    design = clusters.design()
    together = right.sum(axis=1, keepdims=True) - design.neighbour_sums(right)
    others = right.shape[1] - design.neighbour_sums(np.ones((1, right.shape[1])))
    rest = together / np.maximum(others, 1)
    a, b = right - right.mean(axis=0), rest - rest.mean(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        result: Floats = (a * b).sum(axis=0) / np.sqrt((a**2).sum(axis=0) * (b**2).sum(axis=0))
    return np.where(others[0] > 0, result, np.nan)


def thirds(right: Floats) -> tuple[Floats, Floats]:
    """The share right of the best and of the worst third of the systems on each item."""
    order = np.argsort(right.mean(axis=1), kind="stable")
    third = max(len(order) // 3, 1)
    return right[order[-third:]].mean(axis=0), right[order[:third]].mean(axis=0)


def the_best_fail(best: Floats) -> Any:
    """Whether the best third has an item right in one of three cases at most."""
    return best <= 1 / 3 + 1e-9


def inverted(best: Floats, worst: Floats, correlation: Floats) -> Any:
    """Whether good systems fail an item and bad ones pass it."""
    return (best < worst) & (correlation < 0)


# ---- can these items rank these systems? (generalisability theory) ---------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Reliability:
    value: float
    low: float
    high: float
    clusters: int
    few: bool

    def needed(self, wanted: float) -> list[int | None]:
        """Clusters for a reliability: by the estimate and by both ends of its interval. None: no number is enough.

        >>> Reliability(value=0.8, low=0.7, high=0.9, clusters=20, few=False).needed(0.9)
        [45, 78, 20]
        """
        times = [(1 - now) / now if now > 0 else None for now in (self.value, self.low, self.high)]
        ratio = self.clusters * wanted / (1 - wanted)
        return [None if each is None else math.ceil(ratio * each - 1e-9) for each in times]


def reliability(right: Floats, clusters: Clusters) -> Reliability:
    """Of systems x items: with y_si the answer of system s to item i less the item's mean over systems (what all
    systems share does not change their order), the error of the mean of a system is that of the mean of y over
    clusters, and

        reliability = var(systems) / (var(systems) + var(error)),    var(systems) = var(means) - var(error)

    is the correlation of the systems' means on two such sets of items (Brennan 2001, chapter 2). With G' clusters
    instead of G the error is G / G' times as large. The interval is a jackknife over blocks of clusters (of the kind
    that has fewest), on the logit of the reliability."""
    from scipy.special import expit, logit
    from scipy.stats import t

    design = clusters.design()
    value, about = _ratio(right, design), design.summary
    kind = min(design.kinds, key=lambda each: each.count)
    block = kind.group % min(BLOCKS, kind.count)
    left = [np.setdiff1d(np.arange(design.items), kind.items[block == at]) for at in range(int(block.max()) + 1)]
    parts = np.array([_ratio(right[:, rows], clusters.weighted(rows)) for rows in left if len(rows) > 1])
    blocks, low, high = len(parts), 0.0, 1.0
    if blocks > 2 and 0 < value < 1:
        spread = float(np.var(logit(np.clip(parts, 1e-4, 1 - 1e-6)), ddof=1))
        half = t.ppf(0.975, blocks - 1) * math.sqrt((blocks - 1) ** 2 / blocks * spread)
        low, high = (float(expit(logit(value) + side * half)) for side in (-1, 1))
    return Reliability(value=value, low=low, high=high, clusters=about.clusters, few=about.few)


def _ratio(right: Floats, design: Design) -> float:
    """The reliability. Of deviations from a mean of variance v, squares and products are smaller by v."""
    systems, n = right.shape
    y = right - right.mean(axis=0)
    means = y.mean(axis=1)
    u = y - means[:, None]
    square = float((u**2).mean(axis=1).sum()) / (systems - 1)
    pairs = float(design.neighbour_sums(np.ones(n)).sum()) - n
    product = float((u * design.neighbour_sums(u)).sum() - (u**2).sum()) / pairs / (systems - 1) if pairs else 0.0
    error = (n * square + pairs * product) / n**2 / max(1 - 1 / n - pairs / n**2, 1e-9)
    error = max(error, square / n)  # a negative correlation of clusters is chance
    own = max(float((means**2).sum()) / (systems - 1) - error, 0.0)
    return own / (own + error) if own + error > 0 else 0.0


# ---- items that are harder for one group than its ability explains ---------------------------------------------------


def group_differences(
    fit: Fit, group: NDArray[np.bool_], sets: Mapping[str, NDArray[np.bool_]], clusters: Clusters
) -> dict[str, Difference]:
    """The systems of `group` against the others, on each of these sets of items (differential item functioning).

    With E_si the answer of system s to item i less what the model expects, a group differs on some items by the weight
    of g in

        mean over the items of E_si = a + b theta_s + c g_s,

    so that neither ability nor items that discriminate better than others look like a difference of groups. c is a sum
    over systems and a mean over items: it is tested over both. The p-value is the larger of Student's over systems
    (errors HC3, MacKinnon and White 1985) and that over clusters of items (stats), and the interval contains both."""
    inside = int(group.sum())
    if min(inside, len(group) - inside) < LEAST_IN_GROUP:
        few = f"groups of {inside} and {len(group) - inside} systems are too few to compare"
        raise ProbandError(f"{few}: {LEAST_IN_GROUP} in each are needed")
    residual = fit.right - fit.expected
    design = np.column_stack([np.ones(len(group)), fit.theta - fit.theta.mean(), group])
    inverse = np.asarray(np.linalg.pinv(design), dtype=np.float64)
    leverage = np.clip(np.einsum("ij,ji->i", design, inverse), 0, 0.99)
    of_items, freedom = inverse[-1] @ residual, max(len(group) - design.shape[1], 1.0)
    differences = {}
    for name, chosen in sets.items():
        means = residual[:, chosen].mean(axis=1)
        weights = inverse @ means
        errors = (means - design @ weights) / (1 - leverage)
        error = np.maximum(np.sqrt(inverse[-1] ** 2 @ errors**2), 1e-12)
        half, over_systems = float(quantile(freedom) * error), float(p_value(weights[-1], error, freedom))
        own = clusters.only(np.flatnonzero(chosen))
        known = Scores.of(of_items[chosen], clusters=own, estimator=Mean()).against(0.0)
        p = None if known.p is None else max(over_systems, known.p)
        low, high = float(min(weights[-1] - half, known.low)), float(max(weights[-1] + half, known.high))
        differences[name] = replace(known, low=low, high=high, p=p)
    return differences


# ---- a score over all items from the answers to a few of them --------------------------------------------------------


@dataclass(frozen=True, kw_only=True, eq=False)
class ShortTest:
    """Which items are asked (`drawn`), and the stratum of every item: stratified sampling.

    Items are sorted by how many earlier systems were right on them and cut into strata of the same size. Two items of
    each are drawn, the fewest that show the variance within a stratum (Cochran 1977, chapter 5). The estimate

        sum over strata h of N_h / N times the mean of the drawn answers of h

    has the score over all items as its mean, whatever the earlier systems did. Its interval is that of a macro mean
    over strata (stats/estimators/macro.py), shrunk by sqrt(1 - n/N), the correction for a finite population (chapter
    2)."""

    stratum: Ints
    drawn: Ints

    @classmethod
    def draw(cls, before: Floats, size: int, *, seed: int) -> ShortTest:
        """From the answers of earlier systems (systems x items).

        >>> test = ShortTest.draw(np.random.default_rng(0).random((6, 200)) < 0.5, 40, seed=0)
        >>> len(test.drawn), set(np.bincount(test.stratum[test.drawn]).tolist())
        (40, {2})
        """
        items = before.shape[1]
        if not LEAST <= size <= items // 2:
            raise ProbandError(f"a short test of these {items} items has {LEAST} to {items // 2} items, not {size}")
        rng, count = np.random.default_rng(seed), size // PER_STRATUM
        stratum = np.empty(items, dtype=np.int64)
        stratum[np.lexsort((rng.random(items), before.mean(axis=0)))] = np.arange(items) * count // items
        drawn_of = np.diff(np.arange(count + 1) * size // count)  # items of each stratum
        parts = [rng.permutation(np.flatnonzero(stratum == h))[:n] for h, n in enumerate(drawn_of)]
        return cls(stratum=stratum, drawn=np.concatenate(parts))

    def estimate(self, right: Floats) -> Estimate:
        """The score over all items of a system with these answers to the drawn ones, with its 95 % interval."""
        if len(right) != len(self.drawn):
            raise ProbandError(f"{len(right)} answers to a short test of {len(self.drawn)} items")
        of, items = self.stratum[self.drawn], len(self.stratum)
        value = float(np.bincount(self.stratum) / items @ (np.bincount(of, weights=right) / np.bincount(of)))
        known = Scores.of(right, tags={"stratum": of.tolist()}, estimator=Macro(by="stratum")).interval()
        shrunk = math.sqrt(1 - len(of) / items)
        low, high = (value + shrunk * float(end - known.mean) for end in (known.low, known.high))
        return Estimate(mean=value, low=max(low, 0.0), high=min(high, 1.0), n=len(of), few=known.few)
