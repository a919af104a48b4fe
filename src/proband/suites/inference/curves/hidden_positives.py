"""Section 4.3: the positives missing from a data set that was made by rules, or judged after rules were applied.

Such a set (Zeichner et al. 2012, from DIRT's rules) contains only the pairs that its rules accept. A set made without
rules, like Levy and Dagan's, shows what such a set would hide: the positive pairs that the rules do not accept.

    hidden       share of the positive pairs that the rules do not accept
    base rate    of positives among the pairs that the rules do not accept; a method has to find them there
    in the set recall of the rules on the set that they made: always 1

The claim is that most are hidden. `by chance` is the share that random rules hide if they accept as many pairs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from proband.core.metrics import Metric
from proband.core.suite import Claim, Outcome, Results, Sheet, Table
from proband.stats import Scores
from proband.stats.clusters import Floats
from proband.suites.inference.curves.figure import of_the_paper
from proband.suites.inference.curves.measures import Cells, control_of, grouped, rounded, rounded_p, systems_of

HIDE = "rules hide positives"
HALF = 0.5  # "a massive amount" is more than half
HEADER = (
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
    systems = systems_of(results) if control_of(results) == "none" else []
    items = list(results.items()) if systems else []
    lines, outcomes = list[Cells](), dict[str, Outcome]()
    for system in systems:
        scored = grouped(results, system).get("all") if system.method.rules and not system.method.base else None
        if scored is not None and scored.numbers[0, :, 1].any():
            line, outcome = judged(system.method.name, scored)
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
            header=HEADER,
            rows=tuple(lines),
            note=note,
            outcomes={HIDE: outcomes},
        ),
    )


def judged(name: str, scored: Scores) -> tuple[Cells, Outcome]:
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
