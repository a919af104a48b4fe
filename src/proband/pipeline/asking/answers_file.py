"""answers.jsonl as it grows: in the order of the items, whatever order the answers come in.

An answer that comes before its turn waits in answers.waiting.jsonl until those before it are there. Both files are
flushed to the disk about once a second and at the end, however the run ends; when every item is answered the second
file is gone and the first has the same bytes as after any other order. A kill leaves lines that are whole or torn, and
`keep_whole_chunks` cuts off what is torn.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

from proband.core.errors import ProbandError
from proband.core.files import atomic, decode, encode, naming, parse, told_of
from proband.core.types import Answer, Item

CHUNK = 256  # items answered between two writes, where the model does not ask for fewer
FLUSH = 1.0  # seconds between two flushes to the disk
ANSWERS, WAITING = "answers.jsonl", "answers.waiting.jsonl"


def count_lines(path: Path, *, torn: bool = True) -> int:
    """Lines; `torn`: a last one without an end too."""
    count, last = 0, b"\n"
    with open(path, "rb") as file:
        for block in iter(lambda: file.read(1 << 20), b""):
            count, last = count + block.count(b"\n"), block[-1:]
    return count + (torn and last != b"\n")


def chunks(items: Iterator[Item], done: int, *, size: int, whole: bool) -> Iterator[Sequence[Item]]:
    """The items not answered yet, a chunk at a time; all at once for a solver that must see them together."""
    if whole:
        yield list(items)
        return
    for _ in islice(items, done):
        pass
    while chunk := list(islice(items, size)):
        yield chunk


class AnswersFile:
    """`put(number, answers)` takes the answers to chunk `number` (from 0, those after what was kept), in any order."""

    def __init__(self, folder: Path) -> None:
        self.path, self.waiting_path = folder / ANSWERS, folder / WAITING
        self.waiting: dict[int, Sequence[Answer]] = {}
        self.next = 0
        self.changed, self.flushed = False, time.monotonic()
        self.file = open(self.path, "ab")  # noqa: SIM115 (closed by __exit__)

    def __enter__(self) -> AnswersFile:
        return self

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        with naming(self.path), self.file:
            if not isinstance(error, OSError):  # a full disk is full for what waits, too: the first error is told
                self.flush()

    def put(self, number: int, answers: Sequence[Answer]) -> None:
        self.waiting[number], self.changed = answers, True
        while (turn := self.waiting.get(self.next)) is not None:
            with naming(self.path):
                self.file.write(b"".join(encode(answer) + b"\n" for answer in turn))
            del self.waiting[self.next]  # an interrupt just before leaves the answer in both files
            self.next += 1
        with naming(self.path):
            self.file.flush()

    def tick(self) -> bool:
        """Flush if it is time to; whether it was."""
        if time.monotonic() - self.flushed < FLUSH:
            return False
        self.flush()
        return True

    def flush(self) -> None:
        self.flushed = time.monotonic()
        if not self.changed:
            return
        with naming(self.path):
            self.file.flush()
            os.fsync(self.file.fileno())  # first what is in order: an answer may stand in both files, never in none
        if self.waiting:
            with atomic(self.waiting_path, mode="wb") as file:
                file.writelines(encode(answer) + b"\n" for _, each in sorted(self.waiting.items()) for answer in each)
        else:
            self.waiting_path.unlink(missing_ok=True)
        self.changed = False


# ---- what an earlier process left ----------------------------------------------------------------------------------


def keep_whole_chunks(path: Path, items: Iterator[Item], *, total: int, size: int, whole: bool) -> tuple[int, int]:
    """Cut a half-written tail off answers.jsonl; returns how many items are answered, and how many of them with an
    error.

    A line counts if it parses and answers the item at its place; whole chunks of such lines are kept.
    """
    if not path.exists():
        return 0, 0
    done, length, errors, kept = 0, 0, 0, (0, 0, 0)
    with open(path, "rb") as file:
        for item, line in zip(items, file, strict=False):
            answer = _answer(line)
            if answer is None or answer.item_id != item.id:
                break
            done, length, errors = done + 1, length + len(line), errors + (answer.status == "error")
            if done == total or (not whole and done % size == 0):
                kept = (done, length, errors)
    os.truncate(path, kept[1])
    return kept[0], kept[2]


def waiting_answers(folder: Path) -> dict[str, Answer]:
    """The answers that came before their turn, by item."""
    try:
        lines = (folder / WAITING).read_bytes().splitlines(keepends=True)
    except FileNotFoundError:
        return {}
    return {answer.item_id: answer for line in lines if (answer := _answer(line)) is not None}


def answers_so_far(folder: Path) -> dict[str, Answer]:
    """What a run that may still be running has answered, by item; its last line may be half written."""
    path = folder / ANSWERS
    with told_of(path), open(path, "rb") as file:
        lines = [(number, line) for number, line in enumerate(file, start=1) if line.endswith(b"\n")]
    in_order = [parse(Answer, line, file=path, line=number) for number, line in lines]
    return {**waiting_answers(folder), **{answer.item_id: answer for answer in in_order}}


def _answer(line: bytes) -> Answer | None:
    """The answer on a line, if the line is whole."""
    try:
        answer: Answer = decode(Answer, line, file="answers")
    except ProbandError:
        return None
    return answer if line.endswith(b"\n") else None
