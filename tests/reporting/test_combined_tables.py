from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path

import pytest

from proband.reporting import ItemSet, write_report
from proband.reporting.combined_tables import across_suites
from proband.reporting.numbers.cells import Study


@pytest.fixture
def both(make_set: Callable[..., ItemSet]) -> list[ItemSet]:
    """Two suites that share a relation, and a model."""
    probes, stories = (make_set(240, models=models) for models in (("m", "only-here"), ("m", "baseline:random")))
    first = dataclasses.replace(probes.suite, relations={"capital": {"relation": "capital"}}, shown_as="as a probe")
    second = dataclasses.replace(
        stories.suite,
        name="story",
        relations={"capital": {"k": (2, 3)}, "part : whole": {"k": 4}},
        shown_as="in a story",
    )
    return [dataclasses.replace(probes, suite=first), dataclasses.replace(stories, suite=second)]


def test_a_line_per_relation_and_model_that_two_suites_have(both: list[ItemSet]) -> None:
    studies = [Study(items, key=items.suite.name) for items in both]
    sheet = across_suites(studies)
    assert sheet is not None
    assert sheet.header[2:] == (
        "as a probe (analogy, accuracy, test items)",
        "in a story (story, accuracy, test items)",
    )
    assert [row[:2] for row in sheet.rows] == [("capital", "m")]
    for study, shown in zip(studies, sheet.rows[0][2:]):
        cell = study.cell(study.main, study.items.suite.relations["capital"])[0]
        assert cell is not None
        assert str(shown).startswith(f"{100 * cell.estimate.mean:.1f} ")
        assert str(shown).endswith("chance 50.0")
    assert across_suites(studies[:1]) is None


def test_it_stands_in_the_overview_and_in_files(both: list[ItemSet], tmp_path: Path) -> None:
    write_report(both, out=tmp_path)
    assert 'id="relations"' in (tmp_path / "index.html").read_text("utf-8")
    assert "as a probe" in (tmp_path / "tables" / "relations.csv").read_text("utf-8")
