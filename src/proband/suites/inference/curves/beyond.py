"""What lies beyond cheap sources: beyond the words of the hypothesis, and beyond rules.

What a method adds to the words of the hypothesis: the score of hypothesis-words and the method's own, together.

    log p / (1 - p) = b + w_1 z(hypothesis-words) + w_2 z(method)          z: with mean 0 and standard deviation 1

is fitted ten times, each time without a tenth of the questions, whose pairs it then scores. The average precision of
these scores less that of hypothesis-words, pair by pair, is what the method adds. The control is a random number in the
place of the method's score, which adds nothing.

Section 4.3: what a data set does not have that was made by rules, or judged after rules were applied.

Such a set (Zeichner et al. 2012, of DIRT's rules) holds the pairs that its rules accept. Of a set that was made without
rules, like Levy and Dagan's, one can tell what such a set would hide: the positive pairs that the rules do not accept.

    hidden       share of the positive pairs that the rules do not accept
    base rate    of positives among the pairs that the rules do not accept; a method has to find them there
    in the set   recall of the rules on the set that they made: 1, whatever they miss

The claim is that most are hidden. Rules that take pairs at random, as many as these do, hide `by chance`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from proband.core.metrics import AVERAGE_PRECISION, Metric
from proband.core.suite import Analysis, Claim, Outcome, Results, Sheet
from proband.stats import Scores, on_common_items
from proband.stats.clusters import Floats
from proband.suites.inference.curves.figure import of_the_paper
from proband.suites.inference.curves.measures import Cells, control_of, grouped, rounded, rounded_p, systems_of
from proband.suites.inference.methods.baselines import FOLDS, fold_of, logistic_regression

HYPOTHESIS = "solver:hypothesis-words"
BEYOND = "beyond the hypothesis"
RANDOM = "a random number (control)"
BEYOND_HEADER = ("method", "pairs", "hypothesis-words", "with the method", "added", "low", "high", "p")


def beyond(results: Results, seed: int) -> Sequence[Sheet]:
    """A row per method; none where hypothesis-words was not run, or items stand under controls."""
    systems = systems_of(results) if control_of(results) == "none" else []
    models = {system.label: results.runs[system.runs[0]].model for system in systems}
    base = next((each for each in systems if models[each.label] == HYPOTHESIS and not each.method.rules), None)
    words = grouped(results, base).get("all") if base is not None else None
    if words is None:
        return ()
    items = list(results.items())
    folds, on = {item.id: fold_of(item) for item in items}, str(items[0].tags["source"])
    others = {
        system.method.name: scored
        for system in systems
        if not models[system.label].startswith(("solver:", "baseline:"))
        and (scored := grouped(results, system).get("all")) is not None
    }
    lines, outcomes = list[Cells](), dict[str, Outcome]()
    for name, scored in {**others, RANDOM: words}.items():
        draw = random_scores(words, seed) if name == RANDOM else None
        line, outcome = compared(name, words, scored, folds, draw=draw)
        lines.append(line)
        if name != RANDOM:
            outcomes[f"{name} on {on}"] = outcome
    note = (
        "Average precision of hypothesis-words alone, and of a logistic regression of its score and the method's, "
        "fitted to other questions; intervals at 95 % by question. The last row has a random number for the method."
    )
    title = "What each method adds to the words of the hypothesis"
    return (
        Sheet(
            name="beyond-hypothesis",
            title=title,
            header=BEYOND_HEADER,
            rows=tuple(lines),
            note=note,
            outcomes={BEYOND: outcomes},
        ),
    )


def random_scores(words: Scores, seed: int) -> Floats:
    """A number for each pair, from its name."""
    digests = (hashlib.sha256(f"{seed} {name}".encode()).digest() for name in words.items.tolist())
    return np.array([int.from_bytes(each[:6], "big") / 2**48 for each in digests])


def compared(
    name: str, words: Scores, method: Scores, folds: Mapping[str, int], *, draw: Floats | None
) -> tuple[Cells, Outcome]:
    one, other = on_common_items(words, method)
    truth = one.numbers[0, :, 1]
    own = other.numbers[:, :, 0].mean(axis=0) if draw is None else draw
    fold = np.array([folds[each] for each in one.items.tolist()])
    together = stacked(np.column_stack([one.numbers[0, :, 0], own]), truth > 0.5, fold)
    both = replace(one, numbers=np.stack([together, truth], axis=1)[None], known_as={}).under(AVERAGE_PRECISION)
    change = both.minus(one.under(AVERAGE_PRECISION))
    cells = rounded((one.under(AVERAGE_PRECISION).value, both.value, change.value, change.low, change.high))
    evidence = f"average precision {change.value:+.3f} beside hypothesis-words alone, {len(one):,} pairs"
    return (name, len(one), *cells, rounded_p(change)), Outcome(difference=change.value, p=change.p, evidence=evidence)


def stacked(scores: Floats, truth: NDArray[np.bool_], fold: NDArray[np.int64]) -> Floats:
    """Each pair scored by what was fitted to the other folds.

    >>> scores = np.column_stack([np.zeros(40), np.tile([0.0, 1.0], 20)])
    >>> out = stacked(scores, np.tile([False, True], 20), np.arange(40) % 10)
    >>> bool((out[1::2] > out[::2]).all())
    True
    """
    z = (scores - scores.mean(axis=0)) / np.maximum(scores.std(axis=0), 1e-12)
    out = np.zeros(len(z))
    for held in range(FOLDS):
        inside = fold == held
        if inside.any() and not inside.all():
            weights = logistic_regression(z[~inside], truth[~inside], 1.0)
            out[inside] = z[inside] @ weights[1:] + weights[0]
    return out


BEYOND_HYPOTHESIS = Analysis(
    name="beyond-hypothesis",
    help="what each method adds to the words of the hypothesis (needs a run of solver:hypothesis-words)",
    of=beyond,
    always=True,
)
BEYOND_CLAIM = Claim(
    statement="the method adds to what the words of the hypothesis alone give",
    source="not in the paper: a method that scores above chance may have read the hypothesis alone",
    test=BEYOND,
    needs="a run of solver:hypothesis-words and one of another method",
)


# ---- beyond rules ----------------------------------------------------------------------------------------------------


HIDE = "rules hide positives"
HALF = 0.5  # "a massive amount" is more than half
HIDDEN_HEADER = (
    "rules",
    "pairs",
    "positives",
    "accepted",
    "hidden",
    "low",
    "high",
    "by chance",
    "base rate of the rest",
    "p",
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
    """A row for each run of rules alone; none where items stand under controls."""
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
            header=HIDDEN_HEADER,
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


HIDDEN_POSITIVES = Analysis(
    name="hidden-positives",
    help="positives that a data set made by rules would not have (section 4.3)",
    of=hidden_positives,
    always=True,
)
HIDDEN_CLAIM = Claim(
    statement="a data set made by these rules hides more than half of the positives",
    source="section 4.3: a massive amount of inference examples is ignored by sets that rules made",
    test=HIDE,
    needs="a run of rules alone (solver:lemma, or solver:rules with a graph or PPDB), without controls",
)
