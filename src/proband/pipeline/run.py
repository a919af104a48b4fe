"""Items in, answers out: a model answers the items of a folder through one of the suite's solvers.

A run is a folder: run.json says what ran on what, answers.jsonl grows a chunk of items at a time and is complete when
it has one answer per item. The same command given again goes on where it stopped; the bytes are those of an
uninterrupted run, because a chunk is always the same items and the model's batches depend on the chunk alone. Items are
read as a stream: memory does not grow with their number, except for solvers that must see all of them at once.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec

from proband import suites
from proband.core.errors import ProbandError
from proband.core.files import dumps, items_path, parse, raw_lines, read_items, read_run, sha256_file, write_json
from proband.core.options import read_options
from proband.core.progress import Progress, detail, hearing
from proband.core.suite import Suite
from proband.core.types import Item, Run
from proband.pipeline.asking.answers_file import (
    CHUNK,
    answers_file,
    check_answers,
    chunks,
    count_lines,
    keep_whole_chunks,
)
from proband.pipeline.asking.engines import answered
from proband.pipeline.asking.job import Job, RunOptions, reads
from proband.pipeline.asking.models import choose_solver, load_model
from proband.pipeline.asking.sampling import Asked, asked, picked
from proband.pipeline.versions import versions


def run(items: str | Path, *, model: str | Any, out: str | Path, **how: Any) -> Run:
    """Answer the items with a model; the same call again resumes. `how` are the fields of RunOptions."""
    return Runner(items=Path(items), model=model, out=Path(out), how=RunOptions(**how)).run()


def dry_run(items: str | Path, *, model: str | Any, **how: Any) -> dict[str, Any]:
    """What the run would ask, without asking it."""
    from proband.pipeline.asking.dry_run import estimate

    runner = Runner(items=Path(items), model=_unasked(model, how), out=Path(), how=RunOptions(**how))
    most = getattr(runner.options, "max_tokens", 0)
    if most is None:
        from proband.solvers.generate import settings_of

        most = settings_of(runner.model, runner.options, runner.how.seed)["max_tokens"]
    found = estimate(list(runner.asked()), runner.model, runner.job, max_tokens=most)
    return {"suite": runner.suite.name, "model": runner.model.name, "solver": runner.solver.name, **found}


def _unasked(model: str | Any, how: dict[str, Any]) -> str | Any:
    """A server is not even asked what it can do."""
    if isinstance(model, str) and model.startswith("openai:"):
        scores = how.get("solver") not in (None, "generate", "choose")
        how["model_options"] = {"scores": scores, **how.get("model_options", {})}
    return model


def prompt_of(items: str | Path, item_id: str, *, model: str | Any, **how: Any) -> list[str]:
    """Byte for byte what would be sent for one item."""
    runner = Runner(items=Path(items), model=_unasked(model, how), out=Path(), how=RunOptions(**how))
    for item in read_items(Path(items)):
        if item.id == item_id:
            return runner.job.sends([item], runner.model)[0]
    raise ProbandError(f"has no item {item_id!r}", file=items_path(Path(items)))


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

    def __init__(self, *, items: Path, model: str | Any, out: Path, how: RunOptions) -> None:
        first = first_item(items)
        self.items, self.out, self.how = items, out, how
        self.suite = suites.suite(first.suite)
        self.spec = model if isinstance(model, str) else None
        self.model = model
        if isinstance(model, str):
            self.model = load_model(model, how.model_options, suite=self.suite, seed=how.seed)
        setting = str(first.tags.get("setting", ""))
        self.solver = choose_solver(self.suite, self.model, how.solver, setting=setting, options=how.options)
        self.options: Any = read_options(self.solver.options, how.options, of=f"solver {self.solver.name}")
        if how.limit is not None and how.limit < 1:
            raise ProbandError(f"'limit' is {how.limit}; it must be at least 1")

    @cached_property
    def chosen(self) -> Asked:
        """Which items are asked: those that are scored, or what `split` and `limit` say."""
        how, solver = self.how, self.solver
        split = how.split or solver.split
        return asked(self.items, suite=self.suite, limit=how.limit, split=split, training=solver.whole)

    @cached_property
    def total(self) -> int:
        count = self.chosen.count
        return count_lines(items_path(self.items)) if count is None else count

    @property
    def job(self) -> Job:
        return Job(suite=self.suite.name, items=self.items, solver=self.solver.name, model=self.spec, how=self.how)

    def described(self) -> Run:
        """The run.json of this run."""
        too_long = {} if self.how.too_long == "fail" else {"too-long": self.how.too_long}
        limit = {} if self.how.limit is None else {"limit": self.how.limit}
        split = {} if self.chosen.every_split else {"split": ",".join(self.chosen.splits)}
        part = {} if self.chosen.lines is None else {**limit, **split, "asked": self.total}
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
        )

    def run(self) -> Run:
        described = self.described()
        self.out.mkdir(parents=True, exist_ok=True)
        with locked(self.out), no_empty_run_left(self.out):
            begin(self.out, described)
            self._answer_all()
            usage = getattr(self.model, "usage", None)
            finished = msgspec.structs.replace(described, usage=dict(usage()) if callable(usage) else {})
            write_json(self.out / "run.json", finished)
        return finished

    def _answer_all(self) -> None:
        path, total = self.out / "answers.jsonl", self.total
        whole, size = self.solver.whole, int(getattr(self.model, "chunk", CHUNK))
        done = keep_whole_chunks(path, self.asked(), total=total, size=size, whole=whole)
        detail(f"{self.suite.name}: {self.model.name} by solver {self.solver.name}, {done} of {total} answered")
        with Progress(f"{self.suite.name} · {self.model.name}", total=total) as bar, answers_file(path) as append:
            bar.at(done)
            if done == total:
                return
            part = [0.0]  # of the chunk under way, as far as the model says

            def listen(share: float) -> None:
                part[0] = min(1.0, part[0] + share)
                bar.at(done + part[0] * min(size, total - done))

            with hearing(listen):
                for chunk, answers in answered(
                    self.job, self.model, chunks(self.asked(), done, size=size, whole=whole)
                ):
                    check_answers(chunk, answers, solver=self.solver.name)
                    append(answers)
                    done, part[0] = done + len(chunk), 0.0
                    bar.at(done)

    def asked(self) -> Iterator[Item]:
        items = read_items(self.items, reads(self.model), check=self.suite.check)
        return items if self.chosen.lines is None else picked(items, self.chosen.lines)


# ---- the folder ----------------------------------------------------------------------------------------------------


def begin(out: Path, run: Run) -> None:
    """Write run.json, or make sure that the one there describes this very run.

    A run that failed before its first answer leaves nothing that would be lost."""
    path, answers = out / "run.json", out / "answers.jsonl"
    answered = answers.exists() and answers.stat().st_size > 0
    if not path.exists() or not answered:
        if answered:
            raise ProbandError("contains answers.jsonl but no run.json; name another folder", file=out)
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
def no_empty_run_left(out: Path) -> Iterator[None]:
    """A run that fails before its first answer leaves no files that a report would stumble over."""
    try:
        yield
    except BaseException:
        answers = out / "answers.jsonl"
        if not answers.exists() or answers.stat().st_size == 0:
            for name in ("answers.jsonl", "run.json"):
                (out / name).unlink(missing_ok=True)
        raise


@contextmanager
def locked(out: Path) -> Iterator[None]:
    """One process at a time per folder; the lock goes with the process, however it ends."""
    from filelock import FileLock, Timeout

    try:
        with FileLock(out / ".lock", timeout=0):
            yield
    except Timeout:
        raise ProbandError("another process is writing this folder", file=out) from None
