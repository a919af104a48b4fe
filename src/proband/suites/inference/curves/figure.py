"""Figure 2: precision against recall of every run, and what each adds to the lemma baseline.

Intervals and tests are those of the report (`core.statistics`), with the question as cluster. A band is the interval of
the precision at a given recall. Runs on a sample are compared with the baseline on their own pairs; where there are
such, a second figure has every method on the pairs that all of them answered.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from proband.core.metrics import AVERAGE_PRECISION, Metric
from proband.core.statistics.clusters import Floats
from proband.core.suite import Analysis, Curve, Curves, Results, Sheet
from proband.suites.inference.curves.findings import Found, findings
from proband.suites.inference.curves.measures import AREA, AUC_NORM, HOSSEINI, NORMALISED, RECALL_AT_80, points
from proband.suites.inference.curves.scored import (
    LEMMA,
    PLAIN,
    RELEASED,
    Scored,
    control_of,
    difference,
    grouped,
    p_value,
    rounded,
    systems_of,
)

BAND_AT = (0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9)
SHOWN = 80  # points of a curve
GAP = 0.25  # of recall
HEADER = (
    "method", "pairs", "seeds", "first precision", "first recall", "recall at 80 % precision", "low", "high",
    "average precision", "area", "normalised area", "low ", "high ", "added", "p", "Hosseini's AUC", "AUC_norm",
)  # fmt: skip
NOTE = (
    "Intervals at 95 %, by question. The first point: all pairs that have the highest score; where a method stands on "
    "the lemma baseline, those that it accepts. `lemma` is the rule as printed in the paper, `lemma (released)` that "
    "of the authors' program; methods stand on the first. Added: the normalised area beyond that of the lemma "
    "baseline alone on the same pairs, with its paired test. Area and normalised area are ours (steps); Hosseini's "
    "AUC and AUC_norm are those of the literature (trapezoids), which give a method of one threshold an area of 0 or "
    "a straight line. What no method should need: hypothesis-words (a bag of words of the hypothesis alone, trained "
    "on other pairs), direction (which of the two is the question), frequency (of the relations), and (prior), log p "
    "of the hypothesis alone."
)


def figure(results: Results, seed: int) -> Sequence[Sheet]:
    """Nothing for a set that mixes controls: they are the table `controls`."""
    if control_of(results) == "all":
        return ()
    runs = read(results)
    if not runs:
        return ()
    sizes = {len(each.scored.ids) for each in runs}
    outcomes = (
        findings(runs, str(results.manifest.get("format", "these items"))) if control_of(results) == PLAIN else {}
    )
    names = [
        each.method.name if len(sizes) == 1 else f"{each.method.name}, n {len(each.scored.ids):,}" for each in runs
    ]
    sheets = [sheet("figure2", "Figure 2: precision against recall", runs, names)]
    common = frozenset.intersection(*(frozenset(each.scored.ids) for each in runs))
    if len(sizes) > 1 and common:
        alike = [Found(each.label, each.method, each.scored.only(common)) for each in runs]
        title = f"Figure 2 on the {len(common):,} pairs that every method answered"
        sheets.append(sheet("figure2-common", title, alike, [each.method.name for each in runs]))
    first = Sheet(**{**vars(sheets[0]), "outcomes": outcomes})
    return (first, *sheets[1:])


def read(results: Results) -> list[Found]:
    """The systems that have scores, the lemma baseline first, then what stands on it, then the others."""
    found = []
    for system in systems_of(results):
        if (scores := grouped(results, system).get("all")) is not None:
            found.append(Found(system.label, system.method, scores))
    return sorted(found, key=order)


def order(each: Found) -> tuple[bool, bool, bool, bool, str]:
    rules = each.method.rules
    return not each.is_(LEMMA), not each.is_(RELEASED), LEMMA not in rules, bool(each.method.base), each.method.name


def sheet(name: str, title: str, runs: Sequence[Found], names: Sequence[str]) -> Sheet:
    lines = tuple(curve(called, each.scored) for called, each in zip(names, runs, strict=True))
    low = min((y for line in lines for _, y in line.points), default=0.0)
    y_range = (max(0.0, float(np.floor(low * 10) / 10)), 1.0)
    base = next((each for each in runs if each.is_(LEMMA)), None)
    return Sheet(
        name=name,
        title=title,
        header=HEADER,
        rows=tuple(row(each, base) for each in runs),
        note=NOTE,
        curves=Curves(x="recall", y="precision", x_range=(0.0, 1.0), y_range=y_range, lines=lines),
    )


def row(each: Found, base: Found | None) -> tuple[str | float | None, ...]:
    scored = each.scored
    _, precision, recall = points(scored.records, np.ones(len(scored.records)))
    reached, band = scored.interval(RECALL_AT_80)
    value, own = scored.interval(NORMALISED)
    average, area = scored.value(AVERAGE_PRECISION), scored.value(AREA)
    cells = (precision[0], recall[0], reached, band.low, band.high, average, area, value, own.low, own.high)
    beside = None if base is None or each is base else difference(NORMALISED, scored, base.scored)
    added = (None, None) if beside is None else (round(beside.difference, 4), p_value(beside))
    named = rounded(scored.value(metric) for metric in (HOSSEINI, AUC_NORM))
    seeds = len(scored.runs) if scored.trained else None
    return (each.method.name, len(scored.ids), seeds, *rounded(cells), *added, *named)


def curve(name: str, each: Scored) -> Curve:
    """At most SHOWN points, evenly spread over recall, and the band where the curve reaches. It ends before a GAP: all
    that no rule accepts is one point, and a line to it would promise what no threshold gives."""
    _, precision, recall = points(each.records, np.ones(len(each.records)))
    kept = np.flatnonzero(recall > 0)
    gaps = np.flatnonzero(np.diff(recall[kept]) > GAP)
    kept = kept[: gaps[0] + 1] if len(gaps) else kept
    if len(kept) > SHOWN:
        wanted = np.linspace(recall[kept[0]], recall[kept[-1]], SHOWN)
        kept = np.unique(kept[np.minimum(np.searchsorted(recall[kept], wanted), len(kept) - 1)])
    band = []
    for at in (at for at in BAND_AT if recall[kept[0]] <= at <= recall[kept[-1]]):
        metric = Metric(name=f"precision at {at}", of=partial(precision_at, recall=at), over="set")
        _, found = each.interval(metric)
        band.append((at, found.low, found.high))
    return Curve(name=name, points=tuple((float(recall[n]), float(precision[n])) for n in kept), band=tuple(band))


def precision_at(records: Floats, weights: Floats, *, recall: float) -> float:
    """The precision at the highest threshold whose recall is at least so much."""
    _, precision, reached = points(records, weights)
    there = np.flatnonzero(reached >= recall - 1e-12)
    return float(precision[there[0]]) if len(there) else 0.0


FIGURE2 = Analysis(
    name="figure2", help="precision against recall of all methods, and what each adds to lemma", of=figure, always=True
)
