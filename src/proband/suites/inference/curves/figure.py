"""Figure 2: precision against recall of every run, what each adds to the lemma baseline, and the claims of section 4.2.

Intervals and tests are those of the report (`core.statistics`), with the question as cluster. A band is the interval of
the precision at a given recall.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from proband.core.metrics import Metric, score_and_truth
from proband.core.statistics.clusters import Clusters, Floats, Neighbours, clusters_of
from proband.core.statistics.estimates import Difference, Interval, Measured, compare, interval
from proband.core.statistics.influence import of_set
from proband.core.suite import Analysis, Curve, Curves, Outcome, Results, Sheet
from proband.core.types import Item, Run
from proband.suites.inference.curves.measures import AREA, NORMALISED, RECALL_AT_80, points

BAND_AT = (0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9)
SHOWN = 80  # points of a curve
LITTLE = 0.05  # of normalised area: what counts as little
MOST = 0.25  # recall at 80 % precision
ADDS_LITTLE, HELPS, UNDER = "adds little to lemma", "helps beyond lemma", "under 25 % recall at 80 % precision"


@dataclass(frozen=True)
class Scored:
    """One run: its records in the order of the items, and what items share."""

    records: Floats
    shared: Neighbours

    def measured(self, metric: Metric) -> Measured:
        value, influence = of_set(metric.of, self.records)
        return Measured(np.array([value]), influence[None])

    def interval(self, metric: Metric) -> tuple[float, Interval]:
        found = self.measured(metric)
        return found.value, interval(found, self.shared, share=True)


def scored(results: Results, run: int) -> Scored | None:
    """The run's records, or None where it has no scores (or labels are unknown)."""
    rows: list[tuple[float, float]] = []
    items: list[Item] = []
    for item, answer in results.answers(run):
        if answer.status != "skipped" and (record := score_and_truth(item, answer)) is not None:
            rows.append(record)
            items.append(item)
    if not rows:
        return None
    clusters = Clusters.of([clusters_of(item) for item in items])
    return Scored(np.array(rows), Neighbours.of(clusters, np.arange(len(rows))))


def precision_at(records: Floats, weights: Floats, *, recall: float) -> float:
    """The precision at the highest threshold whose recall is at least so much."""
    _, precision, reached = points(records, weights)
    there = np.flatnonzero(reached >= recall - 1e-12)
    return float(precision[there[0]]) if len(there) else 0.0


def method_name(run: Run, label: str) -> str:
    """What a reader calls a run: the model, and the rules before it.

    >>> method_name(Run(suite="inference", solver="as-is", model="solver:rules", seed=0, items_sha="",
    ...                 settings={"on-lemma": True, "graph": "a/b.tsv"}), "x")
    'lemma, graph'
    """
    said = run.settings
    rules = [name for name, key in (("lemma", "on-lemma"), ("graph", "graph"), ("PPDB", "ppdb")) if used(said.get(key))]
    if "graph" in rules and said.get("typed"):
        rules[rules.index("graph")] = "typed graph"
    base = "" if run.model == "solver:rules" else label.split(" · ")[0]
    context = f" ({said['context']})" if said.get("context", "none") != "none" else ""
    return ", ".join([*rules, *([base + context] if base else [])])


def used(value: object) -> bool:
    return bool(value) and value != "none"


def figure(results: Results, seed: int) -> Sequence[Sheet]:
    found = {run: each for run in range(len(results.runs)) if (each := scored(results, run)) is not None}
    if not found:
        return ()
    names = {run: method_name(results.runs[run], results.labels[run]) for run in found}
    lines = tuple(curve(names[run], each) for run, each in found.items())
    low = min((y for line in lines for _, y in line.points), default=0.0)
    curves = Curves(
        x="recall", y="precision", x_range=(0.0, 1.0), y_range=(max(0.0, np.floor(low * 10) / 10), 1.0), lines=lines
    )
    rows, outcomes = [], {name: dict[str, Outcome]() for name in (ADDS_LITTLE, HELPS, UNDER)}
    base = next((run for run in found if results.runs[run].model == "solver:lemma"), None)
    for run, each in found.items():
        reached, band = each.interval(RECALL_AT_80)
        outcomes[UNDER][results.labels[run]] = under(reached, band)
        beside = (
            None
            if base is None or run == base or len(each.records) != len(found[base].records)
            else compare(each.measured(NORMALISED), found[base].measured(NORMALISED), each.shared, share=True)
        )
        if beside is not None and results.runs[run].settings.get("on-lemma"):
            outcomes[ADDS_LITTLE][results.labels[run]] = little(each, found[base or 0])
            outcomes[HELPS][results.labels[run]] = Outcome(
                difference=beside.difference, p=beside.p, evidence=in_words(beside)
            )
        rows.append(row(names[run], each, reached, band, beside))
    return (
        Sheet(
            name="figure2",
            title="Figure 2: precision against recall",
            header=HEADER,
            rows=tuple(rows),
            note="Intervals at 95 %, by question. The first point: all pairs that the lemma "
            "baseline accepts. Added: the normalised area beyond that of the baseline alone, with its paired test.",
            outcomes={name: each for name, each in outcomes.items() if each},
            curves=curves,
        ),
    )


HEADER = (
    "method", "first precision", "first recall", "recall at 80 % precision", "low", "high",
    "area", "normalised area", "low ", "high ", "added", "p",
)  # fmt: skip


def row(
    name: str, each: Scored, reached: float, band: Interval, beside: Difference | None
) -> tuple[str | float | None, ...]:
    _, precision, recall = points(each.records, np.ones(len(each.records)))
    area, own = each.measured(AREA).value, each.interval(NORMALISED)
    cells = (precision[0], recall[0], reached, band.low, band.high, area, own[0], own[1].low, own[1].high)
    added = (None, None) if beside is None else (round(beside.difference, 4), float(f"{beside.p:.2g}"))
    return (name, *(round(float(cell), 4) for cell in cells), *added)


def curve(name: str, each: Scored) -> Curve:
    """At most SHOWN points, evenly spread over recall, and the band where the curve reaches."""
    _, precision, recall = points(each.records, np.ones(len(each.records)))
    kept = np.flatnonzero(recall > 0)
    if len(kept) > SHOWN:
        wanted = np.linspace(recall[kept[0]], recall[kept[-1]], SHOWN)
        kept = np.unique(kept[np.minimum(np.searchsorted(recall[kept], wanted), len(kept) - 1)])
    band = []
    for at in (at for at in BAND_AT if at >= recall[kept[0]]):
        metric = Metric(name="precision", of=partial(precision_at, recall=at), over="set")
        _, found = each.interval(metric)
        band.append((at, found.low, found.high))
    return Curve(name=name, points=tuple((float(recall[n]), float(precision[n])) for n in kept), band=tuple(band))


# ---- the claims of section 4.2 -------------------------------------------------------------------------------------


def little(each: Scored, base: Scored) -> Outcome:
    """The other way round: the lemma baseline plus LITTLE is ahead of the method."""
    found = compare(base.measured(NORMALISED), each.measured(NORMALISED), each.shared, share=True, margin=-LITTLE)
    gain = -found.difference
    evidence = f"normalised area {gain:+.3f} beyond lemma; little is at most {LITTLE}"
    return Outcome(difference=LITTLE - gain, p=found.p, evidence=evidence)


def under(reached: float, band: Interval) -> Outcome:
    from scipy.special import erfc

    error = max((band.high - band.low) / 3.92, 1e-9)
    p = float(erfc(abs(MOST - reached) / error / np.sqrt(2)))
    evidence = f"recall {100 * reached:.1f} % [{100 * band.low:.1f}, {100 * band.high:.1f}] at 80 % precision"
    return Outcome(difference=MOST - reached, p=p, evidence=evidence)


def in_words(found: Difference) -> str:
    return f"normalised area {found.difference:+.3f} [{found.low:+.3f}, {found.high:+.3f}] beyond lemma"


FIGURE2 = Analysis(
    name="figure2", help="precision against recall of all methods, and what each adds to lemma", of=figure
)
