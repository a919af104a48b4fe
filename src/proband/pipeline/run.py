"""Items in, answers out: a model answers the items of a folder through one of the suite's solvers.

A run is a folder: run.json says what ran on what and what it has used so far, answers.jsonl grows as answers come and
is complete when it has one answer per item. The command rerun goes on where it stopped; the bytes are those
of an uninterrupted run, because a chunk is always the same items and the model's batches depend on the chunk alone (an
endpoint is asked item by item). Items are read as a stream: memory does not grow with their number, except for solvers
that must see all of them at once.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from itertools import islice
from math import inf
from pathlib import Path
from typing import Any, Unpack

import msgspec

from proband.core.errors import ProbandError, Unavailable
from proband.core.files import dumps, items_path, read_answers, read_items, read_run, sha256_file, write_json
from proband.core.plugins import read_options
from proband.core.progress import Progress, detail, on_progress
from proband.core.protocols import Concurrent, Generates, LearnsFromItems, Model, ScoresText
from proband.core.types import Answer, Item, Run
from proband.pipeline.asking.engines import answer_chunks, answering
from proband.pipeline.asking.items_and_answers import (
    ANSWERS,
    CHUNK,
    WAITING,
    AnswersFile,
    Chunking,
    Selection,
    count_lines,
    hold_back_answers,
    keep_whole_chunks,
    select_items,
    waiting_answers,
)
from proband.pipeline.asking.model_calls import Counting, cache_of
from proband.pipeline.asking.setup import (
    PlannedRun,
    RunSetup,
    Usage,
    at_server,
    suite_of,
    sum_usage,
    usage_of,
    usage_since,
)
from proband.pipeline.build import versions
from proband.pipeline.run_options import RunOptions, SharedRunOptions
from proband.pipeline.until import run_until
from proband.solvers.prompts import expand_names, short_name


def run(items: str | Path, *, model: str | Model, out: str | Path, **options: Any) -> Run:
    """Answer the items with a model, once; the same call again resumes. `options` are the fields of RunOptions."""
    read = read_options(RunOptions, options, of="run")
    return run_planned(PlannedRun(items=Path(items), model=model, folder=Path(out), options=read))


def run_all(items: str | Path, *, model: str | Model, out: str | Path, options: RunOptions) -> list[tuple[Path, Run]]:
    """Every run of a command, with its folder."""
    planned = planned_runs(Path(items), model, Path(out), options)
    if options.until:
        return [(planned[0].folder, run_until(planned[0], suite=suite_of(items), ask=run_planned))]
    return [(each.folder, run_planned(each, among=planned)) for each in planned]


def planned_runs(items: Path, model: str | Model, out: Path, options: RunOptions) -> list[PlannedRun]:
    """A run per prompt, or per repetition, each in its own folder where there are several."""
    prompts = prompts_of(items, options.prompt)
    if len(set(prompts.values())) < len(prompts):
        raise ProbandError("two prompts have the same name, and so would have the same folder")
    if options.repeat > 1 and len(prompts) > 1:
        raise ProbandError("--repeat is for one prompt: name one, or ask with several prompts once")
    each = {name: replace(options, options={**options.options, "prompt": prompt}) for prompt, name in prompts.items()}
    if options.repeat > 1:
        (one,) = each.values() or [options]
        each = {f"repeat-{number + 1}": replace(one, seed=one.seed + number) for number in range(options.repeat)}
    several = len(each) > 1
    return [
        PlannedRun(items=items, model=model, folder=out / name if several else out, options=own, name=name)
        for name, own in (each or {"": options}).items()
    ]


def run_planned(planned: PlannedRun, among: Sequence[PlannedRun] = ()) -> Run:
    """One run `among` those of its command. What all of them have cost counts against the one `max_cost`."""
    done = finished_run(planned)
    if done is not None:
        return done
    others = sum_usage(used_before(each.folder) for each in among if each is not planned)
    try:
        return Runner(planned).run(others)
    except KeyboardInterrupt as interrupt:
        if len(among) < 2:
            raise
        finished = f"{among.index(planned)} of {len(among)} runs are finished"
        raise KeyboardInterrupt(f"{finished}; of {planned.name}, {interrupt}") from None


def finished_run(planned: PlannedRun) -> Run | None:
    """The run in a folder, if it is this one and finished; a server is not asked for that."""
    path, answers = planned.folder / "run.json", planned.folder / ANSWERS
    if not at_server(planned.model) or planned.options.retry_errors or not path.exists() or not answers.exists():
        return None
    there = read_run(path)
    named = planned.options.solver.split(",") if planned.options.solver else [there.solver]
    if there.solver not in [name.strip() for name in named]:
        return None
    options = replace(planned.options, solver=there.solver)
    runner = Runner(msgspec.structs.replace(planned, options=options), silent=True)
    same = not differences(there, runner.describe())
    return there if same and count_lines(answers, torn=False) == runner.total else None


def used_before(folder: Path) -> Usage:
    """What earlier processes have used for the run of a folder."""
    path = folder / "run.json"
    return read_run(path).usage if path.exists() else {}


# ---- what would be asked -------------------------------------------------------------------------------------------


class Forecast(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a run would ask; None: not known for its solver. `tokens_out` and `cost` are upper bounds."""

    suite: str
    model: str
    solver: str
    prompt: str = ""
    items: int
    answered: int = 0  # already, in the folder
    calls: int | None = None
    cached: int = 0  # calls that the cache answers
    tokens_in: int | None = None
    tokens_counted: bool = True  # by the model's own tokenizer; otherwise estimated from the characters
    tokens_out: int = 0
    cost: float | None = None
    seconds: float | None = None  # None: not known before the first answers


def forecasts(items: str | Path, *, model: str | Model, out: str | Path, options: RunOptions) -> list[Forecast]:
    """What each run of a command would ask."""
    return [forecast(each) for each in planned_runs(Path(items), model, Path(out), options)]


def forecast(planned: PlannedRun, *, until: float = inf) -> Forecast:
    """What a run would ask, without asking it: the solver asks a model that only counts. Items that the folder has
    answers to are not counted; what the cache knows is counted as `cached`. No items are tried after `until`
    (`time.monotonic`), and the time of the run is not known then."""
    runner = Runner(planned, silent=True)
    wanted = list(runner.asked_items())
    done = runner.answered(wanted)
    left = [item for item in wanted if item.id not in done]
    made = Forecast(
        suite=runner.suite.name, model=runner.model.name, solver=runner.solver.name, prompt=planned.name,
        items=len(wanted), answered=len(done),
    )  # fmt: skip
    if runner.solver.needs not in (ScoresText, Generates) or runner.solver.needs_all_items:
        if runner.solver.needs_all_items or isinstance(runner.model, LearnsFromItems):
            return made
        return msgspec.structs.replace(made, seconds=runner.seconds_for(left, len(left), until=until))
    counting = Counting(runner.model, cache_of(runner.run_options.cache))
    runner.solve(left, model=counting.wrapped())
    calls = counting.figures()
    return msgspec.structs.replace(made, **calls, seconds=runner.seconds_for(left, calls["calls"], until=until))


def total_of(forecasts: Sequence[Forecast]) -> Forecast:
    """All runs of a command together."""
    first = forecasts[0]

    def added(name: str) -> Any:
        values = [getattr(each, name) for each in forecasts]
        return None if None in values else sum(values)

    sums = ("items", "answered", "calls", "cached", "tokens_in", "tokens_out", "cost", "seconds")
    return msgspec.structs.replace(first, prompt="", **{name: added(name) for name in sums})


def prompt_of(
    items: str | Path, item_id: str, *, model: str | Model, solver: str | None = None,
    options: Mapping[str, Any] | None = None, seed: int = 0, **more: Unpack[SharedRunOptions],
) -> list[str]:  # fmt: skip
    """Byte for byte what a run with these options would send for one item."""
    given = read_options(RunOptions, {"solver": solver, "options": options or {}, "seed": seed, **more}, of="run")
    runner = RunSetup(Path(items), model, given, silent=True)
    for item in read_items(Path(items)):
        if item.id == item_id:
            return runner.sends([item])[0]
    raise ProbandError(f"has no item {item_id!r}", file=items_path(Path(items)))


def prompts_of(items: str | Path, names: Sequence[str]) -> dict[str, str]:
    """The prompts that a user names for these items, one by one, with their short names (solvers/prompts.py)."""
    solver = next((each for each in suite_of(items).solvers if each.prompts is not None), None)
    if names and solver is not None and solver.prompts is not None:
        names = expand_names(names, solver.prompts, default=str(solver.recorded(solver.options())["prompt"]))
    return {name: short_name(name) for name in names}


# ---- one run -------------------------------------------------------------------------------------------------------


MEASURED, SLOW = 4, 2.0  # items whose time is taken for a forecast; one is enough where it takes so many seconds


class Runner(RunSetup):
    """One run in its folder, settled before anything is asked."""

    def __init__(self, planned: PlannedRun, *, silent: bool = False) -> None:
        super().__init__(planned.items, planned.model, planned.options, silent=silent)
        self.out = planned.folder

    @cached_property
    def chosen(self) -> Selection:
        """Which items are asked: those that are scored, or what `split` and `limit` say."""
        options, solver = self.run_options, self.solver
        result = select_items(
            self.items,
            suite=self.suite,
            limit=options.limit,
            split=options.split or solver.split,
            training=solver.needs_all_items,
            where=options.where,
            by_cluster=options.seed if options.until else None,
        )
        shots, folder = solver.examples(self.options)
        if shots and "train" in result.splits and (not folder or Path(folder).resolve() == self.items.resolve()):
            raise ProbandError(
                "shots are taken from the training items, which this run would ask: "
                "name other items with --set shots-from=DIR, or another --split"
            )
        return result

    @cached_property
    def total(self) -> int:
        count = self.chosen.count
        return count_lines(items_path(self.items)) if count is None else count

    @property
    def chunking(self) -> Chunking:
        """Items that are answered together: one by one where the model takes several threads."""
        if isinstance(self.model, Concurrent) and self.run_options.engine == "local":
            return Chunking(size=1)
        return Chunking(
            size=int(getattr(self.model, "chunk", CHUNK)),
            characters=float(getattr(self.model, "chunk_characters", "inf")),
            whole=self.solver.needs_all_items,
        )

    def asked_items(self) -> Iterator[Item]:
        return self.chosen.of(read_items(self.items, check=self.suite.check))

    def describe(self) -> Run:
        """The run.json of this run."""
        decides: dict[str, Any] = {
            "limit": self.run_options.limit,
            "sample": "clusters" if self.run_options.until else "",
            "where": dict(self.run_options.where),
            "split": "" if self.chosen.every_split else ",".join(self.chosen.splits),
            "asked": self.total,
        }
        part = {} if self.chosen.lines is None else {name: value for name, value in decides.items() if value}
        decided = self.solver.decided(self.options, self.model)
        too_long = {} if self.run_options.too_long == "fail" else {"too-long": self.run_options.too_long}
        return Run(
            suite=self.suite.name,
            solver=self.solver.name,
            model=self.model.name,
            seed=self.run_options.seed,
            items_sha=sha256_file(items_path(self.items)),
            items=os.path.relpath(self.items, self.out),
            versions=versions(),
            identity={str(k): str(v) for k, v in self.model.identity().items()},
            settings={**self.solver.recorded(self.options), **decided, **part, **too_long},
            net=dict(getattr(self.model, "net_note", {})),
            parameters=int(getattr(self.model, "parameters", 0)),
            label=self.run_options.label,
        )

    def run(self, others: Usage) -> Run:
        """`others`: what further runs of the same command have used."""
        described = self.describe()
        if (self.out / "items.jsonl").exists():
            raise ProbandError("is a folder of items; name another one for the run", file=self.out)
        self.out.mkdir(parents=True, exist_ok=True)
        with lock_folder(self.out):
            work = RunProgress(self, begin(self.out, described, retry_errors=self.run_options.retry_errors), others)
            try:
                work.answer_all()
            finally:
                finished = work.write_down(ended=True)
        return finished

    def try_first(self) -> None:
        """Ask the first item, and forget the answer."""
        if not self.solver.needs_all_items:
            for item in islice(self.asked_items(), 1):
                answering(self)([item])

    def answered(self, items: Sequence[Item]) -> set[str]:
        """Which of the items the folder has answers to."""
        path = self.out / ANSWERS
        if not path.exists():
            return set()
        known = set(waiting_answers(self.out))
        with open(path, "rb") as file:
            return (known & {item.id for item in items}) | {item.id for item, _ in zip(items, file, strict=False)}

    def seconds_for(self, items: Sequence[Item], calls: int, *, until: float) -> float | None:
        """How long the calls will take: by the pace of an endpoint, or by what its first answers took; of a model on
        this machine, by what a few items take now."""
        if not calls or not items:
            return 0.0
        model = self.model
        if isinstance(model, Concurrent):
            used, rpm = used_before(self.out), self.run_options.model_options.get("rpm")
            pace = 60 / float(rpm) if rpm else 0.0
            if answered := used.get("answered"):
                return calls * max((used.get("seconds") or 0.0) / answered / model.concurrency, pace)
            return calls * pace if rpm else None
        sample = items[:: max(1, len(items) // MEASURED)][:MEASURED]
        for part in (sample[:1], sample):
            begun = time.monotonic()
            if part is not sample and begun > until:
                return None
            self.solve(part, model=model)
            each = (time.monotonic() - begun) / len(part)
            if each > SLOW:
                break
        return each * len(items)


class RunProgress:
    """A run under way: takes the answers as they come, counts errors and what was used (`engines.Collector`)."""

    def __init__(self, runner: Runner, described: Run, others: Usage) -> None:
        self.runner, self.described, self.total = runner, described, runner.total
        self.others = others  # used by other runs of the command
        self.allowed = errors_allowed(runner.run_options.max_errors, self.total)
        # a model that was loaded for this run has used nothing for another
        self.at_start = {} if runner.spec else usage_of(runner.model)
        self.of_workers: dict[int, Mapping[str, float | None]] = {}
        self.done = self.errors = 0
        self.waiting: Mapping[str, Answer] = {}  # answers that came before their turn
        self.of_chunk: dict[int, Sequence[Item]] = {}  # all items of the chunks under way
        self.written: Usage | None = None

    def answer_all(self) -> None:
        runner, out = self.runner, self.runner.out
        chunking = runner.chunking
        kept = keep_whole_chunks(out / ANSWERS, runner.asked_items(), total=self.total, chunking=chunking)
        self.done, self.errors = kept
        waiting = waiting_answers(out)
        name = f"{runner.suite.name} · {runner.model.name}"
        detail(f"{name} by solver {runner.solver.name}, {self.done + len(waiting)} of {self.total} answered")
        resume = getattr(runner.model, "resume", None)
        if callable(resume):
            resume(sum_usage([self.described.usage, self.others]))
        with Progress(name, total=self.total) as self.bar, AnswersFile(out) as self.file:
            self.bar.at(self.done)
            if self.done == self.total:
                return
            numbered = enumerate(chunking.chunks(runner.asked_items(), self.done))
            self.waiting = {} if chunking.whole else waiting
            try:
                with on_progress(self._part_done):
                    answer_chunks(runner, self._unanswered(numbered), self)
            except (KeyboardInterrupt, Unavailable) as error:
                text = f"{self.done} of {self.total} answers are kept in {out}, and the same command resumes"
                if isinstance(error, KeyboardInterrupt):
                    raise KeyboardInterrupt(text if self.done else "nothing was answered") from None
                raise Unavailable(f"{error}; {text}") if self.done else error from None

    def _unanswered(self, numbered: Iterator[tuple[int, Sequence[Item]]]) -> Iterator[tuple[int, Sequence[Item]]]:
        """The chunks to ask, without the items whose answers have been waiting for their turn."""
        for number, items in numbered:
            self.of_chunk[number] = items
            unanswered = [item for item in items if item.id not in self.waiting]
            if unanswered:
                yield number, unanswered
            else:
                self.put(number, (), ())

    def put(self, number: int, items: Sequence[Item], answers: Sequence[Answer]) -> None:
        known = {**self.waiting, **{answer.item_id: answer for answer in answers}}
        whole = self.of_chunk.pop(number)
        self.file.put(number, [known[item.id] for item in whole])
        self.done += len(whole)
        self.bar.at(self.done)
        failed = [answer for answer in answers if answer.status == "error"]
        self.errors += len(failed)
        if failed and self.errors > self.allowed:
            raise Unavailable(
                f"{self.errors} of {self.total} items failed, more than --max-errors "
                f"{self.runner.run_options.max_errors} allows; the last: item {failed[-1].item_id!r}: {failed[-1].text}"
            )

    part = 0.0  # of the whole, as far as the model says, where all items are one chunk

    def _part_done(self, share: float) -> None:
        if self.runner.chunking.whole:
            self.part = min(1.0, self.part + share)
            self.bar.at(self.part * self.total)

    def tick(self) -> None:
        if self.file.tick():
            self.write_down()

    def used(self, worker: int, usage: Mapping[str, float | None]) -> None:
        self.of_workers[worker] = usage

    def write_down(self, *, ended: bool = False) -> Run:
        """run.json with what was used so far; a run that has ended without answers and without using anything leaves
        no files over which a report would stumble."""
        own = usage_since(usage_of(self.runner.model), self.at_start)
        usage = sum_usage([self.described.usage, own, *self.of_workers.values()])
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


def errors_allowed(most: str, total: int) -> int:
    """How many items of a run may fail (--max-errors).

    >>> [errors_allowed(text, 50) for text in ("10%", "3", "0", "1%")]
    [5, 3, 0, 1]
    """
    number = re.fullmatch(r"(\d+(?:\.\d+)?)%|(\d+)", most.strip())
    if number is None:
        raise ProbandError(f"'max-errors' is {most!r}; it must be a number of items, or a share such as 10%")
    return max(1, int(float(number[1]) * total / 100)) if number[1] else int(number[2])


# ---- the folder ----------------------------------------------------------------------------------------------------


def begin(out: Path, run: Run, *, retry_errors: bool = False) -> Run:
    """Write run.json, or make sure that the one there describes this very run or a smaller sample of it; the run with
    what earlier processes have used, and how many items it had when it could be looked at. A run that failed before its
    first answer leaves nothing that would be lost."""
    path, answers = out / "run.json", out / ANSWERS
    answered = any(each.exists() and each.stat().st_size > 0 for each in (answers, out / WAITING))
    if answered and not path.exists():
        raise ProbandError("contains answers.jsonl but no run.json; name another folder", file=out)
    there = read_run(path) if path.exists() else run
    if not answered:
        run = msgspec.structs.replace(run, usage=there.usage)
        write_json(path, run)
        return run
    grows = _is_larger_sample(there, run)
    for name, (old, new) in differences(there, run).items():
        if not (name == "settings" and grows):
            raise ProbandError(
                f"{name!r} differs: this folder holds a run with {old[:80]}, now it is {new[:80]}; name another folder",
                file=path,
            )
    looks = [*there.settings.get("looks", ()), *([there.settings.get("asked")] if grows else [])]
    settings = {**run.settings, **({"looks": looks} if looks else {})}
    run = msgspec.structs.replace(run, usage=there.usage, settings=settings)
    if grows or retry_errors:
        hold_back_answers(out, errors=not retry_errors)
        write_json(path, run)
        answers.unlink(missing_ok=True)
    return run


def differences(there: Run, now: Run) -> dict[str, tuple[str, str]]:
    """What would make a run another one, as run.json has it and as it is now."""
    there = msgspec.structs.replace(there, settings={n: v for n, v in there.settings.items() if n != "looks"})
    names = ("suite", "solver", "model", "seed", "items_sha", "identity", "settings")
    both = {name: (dumps(getattr(there, name)), dumps(getattr(now, name))) for name in names}
    return {name: (old, new) for name, (old, new) in both.items() if old != new}


def _is_larger_sample(there: Run, now: Run) -> bool:
    """Whether a run asks all that another one asked, and more: a sample of 10 is part of one of 20, and of all."""
    size, larger = there.settings.get("limit"), now.settings.get("limit", float("inf"))
    sample = ("limit", "asked", "looks")
    rest = [{name: value for name, value in run.settings.items() if name not in sample} for run in (there, now)]
    if "split" in rest[0] and "split" not in rest[1]:  # which is recorded of a sample alone
        rest[1]["split"] = rest[0]["split"]
    return size is not None and size < larger and dumps(rest[0]) == dumps(rest[1])


@contextmanager
def lock_folder(out: Path) -> Iterator[None]:
    """One process at a time per folder; the lock goes with the process, however it ends."""
    from filelock import FileLock, Timeout

    try:
        with FileLock(out / ".lock", timeout=0):
            yield
    except Timeout:
        raise ProbandError("another process is writing this folder", file=out) from None
