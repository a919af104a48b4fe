"""The tables name what is there."""

from __future__ import annotations

from proband.suites.script import SUITE
from proband.suites.script.paper.tables import FIRST


def test_names_and_metrics() -> None:
    names = [table.name for table in SUITE.tables]
    assert len(set(names)) == len(names)
    metrics = {metric.name for metric in SUITE.metrics}
    assert {table.metric for table in SUITE.tables} <= metrics
    assert tuple(table.metric for table in SUITE.tables[:5]) == FIRST
    assert SUITE.tables[0].metric == SUITE.metric().name  # the main metric has the first table


def test_alignments_are_counted_once() -> None:
    """A transducer has two runs in the study, and only one of them fills blanks."""
    table = next(table for table in SUITE.tables if table.metric == "alignment_length")
    assert table.where["run.solver"] == "answer"
