"""Simulated answers, and the methods that calibration.py compares on them.

Answers come from a latent normal variable: z = sqrt(r) g + sqrt(1-r) e, with g the mean (scaled to variance 1) of the
effects of an item's clusters, drawn anew in every repetition, and an answer is right where z lies below a quantile. Two
systems share half of g and half of e. An oracle that knows the true variance of the mean gives the width and the power
to compare with. All methods see the same answers.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from scipy.special import ndtri, stdtrit
from scipy.stats import norm

from proband.core.metrics import area_under_roc
from proband.core.statistics import estimates
from proband.core.statistics.clusters import Clusters, Floats, Ints, Neighbours
from proband.core.statistics.estimates import Measured
from proband.core.statistics.influence import of_set
from proband.core.statistics.seeds import ONE_SEED, seeds_of, standing_in, training

Ends = tuple[Floats, Floats]
OURS, BLIND = "Proband", "the same, blind to seeds"


# ---- designs -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Layout:
    """Which item stands in which clusters (items x ways)."""

    name: str
    like: str  # the suite that it is taken from
    member: Ints

    @property
    def clusters(self) -> int:
        return int(self.member.max()) + 1

    @cached_property
    def shared(self) -> Neighbours:
        return Neighbours.of(Clusters.of([tuple(map(str, row)) for row in self.member.tolist()]), np.arange(self.items))

    @property
    def items(self) -> int:
        return len(self.member)


def single(name: str, like: str, sizes: Sequence[int]) -> Layout:
    return Layout(f"{name}", like, np.repeat(np.arange(len(sizes)), sizes)[:, None])


def double(tuples: int, items: int, relations: int = 1) -> Layout:
    """Items on two different tuples of one relation, drawn without replacement from all pairs."""
    rng = np.random.default_rng(tuples * 1000 + items)
    pairs = np.array([(i, j) for i in range(tuples) for j in range(tuples) if i != j])
    parts = [pairs[rng.permutation(len(pairs))[:items]] + k * tuples for k in range(relations)]
    pooled = f"{relations} x " if relations > 1 else ""
    return Layout(f"{pooled}{items} items on {tuples} tuples", "analogy", np.concatenate(parts))


def nested(*counts: int) -> Layout:
    """Documents, paragraphs in each, items in each (or fewer levels); every item names all of them."""
    items = math.prod(counts)
    columns = [np.arange(items) // (items // count) for count in np.cumprod(counts).tolist()]
    return Layout(" x ".join(map(str, counts)), "nested", _apart(columns))


def crossed(items: int, *counts: int) -> Layout:
    """Items that name one cluster of each of several kinds (templates, relations, subjects), drawn independently."""
    rng = np.random.default_rng(items + sum(counts))
    columns = [rng.permutation(np.arange(items) % count) for count in counts]
    return Layout(f"{items} items, {' x '.join(map(str, counts))}", "crossed", _apart(columns))


def relations(count: int, tuples: int, items: int) -> Layout:
    """Analogies that name their relation beside their two tuples."""
    pairs = double(tuples, items, count).member
    columns = _apart([np.repeat(np.arange(count), items), pairs[:, 0]])
    return Layout(
        f"{count} relations x {items} items on {tuples} tuples", "nested", np.c_[columns[:, 0], pairs + count]
    )


def _apart(columns: Sequence[Ints]) -> Ints:
    """Clusters of different kinds have different numbers."""
    starts = np.cumsum([0, *(int(column.max()) + 1 for column in columns[:-1])])
    return np.column_stack([column + start for column, start in zip(columns, starts)])


def layouts() -> list[Layout]:
    unequal = [max(1, round(40 / (k + 1))) for k in range(24)]
    return [
        double(10, 40),
        double(25, 50),
        double(25, 300),
        double(50, 100),
        double(50, 600),
        double(20, 60, relations=4),
        single("8 clauses x 12", "kinship", [12] * 8),
        single("12 clauses x 8", "kinship", [8] * 12),
        single("30 clauses x 10", "kinship", [10] * 30),
        single("24 clauses, 40 to 2 stories", "kinship", unequal),
        single("6 clauses x 15", "kinship", [15] * 6),
        single("7 questions x 30", "inference", [30] * 7),
        single("15 questions x 20", "inference", [20] * 15),
        single("60 questions x 5", "inference", [5] * 60),
        single("40 captions x 3", "script", [3] * 40),
        single("300 captions x 2", "script", [2] * 300),
        single("60 items apart", "all", [1] * 60),
        single("10 x 10, 100 items apart", "all", [10] * 10 + [1] * 100),
        nested(3, 120),
        nested(3, 30, 4),
        nested(4, 16, 5),
        nested(8, 8, 5),
        nested(12, 6, 4),
        nested(20, 5, 4),
        nested(20, 10),
        relations(6, 10, 15),
        relations(20, 10, 15),
        crossed(400, 5, 20, 100),
        crossed(400, 8, 20, 100),
        crossed(400, 15, 20, 100),
        crossed(300, 10, 10),
        crossed(60, 10, 12),
    ]


EFFECT = 2.5  # planted, in standard errors of the oracle
MEANS = (0.05, 0.2, 0.5, 0.8, 0.95)
CORRELATIONS = (0.0, 0.2, 0.5)


def latent(layout: Layout, r: float, repetitions: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Two systems (repetitions x items)."""
    effects = rng.standard_normal((3, repetitions, layout.clusters))
    own = rng.standard_normal((3, repetitions, layout.items))
    g = effects[:, :, layout.member].mean(axis=-1) * np.sqrt(layout.member.shape[1])
    each = np.sqrt(r) * g + np.sqrt(1 - r) * own
    return (each[0] + each[1]) / np.sqrt(2), (each[0] + each[2]) / np.sqrt(2)


# ---- methods -------------------------------------------------------------------------------------------------------


def wilson(mean: Floats, c: Floats | float) -> Ends:
    centre, half = (mean + c / 2) / (1 + c), np.sqrt(c * mean * (1 - mean) + c**2 / 4) / (1 + c)
    return centre - half, centre + half


def plain(x: Floats, layout: Layout, *, share: bool) -> Ends:
    """Items taken as independent: Wilson's interval of a share, Student's of anything else."""
    mean, n = x.mean(axis=1), layout.items
    if share:
        return wilson(mean, norm.ppf(0.975) ** 2 / n)
    half = stdtrit(n - 1, 0.975) * x.std(axis=1, ddof=1) / np.sqrt(n)
    return mean - half, mean + half


def robust_variance(x: Floats, group: Ints) -> Floats:
    """sum over clusters of (sum of u)^2 / n^2 x G/(G-1)."""
    u, count = x - x.mean(axis=1, keepdims=True), int(group.max()) + 1
    order = np.argsort(group, kind="stable")
    starts = np.searchsorted(group[order], np.arange(count))
    sums = np.add.reduceat(u[:, order], starts, axis=1)
    variance: Floats = (sums**2).sum(axis=1) / x.shape[1] ** 2 * count / (count - 1)
    return variance


def statsmodels_robust(x: Floats, layout: Layout) -> Ends:
    """OLS on a constant with cov_type="cluster" (two-way where items have two clusters), normal quantiles."""
    columns = [np.unique(column, return_inverse=True)[1] for column in layout.member.T]
    variance = sum((robust_variance(x, column) for column in columns), np.zeros(len(x)))
    if len(columns) == 2:
        both = np.unique(layout.member, axis=0, return_inverse=True)[1].ravel()
        variance = variance - robust_variance(x, both)
    half = norm.ppf(0.975) * np.sqrt(np.maximum(variance, 0.0))
    return x.mean(axis=1) - half, x.mean(axis=1) + half


def inspect_cluster_t(x: Floats, layout: Layout) -> Ends:
    """inspect_ai's clustered standard error, which takes one cluster per item, with Student's t at G - 1."""
    first = np.unique(layout.member[:, 0], return_inverse=True)[1]
    half = stdtrit(int(first.max()), 0.975) * np.sqrt(robust_variance(x, first))
    return x.mean(axis=1) - half, x.mean(axis=1) + half


def ours(x: Floats, shared: Neighbours, *, share: bool) -> Ends:
    mean = x.mean(axis=1)
    return estimates.value_ends(mean, x - mean[:, None], shared, share=share)


def our_difference(a: Floats, b: Floats, shared: Neighbours, *, share: bool) -> tuple[Floats, Floats, Floats]:
    """Both ends and the difference that is said to be detectable."""
    d = a - b
    mean = d.mean(axis=1)
    least = (a.var(axis=1) + b.var(axis=1) + mean**2) / shared.items
    found = estimates.difference_ends(mean, d - mean[:, None], shared, share=share, least=least)
    return found.low, found.high, found.detectable


def single_methods(x: Floats, layout: Layout, *, share: bool) -> dict[str, Ends]:
    return {
        OURS: ours(x, layout.shared, share=share),
        "plain Wilson or t": plain(x, layout, share=share),
        "statsmodels, cluster-robust": statsmodels_robust(x, layout),
        "inspect_ai, cluster t": inspect_cluster_t(x, layout),
    }


# ---- one design ----------------------------------------------------------------------------------------------------


@dataclass
class Line:
    """What came of one design: per method coverage and width beside the oracle, null rate and power."""

    layout: str
    like: str
    kind: str
    clusters: int
    coverage: dict[str, float] = field(default_factory=dict)
    width: dict[str, float] = field(default_factory=dict)
    null: dict[str, float] = field(default_factory=dict)
    power: dict[str, float] = field(default_factory=dict)  # beside the oracle's
    detectable: float = float("nan")  # stated / true
    extreme: bool = False  # a mean near 0 or 1


def seed_of(*what: object) -> int:
    return zlib.crc32(repr(what).encode())


def covered(ends: Ends, truth: float) -> float:
    return float(((ends[0] <= truth) & (truth <= ends[1])).mean())


def shares(layout: Layout, p: float, r: float, repetitions: int, *, offset: int = 0) -> Line:
    """Zeros and ones: the mean of one system, then two systems without and with a difference."""
    rng = np.random.default_rng(seed_of(layout.name, p, r, offset))
    line = Line(layout.name, layout.like, f"mean {p:g}, r {r:g}", round(layout.shared.effective))
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
    line = Line(layout.name, layout.like, kind, round(layout.shared.effective))
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


def recall_at_precision(records: Floats, weights: Floats, *, least: float = 0.8) -> float:
    """The largest recall among the thresholds where precision is at least 0.8."""
    order = np.argsort(-records[:, 0], kind="stable")
    w, truth = weights[order], records[order, 1] > 0.5
    true, found = np.cumsum(w * truth), np.cumsum(w)
    enough = true >= least * np.maximum(found, 1e-12)
    return float(true[enough].max(initial=0.0) / true[-1]) if true[-1] else 0.0


SET_METRICS: Mapping[str, Callable[[Floats, Floats], float]] = {
    "area under the ROC curve": area_under_roc,
    "recall at precision 0.8": recall_at_precision,
}


def set_metric(layout: Layout, name: str, r: float, repetitions: int) -> Line:
    """Scores of true and false items, both systems; the truth is the metric of a very large sample."""
    of = SET_METRICS[name]
    rng = np.random.default_rng(seed_of(layout.name, name, r))
    line = Line(layout.name, layout.like, f"{name}, r {r:g}", round(layout.shared.effective))
    shared, n = layout.shared, layout.items
    truth = np.arange(n) % 5 < 2
    lift = 1.5 * truth
    large = np.concatenate([rng.standard_normal(200_000) + 1.5 * (k % 5 < 2) for k in range(5)])
    labels = np.repeat([1.0, 1.0, 0.0, 0.0, 0.0], 200_000)
    true_value = of(np.column_stack([large, labels]), np.ones(len(large)))
    za, zb = latent(layout, r, repetitions, rng)
    found, values, differences = [], [], []
    for a, b in zip(za, zb):
        both = [of_set(of, np.column_stack([z + lift, truth])) for z in (a, b)]
        one, other = (Measured(np.array([value]), u[None]) for value, u in both)
        ends = estimates.interval(one, shared, share=True)
        test = estimates.compare(one, other, shared, share=True)
        found.append((ends.low <= true_value <= ends.high, ends.high - ends.low, test.p < 0.05, test.detectable))
        values.append(one.value)
        differences.append(one.value - other.value)
    inside, width, rejected, stated = np.array(found, dtype=np.float64).T
    line.coverage[OURS] = float(inside.mean())
    line.width[OURS] = float(width.mean() / (2 * norm.ppf(0.975) * np.std(values)))
    line.null[OURS] = float(rejected.mean())
    line.detectable = float(np.median(stated) / ((norm.ppf(0.975) + norm.ppf(0.8)) * np.std(differences)))
    return line


def training_seeds(layout: Layout, seeds: tuple[int, int], spread_of_seeds: float, repetitions: int) -> Line:
    """Two systems trained several times (or once): each seed moves all answers of a run."""
    rng = np.random.default_rng(seed_of(layout.name, seeds, spread_of_seeds))
    one, other = seeds
    kind = f"{one} seeds against {other}, sd {100 * spread_of_seeds:g} points"
    line = Line(layout.name, layout.like, kind, round(layout.shared.effective))
    shared, p = layout.shared, 0.7
    sides = []
    for z, count in zip(latent(layout, 0.2, repetitions, rng), seeds):
        x = trained_runs(z, count, p, spread_of_seeds, rng)
        values = x.mean(axis=2)
        u = x - values[:, :, None]
        sides.append((values.mean(axis=1), u.mean(axis=1), seeds_of(values, u, trained=True)))
    (a, ua, of_a), (b, ub, of_b) = sides
    ends = estimates.value_ends(a, ua, shared, share=True, seeds=of_a)
    line.coverage |= {OURS: covered(ends, p), BLIND: covered(estimates.value_ends(a, ua, shared, share=True), p)}
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
