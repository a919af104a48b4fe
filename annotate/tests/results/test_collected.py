"""Disputes: parts that are complete and on which the votes differ."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from proband_annotate.results.collected import disputed
from proband_annotate.results.reading import collected

if TYPE_CHECKING:
    from annotate.tests.visitors import simulate, three_questions
else:
    from visitors import simulate, three_questions


def test_disputes_are_complete_and_split(tmp_path: Path) -> None:
    """The rule of judgments needs four of five: with two of five answers all is open, and nothing is disputed."""
    folder = three_questions(tmp_path, people={"overlap": 5})

    def answer_as(worker: str, unit: dict[str, Any]) -> dict[str, Any]:
        names = [candidate["id"] for candidate in unit["body"]["candidates"]]
        odd = sorted({worker, *answer_as.known})[0] == worker if answer_as.known else True  # type: ignore[attr-defined]
        answer_as.known.add(worker)  # type: ignore[attr-defined]
        return {"labels": {name: "no" if place == 0 and odd else "yes" for place, name in enumerate(names)}}

    answer_as.known = set()  # type: ignore[attr-defined]
    simulate(folder, answer_as, people=2)
    found = collected(folder)
    assert len(found.counted()) == 6
    assert all(label is None for label in found.labels.values())
    assert disputed(found, most=200) == []
    simulate(folder, answer_as, people=5)
    rows = disputed(collected(folder), most=200)
    assert all(len(row["votes"]) > 1 for row in rows)
    assert len(rows) <= 3, "those of the first candidate of each question at most"
