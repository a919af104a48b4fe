"""Coverage, nulls, widths and printed statements of Proband's intervals and tests, beside those of other tools.

    python benchmarks/calibration.py --answers DATA/published_replies/bats_relbert/answers.csv.gz [--repetitions N]

writes every table of benchmarks/calibration.md.

Answers are z < Phi^-1(mean) with z = sqrt(r) g + sqrt(1 - r) e and g the mean (scaled to variance 1) of the effects of
an item's clusters; two systems share half of g and half of e. The oracle knows the variance of the mean. Of other tools
the formulas are written out and vectorised; the packages evalci and evalstats are called (fewer times).
"""

from __future__ import annotations

import argparse
import csv
import gzip
import importlib
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import ndtr, ndtri, stdtrit

from proband import stats
from proband.stats import Clusters, Macro, Scores, beats_all, estimator_of
from proband.stats.clusters import Design, Floats, Ints, p_value, variance
from proband.stats.estimators.mean import weighted_residuals
from proband.stats.estimators.share import effective_number, wilson
from proband.stats.judges import judge_corrected_mean
from proband.stats.planning import Pilot, required
from proband.stats.ranking import AUC, AVERAGE_PRECISION, F1
from proband.stats.sequential import confidence_sequence, of_difference

PAGE = Path(__file__).with_suffix(".md")
Ends = tuple[Floats, Floats]
Rng = np.random.Generator
Z = float(ndtri(0.975))


@dataclass(frozen=True)
class Layout:
    """Which item is in which clusters (items x places)."""

    name: str
    member: Ints
    one_kind: bool = False  # all places are of one kind

    @cached_property
    def design(self) -> Design:
        rows = self.member.tolist()
        named: Any = [set(map(str, row)) for row in rows] if self.one_kind else [tuple(row) for row in rows]
        return Clusters.named(named, len(rows)).design()


def single(name: str, *sizes: int) -> Layout:
    return Layout(name, np.repeat(np.arange(len(sizes)), sizes)[:, None])


def tuples(count: int, items: int) -> Layout:
    rng = np.random.default_rng(count * 1000 + items)
    pairs = np.array([(i, j) for i in range(count) for j in range(count) if i != j])
    return Layout(f"{items} items on {count} tuples", pairs[rng.permutation(len(pairs))[:items]], one_kind=True)


def crossed(items: int, *counts: int) -> Layout:
    rng, starts = np.random.default_rng(items + sum(counts)), np.cumsum([0, *counts[:-1]])
    columns = [rng.permutation(np.arange(items) % count) + start for count, start in zip(counts, starts)]
    return Layout(f"{items} items, {' x '.join(map(str, counts))} crossed", np.column_stack(columns))


LAYOUTS = [
    tuples(8, 56), tuples(10, 40), tuples(25, 50), tuples(25, 300), tuples(50, 600),
    single("6 x 15", *[15] * 6), single("7 x 30", *[30] * 7), single("8 x 12", *[12] * 8), single("12 x 8", *[8] * 12),
    single("15 x 20", *[20] * 15), single("30 x 10", *[10] * 30), single("60 x 5", *[5] * 60),
    single("300 x 2", *[2] * 300), single("60 apart", *[1] * 60), single("10 x 10, 100 apart", *[10] * 10, *[1] * 100),
    single("24, 40 to 2 items", *[max(1, round(40 / (k + 1))) for k in range(24)]), single("8 x 200", *[200] * 8),
    single("60 in one, 20 x 5", 60, *[5] * 20), crossed(108, 6, 6), crossed(128, 8, 8), crossed(200, 20, 10),
    crossed(625, 25, 25), crossed(300, 8, 10, 12), crossed(400, 15, 20, 100),
]  # fmt: skip
SETTINGS = [(r, mean) for r in (0.0, 0.2, 0.5) for mean in (0.05, 0.3, 0.5, 0.8, 0.95)]


def answers(layout: Layout, r: float, mean: float, repetitions: int, rng: Rng) -> tuple[Floats, Floats]:
    effects = rng.standard_normal((3, repetitions, int(layout.member.max()) + 1))
    g = effects[:, :, layout.member].mean(axis=-1) * np.sqrt(layout.member.shape[1])
    z = np.sqrt(r) * g + np.sqrt(1 - r) * rng.standard_normal((3, repetitions, len(layout.member)))
    a, b = ((z[0] + z[k]) / np.sqrt(2) < ndtri(mean) for k in (1, 2))
    return a.astype(float), b.astype(float)


# ---- methods ---------------------------------------------------------------------------------------------------------


def first_sums(x: Floats, layout: Layout) -> tuple[Floats, int]:
    """Sums of residuals over the first cluster of each item, and how many there are."""
    group = np.unique(layout.member[:, 0], return_inverse=True)[1]
    order = np.argsort(group, kind="stable")
    starts = np.searchsorted(group[order], np.arange(group.max() + 1))
    return np.add.reduceat((x - x.mean(axis=1, keepdims=True))[:, order], starts, axis=1), int(group.max()) + 1


def ours(x: Floats, layout: Layout) -> Ends:
    design = layout.design
    number = effective_number(x, design, variance(design, weighted_residuals(x, design)))
    return wilson(x.mean(axis=1), number, design.summary.freedom)


def cr2_t(x: Floats, layout: Layout) -> Ends:
    design, mean = layout.design, x.mean(axis=1)
    half = stdtrit(design.summary.freedom, 0.975) * np.sqrt(variance(design, weighted_residuals(x, design)))
    return mean - half, mean + half


def lm_eval(x: Floats, layout: Layout) -> Ends:
    """mean +- 1.96 standard errors of independent items (`mean_stderr`)."""
    half = Z * x.std(axis=1, ddof=1) / np.sqrt(x.shape[1])
    return x.mean(axis=1) - half, x.mean(axis=1) + half


def inspect_ci(x: Floats, layout: Layout) -> Ends:
    """`ci(cluster=)`: the clustered standard error with Student's t at G - 1; one cluster per item, the first."""
    sums, groups = first_sums(x, layout)
    half = stdtrit(groups - 1, 0.975) * np.sqrt((sums**2).sum(axis=1) * groups / (groups - 1)) / x.shape[1]
    return x.mean(axis=1) - half, x.mean(axis=1) + half


def statsmodels(x: Floats, layout: Layout) -> Ends:
    """OLS on a constant with `cov_type="cluster"`: the same standard error with 1.96; one cluster per item."""
    sums, groups = first_sums(x, layout)
    half = Z * np.sqrt((sums**2).sum(axis=1) * groups / (groups - 1)) / x.shape[1]
    return x.mean(axis=1) - half, x.mean(axis=1) + half


def inspect_wilson(x: Floats, layout: Layout) -> Ends:
    """`ci_wilson(cluster=)`: Wilson's at n over the design effect, times (t_(n-1) / t_(G-1))^2."""
    sums, groups = first_sums(x, layout)
    n, mean = x.shape[1], x.mean(axis=1)
    apart, clustered = mean * (1 - mean) / (n - 1), (sums**2).sum(axis=1) * groups / (groups - 1) / n**2
    usable = (apart > 0) & (clustered > 0)
    number = np.where(usable, np.minimum(n, n * apart / np.where(usable, clustered, 1.0)), n)
    return wilson(mean, number * (stdtrit(n - 1, 0.975) / stdtrit(groups - 1, 0.975)) ** 2, 1e9)


def evalci(x: Floats, layout: Layout) -> Ends:
    """The package's `cluster_ci`, a bootstrap of whole clusters (300 draws)."""
    module, first = importlib.import_module("evalci"), layout.member[:, 0]
    return _called(lambda row: tuple(module.cluster_ci(row, first, n_resamples=300, random_state=0)), x)


def evalstats(x: Floats, layout: Layout) -> Ends:
    """The package's `mean_ci`, which knows no clusters."""
    module = importlib.import_module("evalstats")
    return _called(lambda row: ((m := module.mean_ci(row)).ci_low, m.ci_high), x)


def _called(one: Callable[[Floats], Any], x: Floats) -> Ends:
    ends = np.array([one(row) for row in x])
    return ends[:, 0], ends[:, 1]


METHODS: dict[str, Callable[[Floats, Layout], Ends]] = {
    "Proband": ours, "CR2 and t": cr2_t, "lm-eval": lm_eval, "statsmodels": statsmodels,
    "inspect_ai ci()": inspect_ci, "inspect_ai ci_wilson()": inspect_wilson, "evalci": evalci, "evalstats": evalstats,
}  # fmt: skip
CALLED = ("evalci", "evalstats")


def p_values(d: Floats, design: Design, truth: float = 0.0) -> Floats:
    """Of paired differences (repetitions x items) against the truth."""
    error = np.sqrt(variance(design, weighted_residuals(d, design)))
    return p_value(d.mean(axis=1) - truth, error, design.summary.freedom)


def null_rates(d: Floats, layout: Layout, truth: float = 0.0) -> dict[str, tuple[float, float]]:
    """The share of pairs whose true difference is rejected at p < .05 and p < .001, by the tests that there are."""
    p = p_values(d, layout.design, truth)
    found = {"Proband": (float((p < 0.05).mean()), float((p < 0.001).mean()))}
    for name in ("CR2 and t", "lm-eval", "statsmodels", "inspect_ai ci()"):
        low, high = METHODS[name](d, layout)
        found[name] = float(((low > truth) | (high < truth)).mean()), float("nan")
    return found


# ---- tables ----------------------------------------------------------------------------------------------------------


def spread(values: Sequence[float]) -> str:
    return f"{min(values):.3f} – **{np.median(values):.3f}** – {max(values):.3f}" if values else "–"


def table(header: Sequence[str], rows: Sequence[Sequence[Any]]) -> Iterator[str]:
    yield f"| {' | '.join(header)} |"
    yield "| --- |" + " ---: |" * (len(header) - 1)
    yield from (f"| {' | '.join(map(str, row))} |" for row in rows)


def means(repetitions: int) -> Iterator[str]:
    """Coverage and width of means, and nulls of pairs, over all designs. A rival is better where it covers (but for two
    Monte Carlo errors) and is narrower."""
    better: dict[str, list[bool]] = {name: [] for name in METHODS}
    enough = 0.95 - 2 * (0.95 * 0.05 / repetitions) ** 0.5
    cover: dict[str, list[float]] = {name: [] for name in METHODS}
    width: dict[str, list[float]] = {name: [] for name in METHODS}
    nulls: dict[str, list[float]] = {name: [] for name in METHODS}
    rows, rng, lowest = [], np.random.default_rng(1), list[tuple[float, Layout, float, float]]()
    there = [name for name in METHODS if name not in CALLED or _installed(name)]
    for layout in LAYOUTS:
        own: list[tuple[float, float, float, float]] = []
        for r, mean in SETTINGS:
            a, b = answers(layout, r, mean, repetitions, rng)
            oracle, tested = 2 * Z * float(a.mean(axis=1).std()), null_rates(a - b, layout)
            for name in there:
                if name in CALLED and (r, mean) not in ((0.2, 0.8), (0.5, 0.95), (0.0, 0.5)):
                    continue
                low, high = METHODS[name](a[:40] if name in CALLED else a, layout)
                cover[name].append(float(((low <= mean + 1e-12) & (mean <= high + 1e-12)).mean()))
                width[name].append(float((high - low).mean()) / oracle)
                if name in tested:
                    nulls[name].append(tested[name][0])
                if name == "Proband":
                    widest = width[name][-1]
                better[name].append(cover[name][-1] >= enough and width[name][-1] < widest)
            own.append((cover["Proband"][-1], width["Proband"][-1], *tested["Proband"]))
            lowest.append((cover["Proband"][-1], layout, r, mean))
        few = "too few" if layout.design.summary.few else f"{layout.design.summary.freedom:.1f}"
        c, w, p, tail = zip(*own)
        line = (f"{min(c):.3f} ({np.median(c):.3f})", f"{np.median(w):.2f}", f"{max(p):.3f}", f"{max(tail):.4f}")
        rows.append((layout.name, few, *line))
    yield from table(
        (
            "method",
            "coverage",
            "width / oracle",
            "null of pairs",
            f"covers {enough:.3f} or more, narrower than Proband",
        ),
        [
            (name, spread(cover[name]), spread(width[name]), spread(nulls[name]), f"{np.mean(better[name]):.0%}")
            for name in there
        ],
    )
    yield from ("", "By design: lowest coverage (median), width, highest null and highest share of p < .001.", "")
    yield from table(("design", "degrees of freedom", "coverage", "width / oracle", "null", "p < .001"), rows)
    again, fresh = [], np.random.default_rng(15)
    for before, layout, r, mean in sorted(lowest, key=lambda each: each[0])[:5]:
        low, high = ours(answers(layout, r, mean, 10 * repetitions, fresh)[0], layout)
        share = ((low <= mean + 1e-12) & (mean <= high + 1e-12)).mean()
        again.append((f"{layout.name}, r {r:g}, mean {mean:g}", f"{before:.3f}", f"{share:.3f}"))
    yield from ("", f"The five lowest coverages, again with {10 * repetitions:,} repetitions.", "")
    yield from table(("design", "coverage", "again"), again)


def _installed(name: str) -> bool:
    try:
        importlib.import_module(name)
    except ImportError:
        return False
    return True


def real(answers: Path, count: int) -> Iterator[str]:
    """Answers of 60 systems to 1,799 questions on relations: relations are drawn with replacement, then questions of
    each; the truth is the mean over all relations."""
    with gzip.open(answers, "rt", encoding="utf-8") as lines:
        rows = list(csv.reader(lines))
    x = np.array([row[4:] for row in rows[1:]], dtype=float)
    relation, rng = np.unique([row[0] for row in rows[1:]], return_inverse=True)[1], np.random.default_rng(9)
    members = [np.flatnonzero(relation == each) for each in range(relation.max() + 1)]
    truth = np.array([x[each].mean(axis=0) for each in members]).mean(axis=0)
    there = [name for name in METHODS if name not in CALLED or _installed(name)]
    for groups, size in [(8, 12), (20, 10), (40, 5)]:
        layout = single("", *[size] * groups)
        cover: dict[str, list[float]] = {name: [] for name in there}
        width: dict[str, list[float]] = {name: [] for name in there}
        nulls: dict[str, list[float]] = {name: [] for name in there}
        drawn = [
            np.concatenate([rng.choice(members[each], size, replace=False) for each in relations])
            for relations in rng.integers(len(members), size=(count, groups))
        ]
        every = x[np.array(drawn)]  # draws x items x systems
        for at, true in enumerate(truth):
            own, other = every[:, :, at], (at + 1 + rng.integers(len(truth) - 1)) % len(truth)
            oracle = 2 * Z * float(own.mean(axis=1).std())
            for name in there:
                low, high = METHODS[name](own[:5] if name in CALLED else own, layout)
                cover[name].append(float(((low <= true) & (true <= high)).mean()))
                width[name].append(float((high - low).mean()) / oracle)
            for name, (rate, _) in null_rates(own - every[:, :, other], layout, true - truth[other]).items():
                nulls[name].append(rate)
        yield from (f"{groups} relations x {size} questions, {len(truth)} systems:", "")
        yield from table(
            ("method", "coverage (mean)", "width / oracle", "null of pairs (mean)"),
            [
                (name, *(f"{np.mean(v):.3f}" if v else "–" for v in (cover[name], width[name], nulls[name])))
                for name in there
            ],
        )
        yield ""


def macro(x: Floats, groups: Ints, member: Ints) -> Any:
    return Scores.of(x, clusters=member.tolist(), tags={"g": groups.tolist()}, estimator=Macro(by="g")).interval()


def perfect(count: int) -> Iterator[str]:
    """Widths of macro means without and with a few errors, in one cluster or each in another; and coverage."""
    rng, rows = np.random.default_rng(10), []
    for name, groups, member in [
        ("40 groups of 3, each a cluster", np.arange(120) // 3, np.arange(120) // 3),
        ("40 groups of 3, 10 clusters of 12", np.arange(120) // 3, np.arange(120) // 12),
        ("10 groups of 12, 30 clusters of 4", np.arange(120) // 12, np.arange(120) // 4),
        ("6 groups of 50, 15 clusters across", np.arange(300) // 50, np.arange(300) % 15),
    ]:
        widths = [macro(np.ones(len(groups)), groups, member)]
        first = np.unique(member, return_index=True)[1]
        order = np.argsort(member, kind="stable")
        for wrong in (first[:1], first[:2], order[:2], first[:4], order[:4]):
            x = np.ones(len(groups))
            x[wrong] = 0.0
            widths.append(macro(x, groups, member))
        points = [f"{100 * (each.high - each.low):.1f}" for each in widths]
        inside = []
        for r, mean in [(0.2, 0.95), (0.5, 0.95), (0.5, 0.98)]:
            z = np.sqrt(r) * rng.standard_normal((count, int(member.max()) + 1))[:, member]
            x = (z + np.sqrt(1 - r) * rng.standard_normal(z.shape) < ndtri(mean)).astype(float)
            inside.append(np.mean([(e := macro(row, groups, member)).low <= mean <= e.high for row in x]))
        rows.append((name, *points, *(f"{share:.3f}" for share in inside)))
    header = (
        "no error",
        "1 error",
        "2 apart",
        "2 together",
        "4 apart",
        "4 together",
        ".95, r .2",
        ".95, r .5",
        ".98, r .5",
    )
    yield from table(("width in points; coverage", *header), rows)


def pairs(n: int, q: float, x: float, count: int, rng: Rng) -> tuple[Floats, Floats]:
    """Two systems that differ by x, with q discordant answers beside."""
    u = rng.random((count, n))
    return _answered(u < q / 2 + x, u > 1 - q / 2, rng)


def few_discordant(count: int) -> Iterator[str]:
    rng, rows = np.random.default_rng(2), []
    for n, q, x in [(200, 0.01, 0.0), (200, 0.02, 0.02), (200, 0.0, 0.02), (400, 0.01, 0.03), (1000, 0.01, 0.01)]:
        both = [stats.difference(*each) for each in zip(*pairs(n, q, x, count, rng))]
        rows.append((n, q, x, f"{np.mean([e.low <= x <= e.high for e in both]):.3f}"))
    yield from table(("items", "discordant at no difference", "true difference", "coverage"), rows)


def shown(power: Sequence[float]) -> tuple[str, str]:
    """The mean over pilots, and twice its standard error; nothing is printed with six clusters."""
    if not power:
        return "–", "–"
    return f"{np.mean(power):.3f}", f"{2 * np.std(power) / np.sqrt(len(power)):.3f}"


def powers(count: int) -> Iterator[str]:
    """Of the difference that a comparison prints as detectable, and of plans from pilots: independent items, then
    clusters, whose answers change together by a normal variable or by chances of their own (Dirichlet)."""
    rng, rows, again = np.random.default_rng(3), [], 40
    normal, dirichlet = clustered_pairs, varied_pairs
    cases: list[tuple[Any, int, int, float, float, int]] = [
        (normal, 32, 1, 0.3, 0.0, 1), (normal, 200, 1, 0.2, 0.0, 1), (normal, 400, 1, 0.1, 0.0, 1),
        (normal, 400, 1, 0.02, 0.0, 1), (normal, 200, 1, 0.01, 0.0, 1), (normal, 400, 1, 0.2, 0.0, 10),
        (normal, 40, 10, 0.2, 0.0, 1),
        (normal, 40, 10, 0.2, 0.2, 1), (normal, 20, 20, 0.2, 0.2, 1), (normal, 10, 20, 0.2, 0.2, 1),
        (normal, 20, 10, 0.1, 0.2, 1), (normal, 40, 10, 0.2, 0.5, 1), (normal, 10, 20, 0.2, 0.5, 1),
        (normal, 20, 10, 0.1, 0.5, 1), (normal, 12, 10, 0.1, 0.5, 1), (normal, 8, 12, 0.2, 0.5, 1),
        (normal, 6, 15, 0.2, 0.2, 1), (normal, 6, 15, 0.2, 0.5, 1),
        (dirichlet, 40, 10, 0.2, 0.1, 1), (dirichlet, 20, 20, 0.2, 0.3, 1), (dirichlet, 20, 10, 0.1, 0.1, 1),
    ]  # fmt: skip
    for make, groups, size, q, r, tests in cases:
        a, b, member = make(0.0, count, groups, size, q, r, rng)
        design, named = single("", *[size] * groups).design, Clusters.named(member.tolist(), len(member))
        printed, planned = [], []
        for pilots in zip(a, b):
            one, other = (Scores.of(each, clusters=named) for each in pilots)
            x = one.minus(other).detectable_among(tests)
            if x is not None:
                c, d, _ = make(x, again, groups, size, q, r, rng)
                printed.append(float((p_values(c - d, design) * tests < 0.05).mean()))
            if (one.numbers == other.numbers).all():
                continue
            plan, _ = required(
                replace(Pilot.of([one, other], agreement=0.5), tests=tests), 0.05, power=0.8, by="clusters"
            )
            if plan is not None:
                enough = int(np.ceil(groups * plan.clusters - 1e-9))
                c, d, _ = make(0.05, max(again // 5, 1), enough, size, q, r, rng)
                planned.append(float((p_values(c - d, single("", *[size] * enough).design) * tests < 0.05).mean()))
        shape = "" if make is normal else " (Dirichlet)"
        name = f"{groups} items" if size == 1 else f"{groups} x {size}, r {r:g}{shape}"
        rows.append((name, f"{q:g}", tests, *shown(printed), *shown(planned)))
    yield from table(("pilot", "discordant", "tests", "power as printed", "±", "`plan` for 5 points", "±"), rows)
    yield from ("", *table(("other numbers, and networks", "power as printed", "±"), list(other_powers(count // 2))))


def other_powers(count: int) -> Iterator[tuple[str, str, str]]:
    """Of differences of numbers of any size (in 20 clusters of 10), and of networks with training seeds."""
    rng, named = np.random.default_rng(14), [at // 10 for at in range(200)]

    def numbers(x: float, heavy: bool) -> Floats:
        own = rng.lognormal(0, 1, 200) if heavy else rng.standard_normal(200)
        return own + 0.4 * rng.standard_normal(20).repeat(10) + x

    def of_numbers(heavy: bool, x: float) -> stats.Difference:
        return stats.difference(numbers(x, heavy), numbers(0.0, heavy), clusters=named)

    def of_nets(seeds: int, spread: float, x: float) -> stats.Difference:
        z = np.sqrt(0.8) * rng.standard_normal(300) + np.sqrt(0.2) * rng.standard_normal((2, seeds, 300))
        shares = np.array([0.6 + x, 0.6])[:, None, None] + spread * rng.standard_normal((2, seeds, 1))
        one, other = (z < ndtri(shares.clip(0.01, 0.99))).astype(float)
        return stats.difference(one, other)

    cases = [
        (f"{name} numbers", partial(of_numbers, heavy)) for name, heavy in (("normal", False), ("log-normal", True))
    ]
    cases += [
        (f"{seeds} seeds, whose scores vary by {100 * spread:.0f} points", partial(of_nets, seeds, spread))
        for seeds, spread in ((3, 0.02), (3, 0.05), (5, 0.02), (5, 0.05))
    ]
    for name, compared in cases:
        least = [each for each in (compared(0.0).detectable for _ in range(count)) if each is not None]
        power = [
            np.mean([(compared(x).p or 1.0) < 0.05 for _ in range(20)])
            for x in least
            if "seeds" not in name or x < 0.38  # a share of 0.98 at most
        ]
        yield name, *shown([float(each) for each in power])


def clustered_pairs(
    x: float, times: int, groups: int, size: int, q: float, r: float, rng: Rng
) -> tuple[Floats, Floats, Ints]:
    """Two systems that differ by x, whose answers change together within a cluster; and the clusters."""
    member = np.repeat(np.arange(groups), size)
    g = rng.standard_normal((times, groups))[:, member]
    u = ndtr(np.sqrt(r) * g + np.sqrt(1 - r) * rng.standard_normal(g.shape))
    return *_answered(u < q / 2 + x, u > 1 - q / 2, rng), member


def varied_pairs(
    x: float, times: int, groups: int, size: int, q: float, r: float, rng: Rng
) -> tuple[Floats, Floats, Ints]:
    """The same, where each cluster has its own chances of both kinds of discordant answers."""
    member = np.repeat(np.arange(groups), size)
    chances = rng.dirichlet(np.array([q / 2 + x, 1 - q - x, q / 2]) * (1 - r) / r, (times, groups))[:, member]
    u = rng.random(chances.shape[:2])
    return *_answered(u < chances[..., 0], u > 1 - chances[..., 2], rng), member


def _answered(first: Any, second: Any, rng: Rng) -> tuple[Floats, Floats]:
    base = rng.random(first.shape) < 0.6
    a, b = (np.where(first, on, np.where(second, 1 - on, base)) for on in (1.0, 0.0))
    return a, b


def ticks(count: int) -> Iterator[str]:
    """How often a model that is as good as the best shortcut gets a ✓: above chance and every shortcut."""
    rng, rows = np.random.default_rng(7), []
    for n, others in [(100, 1), (1000, 1), (1000, 5)]:
        p = []
        for _ in range(count):
            x = (rng.random((others + 1, n)) < 0.6).astype(float)
            p.append(beats_all(Scores.of(x[0]), [0.5, *map(Scores.of, x[1:])]).p or 0.0)
        rates = [np.mean(np.array(p) < level) for level in (0.05, 0.05 / 10)]
        rows.append((f"{n:,} items, {others} equal shortcuts", *(f"{rate:.3f}" for rate in rates)))
    yield from table(("false ✓", "one row", "a row of ten"), rows)


def boards(count: int) -> Iterator[str]:
    rng, rows = np.random.default_rng(4), []
    one, other = np.triu_indices(20, 1)
    for groups, size, r in [(6, 10, 0.0), (6, 10, 0.2), (6, 30, 0.2), (8, 12, 0.2), (10, 10, 0.2)]:
        design, member, false = single("", *[size] * groups).design, np.repeat(np.arange(groups), size), 0
        for _ in range(count):
            g, e = rng.standard_normal((21, groups)), rng.standard_normal((21, groups * size))
            z = np.sqrt(r) * (g[:1] + g[1:])[:, member] + np.sqrt(1 - r) * (e[:1] + e[1:])
            x = (z / np.sqrt(2) < ndtri(0.7)).astype(float)
            d = x[one] - x[other]
            false += float(p_values(d, design).min()) * len(one) < 0.05
        rows.append((f"{groups} x {size}, r {r:g}", f"{false / count:.3f}"))
    yield from table(("20 equal models on", "boards with a false difference"), rows)


def sets_and_groups(count: int) -> Iterator[str]:
    rng, rows = np.random.default_rng(5), []

    def records(metric: Any, n: int, positive: int, lift: float) -> Floats:
        truth = (np.arange(n) < positive).astype(float)
        return np.column_stack([rng.standard_normal(n) + lift * (truth - 0.5), truth])

    for metric, n, positive, lift in [(F1, 200, 100, 4.0), (F1, 200, 40, 4.0), (AUC, 200, 20, 2.4),
                                      (AUC, 120, 60, 2.0), (AVERAGE_PRECISION, 150, 25, 2.0)]:  # fmt: skip
        truth = float(np.mean([metric.of(records(metric, n, positive, lift), np.ones(n)) for _ in range(1000)]))
        covered = null = 0
        for _ in range(count):
            a, b = (Scores.of(records(metric, n, positive, lift), estimator=estimator_of(metric)) for _ in range(2))
            band = a.interval()
            covered += band.low <= truth <= band.high
            null += (a.minus(b).p or 0.0) < 0.05
        rows.append(
            (f"{metric.name}, {positive} of {n} true, {truth:.3f}", f"{covered / count:.3f}", f"{null / count:.3f}")
        )
    sizes, rates = [40, 30, 20, 10, 8, 6], np.array([0.9, 0.5, 0.7, 0.3, 0.8, 0.6])
    groups, inside = np.repeat(np.arange(6), sizes), 0
    for _ in range(4 * count):
        x = (rng.random(len(groups)) < rates[groups]).astype(float)
        band = Scores.of(x, tags={"g": groups.tolist()}, estimator=Macro(by="g")).interval()
        inside += band.low <= rates.mean() <= band.high
    rows.append(("macro mean of 6 groups of 40 to 6 items", f"{inside / count / 4:.3f}", "–"))
    yield from table(("metric", "coverage", "null of pairs"), rows)


def stopping(count: int) -> Iterator[str]:
    rng, rows = np.random.default_rng(6), []
    for mean, size, r in [(0.5, 1, 0.0), (0.8, 1, 0.0), (0.95, 1, 0.0), (0.8, 5, 0.3)]:
        covered, asked = 0, []
        clusters = 1000 // (1 if size == 1 else 4)
        for _ in range(count):
            z = np.sqrt(r) * rng.standard_normal((clusters, 1)) + np.sqrt(1 - r) * rng.standard_normal((clusters, size))
            looks = confidence_sequence((z < ndtri(mean)).sum(axis=1), [size] * clusters, largest=size, aim=0.05)
            last = next((look for look in looks if look.half_width <= 0.05), looks[-1])
            covered += last.low <= mean <= last.high
            asked.append(last.items)
        right = np.sqrt(r) * rng.standard_normal((20_000, 1)) + np.sqrt(1 - r) * rng.standard_normal((20_000, size))
        effect = (right < ndtri(mean)).sum(axis=1).var() / (size * mean * (1 - mean))  # of clusters
        fixed, worst = (Z**2 * v * effect / 0.05**2 for v in (mean * (1 - mean), 0.25))
        name = f"mean {mean:g}, clusters of {size}, r {r:g}"
        rows.append((name, f"{covered / count:.3f}", f"{np.mean(asked):,.0f}", f"{fixed:,.0f}", f"{worst:,.0f}"))
    yield from table(
        ("`--until ±5`", "coverage when it stops", "items asked", "fixed, mean known", "fixed, mean unknown"), rows
    )
    decisions = []
    for size, r, x in [(1, 0.0, 0.0), (5, 0.3, 0.0), (1, 0.0, 0.1)]:
        groups, right, asked = 1000 // size, 0, []
        for _ in range(count):
            a, b, _ = clustered_pairs(x, 1, groups, size, 0.2, r, rng)
            sums = ((a[0] - b[0] + 1) / 2).reshape(groups, size).sum(axis=1)
            looks = of_difference(confidence_sequence(sums, [size] * groups, largest=size))
            last = next((look for look in looks if look.decided), looks[-1])
            right += last.decided
            asked.append(last.items)
        name = f"difference {x:g}, clusters of {size}, r {r:g}, 1,000 items at most"
        decisions.append((name, f"{right / count:.3f}", f"{np.mean(asked):,.0f}"))
    yield from ("", *table(("`--until decided`", "decided", "items asked"), decisions))


def equality(count: int) -> Iterator[str]:
    """`--equal-within 5`: how often equality is found at a difference of the margin, and at none."""
    rng, rows = np.random.default_rng(12), []
    for groups, size, q, r in [(400, 1, 0.1, 0.0), (1000, 1, 0.2, 0.0), (60, 10, 0.1, 0.2)]:
        rates = []
        for x in (0.05, 0.0):
            a, b, member = clustered_pairs(x, count, groups, size, q, r, rng)
            named = Clusters.named(member.tolist(), len(member))
            p = [stats.difference(*each, clusters=named).equal_within(0.05) or 0.0 for each in zip(a, b)]
            rates.append(f"{np.mean(np.array(p) < 0.05):.3f}")
        rows.append((f"{groups} x {size}, {q:g} discordant, r {r:g}", *rates))
    yield from table(("equal within 5 points", "difference 5 points (false)", "no difference (power)"), rows)


def not_covered(count: int) -> Iterator[str]:
    """What the intervals and tests do not account for, in figures."""
    rng, rows = np.random.default_rng(13), []
    for n, alike in [(100, 0.5), (400, 0.5), (400, 0.0)]:  # eight prompts of one model, true mean .7
        common, own = rng.standard_normal((count, 1, n)), rng.standard_normal((count, 8, n))
        best = (np.sqrt(alike) * common + np.sqrt(1 - alike) * own < ndtri(0.7)).mean(axis=2).max(axis=1)
        low, high = wilson(best, np.full(count, float(n)), n - 1.0)
        rows.append((f"best of eight prompts, {n} items, r {alike:g}: coverage", np.mean((low <= 0.7) & (high >= 0.7))))
    one, other = np.triu_indices(10, 1)
    design, some = single("", *[1] * 200).design, max(count // 4, 50)
    x = (rng.random((some, 10, 200)) < 0.6).astype(float)
    false = np.mean([(p_values(each[one] - each[other], design) < 0.05).any() for each in x])
    rows.append(("ten equal models, 200 items: a pair at p < .05, uncorrected", false))
    x = rng.choice([-1.0, 0.0, 1.0], (count, 2000), p=[0.1, 0.8, 0.1])
    for looks in (2, 20):
        sizes = [2000 * (at + 1) // looks for at in range(looks)]
        p = [p_values(x[:, :size], single("", *[1] * size).design) for size in sizes]
        rows.append((f"{looks} looks at a growing limit: p < .05 at one of them", np.mean(np.min(p, axis=0) < 0.05)))
    for groups, mean in [(10, 0.85), (30, 0.95)]:
        layout = single("", *[12] * groups)
        x = np.repeat((rng.random((count, groups)) < mean).astype(float), 12, axis=1)
        low, high = ours(x, layout)
        rows.append(
            (
                f"{groups} clusters that fail as a whole, mean {mean:g}: coverage",
                np.mean((low <= mean) & (mean <= high)),
            )
        )
    yield from table(("", "rate"), [(name, f"{rate:.3f}") for name, rate in rows])


def judged(count: int) -> Iterator[str]:
    """Answers in clusters of 8 (one: of 1), of which people judge a random part."""
    rng, rows = np.random.default_rng(7), []
    for mean, errors, items, people, size in [
        (0.6, 0.1, 800, 200, 8), (0.6, 0.3, 800, 200, 8), (0.9, 0.1, 800, 200, 8), (0.9, 0.3, 800, 200, 8),
        (0.95, 0.1, 400, 60, 1), (0.98, 0.05, 1000, 100, 1), (0.95, 0.01, 1000, 100, 1), (0.5, 0.0, 1000, 100, 1),
    ]:  # fmt: skip
        covered, gain, member, r = 0, [], np.arange(items) // size, 0.2 if size > 1 else 0.0
        for _ in range(count):
            z = np.sqrt(r) * rng.standard_normal(items)[member] + np.sqrt(1 - r) * rng.standard_normal(items)
            truth = (z < ndtri(mean)).astype(float)
            judge = np.where(rng.random(items) < errors, rng.random(items) < 0.9, truth).astype(float)
            chosen = np.isin(member, rng.permutation(items // size)[: people // size])
            band = judge_corrected_mean(judge, np.where(chosen, truth, np.nan), clusters=member.tolist())
            covered += band.low <= mean <= band.high
            gain.append(band.gain)
        name = f"mean {mean:g}, clusters of {size}, judge wrong in {errors:.0%}, people on {people} of {items:,}"
        rows.append((name, f"{covered / count:.3f}", f"{np.mean(gain):.2f}"))
    yield from table(("judge corrected by people", "coverage", "equivalent number of items of people"), rows)


SECTIONS: list[tuple[str, Callable[..., Iterator[str]], float]] = [
    ("Means and pairs", means, 1.0), ("Answers of 60 systems", real, 0.15), ("Perfect scores", perfect, 0.75),
    ("Few discordant pairs", few_discordant, 3.0), ("Power", powers, 0.5), ("✓ of a profile", ticks, 1.125),
    ("Holm with few clusters", boards, 4.0), ("Metrics over sets and macro means", sets_and_groups, 0.5),
    ("When to stop", stopping, 0.5), ("Equality", equality, 0.75), ("Judges corrected by people", judged, 0.75),
    ("What is not covered", not_covered, 1.5),
]  # fmt: skip

HEAD = """# Calibration of intervals and tests

Written by `python benchmarks/calibration.py --repetitions {n} --answers ANSWERS`, one command for all tables
({minutes:.0f} CPU-minutes; ANSWERS: `published_replies/bats_relbert/answers.csv.gz` of the shared data). The first
table has {designs} designs x {settings} settings (means .05 to .95, latent correlations 0 to .5), {n} repetitions
each (40 for the packages, on three settings). A 95 % interval should cover the truth in 95 % of repetitions, and a
test at .05 should reject a true null in 5 %. Entries of that table: lowest – **median** – highest over the settings.
The methods are in [docs/statistics.md](../docs/statistics.md). The last column is the share of settings in which a
method does better than Proband: its coverage is at least .928 (.95 minus two standard errors), and its interval is
narrower. Each table names its repetitions and two Monte Carlo standard errors
of a share of .95; the table of power has two standard errors of each mean over pilots.

The former method (tuned constants) on 614 designs of the same kind: coverage .926 – **.959** – .995, width 1.087
(median), null of pairs .002 – **.039** – .065. With it 20 equal models on 6 clusters showed a false difference in 27 %
of boards, true differences with few discordant pairs were covered in .86, power as printed was .17 to .71, F1 near 1
was covered in .85.
"""


def section(title: str, repetitions: int, answers: Path | None) -> tuple[list[str], float]:
    """Its lines, and the seconds that they took."""
    begun = time.process_time()
    make, part = next((make, part) for name, make, part in SECTIONS if name == title)
    count = max(20, round(repetitions * part))
    lines = list(
        make(count) if make is not real else real(answers, count) if answers else ["Not computed: no --answers."]
    )
    noise = f"{count} repetitions; ± {2 * (0.95 * 0.05 / count) ** 0.5:.3f}."
    if make is powers:
        noise = f"{count} pilots with 40 comparisons each ({count // 2} with 20 in the second table)."
    seconds = time.process_time() - begun
    print(f"{title}: {seconds:.0f} s", flush=True)
    return [f"## {title}", "", noise, "", *lines, ""], seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=400)
    parser.add_argument("--answers", type=Path, help="answers of 60 systems; without them that table is left out")
    parser.add_argument("--jobs", type=int, default=2, help="tables that are made at the same time")
    given = parser.parse_args()
    with ProcessPoolExecutor(given.jobs) as pool:
        made = [pool.submit(section, title, given.repetitions, given.answers) for title, _, _ in SECTIONS]
        sections = [each.result() for each in made]
    named = {"n": given.repetitions, "designs": len(LAYOUTS), "settings": len(SETTINGS)}
    head = HEAD.format(**named, minutes=sum(seconds for _, seconds in sections) / 60)
    text = "\n".join([head, *(line for lines, _ in sections for line in lines)])
    PAGE.write_text(text.replace("\n\n\n", "\n\n"), encoding="utf-8")


if __name__ == "__main__":
    main()
