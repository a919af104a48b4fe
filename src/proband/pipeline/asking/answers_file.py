"""answers.jsonl as it grows: chunks of items, checked answers, lines that survive a kill."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

from proband.core.errors import ProbandError
from proband.core.files import decode, encode, inconsistent, naming
from proband.core.types import Answer, Item

CHUNK = 256  # items answered between two writes, where the model does not ask for fewer
FLUSH = 1.0  # seconds between two flushes to the disk


def count_lines(path: Path) -> int:
    with open(path, "rb") as file:
        return sum(block.count(b"\n") for block in iter(lambda: file.read(1 << 20), b""))


def chunks(items: Iterator[Item], done: int, *, size: int, whole: bool) -> Iterator[Sequence[Item]]:
    """The items not answered yet, a chunk at a time; all at once for a solver that must see them together."""
    if whole:
        yield list(items)
        return
    for _ in islice(items, done):
        pass
    while chunk := list(islice(items, size)):
        yield chunk


def check_answers(items: Sequence[Item], answers: Sequence[Answer], *, solver: str) -> None:
    """One answer per item, in order, a finite score per choice: a solver that breaks this is stopped here."""
    if len(answers) != len(items):
        raise ProbandError(f"solver {solver} gave {len(answers)} answers for {len(items)} items")
    for item, answer in zip(items, answers, strict=True):
        if answer.item_id != item.id:
            raise ProbandError(f"solver {solver} answered {answer.item_id!r} where {item.id!r} was asked")
        if item.choices and answer.scores and len(answer.scores) != len(item.choices):
            raise ProbandError(f"{item.id}: {len(answer.scores)} scores for {len(item.choices)} choices")
        if wrong := inconsistent(answer):
            raise ProbandError(f"solver {solver}, item {item.id!r}: {wrong}")


@contextmanager
def answers_file(path: Path) -> Iterator[Any]:
    """`append(answers)` writes lines that a killed process leaves behind whole or torn, never out of order; they are
    flushed to the disk about once a second and at the end."""
    with naming(path), open(path, "ab") as file:
        flushed = time.monotonic()

        def append(answers: Sequence[Answer]) -> None:
            nonlocal flushed
            file.write(b"".join(encode(answer) + b"\n" for answer in answers))
            file.flush()
            if time.monotonic() - flushed > FLUSH:
                os.fsync(file.fileno())
                flushed = time.monotonic()

        try:
            yield append
        finally:
            file.flush()
            os.fsync(file.fileno())


def keep_whole_chunks(path: Path, items: Iterator[Item], *, total: int, size: int, whole: bool) -> int:
    """Cut a half-written tail off answers.jsonl; returns how many items are answered.

    A line counts if it parses and answers the item at its place; whole chunks of such lines are kept.
    """
    if not path.exists():
        return 0
    done, length, kept = 0, 0, (0, 0)
    with open(path, "rb") as file:
        for item, line in zip(items, file, strict=False):
            if not _answers(line, item):
                break
            done, length = done + 1, length + len(line)
            if done == total or (not whole and done % size == 0):
                kept = (done, length)
    os.truncate(path, kept[1])
    return kept[0]


def _answers(line: bytes, item: Item) -> bool:
    try:
        return line.endswith(b"\n") and decode(Answer, line, file="answers").item_id == item.id
    except ProbandError:
        return False
