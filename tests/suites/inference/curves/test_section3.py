"""The counts of section 3 of the paper next to those of the items."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

import pytest

from proband.core.suite import Results
from proband.pipeline.build import build
from proband.pipeline.frames import run
from proband.pipeline.report import item_sets
from proband.suites.inference.curves.section3 import PAPER, counts_of, section3


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Results:
    folder = tmp_path_factory.mktemp("section3")
    build("inference", out=folder / "items")
    run(folder / "items", model="baseline:random", out=folder / "run")
    return cast(Results, item_sets([folder / "run"])[0])


def test_section_3_beside_ours(results: Results) -> None:
    (sheet,) = section3(results, 0)
    cells = {row[0]: row[1:] for row in sheet.rows}
    assert cells["pairs judged"] == (30703, 545)
    assert cells["precision against the expert"] == (0.913, None)
    assert cells["questions"][1] == 42
    assert cells.keys() >= PAPER.keys(), "what the paper counts is there, also where these items cannot say it"


def test_items_under_a_control_have_no_such_counts(results: Results) -> None:
    changed: Any = replace(results, manifest={**results.manifest, "options": {"control": "random-premise"}})  # type: ignore[type-var]
    assert section3(changed, 0) == ()


def test_items_that_do_not_come_from_judgments_have_only_their_labels() -> None:
    counts = counts_of({"questions": 9, "labels": {"entailed": 3, "not entailed": 4}})
    assert {name: count for name, count in counts.items() if count is not None} == {
        "questions": 9,
        "pairs kept": 7,
        "entailed": 3,
        "not entailed": 4,
    }
