"""The tables name what is there; the printed figures, counted by hand."""

from __future__ import annotations

from proband.core.types import Answer, Item
from proband.suites.script import SUITE
from proband.suites.script.paper.tables import FIRST, TABLE4, fill_in, published, rows


def test_names_and_metrics() -> None:
    names = [table.name for table in SUITE.tables]
    assert len(set(names)) == len(names)
    metrics = {metric.name for metric in SUITE.metrics}
    assert {table.metric for table in SUITE.tables if table.of_scores} <= metrics
    assert tuple(table.metric for table in SUITE.tables[:5]) == FIRST
    assert SUITE.tables[0].metric == SUITE.metric().name  # the main metric has the first table


def test_alignments_are_counted_once() -> None:
    """A transducer has two runs in the study, and only one of them fills blanks."""
    table = next(table for table in SUITE.tables if table.metric == "alignment_length")
    assert table.where["run.solver"] == "answer"


def test_table_4_compares_the_surprisal_that_the_released_program_counts() -> None:
    assert dict(TABLE4.adjacent)["surprisal"] == "surprisal_released"
    assert {row["column"] for row in rows() if "surprisal" in row["column"]} == {"surprisal_released"}


def test_a_net_that_reads_a_part_of_a_text_fills_the_blanks_of_this_part() -> None:
    facts = {"concrete": ["use", "a", "whisk", "and", "a", "bowl"], "blanks": [[2, 3], [5, 6]]}
    item = Item(id="a", suite="script", prompt="", facts=facts)
    assert fill_in(item, Answer(item_id="a", blanks=({"guess": ["fork"]},))) == "use a [fork] and a bowl"


def test_every_figure_is_there() -> None:
    """Seven models by five columns in table 4, three splits by five figures in table 1, two lengths of alignments."""
    assert sum(row["table"] == "table4" for row in rows()) == 35
    assert sum(row["table"] == "table1" for row in rows()) == 15
    assert len(published()) == 2 * 37  # beside valid and test
    tuned = [row.value for row in published() if row.model == "gpt fine-tuned" and row.group["split"] == "test"]
    assert sorted(tuned) == [0.3105, 0.3801, 0.5705, 0.6369, 3.151]


def test_every_figure_stands_in_a_table() -> None:
    shown = {table.metric: table for table in SUITE.tables if table.of_scores}
    for figure in published():
        assert set(figure.group) == {*shown[figure.metric].rows, *shown[figure.metric].columns}
        assert figure.group["split"] in shown[figure.metric].order["split"]
