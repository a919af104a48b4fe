"""Figure 2, directions and frequency over runs on our own set, and the report that holds them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import cast

import numpy as np
import pytest

from proband.core.suite import Results
from proband.pipeline.build import build
from proband.pipeline.report import item_sets, report
from proband.pipeline.run import run
from proband.suites.inference.curves import argument_frequency, directions, figure
from proband.suites.inference.curves.figure import ADDS_LITTLE, HELPS, UNDER, precision_at
from proband.suites.inference.paper import anchors, section3


def read(runs: list[Path]) -> Results:
    return cast(Results, item_sets(runs)[0])


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("figure")
    build("inference", out=folder / "items")
    rules = folder / "graph.tsv"
    rules.write_text("cure\ttreat\nestablish\tfound\ngraze on\teat\nbuy\tacquire\nauthor\twrite\n", encoding="utf-8")
    made: tuple[tuple[str, str, dict[str, object]], ...] = (
        ("lemma", "solver:lemma", {}),
        ("graph", "solver:rules", {"on-lemma": True, "graph": str(rules)}),
        ("random", "baseline:random", {"on-lemma": True}),
    )
    for name, model, options in made:
        run(folder / "items", model=model, out=folder / name, options=options)
    return [folder / name for name, _, _ in made]


def test_the_curve_starts_with_the_pairs_that_rules_accept(runs: list[Path]) -> None:
    (sheet,) = figure.figure(read(runs), 0)
    assert [row[0] for row in sheet.rows] == ["solver:lemma", "lemma, graph", "lemma, baseline:random"]
    lemma, graph, random = sheet.rows
    assert graph[2] == lemma[2] == random[2]  # all begin with what lemma accepts
    assert graph[10] > 0  # type: ignore[operator]
    assert sheet.curves is not None
    for line in sheet.curves.lines:
        recall = [x for x, _ in line.points]
        assert recall == sorted(recall)
        assert all(low <= high for _, low, high in line.band)
    outcomes = {name: list(each) for name, each in sheet.outcomes.items()}
    assert len(outcomes[ADDS_LITTLE]) == len(outcomes[HELPS]) == 2
    assert len(outcomes[UNDER]) == 3


def test_precision_at_a_recall() -> None:
    records = np.array([[4.0, 1], [3.0, 0], [2.0, 1], [1.0, 0]])
    assert [precision_at(records, np.ones(4), recall=r) for r in (0.5, 0.6, 1.0)] == pytest.approx([1, 2 / 3, 2 / 3])


def test_both_directions_by_hand() -> None:
    rows = [("a", 1.0, True), ("a", 0.0, False), ("b", 1.0, True), ("b", 1.0, False), ("alone", 1.0, True)]
    assert directions.both_right(rows, 0.5) == (2, 0.75, 0.5)


def test_directions_and_frequency_of_our_own_set(runs: list[Path]) -> None:
    found = read(runs)
    (sheet,) = directions.analysis(found, 0)
    assert {row[1] for row in sheet.rows} == {"all test", "directional test"}
    assert all(0 <= float(row[4] or 0) <= float(row[3] or 0) <= 1 for row in sheet.rows)
    (halves,) = argument_frequency.analysis(found, 0)
    assert len(halves.rows) == 2 * len(runs)


def test_anchors_stand_only_beside_levy_holt(runs: list[Path], tmp_path: Path) -> None:
    assert anchors.analysis(read(runs), 0) == ()
    rows = (
        "animal, has, wings\tthe grackle, soared with, wings\tTrue\nthe owl, eats, mice\tthe owl, hunts, mice\tFalse\n"
    )
    (tmp_path / "test.txt").write_text(rows, encoding="utf-8")
    build("inference", out=tmp_path / "items", data=tmp_path / "test.txt")
    run(tmp_path / "items", model="solver:lemma", out=tmp_path / "run")
    (sheet,) = anchors.analysis(read([tmp_path / "run"]), 0)
    assert [row[3] for row in sheet.rows if row[0] == "EGT2"] == [0.356, 0.564]
    assert any(row[4] == "this report" for row in sheet.rows)


def test_section_3_beside_ours(runs: list[Path]) -> None:
    (sheet,) = section3.analysis(read(runs), 0)
    cells = {row[0]: row[1:] for row in sheet.rows}
    assert cells["pairs judged"] == (30703, None)
    assert cells["precision against the expert"] == (0.913, None)
    assert cells["questions"][1] == 42


def test_the_report_has_the_figure_and_the_claims(runs: list[Path], tmp_path: Path) -> None:
    report(runs, out=tmp_path, title="x", analyses=["figure2"], claims=True)
    (drawn,) = (tmp_path / "figures").glob("*figure2.svg")
    assert "precision" in drawn.read_text()
    pages = "".join(path.read_text() for path in tmp_path.glob("*.html"))
    assert "Figure 2: precision against recall" in pages
    claims = json.loads((tmp_path / "report.json").read_text())["claims"]
    assert len(claims) == 4  # of lemma one, of the graph three; baselines are not asked
