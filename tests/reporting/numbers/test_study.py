from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence

import msgspec
import numpy as np
import pytest
from statsmodels.regression.linear_model import OLS

from proband.core.metrics import ACCURACY
from proband.core.metrics import accuracy_of as accuracy
from proband.core.suite import Table
from proband.core.types import Answer, Item
from proband.reporting import AnsweredRun, ItemSet
from proband.reporting.numbers.comparisons import pairs_of
from proband.reporting.numbers.score_tables import fill
from proband.reporting.numbers.study import Study
from proband.stats.clusters import clusters_of
from proband.stats.ranking import AUC, area_under_roc


def study_of(loaded: ItemSet) -> Study:
    return Study(loaded)


def test_pairs_compare_the_answers_item_by_item(make_set: Callable[..., ItemSet]) -> None:
    loaded = make_set(400, models=("embedded:mlm", "embedded:glove"))
    study = study_of(loaded)
    (pair,) = pairs_of(study, ACCURACY, {})
    a, b = (run.values("accuracy")[1] for run in study.answered_items)
    groups = [clusters_of(item)[0] for item in loaded.items()]
    assert (pair.n, pair.clusters) == (400, len(set(groups)))
    assert pair.value == pytest.approx(float((a - b).mean()))
    number = np.unique(groups, return_inverse=True)[1]
    theirs = OLS(a - b, np.ones(400)).fit(cov_type="cluster", cov_kwds={"groups": number})
    assert pair.p == pytest.approx(theirs.pvalues[0], abs=0.03)
    assert pair.low < pair.value < pair.high


def test_pairs_meet_on_the_items_both_answered(make_set: Callable[..., ItemSet]) -> None:
    loaded = make_set(200, models=("embedded:mlm", "embedded:glove"))
    (first, one), (second, two) = ((run, list(loaded.raw_answers(i))) for i, run in enumerate(loaded.runs))
    answered = [AnsweredRun(run=first, answers=one[:120]), AnsweredRun(run=second, answers=two[80:])]
    study = study_of(dataclasses.replace(loaded, answered=answered))
    (pair,) = pairs_of(study, ACCURACY, {})
    numbers = [
        np.mean([accuracy(item, answer) for item, answer in zip(list(loaded.items())[80:120], given[80:120])])
        for given in (one, two)
    ]
    assert pair.n == 40
    assert pair.value == pytest.approx(float(numbers[0] - numbers[1]))


# ---- metrics over sets, several runs, tags of runs, macro means ----------------------------------------------------


def with_nets(base: ItemSet, seeds: Sequence[int] = (0, 1, 2)) -> ItemSet:
    """The runs of the first model as runs of one network with several training seeds; every third answer differs."""
    (first, *rest) = base.answered
    answered = []
    for seed in seeds:
        run = msgspec.structs.replace(first.run, model=f"net:gat-{seed}", net={"net": "gat", "seed": seed})
        answers = [
            msgspec.structs.replace(answer, scores=answer.scores[::-1]) if (i + seed) % 3 == 0 else answer
            for i, answer in enumerate(base.raw_answers(0))
        ]
        answered.append(AnsweredRun(run=run, answers=answers))
    return dataclasses.replace(base, answered=[*answered, *rest])


def test_training_seeds_share_a_line(make_set: Callable[..., ItemSet]) -> None:
    items = with_nets(make_set(240, models=("embedded:mlm", "embedded:glove")))
    study = study_of(items)
    assert study.system_labels == ("net:gat", "embedded:glove")
    cell = study.cell(ACCURACY, {})[0]
    assert cell
    means = [
        np.mean([accuracy(item, answer) or 0.0 for item, answer in zip(items.items(), items.raw_answers(run))])
        for run in range(3)
    ]
    assert cell.mean == pytest.approx(float(np.mean(means)))
    assert cell.sd == pytest.approx(float(np.std(means, ddof=1)))
    assert (cell.seeds, cell.n) == (3, 240)
    (pair,) = pairs_of(study, ACCURACY, {})
    assert pair.n == 240


def test_a_metric_over_sets_has_an_interval_and_a_paired_test(make_set: Callable[..., ItemSet]) -> None:
    base = make_set(300, models=("embedded:mlm", "baseline:random"))
    items = dataclasses.replace(base, suite=dataclasses.replace(base.suite, metrics=(AUC,)))
    study = study_of(items)
    better, chance = study.cell(AUC, {})
    assert better
    assert chance
    records = study.answered_items[0].values("auc")[1]
    assert better.mean == area_under_roc(records, np.ones(300))
    assert better.low < better.mean < better.high
    assert chance.low < 0.5 < chance.high
    (pair,) = pairs_of(study, AUC, {})
    assert pair.value > 0
    assert 0 < (pair.p or 0.0) < 0.2
    reverse = study.cell(AUC, {"probe": "reverse"})[0]
    assert reverse
    assert reverse.high - reverse.low > better.high - better.low


def test_a_macro_mean_weighs_values_the_same(make_set: Callable[..., ItemSet]) -> None:
    items = make_set(330, models=("embedded:mlm",))
    study = study_of(items)
    relations = study.tags["relation"].values
    means = [cell.mean for r in relations if (cell := study.cell(ACCURACY, {"relation": r})[0])]
    table = fill(study, Table(name="t", title="T", rows=(), columns=(), macro="relation"))
    (cell,) = table.filled
    assert cell.mean == pytest.approx(float(np.mean(means)))
    assert cell.low < cell.mean < cell.high


def test_a_macro_mean_of_a_metric_over_sets(make_set: Callable[..., ItemSet]) -> None:
    base = make_set(480, models=("embedded:mlm",))
    study = study_of(dataclasses.replace(base, suite=dataclasses.replace(base.suite, metrics=(AUC,))))
    values = []
    for relation in study.tags["relation"].values:
        rows = study.mask({"relation": relation})
        values.append(area_under_roc(study.answered_items[0].values("auc")[1][rows], np.ones(int(rows.sum()))))
    cell = study.cell(AUC, {}, macro="relation")[0]
    assert cell
    assert cell.mean == pytest.approx(float(np.mean(values)))
    assert cell.low < cell.mean < cell.high


def test_replies_that_cannot_be_read_are_wrong_and_skipped_items_are_left_out(make_set: Callable[..., ItemSet]) -> None:
    items = [Item(id=f"i{i}", suite="s", prompt="?", choices=("x", "y"), gold=i % 2) for i in range(8)]
    refused = [Answer(item_id=item.id, text="I cannot answer that question.", status="unread") for item in items]
    right = [Answer(item_id=item.id, scores=(1.0 - i % 2, float(i % 2))) for i, item in enumerate(items[4:6])]
    skipped = [Answer(item_id=item.id, status="skipped") for item in items[6:]]
    base = make_set(8, models=("embedded:mlm", "embedded:smollm2"))
    some, none = [*refused[:4], *right, *skipped], refused
    runs = [AnsweredRun(run=run, answers=answers) for run, answers in zip(base.runs, (some, none))]
    study = Study(dataclasses.replace(base, items_from=items, answered=runs), [ACCURACY, AUC])
    one, other = study.cell(ACCURACY, {})
    assert one is not None
    assert other is not None
    assert one.mean == pytest.approx(2 / 6)
    assert one.unread == pytest.approx(4 / 6)
    assert (one.n, one.skipped) == (6, 2)
    assert (other.mean, other.unread, other.skipped) == (0.0, 1.0, 0)
    ranked, reversed_ = study.cell(AUC, {})
    assert ranked is not None
    assert reversed_ is not None
    assert ranked.mean == pytest.approx(1 / 9)  # true: -W, -W, 1; false: W, W, -1: one pair of nine
    assert reversed_.mean == 0.0
