"""Items in, answers out: a model answers the items of a folder through one of the suite's solvers.

A run is a folder: run.json says what ran on what, answers.jsonl grows a chunk of items at a time and is complete when
it has one answer per item. The same command given again goes on where it stopped; the bytes are those of an
uninterrupted run, because a chunk is always the same items and the model's batches depend on the chunk alone. Items are
read as a stream: memory does not grow with their number, except for solvers that must see all of them at once.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from proband import suites
from proband.core.errors import ProbandError
from proband.core.files import (
    decode,
    dumps,
    encode,
    inconsistent,
    items_path,
    naming,
    parse,
    raw_lines,
    read_items,
    read_run,
    sha256_file,
    write_json,
)
from proband.core.options import read_options, settings
from proband.core.progress import Progress
from proband.core.suite import Suite
from proband.core.types import Answer, Item, Run
from proband.pipeline.asking.engines import answered
from proband.pipeline.asking.job import Job, RunOptions, reads
from proband.pipeline.asking.models import choose_solver, load_model
from proband.pipeline.asking.sampling import asked, picked
from proband.pipeline.versions import versions

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

CHUNK = 256  # items answered between two writes
FLUSH = 1.0  # seconds between two flushes to the disk


def run(items: str | Path, *, model: str | Any, out: str | Path, **how: Any) -> Run:
    """Answer the items with a model; the same call again resumes. `how` are the fields of RunOptions."""
    return Runner(items=Path(items), model=model, out=Path(out), how=RunOptions(**how)).run()


def first_item(items: str | Path) -> Item:
    path = items_path(Path(items))
    for number, raw in raw_lines(path):
        return parse(Item, raw, file=path, line=number)
    raise ProbandError("holds no items", file=path)


def suite_of(items: str | Path) -> Suite:
    """The suite that the first item of a folder names."""
    return suites.suite(first_item(items).suite)


class Runner:
    """One run: its suite, model, solver and options, settled before anything is asked."""

    def __init__(self, *, items: Path, model: str | Any, out: Path, how: RunOptions) -> None:
        first = first_item(items)
        self.items, self.out, self.how = items, out, how
        self.suite = suites.suite(first.suite)
        self.spec = model if isinstance(model, str) else None
        self.model = load_model(model, how.model_options, suite=self.suite) if isinstance(model, str) else model
        self.solver = choose_solver(self.suite, self.model, how.solver, setting=str(first.tags.get("setting", "")))
        self.options: Any = read_options(self.solver.options, how.options, of=f"solver {self.solver.name}")
        if how.limit is not None and how.limit < 1:
            raise ProbandError(f"'limit' is {how.limit}; it must be at least 1")

    @cached_property
    def chosen(self) -> NDArray[np.bool_] | None:
        """Which lines of the items are asked, where `limit` leaves some out."""
        if self.how.limit is None:
            return None
        return asked(self.items, suite=self.suite, limit=self.how.limit, training=self.solver.whole)

    @property
    def total(self) -> int:
        return count_lines(items_path(self.items)) if self.chosen is None else int(self.chosen.sum())

    def described(self) -> Run:
        """The run.json of this run."""
        limit = {} if self.chosen is None else {"limit": self.how.limit, "asked": self.total}
        return Run(
            suite=self.suite.name,
            solver=self.solver.name,
            model=self.model.name,
            seed=self.how.seed,
            items_sha=sha256_file(items_path(self.items)),
            items=os.path.relpath(self.items, self.out),
            versions=versions(),
            identity={str(k): str(v) for k, v in self.model.identity().items()},
            settings={**settings(self.options), **limit},
            net=dict(getattr(self.model, "net_note", {})),
        )

    def run(self) -> Run:
        described = self.described()
        self.out.mkdir(parents=True, exist_ok=True)
        with locked(self.out):
            begin(self.out, described)
            self._answer_all()
            usage = getattr(self.model, "usage", None)
            finished = msgspec.structs.replace(described, usage=dict(usage()) if callable(usage) else {})
            write_json(self.out / "run.json", finished)
        return finished

    def _answer_all(self) -> None:
        path = self.out / "answers.jsonl"
        total = self.total
        done = keep_whole_chunks(path, self._asked(), total=total, whole=self.solver.whole)
        with Progress(f"{self.suite.name} · {self.model.name}", total=total) as bar, answers_file(path) as append:
            bar.advance(done)
            if done == total:
                return
            job = Job(suite=self.suite.name, items=self.items, solver=self.solver.name, model=self.spec, how=self.how)
            todo = chunks(self._asked(), done, whole=self.solver.whole)
            for chunk, answers in answered(job, self.model, todo):
                check_answers(chunk, answers, solver=self.solver.name)
                append(answers)
                bar.advance(len(chunk))

    def _asked(self) -> Iterator[Item]:
        items = read_items(self.items, reads(self.model), check=self.suite.check)
        return items if self.chosen is None else picked(items, self.chosen)


# ---- chunks and answers --------------------------------------------------------------------------------------------


def count_lines(path: Path) -> int:
    with open(path, "rb") as file:
        return sum(block.count(b"\n") for block in iter(lambda: file.read(1 << 20), b""))


def chunks(items: Iterator[Item], done: int, *, whole: bool) -> Iterator[Sequence[Item]]:
    """The items not answered yet, a chunk at a time; all at once for a solver that must see them together."""
    if whole:
        yield list(items)
        return
    for _ in islice(items, done):
        pass
    while chunk := list(islice(items, CHUNK)):
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


def keep_whole_chunks(path: Path, items: Iterator[Item], *, total: int, whole: bool) -> int:
    """Cut a half-written tail off answers.jsonl; returns how many items are answered.

    A line counts if it parses and answers the item at its place; whole chunks of such lines are kept.
    """
    if not path.exists():
        return 0
    done, size, kept = 0, 0, (0, 0)
    with open(path, "rb") as file:
        for item, line in zip(items, file, strict=False):
            if not _answers(line, item):
                break
            done, size = done + 1, size + len(line)
            if done == total or (not whole and done % CHUNK == 0):
                kept = (done, size)
    os.truncate(path, kept[1])
    return kept[0]


def _answers(line: bytes, item: Item) -> bool:
    try:
        return line.endswith(b"\n") and decode(Answer, line, file="answers").item_id == item.id
    except ProbandError:
        return False


# ---- the folder ----------------------------------------------------------------------------------------------------


def begin(out: Path, run: Run) -> None:
    """Write run.json, or make sure that the one there describes this very run."""
    path = out / "run.json"
    if not path.exists():
        if (out / "answers.jsonl").exists():
            raise ProbandError("holds answers.jsonl but no run.json; name another folder", file=out)
        write_json(path, run)
        return
    there = read_run(path)
    for name in ("suite", "solver", "model", "seed", "items_sha", "identity", "settings"):
        old, new = dumps(getattr(there, name)), dumps(getattr(run, name))
        if old != new:
            raise ProbandError(
                f"{name!r} differs: this folder holds a run with {old[:80]}, now it is {new[:80]}; name another folder",
                file=path,
            )


@contextmanager
def locked(out: Path) -> Iterator[None]:
    """One process at a time per folder; the lock goes with the process, however it ends."""
    from filelock import FileLock, Timeout

    try:
        with FileLock(out / ".lock", timeout=0):
            yield
    except Timeout:
        raise ProbandError("another process is writing this folder", file=out) from None
