"""Simulated answers to the designs of calibration_designs.py, and what came of the methods on them.

An answer is right where the latent variable lies below a quantile. An oracle that knows the true variance of the mean
gives the width and the power to compare with. All methods see the same answers.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
from calibration_designs import Layout, latent
from calibration_methods import OURS, Ends, our_difference, single_methods
from scipy.special import ndtri
from scipy.stats import norm

from proband.core.metrics import AUC, Metric
from proband.core.statistics import estimates, scores, spread
from proband.core.statistics.clusters import LEAST_CLUSTERS, Floats
from proband.core.statistics.spread import ONE_SEED, seeds_of, standing_in, training
from proband.stats import Scores
from proband.suites.inference.curves.measures import NORMALISED, RECALL_AT_80

BLIND = "the same, blind to seeds"
EFFECT = 2.5  # planted, in standard errors of the oracle
MEANS = (0.05, 0.2, 0.5, 0.8, 0.95)
CORRELATIONS = (0.0, 0.2, 0.5)


@dataclass
class Line:
    """What came of one design: per method coverage and width beside the oracle, null rate and power."""

    layout: str
    like: str
    kind: str
    clusters: float  # effective ones, of the kind that has fewest
    coverage: dict[str, float] = field(default_factory=dict)
    width: dict[str, float] = field(default_factory=dict)
    null: dict[str, float] = field(default_factory=dict)
    power: dict[str, float] = field(default_factory=dict)  # beside the oracle's
    detectable: float = float("nan")  # stated / true
    extreme: bool = False  # a mean near 0 or 1
    jumps: bool = False  # a metric over sets that was resampled

    @property
    def near_limits(self) -> bool:
        """Whether more repetitions should tell if it is within them."""
        rejected = self.null.get(OURS, 0.0) > 0.065 or self.coverage[OURS] < 0.925
        return rejected and not self.few and self.jumps is False

    @property
    def few(self) -> bool:
        """No interval is given."""
        return self.clusters < LEAST_CLUSTERS - 1e-9


def seed_of(*what: object) -> int:
    return zlib.crc32(repr(what).encode())


def covered(ends: Ends, truth: float) -> float:
    return float(((ends[0] <= truth) & (truth <= ends[1])).mean())


def shares(layout: Layout, p: float, r: float, repetitions: int, *, offset: int = 0) -> Line:
    """Zeros and ones: the mean of one system, then two systems without and with a difference."""
    rng = np.random.default_rng(seed_of(layout.name, p, r, offset))
    line = Line(layout.name, layout.like, f"mean {p:g}, r {r:g}", layout.shared.least)
    line.extreme = not 0.1 < p < 0.9
    za, zb = latent(layout, r, repetitions, rng)
    a, b = ((z < ndtri(p)).astype(np.float64) for z in (za, zb))
    sd = a.mean(axis=1).std()
    for name, ends in single_methods(a, layout, share=True).items():
        line.coverage[name] = covered(ends, p)
        line.width[name] = float(np.mean(ends[1] - ends[0]) / (2 * norm.ppf(0.975) * sd))
    _paired(line, layout, a, b, lambda q: (zb < ndtri(q)).astype(np.float64), p=p, share=True)
    return line


def _paired(
    line: Line, layout: Layout, a: Floats, b: Floats, moved: Callable[[float], Floats], *, p: float, share: bool
) -> None:
    """Null and power; the effect is what the oracle sees in 7 of 10 cases or so."""
    shared, d = layout.shared, a - b
    sd = d.mean(axis=1).std()
    low, high, _ = our_difference(a, b, shared, share=share)
    line.null[OURS] = float(((low > 0) | (high < 0)).mean())
    for name, (low, high) in single_methods(d, layout, share=False).items():
        if name != OURS:
            line.null[name] = float(((low > 0) | (high < 0)).mean())
    effect = EFFECT * sd
    if share and not 0.02 < p - effect < 0.98:
        effect = -effect
        if not 0.02 < p - effect < 0.98:
            return
    other = moved(p - effect)
    d = a - other
    sd = d.mean(axis=1).std()
    oracle = float((np.abs(d.mean(axis=1)) > norm.ppf(0.975) * sd).mean())
    low, high, stated = our_difference(a, other, shared, share=share)
    line.power[OURS] = float(((low > 0) | (high < 0)).mean()) / oracle
    line.detectable = float(np.median(stated) / ((norm.ppf(0.975) + norm.ppf(0.8)) * sd))
    for name, (low, high) in single_methods(d, layout, share=False).items():
        if name != OURS:
            line.power[name] = float(((low > 0) | (high < 0)).mean()) / oracle


def real_values(layout: Layout, r: float, repetitions: int, *, skewed: bool) -> Line:
    """Nats and ranks: normal, or skewed like a surprisal (log-normal)."""
    rng = np.random.default_rng(seed_of(layout.name, r, skewed))
    kind = f"{'skewed' if skewed else 'normal'} values, r {r:g}"
    line = Line(layout.name, layout.like, kind, layout.shared.least)
    a, b = latent(layout, r, repetitions, rng)
    truth = float(np.exp(0.18)) if skewed else 0.0
    if skewed:
        a, b = np.exp(0.6 * a), np.exp(0.6 * b)
    sd = a.mean(axis=1).std()
    for name, ends in single_methods(a, layout, share=False).items():
        line.coverage[name] = covered(ends, truth)
        line.width[name] = float(np.mean(ends[1] - ends[0]) / (2 * norm.ppf(0.975) * sd))
    _paired(line, layout, a, b, lambda q: b - q, p=0.0, share=False)
    return line


# ---- metrics over sets, training seeds -----------------------------------------------------------------------------


SET_METRICS: Mapping[str, tuple[Metric, float, float]] = {  # with the lift of true items, and their share
    "area under the ROC curve": (AUC, 1.5, 0.4),
    "recall at precision 0.8": (RECALL_AT_80, 1.5, 0.4),
    "recall at precision 0.8, weak scores": (RECALL_AT_80, 0.6, 0.4),
    "recall at precision 0.8, few true": (RECALL_AT_80, 1.5, 0.2),
    "normalised area": (NORMALISED, 1.5, 0.4),
    "normalised area, weak scores": (NORMALISED, 0.5, 0.4),
    "normalised area, few true": (NORMALISED, 1.5, 0.2),
}


def set_metric(layout: Layout, name: str, r: float, repetitions: int) -> Line:
    """Scores of true and false items, both systems. The truth is the mean of all repetitions: the value to expect of a
    set of this size."""
    metric, lift, share = SET_METRICS[name]
    repetitions = max(50, repetitions // 2)
    draws = scores.DRAWS, scores.MANY
    scores.DRAWS = scores.MANY = 250  # 5,000 would take an hour
    rng = np.random.default_rng(seed_of(layout.name, name, r))
    line = Line(layout.name, layout.like, name, layout.shared.least, jumps=metric.jumps)
    truth = np.arange(layout.items) % 10 < 10 * share
    pairs = []
    for both in zip(*latent(layout, r, repetitions, rng)):
        records = [np.column_stack([z + lift * truth, truth]) for z in both]
        pairs.append([Scores.of(each, clusters=layout.known, metric=metric) for each in records])
    values = np.array([[each.value for each in sides] for sides in pairs])
    ends = [one.interval() for one, _ in pairs]
    tests = [one.minus(other) for one, other in pairs]
    low, high = (np.array([getattr(each, name) for each in ends]) for name in ("low", "high"))
    line.coverage[OURS] = covered((low, high), float(values.mean()))
    line.width[OURS] = float((high - low).mean() / (2 * norm.ppf(0.975) * values[:, 0].std()))
    line.null[OURS] = float(np.mean([each.p < 0.05 for each in tests]))
    true = (norm.ppf(0.975) + norm.ppf(0.8)) * np.std(values[:, 0] - values[:, 1])
    line.detectable = float(np.median([each.detectable for each in tests]) / true)
    scores.DRAWS, scores.MANY = draws
    return line


def training_seeds(layout: Layout, seeds: tuple[int, int], spread_of_seeds: float, repetitions: int) -> Line:
    """Two systems trained several times (or once): each seed moves all answers of a run."""
    rng = np.random.default_rng(seed_of(layout.name, seeds, spread_of_seeds))
    one, other = seeds
    kind = f"{one} seeds against {other}, sd {100 * spread_of_seeds:g} points"
    line = Line(layout.name, layout.like, kind, layout.shared.least)
    shared, p = layout.shared, 0.7
    sides = []
    for z, count in zip(latent(layout, 0.2, repetitions, rng), seeds):
        x = trained_runs(z, count, p, spread_of_seeds, rng)
        values = x.mean(axis=2)
        u = x - values[:, :, None]
        sides.append((values.mean(axis=1), u.mean(axis=1), seeds_of(values, u, trained=True)))
    (a, ua, of_a), (b, ub, of_b) = sides
    ends = spread.value_ends(a, ua, shared, share=True, seeds=of_a)
    line.coverage |= {OURS: covered(ends, p), BLIND: covered(spread.value_ends(a, ua, shared, share=True), p)}
    line.width[OURS] = float(np.mean(ends[1] - ends[0]) / (2 * norm.ppf(0.975) * np.std(a)))
    if training(of_a, of_b) == ONE_SEED:
        return line  # no p-value is given
    least = ((ua**2).mean(axis=1) + (ub**2).mean(axis=1) + (a - b) ** 2) / shared.items
    found = estimates.difference_ends(a - b, ua - ub, shared, share=True, least=least, seeds=standing_in(of_a, of_b))
    line.null[OURS] = float((found.p < 0.05).mean())
    line.detectable = float(np.median(found.detectable) / ((norm.ppf(0.975) + norm.ppf(0.8)) * np.std(a - b)))
    return line


def trained_runs(z: Floats, count: int, p: float, sd: float, rng: np.random.Generator) -> Floats:
    """Zeros and ones (repetitions x runs x items) with mean `p` over seeds, whose accuracies have about this `sd`."""
    moved = sd / float(norm.pdf(norm.ppf(p)))
    noise = rng.standard_normal((len(z), count, z.shape[1]))
    shift = moved * rng.standard_normal((len(z), count, 1))
    right = np.sqrt(0.7) * z[:, None, :] + np.sqrt(0.3) * noise + shift < np.sqrt(1 + moved**2) * ndtri(p)
    return right.astype(np.float64)
