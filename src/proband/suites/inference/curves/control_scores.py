"""Every method beside its controls, for items built with `--control all`: average precision on the pairs as they are,
without those that share a lemma, and where what should decide was taken away; and two priors that may stand in its
place.

attestation   log p(H), the score of the hypothesis alone (control hypothesis-only), above its median: attested
frequency     the relation of the hypothesis five times as frequent as that of the premise, or a fifth of it

A pair is *consistent* with a prior if the prior says the same as the label, *adversarial* if it says the opposite. A
method that uses the prior does well on the first and badly on the second (McKenna et al. 2023).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from proband.core.errors import ProbandError
from proband.core.metrics import AVERAGE_PRECISION, Metric
from proband.core.suite import Analysis, Results, Sheet
from proband.core.types import Item
from proband.stats import Scores, estimator_of
from proband.stats.clusters import Floats
from proband.suites.inference.controls import CONTROLS
from proband.suites.inference.curves.decisions import threshold_of
from proband.suites.inference.curves.measures import (
    AUC_NORM,
    PLAIN,
    Cells,
    Named,
    ScoredSystem,
    control_of,
    difference,
    every_split,
    grouped,
    is_constant,
    rounded,
    rounded_p,
    share_entailed,
    systems_of,
)
from proband.suites.inference.items import facts_of
from proband.suites.inference.methods.baselines import relative_frequency, zipf

AS_IS, NEW = "as they are", "no shared lemma"
ROWS = (AS_IS, NEW, *CONTROLS[1:])
MARGIN = float(np.log10(5))  # of Zipf values: five times as frequent
SCORES = ("average precision", "low", "high", "AUC_norm")
CONSISTENT, ADVERSARIAL = "consistent", "adversarial"


def rows_of(item: Item) -> Iterator[str]:
    if item.tags["control"] != PLAIN:
        yield str(item.tags["control"])
        return
    yield AS_IS
    if item.tags["lemma"] == "none shared":
        yield NEW


def control_tables(results: Results, seed: int) -> Sequence[Sheet]:
    lines: list[Cells] = []
    halves: list[Cells] = []
    random: list[Cells] = []
    frequency = relative_frequencies(results)
    for system in systems_of(results):
        groups = grouped(results, system, rows_of)
        if AS_IS not in groups:
            continue
        lines += control_lines(system, groups)
        if not results.runs[system.runs[0]].model.startswith(("solver:", "baseline:")):  # these are priors themselves
            halves += prior_lines(system.method.name, groups, frequency)
        if (line := random_premise_line(results, system, groups)) is not None:
            random.append(line)
    return (
        Sheet(
            name="controls",
            title="Every method beside its controls: average precision",
            header=("method", "pairs", "number", "share entailed", *SCORES, "change", "low ", "high ", "p"),
            rows=tuple(lines),
            note="Chance is the share of entailed pairs; AUC_norm is 0 there. Every control has the same pairs: the "
            "change is against the pairs as they are, paired, with intervals at 95 % by question. Without the "
            "premise, or with that of another question, what is left above chance are artefacts of the hypotheses. A "
            "method that says the same of every hypothesis alone has `constant` there, which proves nothing about the "
            "pairs. What a score loses with other arguments of the same types was memory of them. "
            + _artefacts(results),
        ),
        Sheet(
            name="priors",
            title="Pairs that a prior gets right, and pairs that it gets wrong",
            header=("method", "prior", "pairs", "number", "share entailed", *SCORES),
            rows=tuple(halves),
            note="Attestation: the method's own log p of the hypothesis alone, above its median. Frequency: Zipf "
            "values of the rarest content word of each relation, at least a factor of five apart; the other pairs are "
            "left out. The two halves differ in how many pairs are entailed: compare AUC_norm, which is 0 at chance.",
        ),
        Sheet(
            name="random-premise",
            title="Does an attested hypothesis pass for entailed behind a random premise?",
            header=("method", "threshold", "P(yes | attested)", "P(yes | not attested)", "difference", "low", "high"),
            rows=tuple(random),
            note="Pairs whose premise has the relation of another question: the hypothesis does not follow. The "
            "threshold is that of the highest F1 on the validation pairs as they are.",
        ),
    )


ARTEFACTS = {
    "solver:hypothesis-words": "hypothesis-words, trained on hypotheses alone",
    "solver:direction": "direction",
}


def _artefacts(results: Results) -> str:
    """Which of the cheap controls are among the runs, and which were not run."""
    ran = {run.model for run in results.runs}
    shown = [words for model, words in ARTEFACTS.items() if model in ran]
    missing = [model for model in ARTEFACTS if model not in ran]
    parts = [f"What artefacts reach at full strength: {' and '.join(shown)}."] if shown else []
    parts += [f"Control not run: {', '.join(missing)} (`proband run ITEMS -m {missing[0]}`)."] if missing else []
    return " ".join(parts)


def relative_frequencies(results: Results) -> dict[str, float]:
    """By item; none where wordfreq is not installed."""
    try:
        return {item.id: relative_frequency(item) for item in results.items() if item.tags["control"] == PLAIN}
    except ProbandError:
        return {}


def control_lines(system: ScoredSystem, groups: Named) -> Iterator[Cells]:
    plain = groups[AS_IS]
    for name in (name for name in ROWS if name in groups):
        scored = groups[name]
        head = (system.method.name, name, len(scored), round(share_entailed(scored), 4))
        if is_constant(scored):
            yield (*head, "constant", *(None,) * 7)
            continue
        band = scored.under(AVERAGE_PRECISION).interval()
        cells = rounded((band.mean, band.low, band.high, scored.under(AUC_NORM).value))
        change = None if name in (AS_IS, NEW) else difference(AVERAGE_PRECISION, scored, plain)
        after = (*rounded((change.value, change.low, change.high)), rounded_p(change)) if change else (None,) * 4
        yield (*head, *cells, *after)


def prior_lines(name: str, groups: Named, frequency: Mapping[str, float]) -> Iterator[Cells]:
    plain = groups[AS_IS]
    alone = groups.get("hypothesis-only")
    priors = {"frequency": {key: value for key, value in frequency.items() if abs(value) >= MARGIN}}
    if alone is not None and not is_constant(alone):
        priors = {"attestation": attested(alone), **priors}
    for prior, signs in priors.items():
        known = np.array([each in signs for each in plain.items.tolist()], dtype=bool)
        says = np.array([signs.get(each, 0.0) > 0 for each in plain.items.tolist()], dtype=bool)
        same = says == (plain.numbers[0, :, 1] > 0.5)
        for half, chosen in ((CONSISTENT, known & same), (ADVERSARIAL, known & ~same)):
            scored = plain.only(chosen) if chosen.any() else None
            if scored is None or is_constant(scored) or not 0 < share_entailed(scored) < 1:
                continue
            band = scored.under(AVERAGE_PRECISION).interval()
            cells = (share_entailed(scored), band.mean, band.low, band.high, scored.under(AUC_NORM).value)
            yield (name, prior, half, len(scored), *rounded(cells))


def attested(alone: Scores) -> dict[str, float]:
    """1 or -1: whether the hypothesis alone scores above the median."""
    score = alone.numbers[:, :, 0].mean(axis=0)
    return dict(zip(alone.items.tolist(), np.where(score > np.median(score), 1.0, -1.0).tolist(), strict=True))


def gap(records: Floats, weights: Floats) -> float:
    """The share of yes among the attested less that among the others (records: yes or no, attested or not).

    >>> gap(np.array([[1.0, 1], [0.0, 1], [0.0, 0], [0.0, 0]]), np.ones(4))
    0.5
    """
    attested = records[:, 1] > 0.5
    means = [
        float((weights * records[:, 0])[one].sum() / max(weights[one].sum(), 1e-12)) for one in (attested, ~attested)
    ]
    return means[0] - means[1]


GAP = Metric(name="gap", of=gap, over="set")


def random_premise_line(results: Results, system: ScoredSystem, groups: Named) -> Cells | None:
    alone, random = groups.get("hypothesis-only"), groups.get("random-premise")
    if alone is None or random is None or is_constant(alone):
        return None
    cuts = [threshold_of(records) for records in every_split(results, system)]
    if any(cut is None for cut in cuts):
        return None
    at = np.array([cut[0] for cut in cuts if cut is not None])
    accepted = random.numbers[:, :, 0] >= at[:, None]
    signs = attested(alone)
    known = np.array([name in signs for name in random.items.tolist()], dtype=bool)
    truth = np.array([signs.get(name, 0.0) > 0 for name in random.items.tolist()], dtype=float)
    records = np.stack([accepted.astype(float), np.broadcast_to(truth, accepted.shape)], axis=2)
    yes = replace(random, numbers=records, estimator=estimator_of(GAP), known_as={}).only(known)
    band = yes.interval()
    shares = [float(yes.numbers[:, truth[known] == one, 0].mean()) for one in (1.0, 0.0)]
    return (system.method.name, *rounded((float(at.mean()), *shares, band.mean, band.low, band.high)))


CONTROL_SCORES = Analysis(
    name="controls",
    help="every method beside its controls (build --control all)",
    of=control_tables,
    always=True,
    built_with={"control": "all"},
)


# ---- does a method know the arguments? -------------------------------------------------------------------------------


HALVES = ("rarer half", "more frequent half")


def rarity(item: Item) -> float:
    """That of the rarer of the two arguments."""
    return min(zipf(facts_of(item).hypothesis[place]) for place in (0, 2))


def by_frequency(results: Results, seed: int) -> Sequence[Sheet]:
    if control_of(results) == "all":
        return ()
    often = {item.id: rarity(item) for item in results.items()}
    middle = float(np.median(list(often.values()))) if often else 0.0

    def half_of(item: Item) -> tuple[str]:
        return (HALVES[often[item.id] >= middle],)

    lines: list[Cells] = []
    for system in systems_of(results):
        halves = grouped(results, system, half_of)
        for name, half in ((name, halves[name]) for name in HALVES if name in halves):
            band = half.under(AVERAGE_PRECISION).interval()
            cells = rounded((share_entailed(half), band.mean, band.low, band.high))
            lines.append((system.method.name, name, len(half), *cells))
    return (
        Sheet(
            name="frequency",
            title="Average precision by the frequency of the rarer argument",
            header=("method", "arguments", "pairs", "share entailed", "average precision", "low", "high"),
            rows=tuple(lines),
            note="Halves at the median of wordfreq's Zipf value of the rarest word of the two arguments.",
        ),
    )


FREQUENCY = Analysis(name="frequency", help="average precision by the frequency of the arguments", of=by_frequency)
