"""Reading runs back: which folders hold one, the items it answered, its answers."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from proband.core.errors import ProbandError
from proband.core.files import items_path, read_answers, sha256_file
from proband.core.types import Answer, Item, Run


def run_folders(paths: Sequence[str | Path]) -> list[Path]:
    """The run folders among and directly below the given ones."""
    found: list[Path] = []
    for path in map(Path, paths):
        if (path / "run.json").exists():
            found.append(path)
        elif path.is_dir():
            below = sorted(note.parent for note in path.glob("**/run.json"))
            if not below:
                raise ProbandError("holds no run; `proband run` makes one", file=path)
            found.extend(below)
        else:
            raise ProbandError("no such folder", file=path)
    return found


def items_of(folder: Path, note: Run, named: str | Path | None = None) -> Path:
    """The items a run answered: where it says they are, or where the user says; checked by their hash."""
    place = Path(named) if named is not None else Path(os.path.normpath(folder / note.items))
    path = items_path(place)
    if sha256_file(path) != note.items_sha:
        raise ProbandError(f"these are not the items that {folder} answered (their sha256 differs)", file=path)
    return path


def answers_of(folder: Path, items: Sequence[Item], note: Run) -> list[Answer]:
    """The answers of a finished run, one per item it was to answer."""
    path = folder / "answers.jsonl"
    if not path.exists():
        raise ProbandError("no such file; the run has not begun to answer", file=path)
    answers = read_answers(path)
    limit = note.settings.get("limit")
    wanted = items[: int(limit)] if limit is not None else items
    if len(answers) < len(wanted):
        raise ProbandError(
            f"holds {len(answers)} of {len(wanted)} answers: give the `proband run` command again", file=path
        )
    for line, (item, answer) in enumerate(zip(wanted, answers, strict=True), start=1):
        if item.id != answer.item_id:
            raise ProbandError(f"answers {answer.item_id!r} where {item.id!r} was asked", file=path, line=line)
        if item.choices and answer.scores and len(answer.scores) != len(item.choices):
            raise ProbandError(f"{len(answer.scores)} 'scores' for {len(item.choices)} choices", file=path, line=line)
    return answers
