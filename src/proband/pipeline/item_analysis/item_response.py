r"""Items and systems on one scale, and what makes an item hard (an explanatory item response model).

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

from dataclasses import dataclass
from typing import Any

import numpy as np

from proband.core.errors import ProbandError
from proband.stats import Difference, Mean, Scores
from proband.stats.clusters import Clusters, Floats

GRID = np.linspace(-9.0, 9.0, 181)  # of difficulties
LEAST_SPREAD = 0.12  # of difficulties: the grid is too coarse for less
FAR = 4.0  # the standard deviation of abilities before anything is known: one who has all right has a number too
LEAST_SYSTEMS, LEAST_ITEMS = 5, 20


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
    >>> found = fit(rng.random(chance.shape) < chance, k[:, None])
    >>> round(float(found.w[0]), 1), round(found.tau, 1)
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

    found = minimize(objective, start, jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": 500})
    _, scores, posterior = _likelihood(found.x, right, x)
    theta, difficulty = found.x[:systems], posterior @ GRID
    return Fit(
        right=right,
        x=x,
        theta=theta,
        w=found.x[systems:-1],
        tau=float(np.exp(found.x[-1])),
        influence=_influence(found.x, scores, objective)[systems:-1] if x.shape[1] else np.zeros((0, items)),
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


def _influence(at: Floats, scores: Floats, objective: Any) -> Floats:
    """Of every item on every parameter: n H^-1 s_i, where H is the curvature at the estimate."""
    moves = 1e-4 * np.eye(len(at))
    curvature = np.array([(objective(at + move)[1] - objective(at - move)[1]) / 2e-4 for move in moves])
    result: Floats = len(scores) * np.linalg.solve((curvature + curvature.T) / 2, (scores - scores.mean(axis=0)).T)
    return result


def _logistic(x: Floats) -> Floats:
    result: Floats = 1 / (1 + np.exp(-x))
    return result


# ---- what one item tells of the systems ------------------------------------------------------------------------------


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
