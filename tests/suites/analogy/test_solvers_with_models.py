"""The suite with real models: GloVe lands where the paper's static vectors do, and a masked model's sum is its own."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest

from proband import models
from proband.core.metrics import accuracy_of
from proband.core.protocols import Text
from proband.suites.analogy.paper.tables import figures


@pytest.mark.nightly
@pytest.mark.data
def test_glove_differences_land_in_the_region_of_the_published_fasttext_row(data: Path, built: Any, solve: Any) -> None:
    """Negatives of any other tuple: within six points in every semantic cell; morphology is weaker in random."""
    items = built(data=str(data / "bats"), faithful=True, made_from="other", per_relation=300)
    answers = solve("difference", items, models.load("embedded:glove"))
    ours: dict[tuple[str, str], list[float]] = defaultdict(list)
    for item, answer in zip(items, answers, strict=True):
        for group in (str(item.tags["group"]), "All"):
            ours[group, str(item.tags["paper_probe"])].append(100 * (accuracy_of(item, answer) or 0.0))
    theirs = {(f.group, f.probe): f.value for f in figures() if (f.model, f.setting) == ("fastText", "zero-shot")}
    gaps = {cell: fmean(ours[cell]) - published for cell, published in theirs.items()}
    assert set(gaps) == set(ours)
    assert max(abs(gap) for (group, _), gap in gaps.items() if group in ("ES", "LS")) < 6
    assert max(abs(gap) for (_, probe), gap in gaps.items() if probe != "random") < 7
    assert -14 < gaps["DM", "random"] < -6
    assert fmean(map(abs, gaps.values())) < 4.5


@pytest.mark.slow
def test_a_masked_model_prefers_by_the_sum_of_its_log_probabilities(built: Any, solve: Any) -> None:
    model = models.load("embedded:mlm")
    items = built(per_relation=1, relations="capital")
    for item, answer in zip(items, solve("pppl", items, model), strict=True):
        (h1, t1), options = item.facts["query"], item.facts["options"]
        for score, (h2, t2) in zip(answer.scores, options, strict=True):
            (alone,) = model.score([Text(f"What {h1} is to {t1}, {h2} is to {t2}.")], method="pll")
            assert score == pytest.approx(alone.total, abs=1e-3)
        assert accuracy_of(item, answer) in (0.0, 1.0)
