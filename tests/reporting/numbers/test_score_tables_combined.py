"""Table 4 on one page: ours below the published figures, training seeds of one net in one line."""

from __future__ import annotations

from proband.core.types import Answer, Item, Run
from proband.reporting.numbers.score_tables import combined_table
from proband.reporting.numbers.study import AnsweredRun, ItemSet, Study
from proband.suites.script import SUITE
from proband.suites.script.paper.tables import BY_BLANK, KIDSCOOK, TABLE4


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
