"""What a report says of variations that change nothing: no gap, no more flips than the model has by itself."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from proband.core.metrics import ACCURACY, AUC
from proband.reporting.variations import NO_FLOOR, THRESHOLD

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


@pytest.fixture(scope="module")
def simulated() -> Any:
    sys.path.insert(0, str(BENCHMARKS))
    try:
        return importlib.import_module("calibration_variations")
    finally:
        sys.path.remove(str(BENCHMARKS))


def test_a_threshold_fitted_to_all_items_gives_no_gap_to_twins_that_are_alike(simulated: Any) -> None:
    """One fitted to the source items alone gives some five points at 60 items."""
    gap, of_sources_alone, alarms = simulated.null_gaps(60, 60)
    assert abs(gap) < 2.5
    assert of_sources_alone > 3
    assert alarms <= 0.1
    sheet, _ = simulated.sheet(simulated.null_gap(60, np.random.default_rng(0)), AUC, "variations")
    assert THRESHOLD in sheet.note


def test_twins_from_few_tuples_are_clusters(simulated: Any) -> None:
    """Twelve tuples behind 200 twins make the interval wider; four are too few."""
    _, _, alarms = simulated.null_gaps(200, 25, tuples=12)
    assert alarms <= 0.12
    rng = np.random.default_rng(3)
    few = simulated.null_gap(200, rng, tuples=12)
    (named,) = simulated.sheet(few, AUC, "variations")[1]
    few.shared = few.shared[:200] + few.shared[:200]  # as if twins shared nothing
    (blind,) = simulated.sheet(few, AUC, "variations")[1]
    widths = [np.diff([float(end) for end in row["95 %"].split(" to ")])[0] for row in (named, blind)]
    assert widths[0] > widths[1] + 1
    few.shared = few.shared[:200] + [f"tuple {n % 4}" for n in range(200)]
    (row,) = simulated.sheet(few, AUC, "variations")[1]
    assert (row["95 %"], row["p (Holm)"]) == ("too few", None)


def test_flips_stand_beside_those_of_the_same_questions_asked_again(simulated: Any) -> None:
    flips, floor, inside = simulated.null_flips(150, 0.1, 12)
    assert flips == pytest.approx(18, abs=4)
    assert floor == pytest.approx(18, abs=4)
    assert inside >= 0.8
    rng = np.random.default_rng(0)
    assert NO_FLOOR not in simulated.sheet(simulated.flips(60, 0.1, rng), ACCURACY, "variations")[0].note
    once = simulated.flips(60, 0.1, rng, asked=1)
    assert NO_FLOOR in simulated.sheet(once, ACCURACY, "variations")[0].note
    with pytest.raises(ValueError, match="not enough values"):
        simulated.sheet(once, ACCURACY, "floor")


def test_surviving_accuracy_says_over_how_many_variations(simulated: Any) -> None:
    sheet, rows = simulated.sheet(simulated.flips(60, 0.1, np.random.default_rng(0)), ACCURACY, "surviving")
    assert [row["of an item"] for row in rows] == ["1", "1"]
    assert "only lines with as many of an item can be compared" in sheet.note


def test_a_gap_stands_beside_that_of_another_model(simulated: Any) -> None:
    """Items easier than their twins for both models, and learnt by heart by one of them."""
    truth, rng = np.tile(np.arange(200) % 2 == 0, 2), np.random.default_rng(0)
    easy = rng.random((2, 400)) < np.r_[np.full(200, 0.8), np.full(200, 0.6)]
    learnt = easy.copy()
    learnt[0, :200] = True
    shared = [f"item {n}" for n in range(200)] * 2
    for right, significant in ((easy, False), (learnt, True)):
        runs = simulated.VariedRuns(np.where(right == truth, 1.0, -1.0), truth, "twin", shared)
        sheet, (row,) = simulated.sheet(runs, ACCURACY, "gaps")
        assert float(row["gap"]) > 10
        assert float(row["its gap"]) > 10
        assert (float(row["p (Holm)"].lstrip("<")) < 0.05) == significant
        assert "only beside a model that cannot have seen them" in sheet.note
