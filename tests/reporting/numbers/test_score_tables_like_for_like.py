"""Published figures: beside the same data alone, and with a footnote in every format where something else differs."""

from __future__ import annotations

import csv
import dataclasses
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from proband.core.suite import Published
from proband.reporting.numbers.score_tables import ScoreTable, fill
from proband.reporting.numbers.study import ItemSet, Study
from proband.reporting.tables import comma_separated, latex, markdown
from proband.reporting.write import write_report

MakeSet = Callable[..., ItemSet]


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
