"""Forms of rows of data sets that others have made, whose world is known: StepGame, bAbI."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from proband.auditing.rows import AuditRow, RowFormat, table_row

STEPGAME_QUESTION: Final = re.compile(r"What is the relation of the agent \S+ to the agent \S+\?")
BABI_FILE: Final = "babi task"  # a column that `rows` adds to rows of bAbI's files
BABI_WORLDS: Final = {
    "4": ("grid", "half-plane"),
    "17": ("grid", "half-plane"),
    "18": ("sizes", ""),
    "19": ("grid", "unit"),
}


def _is_stepgame(cells: Mapping[str, Any]) -> bool:
    question = cells.get("question")
    same = cells.keys() >= {"story", "question", "label"} and isinstance(cells["story"], list)
    return same and isinstance(question, str) and STEPGAME_QUESTION.fullmatch(question.strip()) is not None


def _stepgame_row(place: Mapping[str, Any], cells: Mapping[str, Any]) -> AuditRow:
    return table_row(place, cells, {"text": "story", "question": "question", "answer": "label"})


def _babi_row(place: Mapping[str, Any], cells: Mapping[str, Any]) -> AuditRow:
    return table_row(place, cells, {"text": "story", "question": "question", "answer": "answer"})


FORMATS: Final = (
    RowFormat("StepGame", _is_stepgame, _stepgame_row, "grid", "unit", templates=True),
    *(
        RowFormat(f"bAbI task {task}", lambda cells, task=task: cells.get(BABI_FILE) == task, _babi_row, *domain)  # type: ignore[misc]
        for task, domain in BABI_WORLDS.items()
    ),
)
