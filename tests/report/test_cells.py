from __future__ import annotations

import dataclasses
from collections.abc import Callable

import numpy as np
import pytest

from proband.core import stats
from proband.core.types import Answer, Item, Published, Table, accuracy
from proband.report import Loaded
from proband.report.cells import Study
from proband.report.collect import join
from proband.report.grids import fill


def study_of(loaded: Loaded, draws: int = 400) -> Study:
    return Study(join([loaded])[0], seed=0, draws=draws)


def test_a_tiny_example_by_hand(make_loaded: Callable[..., Loaded]) -> None:
    """Four items of two relations; one tie. right(a) = 1, 1/2; right(b) = 0, 1."""
    items = [
        Item(id=str(i), suite="analogy", prompt="?", choices=choices, gold=0, tags={"r": r, "k": 2})
        for i, (r, choices) in enumerate(
            [("a", ("x", "y")), ("a", ("x", "y")), ("b", ("x", "y")), ("b", ("x", "y", "z", "w"))]
        )
    ]
    scores = [(1.0, 0.0), (0.5, 0.5), (0.0, 1.0), (2.0, 1.0, 1.0, 1.0)]
    answers = [Answer(item_id=str(i), scores=s) for i, s in enumerate(scores)]
    base = make_loaded(8, models=("embedded:mlm",))
    loaded = dataclasses.replace(base, items=items, runs=[(base.runs[0][0], answers)])
    grid = fill(study_of(loaded), Table(name="t", title="T", rows=("r",), columns=("k",)))
    assert grid.rows == (("a",), ("b",), None)
    cells = {row: grid.cells[row, (2,)][0] for row in grid.rows}
    a, b, both = (cell for row in grid.rows if (cell := cells[row]) is not None)
    assert (a.estimate.mean, b.estimate.mean, both.estimate.mean) == (0.75, 0.5, 0.625)
    assert (a.chance, b.chance, both.chance) == (0.5, 0.375, 0.4375)
    assert (both.estimate.n, both.estimate.clusters) == (4, 4)


def test_every_cell_agrees_with_a_plain_count(make_loaded: Callable[..., Loaded]) -> None:
    loaded = make_loaded(400)
    study = study_of(loaded)
    grid = fill(study, loaded.suite.tables[0])
    for run, (_, answers) in enumerate(loaded.runs):
        for group, probe in [("ES", "reverse"), ("IM", "type")]:
            right = [
                accuracy(item, answer)
                for item, answer in zip(loaded.items, answers)
                if item.tags["group"] == group and item.tags["probe"] == probe
            ]
            cell = grid.cells[(group,), (probe,)][run]
            assert cell
            assert cell.estimate.mean == pytest.approx(sum(x for x in right if x is not None) / len(right))
            assert cell.estimate.n == len(right)


def test_pairs_are_the_cores_paired_test(make_loaded: Callable[..., Loaded]) -> None:
    loaded = make_loaded(400, models=("embedded:mlm", "embedded:glove"))
    study = study_of(loaded, draws=2000)
    (pair,) = study.pairs("accuracy", {})
    a, b = (values.numbers for values in study.joined.metrics["accuracy"])
    core = stats.paired_test(a, b, clusters=study.joined.clusters, seed=0, draws=2000)
    assert (pair.n, pair.clusters) == (core.n, core.clusters)
    assert pair.difference == pytest.approx(core.difference)
    assert pair.p == pytest.approx(core.p, abs=0.01)
    assert pair.low == pytest.approx(core.low, abs=0.08 * (core.high - core.low))


def test_pairs_meet_on_the_items_both_answered(make_loaded: Callable[..., Loaded]) -> None:
    loaded = make_loaded(200, models=("embedded:mlm", "embedded:glove"))
    (first, one), (second, two) = loaded.runs
    study = study_of(dataclasses.replace(loaded, runs=[(first, one[:120]), (second, two[80:])]))
    (pair,) = study.pairs("accuracy", {})
    numbers = [
        np.mean([accuracy(item, answer) for item, answer in zip(loaded.items[80:120], given[80:120])])
        for given in (one, two)
    ]
    assert pair.n == 40
    assert pair.difference == pytest.approx(float(numbers[0] - numbers[1]))


def test_published_figures_stand_where_their_tags_match(make_loaded: Callable[..., Loaded]) -> None:
    loaded = make_loaded(200)

    def figure(**group: str | int) -> Published:
        return Published(model="them", metric="accuracy", group=group, value=0.5, source="here")

    figures = [
        figure(group="ES", probe="type"),
        figure(probe="type"),
        figure(group="ES"),
        figure(group="LS", probe="type", k=2),
    ]
    suite = dataclasses.replace(loaded.suite, published=lambda: figures)
    study = study_of(dataclasses.replace(loaded, suite=suite))
    table = Table(name="t", title="T", rows=("group",), columns=("probe",))
    plain, within = fill(study, table), fill(study, dataclasses.replace(table, where={"k": 2}))
    assert {where for where, found in plain.published.items() if found} == {(("ES",), ("type",)), (None, ("type",))}
    assert (("LS",), ("type",)) in {where for where, found in within.published.items() if found}
    assert within.cells[None, ("type",)] != plain.cells[None, ("type",)]


def test_rows_and_columns_keep_the_tables_order(make_loaded: Callable[..., Loaded]) -> None:
    study = study_of(make_loaded(200))
    table = Table(name="t", title="T", rows=("group",), columns=("k",), order={"group": ("LS", "ES")})
    grid = fill(study, table)
    assert grid.rows == (("LS",), ("ES",), ("DM",), ("IM",), None)
    assert grid.columns == ((2,), (3,), (4,), (5,), (6,))
    assert grid.numeric
    assert fill(study, Table(name="t", title="T", rows=("absent",), columns=("k",))).rows == ()
