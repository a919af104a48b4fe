"""Reading runs back: which folders hold one, the items it answered, its answers beside them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

from proband.core.errors import ProbandError
from proband.core.files import items_path, read_answers, read_items, sha256_file
from proband.core.types import Answer, Item, Run

PathLike = str | Path


def run_folders(paths: Sequence[PathLike]) -> list[Path]:
    """The run folders among and below the given ones, each once."""
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
    return list({os.path.realpath(folder): folder for folder in found}.values())


def items_of(folder: Path, run: Run, named: PathLike | None = None) -> Path:
    """The items a run answered: where run.json says they are, or where the user says; checked by their hash."""
    place = Path(named) if named is not None else Path(os.path.normpath(folder / run.items))
    path = items_path(place)
    if sha256_file(path) != run.items_sha:
        raise ProbandError(f"these are not the items that {folder} answered (their sha256 differs)", file=path)
    return path


def answered(folder: Path, items: Path, run: Run) -> Iterator[tuple[Item, Answer]]:
    """Every item of a finished run with its answer, as a stream."""
    path = folder / "answers.jsonl"
    if not path.exists():
        raise ProbandError("no such file; the run has not begun to answer", file=path)
    limit = run.settings.get("limit")
    asked = islice(read_items(items), None if limit is None else int(limit))
    answers = read_answers(path)
    count = 0
    for count, item in enumerate(asked, start=1):
        answer = next(answers, None)
        if answer is None:
            raise ProbandError(
                f"holds {count - 1} answers, fewer than the items: give the `proband run` command again", file=path
            )
        if item.id != answer.item_id:
            raise ProbandError(f"answers {answer.item_id!r} where {item.id!r} was asked", file=path, line=count)
        if item.choices and answer.scores and len(answer.scores) != len(item.choices):
            raise ProbandError(f"{len(answer.scores)} 'scores' for {len(item.choices)} choices", file=path, line=count)
        yield item, answer
    if next(answers, None) is not None:
        raise ProbandError("holds more answers than there are items", file=path, line=count + 1)
