"""Tables of scores against plain counts, with published figures and without; several tables as one."""

from __future__ import annotations

import csv
import dataclasses
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from proband.core.metrics import Estimate, Metric
from proband.core.metrics import accuracy_of as accuracy
from proband.core.suite import MeasuredOn, Published, Table
from proband.core.types import Answer, Item, Run
from proband.reporting.numbers.score_tables import Key, ScoreTable, combined_table, fill
from proband.reporting.numbers.study import AnsweredRun, ItemSet, Study
from proband.reporting.page.page import panel
from proband.reporting.tables import comma_separated, latex, markdown
from proband.reporting.write import write_report
from proband.suites.script import SUITE
from proband.suites.script.paper.tables import BY_BLANK, KIDSCOOK, TABLE4

MakeSet = Callable[..., ItemSet]


def rows_of(table: ScoreTable) -> list[Key | None]:
    return [group[0][0] for group in table.groups]


def cell_of(table: ScoreTable, row: Key | None, column: Key, run: int) -> Estimate | None:
    (cells,) = (cells for key, label, *cells in table.rows if (key, label) == (row, table.labels[run]))
    cell = cells[table.columns.index(column)]
    assert cell is None or isinstance(cell, Estimate)
    return cell


def published_in(table: ScoreTable) -> set[tuple[Key | None, Key]]:
    return {
        (key, column)
        for key, _, *cells in table.rows
        for column, cell in zip(table.columns, cells)
        if isinstance(cell, Published)
    }


def test_a_tiny_example_by_hand(make_set: MakeSet) -> None:
    """Four items of two relations; one tie. right(a) = 1, 1/2; right(b) = 0, 1."""
    items = [
        Item(id=str(i), suite="analogy", prompt="?", choices=choices, gold=0, tags={"r": r, "k": 2})
        for i, (r, choices) in enumerate(
            [("a", ("x", "y")), ("a", ("x", "y")), ("b", ("x", "y")), ("b", ("x", "y", "z", "w"))]
        )
    ]
    scores = [(1.0, 0.0), (0.5, 0.5), (0.0, 1.0), (2.0, 1.0, 1.0, 1.0)]
    answers = [Answer(item_id=str(i), scores=s) for i, s in enumerate(scores)]
    base = make_set(8, models=("embedded:mlm",))
    loaded = dataclasses.replace(base, items_from=items, answered=[AnsweredRun(run=base.runs[0], answers=answers)])
    table = fill(Study(loaded), Table(name="t", title="T", rows=("r",), columns=("k",)))
    assert rows_of(table) == [("a",), ("b",), None]
    a, b, both = table.filled
    assert (a.mean, b.mean, both.mean) == (0.75, 0.5, 0.625)
    assert (a.chance, b.chance, both.chance) == (0.5, 0.375, 0.4375)
    assert (both.n, both.clusters) == (4, 4)


def test_every_cell_agrees_with_a_plain_count(make_set: MakeSet) -> None:
    loaded = make_set(400)
    study = Study(loaded)
    table = fill(study, loaded.suite.tables[0])
    for run in range(len(loaded.answered)):
        for group, probe in [("ES", "reverse"), ("IM", "type")]:
            right = [
                accuracy(item, answer)
                for item, answer in zip(loaded.items(), loaded.raw_answers(run))
                if item.tags["group"] == group and item.tags["probe"] == probe
            ]
            cell = cell_of(table, (group,), (probe,), run)
            assert cell
            assert cell.mean == pytest.approx(sum(x for x in right if x is not None) / len(right))
            assert cell.n == len(right)


def test_published_figures_stand_where_their_tags_match(make_set: MakeSet) -> None:
    loaded = make_set(200)

    def figure(**group: str | int) -> Published:
        on = MeasuredOn(data="planted", fingerprints=frozenset({"planted"}))
        return Published(model="them", metric="accuracy", group=group, value=0.5, source="here", on=on)

    figures = [
        figure(group="ES", probe="type"),
        figure(probe="type"),
        figure(group="ES"),
        figure(group="LS", probe="type", k=2),
    ]
    suite = dataclasses.replace(loaded.suite, published=lambda: figures)
    study = Study(dataclasses.replace(loaded, suite=suite))
    table = Table(name="t", title="T", rows=("group",), columns=("probe",))
    plain, within = fill(study, table), fill(study, dataclasses.replace(table, where={"k": 2}))
    assert published_in(plain) == {(("ES",), ("type",)), (None, ("type",))}
    assert (("LS",), ("type",)) in published_in(within)
    assert cell_of(within, None, ("type",), 0) != cell_of(plain, None, ("type",), 0)


def test_rows_and_columns_keep_the_tables_order(make_set: MakeSet) -> None:
    study = Study(make_set(200))
    layout = Table(name="t", title="T", rows=("group",), columns=("k",), order={"group": ("LS", "ES")})
    table = fill(study, layout)
    assert rows_of(table) == [("LS",), ("ES",), ("DM",), ("IM",), None]
    assert table.columns == ((2,), (3,), (4,), (5,), (6,))
    assert table.numeric
    assert fill(study, Table(name="t", title="T", rows=("absent",), columns=("k",))).rows == ()


def test_tags_of_runs_can_be_columns(make_set: MakeSet) -> None:
    base = make_set(120, models=("embedded:mlm", "embedded:glove"))
    answered = [
        AnsweredRun(run=msgspec.structs.replace(each.run, settings={"template": template}), answers=each.answers)
        for each in base.answered
        for template in ("T1", "T2")
    ]
    study = Study(dataclasses.replace(base, answered=answered))
    assert len(study.system_labels) == 4
    table = fill(study, Table(name="t", title="T", rows=("probe",), columns=("run.template",)))
    assert table.labels == ("embedded:mlm", "embedded:glove")
    assert table.columns == (("T1",), ("T2",))
    assert not table.by_system
    assert all(None not in row[2:] for row in table.rows)
    only = fill(study, Table(name="t", title="T", rows=("run.template",), columns=("k",), where={"k": (2, 3)}))
    assert rows_of(only) == [("T1",), ("T2",)]
    assert only.columns == ((2,), (3,))


def test_the_best_is_the_lowest_where_low_is_better(make_set: MakeSet) -> None:
    surprisal = Metric(name="surprisal", of=lambda item, answer: -answer.scores[item.gold], unit="nats", better="low")
    base = make_set(200, models=("embedded:mlm", "baseline:random"))
    items = dataclasses.replace(base, suite=dataclasses.replace(base.suite, metrics=(surprisal,)))
    study = Study(items)
    table = fill(study, Table(name="t", title="T", rows=(), columns=(), metric="surprisal"))
    lines = panel(table)["bodies"][0]["lines"]
    bold = [line["label"] for line in lines if "best" in line["cells"][0]["classes"]]
    assert bold == [min(zip(table.filled, table.labels), key=lambda each: each[0].mean)[1]]
    assert table.unit == "surprisal ↓, nats, test items, 95 % intervals"
    assert table.filled[0].chance is None


# ---- published figures: beside the same data alone, with a footnote where something else differs ---------------------


def changed(items: ItemSet, *, times: int | None = None, **manifest: Any) -> ItemSet:
    """The set with another manifest, and published figures of so many times its questions (of half of them: 0)."""
    every = list(items.items())

    def questions(figure: Published) -> int | None:
        here = sum(all(item.tags.get(name) == value for name, value in figure.group.items()) for item in every)
        return None if times is None else here * times if times else here // 2

    figures = [
        dataclasses.replace(figure, on=dataclasses.replace(figure.on, questions=questions(figure)))
        for figure in items.suite.published()
    ]
    suite = dataclasses.replace(items.suite, published=lambda: figures)
    return dataclasses.replace(items, suite=suite, manifest={**items.manifest, **manifest})


def table_of(items: ItemSet) -> ScoreTable:
    return fill(Study(items, seed=0), items.suite.tables[0])


@pytest.fixture(scope="module")
def items(make_set: MakeSet) -> ItemSet:
    return make_set(160, models=("embedded:mlm", "embedded:glove"))


def test_the_same_data_and_construction_stand_side_by_side_without_a_mark(items: ItemSet) -> None:
    table = table_of(changed(items, times=1))
    assert table.published
    assert not any(table.differs.values())
    assert "differ" not in markdown(table)


@pytest.mark.parametrize("manifest", [{"fingerprint": "another"}, {"fingerprint": None}])
def test_beside_other_data_there_are_no_published_figures(items: ItemSet, manifest: dict[str, Any]) -> None:
    table = table_of(changed(items, **manifest))
    assert not table.published
    assert "Table 3" not in markdown(table) + latex(table) + comma_separated(table)


def test_another_construction_and_fewer_questions_are_footnotes_in_every_format(items: ItemSet, tmp_path: Path) -> None:
    other = changed(items, times=10, conditions={"negatives": "made up"})
    table = table_of(other)
    words = ["negatives: made up, published as printed", "10 % of the questions of the published rows"]
    both = "embedded:mlm, embedded:glove differ from the published figures: "
    assert table.notes[1:] == [f"{both}{note}." for note in words]
    assert f"{both}{words[0]}" in markdown(table)
    assert r"figures: 10 \% of the questions" in latex(table)
    rows = list(csv.DictReader(io.StringIO(comma_separated(table))))
    marked = {row["differs"] for row in rows if row["kind"] == "ours" and row["group"] == "ES"}
    assert marked == {"; ".join(words)}
    assert {row["differs"] for row in rows if row["kind"] == "published"} == {""}
    write_report([other], out=tmp_path)
    page = "".join(path.read_text("utf-8") for path in tmp_path.glob("*.html")).replace("<wbr>", "")
    assert f"{both}10 % of the questions" in page
    written = json.loads((tmp_path / "report.json").read_text("utf-8"))["sets"][0]["tables"][1]
    assert words in [each.get("differs") for each in written["estimates"]]
    assert written["published"][0]["on"]["questions"] % 10 == 0


def test_rows_without_published_neighbours_carry_no_mark(items: ItemSet) -> None:
    table = table_of(changed(items, conditions={"negatives": "made up"}))
    assert {key for (key, _), notes in table.differs.items() if notes} == {("ES",), ("LS",)}


def test_more_questions_are_other_questions(items: ItemSet) -> None:
    (_, note, *_) = table_of(changed(items, times=0)).notes
    assert note.endswith("times the questions of the published rows: others are among them.")


# ---- Table 4 on one page: ours below the published figures, training seeds of one net in one line --------------------


def study(category: str) -> Study:
    """A net trained twice, once right and once wrong, and a baseline, on a text of valid and one of test."""
    items = [
        Item(
            id=split,
            suite="script",
            prompt="",
            tags={"category": category, "split": split, "asked": True},
            facts={"kinds": ["tool"], "clusters": [split]},
            split=split,
        )
        for split in ("valid", "test")
    ]

    def run(net: str, seed: int, word: str) -> AnsweredRun:
        record = {"gold": ["knife"], "oracle": [word], "guess": [word], "surprisals": [seed + 1.0]}
        record |= {"top5": [[word, "pot"]], "greedy_top5": [["pot", "knife"]]}
        note = {"net": net, "seed": seed} if net else {}
        made = Run(suite="script", solver="answer", model=f"net:{net or 'none'}", seed=0, items_sha="", net=note)
        return AnsweredRun(run=made, answers=[Answer(item_id=item.id, blanks=(record,)) for item in items])

    answered = (run("", 3, "pot"), run("lm", 0, "knife"), run("lm", 1, "pot"))
    manifest = {"fingerprint": next(iter(KIDSCOOK)), "conditions": {"blanks": "as released"}}
    return Study(ItemSet(suite=SUITE, items_from=items, answered=answered, manifest=manifest), SUITE.metrics, seed=0)


def test_ours_stand_below_the_published() -> None:
    (sheet,) = combined_table(study("kidscook"), TABLE4)
    assert sheet.header == ("model", "split", *TABLE4.adjacent, "runs")
    assert ("published: transducer", "test", 24.72, 55.09, 24.91, 47.8, 4.78, None) in sheet.rows[:14]
    assert sheet.rows[14:] == (
        ("net:none", "valid", 0.0, 0.0, 0.0, 100.0, 4.0, 1),
        ("net:none", "test", 0.0, 0.0, 0.0, 100.0, 4.0, 1),
        ("net:lm", "valid", 50.0, 50.0, 50.0, 100.0, 1.5, 2),
        ("net:lm", "test", 50.0, 50.0, 50.0, 100.0, 1.5, 2),
    )
    few = "% of the questions of the published rows."  # of 4,603 blanks and of 5,661 words
    both = "net:none, net:lm differ from the published figures:"
    assert sheet.note.endswith(f"{both} 0.0217 {few} {both} 0.0177 {few}")
    assert len(combined_table(study("cooking"), TABLE4)[0].rows) == 4  # nothing was published about another corpus


def test_a_measure_that_does_not_apply_is_an_empty_cell() -> None:
    (sheet,) = combined_table(study("kidscook"), BY_BLANK)
    cells = dict(zip(sheet.header, sheet.rows[-1]))
    assert (cells["tool"], cells["1 word"], cells["unit"], cells["runs"]) == (50.0, 50.0, None, 2)
