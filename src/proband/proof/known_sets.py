"""Row formats of published data sets whose world is known: StepGame, bAbI."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial
from typing import Any, Final

from proband.proof.rows import RowFormat, table_row

STEPGAME_QUESTION: Final = re.compile(r"What is the relation of the agent \S+ to the agent \S+\?")
COLUMNS: Final = {"text": "story", "question": "question", "answer": "answer"}
BABI_WORLDS: Final = {
    "4": ("grid", "half-plane"),
    "17": ("grid", "half-plane"),
    "18": ("sizes", "boxes"),
    "19": ("grid", "unit"),
}


def _is_stepgame(cells: Mapping[str, Any]) -> bool:
    question = cells.get("question")
    same = cells.keys() >= {"story", "question", "label"} and isinstance(cells["story"], list)
    return same and isinstance(question, str) and STEPGAME_QUESTION.fullmatch(question.strip()) is not None


def _is_babi(task: str, cells: Mapping[str, Any]) -> bool:
    return cells.keys() == {*COLUMNS.values(), "task"} and bool(cells["task"] == task)


FORMATS: Final = (
    RowFormat(
        "StepGame", _is_stepgame, partial(table_row, columns=COLUMNS | {"answer": "label"}), "grid", "unit", True
    ),
    *(
        RowFormat(f"bAbI task {task}", partial(_is_babi, task), partial(table_row, columns=COLUMNS), *about, True)
        for task, about in BABI_WORLDS.items()
    ),
)
