"""Rules that are no intervals, counted on designs that broke earlier versions; and the least width of any rule where
items stand in clusters of several kinds. `tasks()` gives the rows of a table, `bound` one of another."""

from __future__ import annotations

import itertools
import runpy
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import numpy as np
from calibration_variations import null_flips, null_gaps
from scipy.special import ndtr, stdtrit
from scipy.stats import chi2, norm, qmc

from proband.core.statistics.clusters import Floats
from proband.core.statistics.estimates import Percentiles
from proband.core.statistics.scores import Scores
from proband.reporting.numbers.cells import Comparison
from proband.reporting.numbers.comparisons import corrected
from proband.stats import holm

CONTAMINATION = Path(__file__).parents[1] / "experiments" / "variations" / "contamination.py"
Z = float(norm.ppf(0.975))
ROUNDS, AT_ONCE, STEPS = 14, 128, 22  # of the search for a bound


def more_significant(repetitions: int) -> list[int]:
    """Results that a further kind of cluster makes more significant: integers in tuples, an array, a mapping."""
    rng, counts = np.random.default_rng(2), [0, 0, 0]
    for _ in range(repetitions):
        first, second = np.arange(80) // 8, rng.integers(0, 10, 80)
        effect = rng.normal(size=10)[first]
        a, b = ((effect + rng.normal(size=80) < q).astype(float) for q in (0.5, -0.1))
        both = np.column_stack([first, second])
        named = [first, list(map(tuple, both.tolist())), both, {"one": first, "other": second}]
        one, *others = (Scores.of(a, clusters=each).minus(Scores.of(b, clusters=each)).p for each in named)
        counts = [count + (p < one - 1e-12) for count, p in zip(counts, others)]
    return counts


def headline_power(repetitions: int, columns: int = 12) -> tuple[float, float]:
    """All items and twelve columns of them: how often the difference on all items is significant, with the gate and in
    one family of Holm's."""
    rng, gate, family = np.random.default_rng(8), [], []
    for _ in range(repetitions):
        z = rng.normal(3.09 / np.sqrt(columns), 1.0, columns)
        p = 2 * ndtr(-np.abs(np.r_[z.sum() / np.sqrt(columns), z]))
        made = [_comparison(float(each), {"kind": str(at)} if at else {}) for at, each in enumerate(p)]
        gate.append(corrected(made)[0].p_holm < 0.05)
        family.append(holm(p.tolist())[0] < 0.05)
    return float(np.mean(gate)), float(np.mean(family))


def _comparison(p: float, group: dict[str, str]) -> Comparison:
    return Comparison(
        group=group, a="a", b="b", mean_a=0.6, mean_b=0.5, difference=0.1, low=0.0, high=0.2, p=p, p_holm=p, n=1200,
        clusters=1200, detectable=0.1, better="a",
    )  # fmt: skip


def stray_draw(draws: int) -> float:
    """The p-value of a difference of seven standard errors, of which one draw lies beyond zero."""
    drawn = norm.ppf((np.arange(draws) + 0.5) / draws) + 7
    return Percentiles(7.0, np.r_[drawn[1:], -0.1], 200.0).p_against(0.0)


def graded_power(repetitions: int) -> float:
    """40 items, a gain of .03 with a standard deviation of .03."""
    rng, seen = np.random.default_rng(4), []
    for _ in range(repetitions):
        before = rng.uniform(0.3, 0.8, 40)
        seen.append(Scores.of(before + rng.normal(0.03, 0.03, 40)).minus(Scores.of(before)).p < 0.05)
    return float(np.mean(seen))


def best_of_tags(repetitions: int, tags: int = 20) -> tuple[float, float]:
    """`compare --by` on 240 items with each of twenty tags of three values that mean nothing, of two models that are
    equally good: how often a column of some tag is significant, corrected (Holm) within its tag alone, and behind the
    gate."""
    rng, alone, gated = np.random.default_rng(20), [], []
    for _ in range(repetitions):
        hard = rng.normal(size=240)
        a, b = ((hard + rng.normal(size=240) < 0).astype(float) for _ in range(2))
        headline, family, behind = Scores.of(a).minus(Scores.of(b)).p, [], []
        for _ in range(tags):
            value = rng.integers(0, 3, 240)
            rows = [value == at for at in range(3)]
            columns = [Scores.of(a[each]).minus(Scores.of(b[each])).p for each in rows]
            made = [_comparison(headline, {}), *(_comparison(p, {"tag": str(at)}) for at, p in enumerate(columns))]
            family.append(min(holm(columns)) < 0.05)
            behind.append(min(each.p_holm for each in corrected(made)[1:]) < 0.05)
        alone.append(any(family))
        gated.append(any(behind))
    return float(np.mean(alone)), float(np.mean(gated))


# ---- their rows: each with what it was formerly and what it is now ---------------------------------------------------

Rows = list[list[str]]


def further_kinds(repetitions: int) -> Rows:
    names = ("integers in tuples", "a two-dimensional array", "a mapping")
    return [
        [f"a further kind of cluster, {what}: more significant", formerly, f"{count} of {repetitions}"]
        for what, formerly, count in zip(names, ("131 of 400", "384 of 400", ""), more_significant(repetitions))
    ]


def gaps_of_auc(size: int, formerly: str, repetitions: int) -> Rows:
    reports = max(10, repetitions * 50 // size)
    gap, alone, alarms = null_gaps(size, reports)
    now = f"{gap:+.1f}, {alarms:.3f} of {reports} (threshold of the source items: {alone:+.1f})"
    return [[f"AUC, {size:,} items and twins alike: mean gap in points, significant", f"{formerly}, .085 to .133", now]]


def twins(tuples: int, repetitions: int) -> Rows:
    alarms = null_gaps(200, repetitions, tuples=tuples)[2]
    return [[f"200 twins from {tuples} tuples: null gap significant", ".11 to .23", f"{alarms:.3f} of {repetitions}"]]


def small_rows(repetitions: int) -> Rows:
    gate, family = headline_power(10 * repetitions)
    return [
        ["graded scores, n = 40, gain .03, sd .03: power", ".08", f"{graded_power(repetitions):.2f}"],
        ["power of the headline beside 12 columns", ".54", f"{gate:.2f} (in one family {family:.2f})"],
        ["p of seven standard errors with one stray draw", ".005 (400)", f"{stray_draw(5000):.5f} (5,000)"],
    ]


def filtered(repetitions: int) -> Rows:
    return [
        [
            f"set of {size} items filtered by {what}: gap of a clean model, flagged",
            formerly,
            f"{100 * gap:+.1f}, {flagged:.2f}",
        ]
        for size, filters, what, formerly in FILTERED
        for gap, flagged in [
            runpy.run_path(str(CONTAMINATION))["filtered_gaps"](number=repetitions, size=size, filters=filters)
        ]
    ]


FILTERED = (
    (300, 1, "a model's answers", "+10.4, .93"),
    (600, 1, "a model's answers", ""),
    (300, 2, "two models' answers", ""),
)


def flips(repetitions: int) -> Rows:
    changed, floor, inside = null_flips(200, 0.1, max(10, repetitions // 2))
    now = f"{changed:.1f} % beside {floor:.1f} %, whose interval covers in {inside:.3f}"
    what = "200 items, a variation that does nothing, 10 % of answers unsteady: flips beside the floor"
    return [[what, "no floor", now]]


def tags_chosen(repetitions: int) -> Rows:
    sets = max(10, repetitions // 2)
    alone, gated = best_of_tags(sets)
    what = "the best of 20 tags that mean nothing in `compare --by`, two models equally good: significant"
    return [[what, f".38; corrected within the tag {alone:.3f}", f"{gated:.3f} of {sets}"]]


def tasks() -> list[Callable[[int], Rows]]:
    """The rows of each rule, given a number of repetitions."""
    sizes = ((60, "+4.8"), (200, "+1.7"), (1000, "+0.7"))
    return [
        further_kinds,
        *(partial(gaps_of_auc, size, formerly) for size, formerly in sizes),
        *(partial(twins, tuples) for tuples in (12, 40)),
        small_rows,
        filtered,
        flips,
        tags_chosen,
    ]


# ---- what any rule has to pay ----------------------------------------------------------------------------------------


def least_width(groups: Sequence[int], ratios: Sequence[float]) -> float:
    r"""Beside an oracle's: the least mean width that an interval for a mean can have where clusters mean nothing, if it
    moves with the scores and covers 95 % whatever the clusters' variance is.

    Normal scores in a balanced crossed design with G_k clusters of kind k, the variance within known: the mean is off
    by e ~ N(0, 1 + sum theta_k) (in an oracle's errors), and S_k ~ (1 + theta_k) chi2 with G_k - 1 degrees of freedom
    says how far the clusters of a kind differ. For any weights pi of the theta the best interval is (Neyman and
    Pearson's lemma, as in Pratt 1961) all e with sum_theta pi f_theta(e, S) >= c f_0(S), c such that the
    coverage is .95 in the mean over pi; its width where all theta are 0 is a bound for every rule. The weights move
    to where coverage is lowest, which makes the bound higher.
    """
    freedom = np.array(groups) - 1.0
    theta = np.array(list(itertools.product(ratios, repeat=len(groups))))
    sd = np.sqrt(1 + theta.sum(axis=1))
    drawn = chi2.ppf(qmc.Sobol(len(groups), seed=0).random(AT_ONCE), freedom)

    def likelihood(s: Floats) -> Floats:
        """log f_theta(S) / f_0(S)."""
        found: Floats = (-0.5 * s[..., None, :] * (1 / (1 + theta) - 1) - 0.5 * freedom * np.log1p(theta)).sum(axis=-1)
        return found

    inert, moved = likelihood(drawn), likelihood(drawn * (1 + theta[:, None, :]))

    def half(ratio: Floats, weights: Floats, c: float) -> Floats:
        density = np.log(weights) - np.log(sd) + ratio
        top = density.max(axis=-1, keepdims=True)
        density, least = np.exp(density - top), np.exp(c - top[..., 0])
        low, high = np.zeros(ratio.shape[:-1]), np.full(ratio.shape[:-1], 60.0)
        for _ in range(STEPS):
            middle = (low + high) / 2
            inside = (density * np.exp(-0.5 * (middle[..., None] / sd) ** 2)).sum(axis=-1) >= least
            low, high = np.where(inside, middle, low), np.where(inside, high, middle)
        return low

    weights, best = np.full(len(theta), 1 / len(theta)), 0.0
    for _ in range(ROUNDS):
        low, high = np.log(1e-4), np.log(2.0)
        for _ in range(STEPS // 2):
            c = (low + high) / 2
            coverage = (2 * ndtr(half(moved, weights, c) / sd[:, None]) - 1).mean(axis=1)
            low, high = (c, high) if weights @ coverage > 0.95 else (low, c)
        best = max(best, float(half(inert, weights, low).mean()) / Z)
        weights = weights * np.exp(25 * (0.95 - coverage))
        weights /= weights.sum()
    return best


def student_union(groups: Sequence[int], repetitions: int = 20_000) -> float:
    """The mean width, in the same design, of the union of Student's intervals by each kind alone: it covers 95 % where
    one kind at most has variance, and never shrinks when a kind is added."""
    rng = np.random.default_rng(0)
    kinds = [np.sqrt(rng.chisquare(g - 1, repetitions) / (g - 1)) * stdtrit(g - 1, 0.975) for g in groups]
    return float(np.max(kinds, axis=0).mean()) / Z


BOUNDS = (
    ((8,), (0.0, 0.3, 1.0, 2.0, 4.0, 8.0, 30.0)),
    ((28, 8), (0.0, 0.5, 2.0, 6.0, 30.0)),
    ((8, 10, 12), (0.0, 0.5, 2.0, 8.0)),
)


def bound(groups: Sequence[int], ratios: Sequence[float], _: int) -> Rows:
    name = " x ".join(map(str, groups))
    return [[name, f"{least_width(groups, ratios):.2f}", f"{student_union(groups):.2f}"]]
