"""Scores of a system's runs, made from items and answers."""

from __future__ import annotations

from pathlib import Path

from proband.core.files import read_answers, read_items
from proband.core.metrics import ACCURACY, AVERAGE_PRECISION
from proband.core.statistics.scores import Scores
from proband.core.types import Answer, Item
from proband.pipeline.build import build
from proband.pipeline.report import score
from proband.pipeline.run import run


def test_the_interval_is_that_of_a_report(tmp_path: Path) -> None:
    """Facts share their subject and their object, which are clusters of two kinds."""
    build("facts", out=tmp_path / "items", per_relation=4)
    run(tmp_path / "items", model="baseline:random", out=tmp_path / "run")
    items = {item.id: item for item in read_items(tmp_path / "items")}
    answers = read_answers(tmp_path / "run" / "answers.jsonl")
    found = Scores.of_runs([[(items[answer.item_id], answer) for answer in answers]], ACCURACY)
    assert found is not None
    assert [found.value, found.interval().low, found.interval().high] == [
        score(tmp_path / "run")[name] for name in ("mean", "low", "high")
    ]


def test_a_metric_over_sets_has_a_record_per_item_and_an_id_may_stand_twice() -> None:
    items = [Item(id=name, suite="s", prompt="?", choices=("x", "y"), gold=n % 2) for n, name in enumerate("aab")]
    pairs = [(item, Answer(item_id=item.id, scores=(float(n), 0.0))) for n, item in enumerate(items)]
    found = Scores.of_runs([pairs, pairs], AVERAGE_PRECISION)
    assert found is not None
    assert (found.items.tolist(), found.numbers.shape) == (["a", "a", "b"], (2, 3, 2))
    assert Scores.of_runs([], ACCURACY) is None
