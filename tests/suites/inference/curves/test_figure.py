"""Figure 2, directions and frequency over runs on our own set, and the report that holds them."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import cast

import numpy as np
import pytest

from proband.core.files import read_items
from proband.core.suite import Results
from proband.pipeline.build import build
from proband.pipeline.report import item_sets, report
from proband.pipeline.run import run
from proband.suites.inference.curves import argument_frequency, control_scores, directions, figure
from proband.suites.inference.curves.figure import precision_at
from proband.suites.inference.curves.findings import HELPS, NEEDS_LEMMA, UNDER
from proband.suites.inference.curves.measures import NORMALISED
from proband.suites.inference.curves.scored import Scored, difference, scored
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
        ("alone", "solver:rules", {"graph": str(rules)}),
    )
    for name, model, options in made:
        run(folder / "items", model=model, out=folder / name, options=options)
    return [folder / name for name, _, _ in made]


def test_the_curve_starts_with_the_pairs_that_rules_accept(runs: list[Path]) -> None:
    (sheet,) = figure.figure(read(runs), 0)
    assert [row[0] for row in sheet.rows] == ["lemma", "lemma, graph", "lemma, baseline:random", "graph"]
    lemma, graph, random, _ = sheet.rows
    assert graph[3] == lemma[3] == random[3]  # all begin with what lemma accepts
    assert graph[11] > 0  # type: ignore[operator]
    assert sheet.curves is not None
    for line in sheet.curves.lines:
        recall = [x for x, _ in line.points]
        assert recall == sorted(recall)
        assert all(low <= high for _, low, high in line.band)
    outcomes = {name: len(each) for name, each in sheet.outcomes.items()}
    assert outcomes == {HELPS: 1, NEEDS_LEMMA: 1, UNDER: 2}  # baselines are not asked
    (needs,) = sheet.outcomes[NEEDS_LEMMA].values()
    assert needs.difference is not None
    assert needs.difference > 0
    assert "beside graph" in needs.evidence


def test_a_sample_stands_beside_the_same_pairs(runs: list[Path], tmp_path: Path) -> None:
    """A run on 300 pairs: what it adds is measured on these, and a second figure has every method on them."""
    run(runs[0].parent / "items", model="baseline:random", out=tmp_path / "few", options={"on-lemma": True}, limit=300)
    whole, alike = figure.figure(read([*runs[:2], tmp_path / "few"]), 0)
    scored_pairs = sum(item.split == "test" for item in read_items(runs[0].parent / "items"))
    assert [row[1] for row in whole.rows] == [scored_pairs] * 2 + [300]
    assert [row[1] for row in alike.rows] == [300, 300, 300]
    assert whole.rows[2][2:] == alike.rows[2][2:]
    assert whole.curves is not None
    assert whole.curves.lines[2].name.endswith("n 300")
    found = scored(read([tmp_path / "few"]).answers(0))
    base = scored(read(runs[:1]).answers(0))
    assert found is not None
    assert base is not None
    beside = difference(NORMALISED, found, base)
    assert beside is not None
    assert round(beside.difference, 4) == whole.rows[2][11]


def test_every_method_stands_beside_its_controls(tmp_path: Path) -> None:
    build("inference", out=tmp_path / "items", control="all", splits="valid")
    run(tmp_path / "items", model="solver:lemma", out=tmp_path / "run")
    found = read([tmp_path / "run"])
    (sheet,) = control_scores.analysis(found, 0)
    assert [row[1] for row in sheet.rows] == list(control_scores.ROWS)
    cells = {str(row[1]): row for row in sheet.rows}
    assert cells["hypothesis-only"][-1] == 0.0
    assert cells["swapped-entities"][4] == cells["as they are"][4]  # lemma does not look at arguments
    assert float(cells["as they are"][4] or 0) > float(cells["random-premise"][4] or 0)
    assert float(cells["no shared lemma"][2] or 0) < float(cells["as they are"][2] or 0)
    others = (figure.figure, directions.analysis, argument_frequency.analysis, section3.analysis, anchors.analysis)
    assert [analysis(found, 0) for analysis in others] == [()] * 5


def test_a_curve_ends_where_no_threshold_reaches() -> None:
    """Rules: two points and the rest in one. Scores: up to the last."""
    truth = np.array([1, 1, 0, 1, 0, 1, 0, 1, 0, 1] * 4, dtype=float)
    names = [str(n) for n in range(40)]
    for score, last in ((np.repeat([2.0, 1.0, 0.0], [4, 6, 30]), 0.25), (-np.arange(40.0), 1.0)):
        each = Scored.of(np.column_stack([score, truth]), names, [(name,) for name in names])
        line = figure.curve("x", each)
        assert line.points[-1][0] == pytest.approx(last)
        assert all(at <= last for at, _, _ in line.band)


def test_precision_at_a_recall() -> None:
    records = np.array([[4.0, 1], [3.0, 0], [2.0, 1], [1.0, 0]])
    assert [precision_at(records, np.ones(4), recall=r) for r in (0.5, 0.6, 1.0)] == pytest.approx([1, 2 / 3, 2 / 3])


def test_both_directions_by_hand() -> None:
    scores = [("a", 1.0, True), ("a", 0.0, False), ("b", 1.0, True), ("b", 1.0, False), ("alone", 1.0, True)]
    found = directions.both_right([(*row, (row[0],)) for row in scores], 0.5)
    assert found is not None
    pairs, accuracy, both, clusters = found
    assert (pairs, accuracy, both.tolist(), clusters) == (2, 0.75, [1.0, 0.0], [("a",), ("b",)])


def test_directions_and_frequency_of_our_own_set(runs: list[Path]) -> None:
    found = read(runs)
    (sheet,) = directions.analysis(found, 0)
    assert {row[1] for row in sheet.rows} == {"all test", "directional test"}
    assert all(0 <= float(row[4] or 0) <= float(row[3] or 0) <= 1 for row in sheet.rows)
    assert all(float(row[5] or 0) <= float(row[4] or 0) <= float(row[6] or 0) for row in sheet.rows)
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
    assert cells["pairs judged"] == (30703, 545)
    assert cells["precision against the expert"] == (0.913, None)
    assert cells["questions"][1] == 42


def test_the_report_has_the_figure_and_the_claims(runs: list[Path], tmp_path: Path) -> None:
    report(runs, out=tmp_path, title="x", analyses=["figure2"], claims=True)
    (drawn,) = (tmp_path / "figures").glob("*figure2.svg")
    assert "precision" in drawn.read_text()
    pages = "".join(path.read_text() for path in tmp_path.glob("*.html"))
    assert "Figure 2: precision against recall" in pages
    claims = json.loads((tmp_path / "report.json").read_text())["claims"]
    asked = Counter(claim["systems"] for claim in claims if claim["systems"])
    assert asked == {"lemma on own": 1, "lemma, graph on own": 3}
