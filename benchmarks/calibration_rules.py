"""Rules that are no intervals, counted on designs that broke earlier versions; and the least width of any rule where
items stand in clusters of several kinds. `rules(repetitions)` is a table, `bounds()` another."""

from __future__ import annotations

import itertools
import runpy
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from calibration_variations import null_flips, null_gaps
from scipy.special import ndtr, stdtrit
from scipy.stats import chi2, norm, qmc

from proband.core.statistics.clusters import Floats
from proband.core.statistics.resampling import Percentiles
from proband.core.statistics.scores import Scores
from proband.core.text import markdown_table
from proband.reporting.numbers.comparisons import corrected
from proband.reporting.numbers.systems import Comparison
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


def rule_rows(repetitions: int) -> Iterator[tuple[str, str, str]]:
    counts = more_significant(repetitions)
    for what, formerly, count in zip(
        ("integers in tuples", "a two-dimensional array", "a mapping"), ("131 of 400", "384 of 400", ""), counts
    ):
        yield f"a further kind of cluster, {what}: more significant", formerly, f"{count} of {repetitions}"
    for size, formerly in ((60, "+4.8"), (200, "+1.7"), (1000, "+0.7")):
        reports = max(10, repetitions * 50 // size)
        gap, alone, alarms = null_gaps(size, reports)
        yield (
            f"AUC, {size:,} items and twins alike: mean gap in points, significant",
            f"{formerly}, .085 to .133",
            f"{gap:+.1f}, {alarms:.3f} of {reports} (threshold of the source items: {alone:+.1f})",
        )
    for tuples in (12, 40):
        reports = max(10, repetitions // 2)
        alarms = null_gaps(200, reports, tuples=tuples)[2]
        yield f"200 twins from {tuples} tuples: null gap significant", ".11 to .23", f"{alarms:.3f} of {reports}"
    yield "graded scores, n = 40, gain .03, sd .03: power", ".08", f"{graded_power(repetitions):.2f}"
    gate, family = headline_power(10 * repetitions)
    yield "power of the headline beside 12 columns", ".54", f"{gate:.2f} (in one family {family:.2f})"
    yield "p of seven standard errors with one stray draw", ".005 (400)", f"{stray_draw(5000):.5f} (5,000)"
    clean = runpy.run_path(str(CONTAMINATION))
    gap, flagged = clean["filtered_gaps"](number=repetitions)
    yield (
        "set filtered by a model's answers: gap of a clean model, flagged",
        "+10.4, .93",
        f"{100 * gap:+.1f}, {flagged:.2f}",
    )
    changed, floor, inside = null_flips(200, 0.1, max(10, repetitions // 2))
    yield (
        "200 items, a variation that does nothing, 10 % of answers unsteady: flips beside the floor",
        "no floor",
        f"{changed:.1f} % beside {floor:.1f} %, whose interval covers in {inside:.3f}",
    )


def rules(repetitions: int) -> str:
    return markdown_table(["rule", "formerly", "now"], list(rule_rows(repetitions)), right=2) + "\n"


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


def bounds() -> str:
    rows = []
    for groups, ratios in (
        ((8,), (0, 0.3, 1, 2, 4, 8, 30)),
        ((28, 8), (0, 0.5, 2, 6, 30)),
        ((8, 10, 12), (0, 0.5, 2, 8)),
    ):
        name = " x ".join(map(str, groups))
        rows.append([name, f"{least_width(groups, ratios):.2f}", f"{student_union(groups):.2f}"])
    return markdown_table(["clusters", "any rule, at least", "union of Student's"], rows, right=2) + "\n"
