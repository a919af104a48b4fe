from __future__ import annotations

from collections.abc import Callable

import pytest

from proband.core import stats
from proband.report import Loaded
from proband.report.cells import Study
from proband.report.collect import join
from proband.report.compare import comparisons, contrasts
from proband.report.grids import fill


def test_comparisons_are_corrected_together_and_speak_plainly(make_loaded: Callable[..., Loaded]) -> None:
    loaded = make_loaded(640)
    study = Study(join([loaded])[0], seed=0, draws=1000)
    grid = fill(study, loaded.suite.tables[0])
    compared = comparisons(study, grid)
    assert len(compared) == 6 * (1 + 4)
    assert [c.holm for c in compared] == stats.holm([c.p for c in compared])
    assert all(c.difference >= 0 and c.low <= c.difference <= c.high for c in compared)
    verdicts = {(c.a, c.b): c.verdict for c in compared if not c.group}
    assert verdicts["embedded:mlm", "baseline:random"] == "beyond the noise"
    assert verdicts["embedded:mlm", "embedded:smollm2"] == "inside the noise"


def test_the_sentences_say_what_the_numbers_say(make_loaded: Callable[..., Loaded]) -> None:
    loaded = make_loaded(640)
    study = Study(join([loaded])[0], seed=0, draws=1000)
    grid = fill(study, loaded.suite.tables[0])
    said = contrasts(study, grid, comparisons(study, grid))
    cell = grid.cells[None, ("random-tail",)][0]
    assert cell
    above = next(each for each in said if "above chance" in each)
    assert above.startswith(
        f"embedded:mlm is above chance on random-tail by {100 * (cell.estimate.mean - 0.5):.1f} points"
    )
    assert any("inside the noise" in each for each in said)


def test_one_run_has_nobody_to_be_compared_with(make_loaded: Callable[..., Loaded]) -> None:
    loaded = make_loaded(64, models=("embedded:mlm",))
    study = Study(join([loaded])[0], seed=0, draws=200)
    grid = fill(study, loaded.suite.tables[0])
    assert comparisons(study, grid) == []
    assert contrasts(study, None, []) == []


def test_equal_runs_do_not_differ(make_loaded: Callable[..., Loaded]) -> None:
    loaded = make_loaded(64, models=("embedded:mlm", "embedded:mlm"))
    study = Study(join([loaded])[0], seed=0, draws=200)
    (same,) = (c for c in comparisons(study, None))
    assert (same.difference, same.verdict) == (0.0, "inside the noise")
    assert same.p == pytest.approx(1.0)
