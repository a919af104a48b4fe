"""Forms of rows of data sets that others have made, whose world is known: StepGame, bAbI."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final

from proband.proof.rows import AuditRow, RowFormat, table_row

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


def _is_babi(task: str) -> Callable[[Mapping[str, Any]], bool]:
    return lambda cells: cells.keys() == BABI_CELLS and cells["task"] == task


def _row(answer: str) -> Callable[..., AuditRow]:
    return partial(table_row, columns={"text": "story", "question": "question", "answer": answer})


FORMATS: Final = (
    RowFormat("StepGame", _is_stepgame, _row("label"), "grid", "unit", templates=True),
    *(
        RowFormat(f"bAbI task {task}", _is_babi(task), _row("answer"), domain, world, templates=True)
        for task, (domain, world) in BABI_WORLDS.items()
    ),
)
