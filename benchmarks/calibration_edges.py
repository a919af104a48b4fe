"""Designs at the edges: what broke earlier versions of the statistics, and others that were not looked at while the
rules were changed. `tasks()` gives the rows of a table."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np
from calibration_designs import Layout, crossed, latent, single
from calibration_methods import our_difference, ours
from scipy.special import ndtri
from scipy.stats import norm

from proband.core.metrics import AUC, AVERAGE_PRECISION, Metric
from proband.core.statistics.clusters import Clusters
from proband.core.statistics.scores import Scores

Z = float(norm.ppf(0.975))


@dataclass
class Edge:
    """What came of one design."""

    name: str
    formerly: str = ""
    held_out: bool = False
    inside: list[bool] = field(default_factory=list)
    rejected: list[bool] = field(default_factory=list)
    few: list[bool] = field(default_factory=list)
    widths: list[float] = field(default_factory=list)
    values: list[float] = field(default_factory=list)

    def add(self, a: Scores, b: Scores, truth: float | None) -> None:
        """One repetition: the interval of a, and the test of a true null hypothesis."""
        found, test = a.interval(), a.minus(b)
        self.values.append(found.mean)
        self.few.append(found.few)
        if not found.few:
            self.widths.append(found.high - found.low)
            self.inside.append(found.low <= (found.mean if truth is None else truth) <= found.high)
        if not test.few:
            self.rejected.append(test.p < 0.05)

    def row(self) -> list[str]:
        width = np.mean(self.widths) / (2 * Z * np.std(self.values)) if self.widths else np.nan
        shown = [f"{np.mean(each):.3f}" if each else "–" for each in (self.inside, self.rejected)]
        name = f"{self.name} (held out)" if self.held_out else self.name
        return [name, self.formerly, shown[0], shown[1], "–" if np.isnan(width) else f"{width:.2f}",
                f"{np.mean(self.few):.2f}", str(len(self.values))]  # fmt: skip


def prompts(items: int, count: int) -> Layout:
    """Every item asked with every prompt; prompts mean nothing."""
    places = np.arange(items * count)
    member = np.column_stack([places // count, items + places % count])
    return Layout(f"{items:,} items x {count} prompts that are nearly equal", "prompts", member)


Task = Callable[[int], list[Edge]]  # of so many repetitions


def layouts_at_the_edge() -> Iterator[Task]:
    """Few clusters of many items, kinds of clusters that mean nothing, one large cluster."""
    designs: Sequence[tuple[Layout, float, float, str, bool]] = [
        (single("7 x 1,000", "", [1000] * 7), 0.5, 0.0, "1.000, 12.1", False),
        (single("20 x 1,000", "", [1000] * 20), 0.5, 0.0, "1.000, 5.5", False),
        (single("20 x 1,000", "", [1000] * 20), 0.9, 0.2, "", False),
        (single("8 x 200", "", [200] * 8), 0.05, 0.5, "", False),
        (single("10 x 400", "", [400] * 10), 0.7, 0.0, "", True),
        (single("10 x 400", "", [400] * 10), 0.7, 0.3, "", True),
        (single("40 x 250", "", [250] * 40), 0.2, 0.05, "", True),
        (prompts(1000, 8), 0.7, 0.9, "1.000, 5.7", False),
        (prompts(300, 12), 0.5, 0.7, "", True),
        (crossed(224, 28, 8), 0.5, 0.0, "1.000, 1.82", False),
        (crossed(300, 8, 10, 12), 0.5, 0.0, "1.000, 2.17", False),
        (crossed(360, 9, 24), 0.6, 0.0, "", True),
        (crossed(360, 9, 24), 0.6, 0.2, "", True),
        (crossed(300, 8, 10, 12), 0.2, 0.0, "", False),
        (crossed(300, 8, 10, 12), 0.5, 0.5, "", False),
        (crossed(300, 8, 10, 12), 0.05, 0.3, "", False),
        (crossed(320, 7, 9, 16), 0.4, 0.0, "", True),
        (crossed(320, 7, 9, 16), 0.4, 0.1, "", True),
        (crossed(320, 7, 9, 16), 0.9, 0.4, "", True),
        (crossed(200, 7, 40), 0.7, 0.0, "", True),
        (crossed(200, 7, 40), 0.7, 0.3, "", True),
        (single("150 in one cluster, 20 x 5", "", [150] + [5] * 20), 0.5, 0.2, "too few", False),
        (single("60 in one cluster, 40 alone", "", [60] + [1] * 40), 0.7, 0.3, "too few", True),
    ]
    return (partial(_layout, *design) for design in designs)


def _layout(layout: Layout, p: float, r: float, formerly: str, held_out: bool, repetitions: int) -> list[Edge]:
    edge = Edge(f"{layout.name}: mean {p:g}, r {r:g}", formerly, held_out)
    rng = np.random.default_rng([layout.items, int(100 * p), int(100 * r)])
    alike = replace(layout, member=layout.member[:, :1]) if layout.like == "prompts" else layout
    for _ in range(max(1, repetitions // 50)):
        za, zb = latent(alike, r, 50, rng)
        a, b = ((z < ndtri(p)).astype(np.float64) for z in (za, zb))
        low, high = ours(a, layout.shared, share=True)
        edge.inside += ((low <= p) & (p <= high)).tolist()
        edge.widths += (high - low).tolist()
        edge.values += a.mean(axis=1).tolist()
        low, high, _ = our_difference(a, b, layout.shared, share=True)
        edge.rejected += ((low > 0) | (high < 0)).tolist()
        edge.few += [layout.shared.few] * len(a)
    return [edge]


def strata_at_the_edge() -> Iterator[Task]:
    """Means over tags that weigh the same."""
    for sizes, groups, r, formerly, held_out in (
        ((500, 500, 500, 3), 0, 0.0, ".256", False),
        ((200, 100, 50, 5, 2), 0, 0.0, ".766", False),
        ((100, 100, 1), 0, 0.0, ".542", False),
        ((40,) * 6, 2, 0.3, ".862", False),
        ((30,) * 8, 3, 0.2, "", True),
        ((20, 20, 20, 20, 20, 4), 0, 0.0, "", True),
        ((30, 20, 10, 8, 6), 0, 0.0, "", True),
    ):
        yield partial(_strata, sizes, groups, r, formerly, held_out)


def _strata(sizes: Sequence[int], groups: int, r: float, formerly: str, held_out: bool, repetitions: int) -> list[Edge]:
    strata = np.repeat(np.arange(len(sizes)), sizes)
    inside = np.concatenate([np.arange(size) % (groups or size) for size in sizes])
    code = np.unique(np.column_stack([strata, inside]), axis=0, return_inverse=True)[1].ravel()
    clusters, chances = Clusters.named(code, len(code)), np.linspace(0.85, 0.5, len(sizes))
    what = f"{len(sizes)} tags x {groups} clusters" if groups else f"tags of {', '.join(map(str, sizes))} items"
    edge, rng = Edge(f"mean over {what}", formerly, held_out), np.random.default_rng(len(code))
    for _ in range(repetitions):
        sides = []
        for _ in range(2):
            z = np.sqrt(r) * rng.standard_normal(code.max() + 1)[code]
            z = z + np.sqrt(1 - r) * rng.standard_normal(len(code))
            right = (z < ndtri(chances)[strata]).astype(float)
            sides.append(replace(Scores.of(right, clusters=clusters), strata=strata))
        edge.add(sides[0], sides[1], float(chances.mean()))
    return [edge]


def graded_at_the_edge() -> Iterator[Task]:
    """Scores between 0 and 1 that are no zeros and ones."""
    for name, (one, other), groups, held_out in (
        ("Beta(8, 2), 12 clusters x 10", (8.0, 2.0), 12, False),
        ("Beta(2, 5), 20 clusters x 6", (2.0, 5.0), 20, True),
    ):
        yield partial(_graded, name, one, other, groups, held_out)


def _graded(name: str, one: float, other: float, groups: int, held_out: bool, repetitions: int) -> list[Edge]:
    code = np.arange(120) * groups // 120
    clusters, edge = Clusters.named(code, 120), Edge(name, "width 1.55" if groups == 12 else "", held_out)
    rng = np.random.default_rng(groups)
    for _ in range(repetitions):
        a, b = (Scores.of(rng.beta(one, other, 120), clusters=clusters) for _ in range(2))
        edge.add(a, b, one / (one + other))
    return [edge]


def sets_at_the_edge() -> Iterator[Task]:
    """Metrics over sets near 1, or with few positives. The truth is the mean of all repetitions."""
    designs: Sequence[tuple[Metric, int, int, float, int, str, bool]] = [
        (AUC, 200, 20, 2.4, 200, ".89", False),
        (AUC, 100, 10, 1.8, 100, ".90", False),
        (AUC, 200, 80, 2.5, 20, ".914", False),
        (AUC, 120, 60, 2.0, 12, "", False),
        (AVERAGE_PRECISION, 200, 80, 2.5, 20, "", False),
        (AUC, 150, 25, 2.0, 30, "", False),
        (AUC, 250, 50, 2.2, 15, "", False),
        (AUC, 200, 80, 2.5, 10, "", False),
        (AVERAGE_PRECISION, 150, 25, 2.0, 30, "", False),
        (AVERAGE_PRECISION, 250, 125, 1.5, 15, "", False),
        (AVERAGE_PRECISION, 200, 20, 2.0, 200, "", False),
        (AUC, 180, 45, 1.8, 18, "", True),
        (AVERAGE_PRECISION, 160, 40, 2.2, 16, "", True),
    ]
    return (partial(_set, *design) for design in designs)


def _set(
    metric: Metric,
    items: int,
    positives: int,
    lift: float,
    groups: int,
    formerly: str,
    held_out: bool,
    repetitions: int,
) -> list[Edge]:
    name = f"{metric.name}, {positives} of {items} positive, {groups} clusters, lift {lift:g}"
    edge, rng = Edge(name, formerly, held_out), np.random.default_rng([items, positives, groups, 3])
    code, truth = np.arange(items) % groups, (np.arange(items) * 7919 % items) < positives
    clusters, pairs = Clusters.named(code, items), []
    share = 0.3 if groups < items else 0.0
    for _ in range(repetitions):
        sides = []
        for _ in range(2):
            z = np.sqrt(share) * rng.standard_normal(groups)[code] + np.sqrt(1 - share) * rng.standard_normal(items)
            sides.append(Scores.of(np.column_stack([z + lift * truth, truth]), clusters=clusters, metric=metric))
        pairs.append(sides)
    middle = float(np.mean([each.value for sides in pairs for each in sides]))
    for a, b in pairs:
        edge.add(a, b, middle)
    return [edge]


def seeds_at_the_edge() -> Iterator[Task]:
    """Nets of which one in five collapses, where one of their seeds shows it and where none does; nets that do not; and
    clusters that are all right or all wrong. How often it is said beside the number."""
    yield partial(_collapsing, 5, 0.3, 0.0, False)
    yield partial(_collapsing, 8, 0.4, 0.03, True)
    for seeds in (3, 5, 10):
        yield partial(_differing, seeds, 0.06)
    yield _all_or_nothing


def _collapsing(seeds: int, low: float, sd: float, held_out: bool, repetitions: int) -> list[Edge]:
    rng = np.random.default_rng(seeds)
    name = f"{seeds} seeds, one in five collapses from .8 to {low:g}, sd {sd:g}"
    every = Edge(f"{name}: all cases", ".57 to .70" if seeds == 5 else "", held_out)
    parts = {True: Edge(f"{name}: one shows it", "", held_out), False: Edge(f"{name}: none does", "", held_out)}
    noted: dict[bool, list[bool]] = {True: [], False: []}
    for _ in range(repetitions):
        sides = []
        for _ in range(2):
            fell = rng.random(seeds) < 0.2
            level = np.where(fell, low, 0.8) + sd * rng.standard_normal(seeds)
            sides.append((fell, Scores.of(rng.random((seeds, 200)) < level[:, None], trained=True)))
        (fell, a), (_, b) = sides
        shown = bool(0 < fell.sum() < seeds)
        for edge in (every, parts[shown]):
            edge.add(a, b, 0.2 * low + 0.8 * 0.8)
        noted[shown].append(bool(a.doubt))
    for shown, edge in parts.items():
        edge.rejected.clear()  # chosen by what one side shows: no null hypothesis
        edge.name += f" ({len(noted[shown]) / repetitions:.0%} of cases; said beside {np.mean(noted[shown]):.0%})"
    return [every, *parts.values()]


def _differing(seeds: int, sd: float, repetitions: int) -> list[Edge]:
    rng, said = np.random.default_rng(seeds), []
    edge = Edge(f"{seeds} seeds that differ by sd {sd:g}, none collapses")
    for _ in range(repetitions):
        a, b = (
            Scores.of(rng.random((seeds, 200)) < np.clip(rng.normal(0.7, sd, (seeds, 1)), 0, 1), trained=True)
            for _ in range(2)
        )
        edge.add(a, b, 0.7)
        said.append(bool(a.doubt))
    edge.name += f" (said beside {np.mean(said):.0%})"
    return [edge]


def _all_or_nothing(repetitions: int) -> list[Edge]:
    rng, code, said = np.random.default_rng(0), np.arange(200) // 10, []
    clusters = Clusters.named(code, 200)
    edge = Edge("20 clusters x 10, all right or all wrong, mean .8", ".837 to .884")
    for _ in range(repetitions):
        a, b = (Scores.of((rng.random(20) < 0.8)[code], clusters=clusters) for _ in range(2))
        edge.add(a, b, 0.8)
        said.append(bool(a.doubt))
    edge.name += f" (said beside {np.mean(said):.0%})"
    return [edge]


HEAD = ["design", "formerly", "coverage", "null rejected", "width / oracle", "too few", "repetitions"]
PARTS = (layouts_at_the_edge, strata_at_the_edge, graded_at_the_edge, sets_at_the_edge, seeds_at_the_edge)


def rows(task: Task, repetitions: int) -> list[list[str]]:
    return [edge.row() for edge in task(repetitions)]


def tasks() -> list[Callable[[int], list[list[str]]]]:
    """The rows of each design, given a number of repetitions."""
    return [partial(rows, task) for part in PARTS for task in part()]
