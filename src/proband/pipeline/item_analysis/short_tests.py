"""A score over all items from the answers to a few of them: stratified sampling.

Items are sorted by how many earlier systems were right on them and cut into strata of the same size. Two items of each
are drawn, the fewest that show the variance within a stratum (Cochran 1977, chapter 5). The estimate

    sum over strata h of N_h / N times the mean of the drawn answers of h

has the score over all items as its mean, whatever the earlier systems did. Its interval is that of a macro mean over
strata (stats/estimators/macro.py), shrunk by sqrt(1 - n/N), the correction for a finite population (chapter 2).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from proband.core.errors import ProbandError
from proband.core.types import Estimate
from proband.stats import Macro, Scores
from proband.stats.clusters import Floats, Ints

PER_STRATUM, LEAST = 2, 20  # items


@dataclass(frozen=True, kw_only=True, eq=False)
class ShortTest:
    """Which items are asked (`drawn`), and the stratum of every item."""

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
        low, high = (value + np.sqrt(1 - len(of) / items) * (end - known.mean) for end in (known.low, known.high))
        return Estimate(mean=value, low=max(low, 0.0), high=min(high, 1.0), n=len(of), few=known.few)
