"""Figure 2, directions and frequency over runs on our own set, and the report that holds them."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import cast

import numpy as np
import pytest

from proband.core.files import read_items
from proband.core.suite import Curve, Results
from proband.pipeline.build import build
from proband.pipeline.frames import run
from proband.pipeline.report import item_sets, report
from proband.pipeline.train import train
from proband.stats import Scores, estimator_of
from proband.suites.inference.curves import figure
from proband.suites.inference.curves.figure import HELPS, NEEDS_LEMMA, UNDER, precision_at
from proband.suites.inference.curves.measures import NORMALISED, difference, grouped, systems_of

ADDED = figure.HEADER.index("added")


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


def test_without_a_positive_pair_there_is_no_curve() -> None:
    scores = Scores.of(np.array([[0.5, 0.0], [0.1, 0.0]]), estimator=estimator_of(NORMALISED))
    assert figure.curve("lemma", scores) == Curve(name="lemma", points=())


def test_the_curve_starts_with_the_pairs_that_rules_accept(runs: list[Path]) -> None:
    (sheet,) = figure.figure(read(runs), 0)
    assert [row[0] for row in sheet.rows] == ["lemma", "lemma, graph", "lemma, baseline:random", "graph"]
    lemma, graph, random, _ = sheet.rows
    assert graph[4] == lemma[4] == random[4]  # all begin with what lemma accepts
    assert graph[ADDED] > 0
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
    assert "compared with graph" in needs.evidence


@pytest.mark.nightly
def test_a_sample_stands_beside_the_same_pairs(runs: list[Path], tmp_path: Path) -> None:
    """A run on 300 pairs: what it adds is measured on these."""
    run(runs[0].parent / "items", model="baseline:random", out=tmp_path / "few", options={"on-lemma": True}, limit=300)
    (whole,) = figure.figure(read([*runs[:2], tmp_path / "few"]), 0)
    scored_pairs = sum(item.split == "test" for item in read_items(runs[0].parent / "items"))
    assert [row[1] for row in whole.rows] == [scored_pairs] * 2 + [300]
    assert whole.curves is not None
    assert whole.curves.lines[2].name.endswith("n 300")
    few, every = read([tmp_path / "few"]), read(runs[:1])
    beside = difference(
        NORMALISED, grouped(few, systems_of(few)[0])["all"], grouped(every, systems_of(every)[0])["all"]
    )
    assert beside is not None
    assert round(beside.value, 4) == whole.rows[2][ADDED]


def test_the_note_describes_the_lines_that_are_there(tmp_path: Path) -> None:
    build("inference", out=tmp_path / "items", pairs=60)
    for name in ("lemma", "lemma-released", "direction"):
        run(tmp_path / "items", model=f"solver:{name}", out=tmp_path / name)
    few, more = (read([tmp_path / name for name in names]) for names in (["lemma"], ["lemma-released", "direction"]))
    (one,), (other,) = figure.figure(few, 0), figure.figure(more, 0)
    assert "(released)" not in one.note
    assert "should need" not in one.note
    assert "`lemma (released)` that of the authors' program" in other.note
    assert "should need: direction (which of the two is the question)." in other.note
    assert "needs a run of solver:lemma" in other.note


def test_two_nets_of_one_kind_have_two_names(tmp_path: Path) -> None:
    build("inference", out=tmp_path / "items", splits="test")
    triples = tmp_path / "triples.tsv"
    triples.write_text("".join(f"a{n}\tr{n % 4}\tb{n % 7}\n" for n in range(60)), "utf-8")
    for epochs in (1, 2):
        options = {"data": str(triples), "epochs": epochs, "min-count": 1}
        train(tmp_path / "items", net="relations", out=tmp_path / f"net{epochs}", options=options)
        run(tmp_path / "items", model=f"net:{tmp_path}/net{epochs}", out=tmp_path / "runs" / str(epochs))
    names = [system.method.name for system in systems_of(read([tmp_path / "runs" / "1", tmp_path / "runs" / "2"]))]
    assert len(set(names)) == 2


def test_a_curve_ends_where_no_threshold_reaches() -> None:
    """Rules: two points and the rest in one. Scores: up to the last."""
    truth = np.array([1, 1, 0, 1, 0, 1, 0, 1, 0, 1] * 4, dtype=float)
    names = [str(n) for n in range(40)]
    for score, last in ((np.repeat([2.0, 1.0, 0.0], [4, 6, 30]), 0.25), (-np.arange(40.0), 1.0)):
        records, clusters = np.column_stack([score, truth]), [(name,) for name in names]
        each = Scores.of(records, items=names, clusters=clusters, estimator=estimator_of(NORMALISED))
        line = figure.curve("x", each)
        assert line.points[-1][0] == pytest.approx(last)
        assert all(at <= last for at, _, _ in line.band)


def test_precision_at_a_recall() -> None:
    records = np.array([[4.0, 1], [3.0, 0], [2.0, 1], [1.0, 0]])
    assert [precision_at(records, np.ones(4), recall=r) for r in (0.5, 0.6, 1.0)] == pytest.approx([1, 2 / 3, 2 / 3])


@pytest.mark.nightly
def test_the_report_has_the_figure_and_the_claims(runs: list[Path], tmp_path: Path) -> None:
    report(runs, out=tmp_path, title="x", claims=True)  # the suite's figures are in every report
    (drawn,) = (tmp_path / "figures").glob("*figure2.svg")
    assert "precision" in drawn.read_text()
    pages = "".join(path.read_text() for path in tmp_path.glob("*.html"))
    assert "Figure 2: precision against recall" in pages
    claims = json.loads((tmp_path / "report.json").read_text())["claims"]
    asked = Counter(claim["systems"] for claim in claims if claim["systems"])
    # one each is of section 4.3: what these rules hide
    assert asked == {"lemma on own": 2, "lemma, graph on own": 4, "graph on own": 1}
