"""The suite with real models: GloVe lands where the paper's static vectors do, and a masked model's sum is its own."""

from __future__ import annotations

from pathlib import Path
from statistics import fmean

import pytest

from proband import models
from proband.core.protocols import Text
from proband.core.types import Item, accuracy
from proband.suites.analogy import SUITE
from proband.suites.analogy.published import figures
from proband.suites.analogy.results import ROWS, cells_of, in_group

SOLVERS = {solver.name: solver for solver in SUITE.solvers}


@pytest.mark.data
def test_glove_differences_land_in_the_region_of_the_published_fasttext_row(data: Path) -> None:
    """Within six points in every semantic cell; morphology is weaker in random, for want of subwords."""
    built = SUITE.build(data=str(data / "bats"), faithful=True, per_relation=300).items
    items = [item for item in built if isinstance(item, Item)]
    answers = SOLVERS["difference"].solve(items, models.load("embedded:glove"), seed=0)
    cells = cells_of("glove", items, answers)
    theirs = {(f.group, f.probe): f.value for f in figures() if (f.model, f.setting) == ("fastText", "zero-shot")}
    gaps = {}
    for (group, probe), published in theirs.items():
        ours = 100 * fmean(c.mean for c in in_group(cells, group) if c.probe == probe)
        gaps[group, probe] = ours - published
    assert set(gaps) == {(g, p) for g in ROWS for p in ("random", "reverse", "type")}
    assert max(abs(gap) for (group, _), gap in gaps.items() if group in ("ES", "LS")) < 6
    assert max(abs(gap) for (_, probe), gap in gaps.items() if probe != "random") < 7
    assert -14 < gaps["DM", "random"] < -6
    assert fmean(map(abs, gaps.values())) < 4.5


@pytest.mark.slow
def test_a_masked_model_prefers_by_the_sum_of_its_log_probabilities() -> None:
    model = models.load("embedded:mlm")
    items = [i for i in SUITE.build(per_relation=2, relations="capital, plural").items if isinstance(i, Item)]
    for item, answer in zip(items, SOLVERS["pppl"].solve(items, model, seed=0), strict=True):
        (h1, t1), options = item.facts["query"], item.facts["options"]
        for score, (h2, t2) in zip(answer.scores, options, strict=True):
            (alone,) = model.score([Text(f"What {h1} is to {t1}, {h2} is to {t2}.")], method="pll")
            assert score == pytest.approx(alone.total, abs=1e-3)
        assert accuracy(item, answer) in (0.0, 1.0)
