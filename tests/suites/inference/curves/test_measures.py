"""Precision and recall against scikit-learn, over random scores with ties."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, auc, average_precision_score, f1_score, precision_recall_curve

from proband.core.files import read_answers, read_items
from proband.pipeline.build import build
from proband.pipeline.frames import read, run
from proband.stats.ranking import average_precision
from proband.suites.inference.curves.measures import (
    auc_norm,
    normalised_area,
    points,
    recall_at,
)


@pytest.mark.parametrize("seed", range(5))
def test_points_are_scikit_learns(seed: int) -> None:
    rng = np.random.default_rng(seed)
    truth = rng.random(300) < 0.3
    score = np.round(rng.normal(size=300) + truth, 1)  # many ties
    records, ones = np.column_stack([score, truth]), np.ones(300)
    _, precision, recall = points(records, ones)
    theirs = precision_recall_curve(truth, score)
    reached = theirs[1] > 0
    expected = sorted(zip(theirs[1][reached], theirs[0][reached], strict=True))
    ours = sorted((r, p) for r, p in zip(recall, precision, strict=True) if r > 0)
    assert np.allclose(ours, expected)
    assert average_precision(records, ones) == pytest.approx(average_precision_score(truth, score))
    best = max((r for p, r in zip(theirs[0], theirs[1], strict=True) if p >= 0.8 and r > 0), default=0.0)
    assert recall_at(records, ones, precision=0.8) == pytest.approx(best)


def test_a_weight_of_two_is_two_records() -> None:
    records = np.array([[3.0, 1], [2.0, 0], [1.0, 1], [0.5, 0]])
    twice = np.concatenate([records, records[:1]])
    weights = np.array([2.0, 1, 1, 1])
    assert normalised_area(records, weights) == pytest.approx(normalised_area(twice, np.ones(5)))
    assert recall_at(records, np.array([0.0, 1, 0, 1]), precision=0.8) == 0.0  # no true record is left


def test_areas_of_a_perfect_and_of_a_useless_order() -> None:
    perfect = np.array([[2.0, 1], [1.0, 0], [0.0, 0]])
    useless = np.array([[0.0, 1], [0.0, 0], [0.0, 0]])
    assert normalised_area(perfect, np.ones(3)) == 1.0
    assert normalised_area(useless, np.ones(3)) == 0.0


@pytest.mark.parametrize("seed", range(5))
def test_areas_of_the_literature_from_scikit_learns_curve(seed: int) -> None:
    """As the program of McKenna et al. computes it, point by point."""
    rng = np.random.default_rng(seed)
    truth = rng.random(400) < 0.4
    score = np.round(rng.normal(size=400) + 1.5 * truth, 1)
    records, ones = np.column_stack([score, truth]), np.ones(400)
    precision, recall, _ = precision_recall_curve(truth, score)
    share = truth.mean()
    norm = auc(recall, [max(each - share, 0) for each in precision]) / (1 - share)
    assert auc_norm(records, ones) == pytest.approx(norm)


def test_areas_of_the_literature_where_there_is_nothing_to_join() -> None:
    lemma = np.array([[1.0, 1], [1.0, 1], [0.0, 0], [0.0, 1], [0.0, 0], [0.0, 0]])  # one threshold, and the rest
    assert auc_norm(lemma[[0, 1]], np.ones(2)) == 0.0  # all are entailed: nothing is above chance


def test_decisions_are_scored_over_every_item_and_beside_what_one_answer_reaches(tmp_path: Path) -> None:
    graph = tmp_path / "graph.tsv"
    graph.write_text("be made of\tcontain\nbuild\tconstruct\n", "utf-8")
    build("inference", out=tmp_path / "items", splits="test")
    run(tmp_path / "items", model="solver:rules", out=tmp_path / "run", options={"graph": str(graph), "on_lemma": True})
    run(tmp_path / "items", model="solver:hypothesis-words", out=tmp_path / "ranks")
    truth = np.array([item.gold == 0 for item in read_items(tmp_path / "items")])
    said = np.array([answer.scores[0] > answer.scores[1] for answer in read_answers(tmp_path / "run/answers.jsonl")])
    assert 0 < said.sum() < len(said)
    scores = {row["metric"]: row for row in read(tmp_path / "run").scores().to_dicts() if row["group"] == "test items"}
    assert {row["n"] for row in scores.values()} == {len(truth)}
    assert scores["f1"]["mean"] == pytest.approx(f1_score(truth, said))
    assert scores["accuracy"]["mean"] == pytest.approx(accuracy_score(truth, said))
    share = truth.mean()
    assert scores["accuracy"]["chance"] == pytest.approx(max(share, 1 - share))
    assert scores["f1"]["chance"] == pytest.approx(f1_score(truth, np.ones(len(truth))))
    assert scores["average_precision"]["chance"] == pytest.approx(average_precision_score(truth, np.zeros(len(truth))))
    ranked = {row["metric"] for row in read(tmp_path / "ranks").scores().to_dicts()}
    assert "average_precision" in ranked
    assert not ranked & {"f1", "accuracy"}
