"""Items in, answers out: a model answers the items of a folder through one of the suite's solvers.

A run is a folder: run.json says what ran on what and what it has used so far, answers.jsonl grows as answers come and
is complete when it has one answer per item. The command rerun goes on where it stopped; the bytes are those
of an uninterrupted run, because a chunk is always the same items and the model's batches depend on the chunk alone (an
endpoint is asked item by item). Items are read as a stream: memory does not grow with their number, except for solvers
that must see all of them at once.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec

from proband import suites
from proband.core.errors import ProbandError, Unavailable
from proband.core.files import (
    dumps,
    items_path,
    parse,
    raw_lines,
    read_answers,
    read_items,
    read_run,
    sha256_file,
    write_json,
)
from proband.core.options import read_options
from proband.core.progress import Progress, detail, on_progress
from proband.core.protocols import Concurrent, Generates, Model, ScoresText
from proband.core.suite import Suite
from proband.core.types import Answer, Item, Run
from proband.pipeline.asking.engines import Usage, add_usage, answer_chunks, usage_of, usage_since
from proband.pipeline.asking.items_and_answers import (
    ANSWERS,
    CHUNK,
    AnswersFile,
    Selection,
    chunks,
    count_lines,
    keep_whole_chunks,
    pick,
    select_items,
    waiting_answers,
)
from proband.pipeline.asking.model_calls import Counting
from proband.pipeline.asking.setup import (
    Job,
    RunOptions,
    asks_before,
    choose_solver,
    reads,
    settled_model,
    without_asking,
)
from proband.pipeline.build import versions
from proband.solvers.prompts import expand_names, short_name


def run(items: str | Path, *, model: str | Model, out: str | Path, **how: Any) -> Run:
    """Answer the items with a model; the same call again resumes. `how` are the fields of RunOptions."""
    return Runner(items=Path(items), model=model, out=Path(out), how=RunOptions(**how)).run()


def dry_run(items: str | Path, *, model: str | Model, out: str | Path | None = None, **how: Any) -> dict[str, Any]:
    """What the run would ask, without asking it: the solver asks a model that only counts. Items that the folder `out`
    has answers to are not counted; what the cache knows is counted as `cached`."""
    runner = _silent_runner(items, model, out, RunOptions(**how))
    wanted = list(runner.asked_items())
    done = runner.answered(wanted) if out is not None else set()
    made = {"suite": runner.suite.name, "model": runner.model.name, "solver": runner.solver.name, "items": len(wanted)}
    made |= {"answered": len(done)} if done else {}
    if runner.solver.needs not in (ScoresText, Generates) or runner.solver.needs_all_items:
        return {**made, "calls": None, "tokens in": None, "tokens out": None}
    counting = Counting(runner.model, runner.how.cache_folder)
    runner.job.solve(runner.solver)([item for item in wanted if item.id not in done], model=counting.wrapped())
    probe = asks_before(model, runner.suite, RunOptions(**how), setting=runner.setting)
    return {**made, **counting.figures(), **({"probe": 1} if probe else {})}


def _silent_runner(items: str | Path, model: str | Model, out: str | Path | None, how: RunOptions) -> Runner:
    """A run that asks no server before it begins."""
    first = first_item(items)
    silent = without_asking(model, suites.suite(first.suite), how, setting=str(first.tags.get("setting", "")))
    return Runner(items=Path(items), model=model, out=Path(out or ""), how=silent)


def prompt_of(items: str | Path, item_id: str, *, model: str | Model, **how: Any) -> list[str]:
    """Byte for byte what would be sent for one item."""
    runner = _silent_runner(items, model, None, RunOptions(**how))
    for item in read_items(Path(items)):
        if item.id == item_id:
            return runner.job.sends([item], runner.model)[0]
    raise ProbandError(f"has no item {item_id!r}", file=items_path(Path(items)))


def prompts_of(items: str | Path, names: Sequence[str]) -> dict[str, str]:
    """The prompts that a user names for these items, one by one, with their short names (solvers/prompts.py)."""
    solver = next((each for each in suite_of(items).solvers if each.prompts is not None), None)
    if names and solver is not None and solver.prompts is not None:
        names = expand_names(names, solver.prompts, default=str(solver.recorded(solver.options())["prompt"]))
    return {name: short_name(name) for name in names}


def first_item(items: str | Path) -> Item:
    path = items_path(Path(items))
    for number, raw in raw_lines(path):
        return parse(Item, raw, file=path, line=number)
    raise ProbandError("contains no items", file=path)


def suite_of(items: str | Path) -> Suite:
    """The suite that the first item of a folder names."""
    return suites.suite(first_item(items).suite)


class Runner:
    """One run: its suite, model, solver and options, settled before anything is asked."""

    def __init__(self, *, items: Path, model: str | Model, out: Path, how: RunOptions) -> None:
        first = first_item(items)
        self.items, self.out, self.how = items, out, how
        self.suite = suites.suite(first.suite)
        self.spec = model if isinstance(model, str) else None
        self.setting = str(first.tags.get("setting", ""))
        self.model = settled_model(model, self.suite, how, setting=self.setting)
        self.solver = choose_solver(self.suite, self.model, how.solver, setting=self.setting, options=how.options)
        self.options: Any = read_options(self.solver.options, how.options, of=f"solver {self.solver.name}")
        if how.limit is not None and how.limit < 1:
            raise ProbandError(f"'limit' is {how.limit}; it must be at least 1")

    @cached_property
    def chosen(self) -> Selection:
        """Which items are asked: those that are scored, or what `split` and `limit` say."""
        how, solver = self.how, self.solver
        split = how.split or solver.split
        result = select_items(
            self.items, suite=self.suite, limit=how.limit, split=split, training=solver.needs_all_items, turn=how.turn
        )
        shots, folder = solver.examples(self.options)
        if shots and "train" in result.splits and (not folder or Path(folder).resolve() == self.items.resolve()):
            raise ProbandError(
                "--shots takes its examples from the training items, which this run would ask: "
                "name other items with --shots-from, or another --split"
            )
        return result

    @cached_property
    def total(self) -> int:
        count = self.chosen.count
        return count_lines(items_path(self.items)) if count is None else count

    @property
    def chunk(self) -> int:
        """Items that are answered together: one by one where the model takes several threads."""
        if isinstance(self.model, Concurrent) and self.how.engine == "local":
            return 1
        return int(getattr(self.model, "chunk", CHUNK))

    @property
    def job(self) -> Job:
        return Job(suite=self.suite.name, items=self.items, solver=self.solver.name, model=self.spec, how=self.how)

    def describe(self) -> Run:
        """The run.json of this run."""
        too_long = {} if self.how.too_long == "fail" else {"too-long": self.how.too_long}
        limit = {} if self.how.limit is None else {"limit": self.how.limit}
        split = {} if self.chosen.every_split else {"split": ",".join(self.chosen.splits)}
        turn = {} if self.how.turn is None else {"prompts-per-item": self.how.turn.each}
        part = {} if self.chosen.lines is None else {**limit, **split, **turn, "asked": self.total}
        return Run(
            suite=self.suite.name,
            solver=self.solver.name,
            model=self.model.name,
            seed=self.how.seed,
            items_sha=sha256_file(items_path(self.items)),
            items=os.path.relpath(self.items, self.out),
            versions=versions(),
            identity={str(k): str(v) for k, v in self.model.identity().items()},
            settings={**self.solver.recorded(self.options), **part, **too_long},
            net=dict(getattr(self.model, "net_note", {})),
            label=self.how.label,
        )

    def run(self) -> Run:
        described = self.describe()
        self.out.mkdir(parents=True, exist_ok=True)
        with lock_folder(self.out):
            work = Work(self, described, before=begin(self.out, described))
            try:
                work.answer_all()
            finally:
                finished = work.write_down(ended=True)
        return finished

    def answered(self, items: Sequence[Item]) -> set[str]:
        """Which of the items the folder has answers to."""
        path = self.out / ANSWERS
        if not path.exists():
            return set()
        known = set(waiting_answers(self.out))
        with open(path, "rb") as file:
            return (known & {item.id for item in items}) | {item.id for item, _ in zip(items, file, strict=False)}

    def asked_items(self) -> Iterator[Item]:
        items = read_items(self.items, reads(self.model), check=self.suite.check)
        return items if self.chosen.lines is None else pick(items, self.chosen.lines)


class Work:
    """A run under way: takes the answers as they come, counts errors and what was used (`engines.Collector`)."""

    def __init__(self, runner: Runner, described: Run, *, before: Usage) -> None:
        self.runner, self.described, self.total = runner, described, runner.total
        self.allowed = runner.how.errors_allowed(self.total)
        self.before = before  # used by earlier processes
        # a model that was loaded for this run has used nothing for another
        self.at_start = {} if runner.spec else usage_of(runner.model)
        self.of_workers: dict[int, Mapping[str, float | None]] = {}
        self.done = self.errors = 0
        self.written: Usage | None = None

    def answer_all(self) -> None:
        runner, out = self.runner, self.runner.out
        whole, size = runner.solver.needs_all_items, runner.chunk
        kept = keep_whole_chunks(out / ANSWERS, runner.asked_items(), total=self.total, size=size, whole=whole)
        self.done, self.errors = kept
        waiting = waiting_answers(out)
        name = f"{runner.suite.name} · {runner.model.name}"
        detail(f"{name} by solver {runner.solver.name}, {self.done + len(waiting)} of {self.total} answered")
        resume = getattr(runner.model, "resume", None)
        if callable(resume):
            resume(self.before)
        with Progress(name, total=self.total) as self.bar, AnswersFile(out) as self.file:
            self.bar.at(self.done)
            if self.done == self.total:
                return
            numbered = enumerate(chunks(runner.asked_items(), self.done, size=size, whole=whole))
            try:
                with on_progress(self._part_done):
                    answer_chunks(runner.job, runner.model, self._unanswered(numbered, waiting), self)
            except KeyboardInterrupt:
                kept_in = (
                    f"{self.done} of {self.total} answers are kept in {out}" if self.done else "nothing was answered"
                )
                raise KeyboardInterrupt(kept_in) from None

    def _unanswered(
        self, numbered: Iterator[tuple[int, Sequence[Item]]], waiting: Mapping[str, Answer]
    ) -> Iterator[tuple[int, Sequence[Item]]]:
        """The chunks to ask; one whose answers had been waiting for their turn is put in its place."""
        for number, items in numbered:
            if all(item.id in waiting for item in items):
                self.put(number, items, [waiting[item.id] for item in items])
            else:
                yield number, items

    def put(self, number: int, items: Sequence[Item], answers: Sequence[Answer]) -> None:
        self.file.put(number, answers)
        self.done, self.part = self.done + len(items), 0.0
        self.bar.at(self.done)
        failed = [answer for answer in answers if answer.status == "error"]
        self.errors += len(failed)
        if failed and self.errors > self.allowed:
            raise Unavailable(
                f"{self.errors} of {self.total} items failed, more than --max-errors {self.runner.how.max_errors} "
                f"allows; the last: item {failed[-1].item_id!r}: {failed[-1].text}"
            )

    part = 0.0  # of the chunk under way, as far as the model says

    def _part_done(self, share: float) -> None:
        self.part = min(1.0, self.part + share)
        if not isinstance(self.runner.model, Concurrent):
            self.bar.at(self.done + self.part * min(self.runner.chunk, self.total - self.done))

    def tick(self) -> None:
        if self.file.tick():
            self.write_down()

    def used(self, worker: int, usage: Mapping[str, float | None]) -> None:
        self.of_workers[worker] = usage

    def write_down(self, *, ended: bool = False) -> Run:
        """run.json with what was used so far; a run that has ended without answers and without using anything leaves
        no files over which a report would stumble."""
        usage = add_usage(self.before, usage_since(usage_of(self.runner.model), self.at_start))
        for each in self.of_workers.values():
            usage = add_usage(usage, each)
        run = msgspec.structs.replace(self.described, usage=usage)
        path, answers = self.runner.out / "run.json", self.runner.out / ANSWERS
        if ended and self.done == self.total and self.runner.solver.summary is not None:
            run = msgspec.structs.replace(run, summary=dict(self.runner.solver.summary(read_answers(answers))))
        if ended and not self.done and not usage.get("requests"):
            answers.unlink(missing_ok=True)
            path.unlink(missing_ok=True)
        elif usage != self.written or run.summary or not path.exists():
            write_json(path, run)
            self.written = usage
        return run


# ---- the folder ----------------------------------------------------------------------------------------------------


def begin(out: Path, run: Run) -> Usage:
    """Write run.json, or make sure that the one there describes this very run; what earlier processes have used.

    A run that failed before its first answer leaves nothing that would be lost."""
    path, answers = out / "run.json", out / ANSWERS
    answered = answers.exists() and answers.stat().st_size > 0
    if not path.exists() or not answered:
        if answered:
            raise ProbandError("contains answers.jsonl but no run.json; name another folder", file=out)
        before = read_run(path).usage if path.exists() else {}
        write_json(path, msgspec.structs.replace(run, usage=before))
        return before
    there = read_run(path)
    for name in ("suite", "solver", "model", "seed", "items_sha", "identity", "settings"):
        old, new = dumps(getattr(there, name)), dumps(getattr(run, name))
        if old != new:
            raise ProbandError(
                f"{name!r} differs: this folder holds a run with {old[:80]}, now it is {new[:80]}; name another folder",
                file=path,
            )
    return there.usage


@contextmanager
def lock_folder(out: Path) -> Iterator[None]:
    """One process at a time per folder; the lock goes with the process, however it ends."""
    from filelock import FileLock, Timeout

    try:
        with FileLock(out / ".lock", timeout=0):
            yield
    except Timeout:
        raise ProbandError("another process is writing this folder", file=out) from None
