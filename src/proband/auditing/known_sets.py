"""Forms of rows of data sets that others have made, whose world is known: StepGame, bAbI."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from proband.auditing.rows import AuditRow, RowFormat, table_row

STEPGAME_QUESTION: Final = re.compile(r"What is the relation of the agent \S+ to the agent \S+\?")
BABI_CELLS: Final = {"story", "question", "answer", "task"}
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


def _is_babi(task: str) -> Callable[[Mapping[str, Any]], bool]:
    return lambda cells: cells.keys() == BABI_CELLS and cells["task"] == task


FORMATS: Final = (
    RowFormat("StepGame", _is_stepgame, _stepgame_row, "grid", "unit", templates=True),
    *(
        RowFormat(f"bAbI task {task}", _is_babi(task), _babi_row, domain, world)
        for task, (domain, world) in BABI_WORLDS.items()
    ),
)
