"""Shortcuts learn from training stories alone, stand in every report, and are far from solving long chains."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

import proband
from proband.core.files import read_items
from proband.core.metrics import NOT_ASKED, answered_rightly
from proband.core.suite import Claim, Contrast
from proband.pipeline.report import item_sets
from proband.reporting.claims import judge
from proband.reporting.numbers.study import Study
from proband.suites.kinship.generate.build import build
from proband.suites.kinship.generate.options import BuildOptions
from proband.suites.kinship.shortcuts import SHORTCUTS, Clues, LogisticRegression, Question, path


@pytest.fixture(scope="module")
def items(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("shortcuts") / "items"
    proband.build("kinship", out=folder, k="2,3", per_k=440, hold_out="clauses", test_k="2,3,6", test_per_k=88)
    return folder


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Runs of two shortcuts, of the rules, of a constant and of chance, on fewer stories."""
    folder = tmp_path_factory.mktemp("runs")
    proband.build("kinship", out=folder / "items", k="2,3", per_k=110, hold_out="clauses", test_k="2,3", test_per_k=44)
    for model in ("baseline:genders", "baseline:path", "baseline:majority", "baseline:random", "solver:symbolic"):
        proband.run(folder / "items", model=model, out=folder / "runs" / model.partition(":")[2])
    return folder / "runs"


def accuracy(name: str, items: Path, k: int) -> float:
    every = list(read_items(items))
    test = [item for item in every if item.split == "test" and item.facts["k"] == k]
    answers = SHORTCUTS[name]().learn(every).answer(test)
    right = [max(zip(answer.scores, range(99)))[1] == item.gold for item, answer in zip(test, answers, strict=True)]
    return float(sum(right) / len(right))


def test_what_each_can_do(items: Path) -> None:
    assert accuracy("ends", items, 2) > 0.9  # both facts are ends
    for name in ("ends", "path"):  # a linear model backs off to parts: most long chains need no composing
        assert 0.7 < accuracy(name, items, 6) < 0.95
    assert accuracy("near", items, 2) > 0.3
    for name in ("genders", "words", "positions"):
        assert accuracy(name, items, 3) < 0.3


def test_the_regression_is_the_one_of_another_library() -> None:
    """scikit-learn minimises the same sum: log loss + |w|^2 / 2 (C = 1), without an intercept."""
    from sklearn.linear_model import LogisticRegression as Reference

    random = np.random.default_rng(0)
    rows = [Question((int(a), 5 + int(b)), "xyz"[(a + b) % 3], 0) for a, b in random.integers(0, 5, (90, 2))]
    own = LogisticRegression(rows, 10)
    design = np.zeros((len(rows), 10))
    for row, question in zip(design, rows):
        row[list(question.features)] = 1
    reference = Reference(C=1.0, fit_intercept=False, tol=1e-8, max_iter=2000)
    reference.fit(design, [question.label for question in rows])
    for question, expected in zip(rows, reference.predict_proba(design)):
        assert list(own.probabilities(question.features).values()) == pytest.approx(expected, abs=2e-3)


def test_they_learn_from_training_stories_alone(items: Path) -> None:
    every = list(read_items(items))[::4]
    train, test = ([item for item in every if item.split == split] for split in ("train", "test"))
    for make in SHORTCUTS.values():
        assert make().learn(every).answer(test) == make().learn(train).answer(test)


def test_without_training_stories_no_story_counts_for_its_own_answer(items: Path) -> None:
    """Another label on a story leaves the answer to it as it is."""
    test = [item for item in read_items(items) if item.split == "test"][:60]
    for make in SHORTCUTS.values():
        for item in test[:1]:
            other = next(choice for choice in item.choices if choice != item.facts["target"])
            changed = replace(item, facts={**item.facts, "target": other})
            swapped = [changed if each.id == item.id else each for each in test]
            assert make().learn(test).answer([item]) == make().learn(swapped).answer([item])


def test_stories_with_other_choices_than_training_are_cross_fitted(items: Path, tmp_path: Path) -> None:
    """A model that has seen no open story never answers "cannot be determined", which is right for half of them. Both
    stories of a pair are answered by a model that has seen neither."""
    proband.build("kinship", out=tmp_path / "open", k="2,3", per_k=44, open=0.5)
    both = [*read_items(items), *(pair := list(read_items(tmp_path / "open")))]
    for name in ("ends", "genders"):
        shortcut = SHORTCUTS[name]().learn(both)
        right = [max(zip(a.scores, range(99)))[1] == item.gold for item, a in zip(pair, shortcut.answer(pair))]
        assert sum(right) / len(right) >= 0.5
        model = {item.facts["clusters"][-1]: set[int]() for item in pair}
        for item in pair:
            model[item.facts["clusters"][-1]].add(id(shortcut.own[item.id]))
        assert {len(models) for models in model.values()} == {1}
        classic = [item for item in both if item.split == "test" and item not in pair]
        assert shortcut.answer(classic) == SHORTCUTS[name]().learn(read_items(items)).answer(classic)


@pytest.mark.nightly
def test_they_are_models_and_stand_in_the_report(items: Path, tmp_path: Path) -> None:
    page = tmp_path / "report"
    for name in (*SHORTCUTS, "random"):  # the line of the best shortcut is for a model of chance
        proband.run(items, model=f"baseline:{name}", out=tmp_path / name)
    proband.report([tmp_path / name for name in (*SHORTCUTS, "random")], out=page)
    text = "".join(each.read_text(encoding="utf-8") for each in page.glob("*.html"))
    figure = (page / "figures" / "kinship-by_k.svg").read_text(encoding="utf-8")
    assert "best shortcut" in figure
    for name in SHORTCUTS:
        assert f"baseline:{name}" in text


def test_noise_does_not_hide_the_path(tmp_path: Path) -> None:
    """What is off the shortest way changes the ends, not the path."""
    proband.build("kinship", out=tmp_path / "items", task="irrelevant,disconnected", k="3", per_k=22)
    for item in read_items(tmp_path / "items"):
        noise = [edge for edge, _ in item.facts["noise"]]
        clean = replace(item, facts={**item.facts, "edges": [e for e in item.facts["edges"] if e not in noise]})
        noisy, quiet = (Clues(each, needed_by="a test") for each in (item, clean))
        assert set(path(noisy)) == set(path(quiet))
        assert (noisy.ends == quiet.ends) == (item.tags["task"] == "disconnected")


@pytest.mark.nightly
def test_a_report_counts_what_the_models_answer(items: Path, tmp_path: Path) -> None:
    """The stream of a report and the runs of the models; with training stories, without, and for yes/no."""
    proband.build("kinship", out=tmp_path / "asked", k="2", per_k=40, question="yes-no")
    stories = list(read_items(items))[::4]
    sets = [stories, [each for each in stories if each.split == "test"], list(read_items(tmp_path / "asked"))]
    for number, every in enumerate(sets):
        right = answered_rightly(SHORTCUTS, lambda every=every: iter(every), known_as=str(number))  # type: ignore[misc]
        asked = [item for item in every if item.split != "train"]
        for name, make in SHORTCUTS.items():
            answers = make().learn(every).answer(asked)
            best = [each.scores.index(max(each.scores)) == item.gold for each, item in zip(answers, asked)]
            assert right[name][[item.split != "train" for item in every]].tolist() == best
            assert set(right[name][[item.split == "train" for item in every]].tolist()) <= {NOT_ASKED}
            assert 0 < sum(best) < len(best)


def test_a_score_is_held_against_the_best_shortcut_and_not_against_chance(runs: Path, tmp_path: Path) -> None:
    proband.report(list(runs.iterdir()), out=tmp_path)
    table = (tmp_path / "tables" / "kinship-by_k.md").read_text(encoding="utf-8")
    assert (
        "° not distinguishable from the best shortcut that was run (where it is higher than chance); ▼ below" in table
    )
    lines = {line.split(" | ")[1]: line for line in table.splitlines() if line.startswith("| clean |")}
    assert "▼" in lines["baseline:majority"]  # at chance, and so below the shortcut
    assert "▼" not in lines["solver:symbolic"]


def test_a_claim_about_two_models_below_the_best_shortcut_says_so(runs: Path) -> None:
    (made,) = item_sets([runs / name for name in ("genders", "path", "majority", "symbolic")])
    study = Study(made)

    def claimed(above: str, below: str) -> str:
        contrast = Contrast(above={"run.model": above}, below={"run.model": below}, pair="item")
        claim = Claim(statement="one is above the other", source="here", contrasts=(contrast,), per=())
        (verdict,) = judge([(study, ())], {"kinship": [claim]})
        return verdict.evidence

    assert "both sides below the best shortcut" in claimed("baseline:genders", "baseline:majority")
    assert "shortcut" not in claimed("solver:symbolic", "baseline:majority")


@pytest.mark.parametrize("rules", ["blended", "wide", "grid"])
def test_words_of_other_worlds_and_names_of_several_words_are_seen(rules: str) -> None:
    for item in build(BuildOptions(rules=rules, k=2, per_k=8, certify="none", form="facts"), seed=0).items:
        clues = Clues(item, needed_by="a test")
        stated = sorted(word for _, word, _ in item.facts["edges"])
        assert sorted(clues.kin_words) == stated
        assert not clues.other_words & {*stated, *clues.names}
        assert {side for side, _, _ in clues.near()} == {"x", "z"}
