"""The power of a row of a profile: the true score that gets its ✓ with 80 % power, found by simulation.

A simulated system is right on each item of the row by itself, with one probability; of a metric that ranks items its
scores are normal, right items above wrong ones by so much that the expected value is the score. Items, clusters, chance
and shortcuts are those of the row. The test is the one of the page (`stats.beats_all`, Bonferroni over the rows of the
panel). Answers that hang together within clusters would need more.
"""

from __future__ import annotations

from dataclasses import replace
from statistics import NormalDist

import numpy as np

from proband.reporting.numbers.comparisons import ALPHA
from proband.reporting.profile import BY_OPTIONS, CapabilityRow, Level
from proband.stats import Scores, beats_all

POWER, DRAWS, STEPS = 0.8, 300, 7
HIGHEST = 2  # levels that are simulated: one far below the others never decides


def ticked_at(row: CapabilityRow, family: int, *, seed: int = 0) -> float | None:
    """None where not even a perfect score is ticked so often, or where nothing was scored."""
    if row.scores is None or not row.levels:
        return None
    level = max(each.value for each in row.levels)
    if share_ticked(row, 1.0, family, seed=seed) < POWER:
        return None
    low, high = min(level, 1.0), 1.0
    for _ in range(STEPS):
        middle = (low + high) / 2
        if share_ticked(row, middle, family, seed=seed) >= POWER:
            high = middle
        else:
            low = middle
    return round(high, 3)


def share_ticked(row: CapabilityRow, score: float, family: int, *, seed: int = 0) -> float:
    """How often a system with this true score gets the ✓ of a row."""
    assert row.scores is not None
    highest = sorted(row.levels, key=lambda each: -each.value)[:HIGHEST]
    rng, ticked = np.random.default_rng(seed), 0
    for _ in range(DRAWS):
        drawn = simulated(row.scores, score, rng)
        test = beats_all(drawn, [level_of(each, drawn) for each in highest])
        ticked += test.p is not None and test.value > 0 and family * test.p < ALPHA
    return ticked / DRAWS


def level_of(level: Level, drawn: Scores) -> float | Scores:
    """A level beside simulated scores. Answers that stay the same and are those of a preference among the options are
    some of the answers that stay the same."""
    if level.scores is None:
        return level.value
    if level.name != BY_OPTIONS:
        return level.scores
    return replace(level.scores, numbers=level.scores.numbers * drawn.numbers, known_as={})


def simulated(scores: Scores, score: float, rng: np.random.Generator) -> Scores:
    """Scores on the same items, of a system with this true score."""
    numbers = scores.numbers[:1]
    if numbers.ndim == 2:
        drawn = (rng.random(numbers.shape) < score).astype(np.float64)
    else:  # a score and the truth: P(right above wrong) = Phi(d / sqrt 2)
        apart = 2**0.5 * NormalDist().inv_cdf(min(score, 0.9999))
        drawn = numbers.copy()
        drawn[..., 0] = rng.normal(size=numbers.shape[:2]) + apart * (numbers[..., 1] > 0.5)
    return replace(scores, numbers=drawn, known_as={})
