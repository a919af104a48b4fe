"""Figure 2: precision-recall curves of every run, and the gain of each over the lemma baseline.

Intervals and tests are those of the report (`stats`), with the question as cluster. A band is the interval of
the precision at a given recall. Runs on a sample are compared with the baseline on their own pairs.

Section 4.3: the positives missing from a data set that was made by rules, or judged after rules were applied.

Such a set (Zeichner et al. 2012, from DIRT's rules) contains only the pairs that its rules accept. A set made without
rules, like Levy and Dagan's, shows what such a set would hide: the positive pairs that the rules do not accept.

    hidden       share of the positive pairs that the rules do not accept
    base rate    of positives among the pairs that the rules do not accept; a method has to find them there
    in the set recall of the rules on the set that they made: always 1

The claim is that most are hidden. `by chance` is the share that random rules hide if they accept as many pairs.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from proband.core.metrics import Metric
from proband.core.suite import Claim, Curve, Curves, Outcome, Results, Sheet, Table
from proband.stats import Scores
from proband.stats.clusters import Floats
from proband.stats.ranking import AVERAGE_PRECISION
from proband.suites.inference.curves import measures
from proband.suites.inference.curves.measures import (
    GRAPH,
    LEMMA,
    PPDB,
    RELATIONS,
    RELEASED,
    TYPED,
    WORDS,
    Cells,
    Method,
    control_of,
    grouped,
    rounded,
    rounded_p,
    systems_of,
)
from proband.suites.inference.items import PLAIN

# ---- the findings of section 4.2 as tests between runs, on the pairs that both answered, of the normalised area
#
# *Little* is a margin of ours: at most 0.05 of normalised area.


LITTLE = 0.05  # of normalised area
LITTLE_RECALL = 0.25  # recall at 80 % precision
ADDS_LITTLE, HELPS, UNION = "adds little to lemma", "the graph helps", "PPDB adds to the graph"
START, UNTYPED, CONTEXT = "rules are a better start", "types do not help", "context adds little"
NEEDS_LEMMA, UNDER = "lower without lemma", "under 25 % recall at 80 % precision"


@dataclass(frozen=True)
class Ranking:
    """The scores of one system."""

    label: str
    method: Method
    scored: Scores

    def is_(self, *rules: str, base: tuple[str, str] = ("", "")) -> bool:
        return self.method.rules == rules and self.method.setting == base


def findings(runs: Sequence[Ranking], on: str) -> Mapping[str, Mapping[str, Outcome]]:
    """By the name that a claim has for its test, then by method and data set, without baselines."""
    methods = [run for run in runs if not run.label.startswith("baseline:")]
    outcomes: dict[str, dict[str, Outcome]] = defaultdict(dict)
    for run in methods:
        name = f"{run.method.name} on {on}"
        if run.method.rules[:1] == (LEMMA,):
            outcomes[UNDER][name] = replace(recall_under_most(run.scored), published=of_the_paper(run.method))
        for test, other, margin in tests_of(run, methods):
            if (outcome := area_ahead(run, other, margin=margin)) is not None:
                outcomes[test][name] = replace(outcome, published=of_the_paper(run.method))
    return outcomes


def of_the_paper(method: Method) -> bool:
    """Whether the paper tested such a method: rules, word and relation embeddings."""
    return not method.base or method.kind in (WORDS, RELATIONS)


def tests_of(run: Ranking, runs: Sequence[Ranking]) -> Iterator[tuple[str, Ranking, float | None]]:
    """The tests of a run: the name, the other run, and the margin that counts as little (None: the run must be ahead of
    the other)."""
    base = run.method.setting
    for other in runs:
        if run.is_(LEMMA, GRAPH) and other.is_(LEMMA):
            yield HELPS, other, None
        elif other.is_(LEMMA) and (run.is_(LEMMA, PPDB) or (run.method.rules == (LEMMA,) and base[0])):
            if not (run.method.kind == RELATIONS and run.method.variant):
                yield ADDS_LITTLE, other, LITTLE
        elif run.is_(LEMMA, GRAPH, PPDB) and other.is_(LEMMA, GRAPH):
            yield UNION, other, None
        elif run.method.kind == WORDS and run.is_(LEMMA, GRAPH, PPDB, base=base) and other.is_(LEMMA, base=base):
            yield START, other, None
        elif run.is_(LEMMA, GRAPH) and other.is_(LEMMA, TYPED):
            yield UNTYPED, other, None
        elif run.method.kind == RELATIONS and run.method.variant and other.is_(*run.method.rules, base=(base[0], "")):
            if LEMMA in run.method.rules:
                yield CONTEXT, other, LITTLE
        elif run.method.rules[:1] == (LEMMA,) and other.is_(*run.method.rules[1:], base=base):
            yield NEEDS_LEMMA, other, None


def area_ahead(run: Ranking, other: Ranking, *, margin: float | None) -> Outcome | None:
    """Test whether the run is ahead of the other; with a margin, whether it is ahead by no more than that."""
    if margin is None:
        change = measures.difference(measures.NORMALISED, run.scored, other.scored)
    else:  # the other way round: the other run plus the margin is ahead
        change = measures.difference(measures.NORMALISED, other.scored, run.scored, margin=-margin)
    if change is None:
        return None
    gain = change.value if margin is None else -change.value
    end = "" if margin is None else f"; little is at most {margin}"
    evidence = f"normalised area {gain:+.3f} compared with {other.method.name}, {change.n:,} pairs{end}"
    ahead = gain if margin is None else margin - gain
    return Outcome(difference=ahead, p=change.p, evidence=evidence, detectable=change.detectable)


def recall_under_most(run: Scores) -> Outcome:
    """Recall at 80 % precision below LITTLE_RECALL."""
    recall = run.under(measures.RECALL_AT_80)
    band = recall.interval()
    evidence = f"recall {100 * band.mean:.1f} % [{100 * band.low:.1f}, {100 * band.high:.1f}] at 80 % precision"
    if band.few:
        return Outcome(difference=LITTLE_RECALL - band.mean, p=None, evidence=f"{evidence}: too few questions to tell")
    found = recall.against(LITTLE_RECALL)
    return Outcome(difference=-found.value, p=found.p, evidence=evidence, detectable=found.detectable)


CLAIMS = tuple(
    Claim(statement=statement, source=source, test=test)
    for test, statement, source in (
        (
            ADDS_LITTLE,
            "the method adds little to the lemma baseline (at most 0.05 of normalised area)",
            "section 4.2: true of PPDB, relation embeddings and word embeddings; tested for later methods too",
        ),
        (
            HELPS,
            "the entailment graph is better than the lemma baseline alone",
            "section 4.2: the exception among the methods",
        ),
        (UNION, "the entailment graph with PPDB is better than the graph alone", "section 4.2: slightly"),
        (
            START,
            "rules are a better start for word embeddings than the lemma baseline",
            "section 4.2: significantly better",
        ),
        (UNTYPED, "the entailment graph is better without its types", "section 4.1"),
        (
            CONTEXT,
            "arguments add little to relation embeddings (at most 0.05 of normalised area)",
            "section 4.1: Melamud et al.'s measure did not improve performance",
        ),
        (
            NEEDS_LEMMA,
            "without the lemma baseline before it the method is worse",
            "section 4.2: performance drops dramatically",
        ),
        (
            UNDER,
            "recall is under 25 % at 80 % precision",
            "section 4.2: true of every method of the paper; tested for later methods too",
        ),
    )
)


# ---- figure 2 ------------------------------------------------------------------------------------------------------


BAND_AT = (0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9)
SHOWN = 80  # points of a curve
GAP = 0.25  # of recall
HEADER = (
    "method", "pairs", "seeds", "first precision", "first recall", "recall at 80 % precision", "low", "high",
    "average precision", "normalised area", "low ", "high ", "added", "p", "AUC_norm",
)  # fmt: skip
FIRST_POINT = (
    "Intervals at 95 %, by question. The first point: all pairs that have the highest score; where a method builds on "
    "the lemma baseline, those that it accepts."
)
TWO_LEMMAS = (
    "`lemma` is the rule as printed in the paper, `lemma (released)` that of the authors' program; other methods "
    "build on the first."
)
ADDED = "Added: the normalised area beyond that of the lemma baseline alone on the same pairs, with its paired test."
AREAS = (
    "The normalised area is ours (steps); AUC_norm is that of the literature (trapezoids), which gives a method of one "
    "threshold an area of 0 or a straight line."
)
NOT_NEEDED = {
    "solver:hypothesis-words": "hypothesis-words (a bag of words of the hypothesis alone, trained on other pairs)",
    "solver:direction": "direction (which of the two is the question)",
}


def note_of(runs: Sequence[Ranking]) -> str:
    """The note below the table, which explains its columns and special rows."""
    bases = {each.method.base for each in runs}
    shown = [words for model, words in NOT_NEEDED.items() if model in bases]
    shown += ["(prior), log p of the hypothesis alone"] if any(each.method.variant == "prior" for each in runs) else []
    parts = [
        FIRST_POINT,
        TWO_LEMMAS if any(RELEASED in each.method.rules for each in runs) else "",
        ADDED if any(each.is_(LEMMA) for each in runs) else "Added: needs a run of solver:lemma.",
        AREAS,
        f"What no method should need: {', '.join(shown)}." if shown else "",
    ]
    return " ".join(filter(None, parts))


def figure(results: Results, seed: int) -> Sequence[Sheet]:
    """Figure 2; empty for a set that mixes controls, which are in the table `controls`."""
    if measures.control_of(results) == "all":
        return ()
    scored = [(system, measures.grouped(results, system).get("all")) for system in measures.systems_of(results)]
    runs = sorted((Ranking(one.label, one.method, each) for one, each in scored if each is not None), key=order)
    if not runs:
        return ()
    on = str(results.manifest.get("format", "these items"))
    return (sheet(runs, outcomes=findings(runs, on) if measures.control_of(results) == PLAIN else {}),)


def order(each: Ranking) -> tuple[bool, bool, bool, bool, str]:
    """Sort key: the lemma baseline first, then methods that build on it, then the others."""
    rules = each.method.rules
    return not each.is_(LEMMA), not each.is_(RELEASED), LEMMA not in rules, bool(each.method.base), each.method.name


def sheet(runs: Sequence[Ranking], *, outcomes: Mapping[str, Mapping[str, Outcome]]) -> Sheet:
    sampled = len({len(each.scored) for each in runs}) > 1
    names = [each.method.name + (f", n {len(each.scored):,}" if sampled else "") for each in runs]
    lines = tuple(curve(called, each.scored) for called, each in zip(names, runs, strict=True))
    low = min((y for line in lines for _, y in line.points), default=0.0)
    y_range = (max(0.0, float(np.floor(low * 10) / 10)), 1.0)
    base = next((each for each in runs if each.is_(LEMMA)), None)
    return Sheet(
        name="figure2",
        title="Figure 2: precision against recall",
        header=HEADER,
        rows=tuple(row(each, base) for each in runs),
        note=note_of(runs),
        curves=Curves(x="recall", y="precision", y_range=y_range, lines=lines),
        outcomes=outcomes,
    )


def row(each: Ranking, base: Ranking | None) -> tuple[str | float | None, ...]:
    scored = each.scored
    _, precision, recall = measures.points(scored.numbers[0], np.ones(len(scored)))
    band, own = (scored.under(metric).interval() for metric in (measures.RECALL_AT_80, measures.NORMALISED))
    average = scored.under(AVERAGE_PRECISION).value
    cells = (precision[0], recall[0], band.mean, band.low, band.high, average, own.mean, own.low, own.high)
    gain = None if base is None or each is base else measures.difference(measures.NORMALISED, scored, base.scored)
    added = (None, None) if gain is None else (round(gain.value, 4), measures.rounded_p(gain))
    named = measures.rounded((scored.under(measures.AUC_NORM).value,))
    seeds = len(scored.numbers) if scored.trained else None
    return (each.method.name, len(scored), seeds, *measures.rounded(cells), *added, *named)


def curve(name: str, each: Scores) -> Curve:
    """At most SHOWN points, evenly spread over recall, and the band over the range of the curve. It ends before a GAP:
    all pairs that no rule accepts are one point, and no threshold reaches a line to it."""
    _, precision, recall = measures.points(each.numbers[0], np.ones(len(each)))
    kept = np.flatnonzero(recall > 0)
    if not len(kept):  # no pair is positive
        return Curve(name=name, points=())
    gaps = np.flatnonzero(np.diff(recall[kept]) > GAP)
    kept = kept[: gaps[0] + 1] if len(gaps) else kept
    if len(kept) > SHOWN:
        wanted = np.linspace(recall[kept[0]], recall[kept[-1]], SHOWN)
        kept = np.unique(kept[np.minimum(np.searchsorted(recall[kept], wanted), len(kept) - 1)])
    band = []
    for at in (at for at in BAND_AT if recall[kept[0]] <= at <= recall[kept[-1]]):
        metric = Metric(name=f"precision at {at}", of=partial(precision_at, recall=at), over="set")
        bounds = each.under(metric).interval()
        band.append((at, bounds.low, bounds.high))
    return Curve(name=name, points=tuple((float(recall[n]), float(precision[n])) for n in kept), band=tuple(band))


def precision_at(records: Floats, weights: Floats, *, recall: float) -> float:
    """The precision at the highest threshold whose recall is at least `recall`."""
    _, precision, reached = measures.points(records, weights)
    there = np.flatnonzero(reached >= recall - 1e-12)
    return float(precision[there[0]]) if len(there) else 0.0


FIGURE2 = Table(name="figure2", title="precision against recall of all methods, and what each adds to lemma", of=figure)


# ---- section 4.3: positives that the rules hide ----------------------------------------------------------------------


HIDE = "rules hide positives"
HALF = 0.5  # "a massive amount" is more than half
HIDDEN_HEADER = (
    *("rules", "pairs", "positives", "accepted", "hidden", "low", "high"),
    *("by chance", "base rate of the rest", "p"),
)


def hidden_share(records: Floats, weights: Floats) -> float:
    """Share of the positives that are not accepted.

    >>> import numpy as np
    >>> hidden_share(np.array([[1.0, 1.0], [0.0, 1.0], [0.0, 1.0], [1.0, 0.0]]), np.ones(4))
    0.6666666666666666
    """
    positive = weights * (records[:, 1] > 0.5)
    total = float(positive.sum())
    return float(positive[records[:, 0] <= 0].sum()) / total if total else 0.0


HIDDEN = Metric(name="hidden", of=hidden_share, over="set", better="low", title="positives that the rules hide")


def hidden_positives(results: Results, seed: int) -> Sequence[Sheet]:
    """A row for each run of rules alone; empty for items under controls."""
    systems = systems_of(results) if control_of(results) == PLAIN else []
    items = list(results.items()) if systems else []
    lines, outcomes = list[Cells](), dict[str, Outcome]()
    for system in systems:
        scored = grouped(results, system).get("all") if system.method.rules and not system.method.base else None
        if scored is not None and scored.numbers[0, :, 1].any():
            line, outcome = hidden_line(system.method.name, scored)
            lines.append(line)
            name = f"{system.method.name} on {items[0].tags['source']}"
            outcomes[name] = replace(outcome, published=of_the_paper(system.method))
    if not lines:
        return ()
    note = (
        "A data set that is made by these rules has no pair that they do not accept. Intervals at 95 % by question. "
        "by chance: what rules hide that accept as many pairs at random."
    )
    title = "Section 4.3: positives that a set made by rules would not have"
    return (
        Sheet(
            name="hidden-positives",
            title=title,
            header=HIDDEN_HEADER,
            rows=tuple(lines),
            note=note,
            outcomes={HIDE: outcomes},
        ),
    )


def hidden_line(name: str, scored: Scores) -> tuple[Cells, Outcome]:
    score, truth = scored.numbers[0, :, 0], scored.numbers[0, :, 1] > 0.5
    accepted = score > 0
    hidden = scored.under(HIDDEN)
    band, against = hidden.interval(), hidden.against(HALF)
    rest = float(truth[~accepted].mean()) if (~accepted).any() else 0.0
    cells = rounded((band.mean, band.low, band.high, float(1 - accepted.mean()), rest))
    evidence = (
        f"{100 * band.mean:.1f} % [{100 * band.low:.1f}, {100 * band.high:.1f}] of {int(truth.sum()):,} positives"
    )
    line: Cells = (name, len(truth), int(truth.sum()), int(accepted.sum()), *cells, rounded_p(against))
    return line, Outcome(difference=band.mean - HALF, p=against.p, evidence=evidence, detectable=against.detectable)


HIDDEN_POSITIVES = Table(
    name="hidden-positives",
    title="positives that a data set made by rules would not have (section 4.3)",
    of=hidden_positives,
)
HIDDEN_CLAIM = Claim(
    statement="a data set made by these rules hides more than half of the positives",
    source="section 4.3: a massive amount of inference examples is ignored by sets that rules made",
    test=HIDE,
    needs="a run of rules alone (solver:lemma, or solver:rules with a graph or PPDB), without controls",
)
