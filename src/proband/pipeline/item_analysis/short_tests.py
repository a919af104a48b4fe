"""A score over all items from the answers to a few of them, without bias.

Items are stratified by how many systems before were right on them, and a few of each stratum are drawn at random. What
the drawn answers let one predict for the others (a ridge regression on the main ways in which systems before differed)
is used as control variate, in folds: an item's prediction never rests on its own answer. Given the items of all other
folds (A), those of fold k are a random sample of what is left (R), so that each

    T_k = [sum over A of y_i + sum over R of f_k(i) + sum over strata h of |R_h| m_hk] / N,
    m_hk = mean of y_i - f_k(i) over the items of fold k in h,

has the score over all items as its mean, however bad the predictions are. The estimate is the mean of T_k; its interval
is that of the residuals over strata (scores.py), shrunk by the share of the items that were not drawn.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from proband.core.errors import ProbandError
from proband.core.types import Estimate
from proband.stats import Macro, Mean, Scores
from proband.stats.clusters import Floats, Ints

FOLDS, PER_STRATUM = 5, 10
WAYS, RIDGE = 8, 3.0  # in which systems differ, and how little is believed of them before
LEAST = 2 * PER_STRATUM


@dataclass(frozen=True, kw_only=True, eq=False)
class ShortTest:
    """Which items are asked (`drawn`), with their stratum and fold. `before`: systems x all items."""

    before: Floats
    stratum: Ints  # of every item
    drawn: Ints
    fold: Ints  # of each drawn one

    @classmethod
    def draw(cls, before: Floats, size: int, *, seed: int) -> ShortTest:
        """
        >>> test = ShortTest.draw(np.random.default_rng(0).random((6, 200)) < 0.5, 40, seed=0)
        >>> len(test.drawn), np.bincount(test.stratum[test.drawn]).tolist()
        (40, [10, 10, 10, 10])
        """
        items = before.shape[1]
        if not LEAST <= size <= items // 2:
            raise ProbandError(f"a short test of {items} items can have {LEAST} to {items // 2}, not {size}")
        rng = np.random.default_rng(seed)
        count = size // PER_STRATUM
        stratum = np.empty(items, dtype=np.int64)
        stratum[np.lexsort((rng.random(items), before.mean(axis=0)))] = np.arange(items) * count // items
        share = np.diff(np.arange(count + 1) * size // count)  # drawn of each stratum
        parts = [rng.permutation(np.flatnonzero(stratum == h))[:n] for h, n in enumerate(share)]
        fold = np.concatenate([rng.permutation(n) % FOLDS for n in share])
        return cls(before=np.asarray(before, float), stratum=stratum, drawn=np.concatenate(parts), fold=fold)

    @cached_property
    def _ways(self) -> Floats:
        centred = (self.before - self.before.mean(axis=1, keepdims=True)).T
        u, sizes, _ = np.linalg.svd(centred, full_matrices=False)
        if sizes[0] < 1e-9:
            return np.zeros((len(centred), 1))
        ways: Floats = u[:, :WAYS] * (sizes[:WAYS] / sizes[0]) * np.sqrt(len(centred))
        return ways

    def estimate(self, right: Floats) -> Estimate:
        """The score over all items of a system with these answers to the drawn ones, with its 95 % interval."""
        if len(right) != len(self.drawn):
            raise ProbandError(f"{len(right)} answers to a short test of {len(self.drawn)} items")
        residual = np.zeros(len(right))
        value = float(np.mean(list(self._folds(np.asarray(right, dtype=np.float64), residual))))
        rest = 1 - len(self.drawn) / len(self.stratum)
        scores = Scores.of(
            residual, tags={"stratum": self.stratum[self.drawn].tolist()}, estimator=Macro(by="stratum", of=Mean())
        )
        if np.ptp(right) < 1e-9:  # residuals show no spread, counting knows how little that says
            scores = Scores.of(right)
        known = scores.interval()
        low, high = (value + np.sqrt(rest) * (end - known.mean) for end in (known.low, known.high))
        return Estimate(mean=value, low=max(low, 0.0), high=min(high, 1.0), n=len(right), few=known.few)

    def _folds(self, right: Floats, residual: Floats) -> Iterator[float]:
        """T_k of each fold; the residuals of its items are filled in."""
        ways, of = self._ways, self.stratum[self.drawn]
        for k in range(FOLDS):
            own = self.fold == k
            known, mean = self.drawn[~own], right[~own].mean()
            a = ways[known]
            beta = np.linalg.solve(a.T @ a + RIDGE * np.eye(a.shape[1]), a.T @ (right[~own] - mean))
            guess = mean + ways @ beta
            residual[own] = right[own] - guess[self.drawn[own]]
            left = np.ones(len(guess), dtype=bool)
            left[known] = False
            sizes, drawn = np.bincount(self.stratum[left]), np.bincount(of[own])
            means = np.bincount(of[own], weights=residual[own]) / drawn
            yield float((right[~own].sum() + guess[left].sum() + sizes @ means) / len(guess))


def saved(before: Floats, size: int, *, seed: int, draws: int = 8) -> dict[str, float]:
    """What a short test of this size would have been worth for each of these systems, had only the others been known:
    root mean square errors of both ways, the share of intervals that hold the score, the share of items saved at the
    error of counting as many items drawn at random."""
    errors, covered = list[float](), list[bool]()
    for system, answers in enumerate(before):
        others = np.delete(before, system, axis=0)
        for draw in range(draws):
            test = ShortTest.draw(others, size, seed=seed + draw)
            found = test.estimate(answers[test.drawn])
            errors.append(found.mean - answers.mean())
            covered.append(found.low <= answers.mean() <= found.high)
    ours, items = float(np.sqrt(np.mean(np.square(errors)))), before.shape[1]
    theirs = float(np.sqrt(before.var(axis=1).mean() / size * (items - size) / (items - 1)))  # without return
    gain = 1 - (ours / theirs) ** 2 if theirs else 0.0
    return {"error": ours, "error of counting": theirs, "bias": float(np.mean(errors)),
            "covered": float(np.mean(covered)), "saved": gain}  # fmt: skip
