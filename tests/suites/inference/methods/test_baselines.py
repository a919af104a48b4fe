"""What a score has to beat: the hypothesis alone, and the direction."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace
from sklearn.feature_extraction import DictVectorizer
from sklearn.linear_model import LogisticRegression

from proband.core.errors import ProbandError
from proband.core.files import read_items
from proband.core.types import Item
from proband.pipeline.build import build
from proband.pipeline.frames import run
from proband.stats.ranking import average_precision
from proband.suites.inference.methods.baselines import Direction, HypothesisWords, hypothesis_words


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("baselines") / "items"
    build("inference", out=path, control="all", pairs=200)
    return path


def test_the_classifier_is_scikit_learns(folder: Path) -> None:
    """The same weights from the same training items, and nothing of the premise."""
    every = list(read_items(folder))
    model = HypothesisWords().learn(every)
    train = [item for item in every if item.split == "train" and item.tags["control"] == "none"]
    test = [item for item in every if item.split == "test" and item.tags["control"] == "none"]
    vectors = DictVectorizer()
    rows = vectors.fit_transform([dict.fromkeys(hypothesis_words(item), 1) for item in train])
    theirs = LogisticRegression(C=model.strength, tol=1e-8, max_iter=5000).fit(rows, [item.gold == 0 for item in train])
    expected = theirs.decision_function(vectors.transform([dict.fromkeys(hypothesis_words(i), 1) for i in test]))
    ours = [answer.scores[0] for answer in model.answer(test)]
    assert np.allclose(ours, expected, atol=5e-3)
    bare = [item for item in every if item.split == "test" and item.tags["control"] == "hypothesis-only"]
    assert [answer.scores[0] for answer in model.answer(bare)] == ours


def test_what_was_learnt_from_is_scored_by_the_other_questions(folder: Path) -> None:
    every = list(read_items(folder))
    model = HypothesisWords().learn(every)
    train = [item for item in every if item.split == "train" and item.tags["control"] == "none"]
    question = train[0].facts["question"]
    other = [replace(item, gold=1 - (item.gold or 0)) if item.facts["question"] == question else item for item in every]
    before, after = model.answer(train[:1])[0].scores, refit(other, model.strength).answer(train[:1])[0].scores
    assert before == pytest.approx(after)  # its own labels do not reach it


@pytest.mark.nightly
def test_the_answers_are_the_same_in_every_process(folder: Path, tmp_path: Path) -> None:
    """A process orders its sets by a seed of its own; here it has another than there."""
    words = ["-m", "proband", "run", str(folder), "-m", "solver:hypothesis-words", "-o", str(tmp_path / "run")]
    subprocess.run([sys.executable, *words], check=True, capture_output=True, env={**os.environ, "PYTHONHASHSEED": "1"})
    run(folder, model="solver:hypothesis-words", out=tmp_path / "here")
    here, there = ((tmp_path / name / "answers.jsonl").read_bytes() for name in ("here", "run"))
    assert here == there


def refit(items: list[Item], strength: float) -> HypothesisWords:
    class Fixed(HypothesisWords):
        def prepare(self, items: object) -> None:
            self.strength = strength

    return Fixed().learn(items)


def test_direction(folder: Path) -> None:
    every = list(read_items(folder))
    plain = [item for item in every if item.tags["control"] == "none"]
    train = [item for item in plain if item.split == "train"]
    forth = [item.gold == 0 for item in train if item.tags["direction"] == "answer to question"]
    test = next(i for i in plain if i.split == "test" and i.tags["direction"] == "answer to question")
    whole = sum(item.gold == 0 for item in train) / len(train)
    assert Direction().learn(every).answer([test])[0].scores[0] == pytest.approx(sum(forth) / len(forth) - whole)
    one_way = [item for item in plain if item.split == "test" and item.tags["direction"] == "answer to question"]
    assert {each.scores for each in Direction().learn(one_way).answer(one_way)} == {(0.0, 0.0)}  # no fold below another


def test_labels_of_one_question_are_not_enough(folder: Path) -> None:
    one = next(read_items(folder))
    with pytest.raises(ProbandError, match="learns from labels"):
        Direction().learn([one])


@pytest.mark.nightly
@pytest.mark.data
def test_how_far_the_hypothesis_alone_reaches_on_levy_holt(data: Path, tmp_path: Path) -> None:
    """Average precision .435 and .379, where a fifth of the pairs is entailed."""
    build("inference", out=tmp_path / "items", data=data / "levy_holt")
    for name, expected in (("hypothesis-words", 0.435), ("direction", 0.379)):
        run(tmp_path / "items", model=f"solver:{name}", out=tmp_path / name)
        items = {item.id: item for item in read_items(tmp_path / "items")}
        from proband.core.files import read_answers

        answers = list(read_answers(tmp_path / name / "answers.jsonl"))
        records = np.array([(a.scores[0], items[a.item_id].gold == 0) for a in answers], dtype=float)
        assert len(records) == 12921
        assert average_precision(records, np.ones(len(records))) == pytest.approx(expected, abs=0.002)
