"""What a report says of variations that change nothing: no gap, no more flips than the model has by itself."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from proband.core.metrics import ACCURACY, Metric
from proband.core.suite import Results, Sheet
from proband.core.types import Answer, Item, Run
from proband.reporting.variations import THRESHOLD, variation_sheets
from proband.stats import Floats
from proband.stats.ranking import AUC, best_threshold

Row = Mapping[str, Any]


@dataclass
class VariedRuns:
    """Scores of runs (runs x items) on yes-no items and on one variation of each; what `variation_sheets` reads."""

    scores: Floats
    truth: NDArray[np.bool_]  # of source items and, behind them, their variations
    effect: str
    shared: list[str]  # what each of them shares

    def __post_init__(self) -> None:
        self.manifest = {"variations": {"varied": {"effect": self.effect}}}
        self.labels = [f"m, asked {n}" for n in range(len(self.scores))]
        self.runs = [
            Run(suite="questions", solver="choose", model="m", seed=n, items_sha="") for n in range(len(self.scores))
        ]

    def items(self) -> Iterator[Item]:
        half = len(self.truth) // 2
        for at, (true, shares) in enumerate(zip(self.truth.tolist(), self.shared, strict=True)):
            yield Item(
                id=str(at),
                suite="questions",
                prompt="?",
                choices=("yes", "no"),
                gold=None if self.effect == "open" and at >= half else 0 if true else 1,
                tags={"variation": "original" if at < half else "varied"},
                facts={"source": str(at % half), "clusters": [shares]},
            )

    def answers(self, run: int) -> Iterator[tuple[Item, Answer]]:
        for item, score in zip(self.items(), self.scores[run].tolist(), strict=True):
            yield item, Answer(item_id=item.id, scores=(score, 0.0))

    scored = answers


def sheet(runs: VariedRuns, metric: Metric, name: str) -> tuple[Sheet, list[Row]]:
    (found,) = (each for each in variation_sheets(cast(Results, runs), metric) if each.name == name)
    return found, [dict(zip(found.header, row)) for row in found.rows]


def null_gap(size: int, rng: np.random.Generator, *, tuples: int = 0) -> VariedRuns:
    """Items and twins alike: scores of true items are one standard deviation higher in both. With `tuples`, twins come
    from so few of them, and those of one tuple are alike."""
    truth = np.tile(rng.random(size) < 0.5, 2)
    code = rng.integers(0, tuples, size) if tuples else np.arange(size)
    noise = rng.standard_normal((1, 2 * size))
    if tuples:
        noise[0, size:] = np.sqrt(0.5) * (noise[0, size:] + rng.standard_normal(tuples)[code])
    shared = [f"item {n}" for n in range(size)] + [f"tuple {n}" for n in code]
    return VariedRuns(noise + truth, truth, "twin", shared)


def null_gaps(size: int, reports: int, *, tuples: int = 0) -> tuple[float, float, float]:
    """The mean gap, that with a threshold fitted to the source items alone, and how often a gap is significant."""
    rng, gaps, raw_gaps, alarms = np.random.default_rng([size, tuples]), [], [], []
    for _ in range(reports):
        runs = null_gap(size, rng, tuples=tuples)
        _, (row,) = sheet(runs, AUC, "variations")
        gaps.append(float(row["difference"]))
        alarms.append(row["p (Holm)"] is not None and float(row["p (Holm)"].lstrip("<")) < 0.05)
        score, truth = runs.scores[0], runs.truth
        right = (score >= best_threshold(score[:size], truth[:size].astype(float))) == truth
        raw_gaps.append(100 * (right[:size].mean() - right[size:].mean()))
    return float(np.mean(gaps)), float(np.mean(raw_gaps)), float(np.mean(alarms))


def flips(size: int, unsteady: float, rng: np.random.Generator, *, asked: int = 2) -> VariedRuns:
    """A model that knows half of the answers, guesses the rest, and takes back so many answers by chance; the variation
    changes nothing for it."""
    truth = np.tile(rng.random(size) < 0.5, 2)
    meant = np.tile(np.where(rng.random(size) < 0.5, truth[:size], rng.random(size) < 0.5), 2)
    given = meant ^ (rng.random((asked, 2 * size)) < unsteady)
    return VariedRuns(np.where(given, 1.0, -1.0), truth, "keeps", [f"item {n}" for n in range(size)] * 2)


def test_a_threshold_fitted_to_all_items_gives_no_gap_to_twins_that_are_alike() -> None:
    """One fitted to the source items alone gives some five points at 60 items."""
    gap, of_sources_alone, alarms = null_gaps(60, 60)
    assert abs(gap) < 2.5
    assert of_sources_alone > 3
    assert alarms <= 0.1
    found, _ = sheet(null_gap(60, np.random.default_rng(0)), AUC, "variations")
    assert THRESHOLD in found.note


def test_twins_from_few_tuples_are_clusters() -> None:
    """Twelve tuples behind 200 twins make the interval wider; four are too few."""
    _, _, alarms = null_gaps(200, 25, tuples=12)
    assert alarms <= 0.12
    rng = np.random.default_rng(3)
    few = null_gap(200, rng, tuples=12)
    (named,) = sheet(few, AUC, "variations")[1]
    few.shared = few.shared[:200] + few.shared[:200]  # as if twins shared nothing
    (blind,) = sheet(few, AUC, "variations")[1]
    widths = [np.diff(json.loads(row["95 %"]))[0] for row in (named, blind)]
    assert widths[0] > widths[1] + 1
    few.shared = few.shared[:200] + [f"tuple {n % 4}" for n in range(200)]
    (row,) = sheet(few, AUC, "variations")[1]
    assert (row["95 %"], row["p (Holm)"]) == ("too few", None)


def test_surviving_accuracy_says_over_how_many_variations() -> None:
    found, rows = sheet(flips(60, 0.1, np.random.default_rng(0)), ACCURACY, "surviving")
    assert [row["of an item"] for row in rows] == ["1", "1"]
    assert "only lines with as many of an item can be compared" in found.note


def test_an_open_variation_with_the_same_scores_flips_nothing() -> None:
    """Rankings answer at a threshold: items without a right answer too, or all scores above 0 would be a yes there."""
    truth = np.arange(40) % 2 == 0
    scores = np.tile(5 + truth + 0.1 * np.random.default_rng(0).standard_normal(40), 2)[None]
    runs = VariedRuns(scores, np.tile(truth, 2), "open", [f"item {n}" for n in range(40)] * 2)
    _, (row,) = sheet(runs, AUC, "variations")
    assert float(row["flips"]) == 0.0
    runs.scores[0, 40:] = 11 - scores[0, :40]
    _, (row,) = sheet(runs, AUC, "variations")
    assert float(row["flips"]) > 90


def test_a_gap_stands_beside_that_of_another_model() -> None:
    """Items easier than their twins for both models, and learnt by heart by one of them."""
    truth, rng = np.tile(np.arange(200) % 2 == 0, 2), np.random.default_rng(0)
    easy = rng.random((2, 400)) < np.r_[np.full(200, 0.8), np.full(200, 0.6)]
    learnt = easy.copy()
    learnt[0, :200] = True
    shared = [f"item {n}" for n in range(200)] * 2
    for right, significant in ((easy, False), (learnt, True)):
        runs = VariedRuns(np.where(right == truth, 1.0, -1.0), truth, "twin", shared)
        gaps, (row,) = sheet(runs, ACCURACY, "gaps")
        assert float(row["gap"]) > 10
        assert float(row["other gap"]) > 10
        assert (float(row["p (Holm)"].lstrip("<")) < 0.05) == significant
        assert "only if a model that cannot have seen the items has a smaller gap" in gaps.note
