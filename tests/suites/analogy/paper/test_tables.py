"""The tables as data: their names, their tags, and what is derived of a relation."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from proband.suites.analogy import SUITE
from proband.suites.analogy.paper.tables import derive


def test_every_tag_of_a_table_is_one_of_an_item_derived_or_of_a_run(built: Any) -> None:
    items = [i for setting in ("zero-shot", "supervised") for i in built(setting=setting, per_relation=2)]
    tags = {name for item in items for name in (*item.tags, *derive(item.tags))}
    tags |= {
        "split",
        "run.solver",
        *(f"run.{field.name}" for solver in SUITE.solvers for field in fields(solver.options)),
    }
    for table in SUITE.tables:
        used = {*table.rows, *table.columns, *table.where, *table.order, *([table.macro] if table.macro else [])}
        assert used <= tags, table.name
        assert SUITE.metric(table.metric).name == table.metric
    names = [table.name for table in SUITE.tables]
    assert len(set(names)) == len(names)
    assert all("run." not in "".join((*t.rows, *t.columns)) for t in SUITE.tables if t.always)


@pytest.mark.data
def test_what_the_paper_marks_in_bats(data: Path, built: Any) -> None:
    items = built(data=str(data / "bats"), per_relation=2)
    about = {str(item.tags["relation"]): derive(item.tags) for item in items}
    assert sum(tags["marked"] == "marked" for tags in about.values()) == 14
    assert sum(tags["kind"] == "semantic" for tags in about.values()) == 20
    assert sum(tags["bidirectional"] == "both ways" for tags in about.values()) == 2
    assert sum((tags["marked"], tags["kind"]) == ("unmarked", "semantic") for tags in about.values()) == 6
