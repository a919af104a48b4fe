"""Macro means: groups (relations) that weigh the same, however many items each has.

A macro mean is a weighted mean of items with weights 1 / (groups x size of the group). Its variance has the residuals
from the mean of each group (clusters.py: groups are blocks), and its interval is that of the estimator it is made of,
once for the whole: Wilson's at the effective sample size, not one per group.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from proband.stats.clusters import Clusters, Design, Floats, Ints, Seeds, collapsed
from proband.stats.estimators.mean import Mean, Pieces, Result
from proband.stats.estimators.share import Share

SHARE = Share()


@dataclass(frozen=True, kw_only=True)
class Macro(Mean):
    """The mean over the values of the tag `by` of what `of` estimates."""

    by: str
    of: Mean = SHARE
    name: str = "mean"

    @property
    def share(self) -> bool:  # type: ignore[override]
        return self.of.share

    @property
    def records(self) -> bool:  # type: ignore[override]
        return self.of.records

    def design(self, clusters: Clusters, places: Ints | None, strata: Ints | None) -> Design:
        assert strata is not None
        sizes = np.bincount(strata)
        weights = 1 / (len(sizes) * sizes[strata])
        plain = clusters.design(places)
        if self.records:
            return clusters.weighted(places, weights, strata)
        return clusters.weighted(places, weights, collapsed(plain, strata))

    def value(self, run: Floats, design: Design) -> float:
        return self.of.value(run, design)

    def pieces(self, runs: Floats, design: Design) -> Pieces:
        return self.of.pieces(runs, design)

    def result(self, pieces: Pieces, seeds: Sequence[Seeds], constant: float = 0.0) -> Result:
        return self.of.result(pieces, seeds, constant)

    def difference(self, pieces: Pieces, seeds: Sequence[Seeds], margin: float = 0.0) -> Result:
        return self.of.difference(pieces, seeds, margin)
