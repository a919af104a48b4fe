"""Runs a model on the items of a folder, through one of the suite's solvers.

A run is a folder: run.json has the settings and the usage so far, and answers.jsonl an answer per item once the run has
finished. The same command resumes; the bytes are those of an uninterrupted run, because a chunk is always the same
items and the model's batches depend on the chunk alone (an endpoint is asked item by item). Items are read as a stream:
memory does not grow with their number, except for solvers that must see all of them at once.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property, partial
from math import inf
from pathlib import Path
from typing import Any

import msgspec

from proband import models
from proband.core.errors import ProbandError, Unavailable
from proband.core.files import dumps, items_path, read_answers, read_items, read_run, sha256_file, write_json
from proband.core.plugins import name_list, read_options, with_profile
from proband.core.progress import Progress, on_progress
from proband.core.protocols import Concurrent, Generates, LearnsFromItems, Model, ScoresText
from proband.core.types import Answer, Item, Run
from proband.pipeline.asking.engines import answer_chunks
from proband.pipeline.asking.items_and_answers import CHUNK, RunAnswers, Selection, chunks_of, select_items
from proband.pipeline.asking.model_calls import Counting, cache_of, redirected
from proband.pipeline.asking.setup import PlannedRun, RunSetup, Usage, suite_of, sum_usage, usage_of, usage_since
from proband.pipeline.build import versions
from proband.pipeline.run_options import RunOptions
from proband.pipeline.until import run_until
from proband.solvers.prompts import expand_names, short_name


def run_all(
    items: str | Path, *, model: str | Model, out: str | Path, profile: str | Path | None, dry_run: bool, **given: Any
) -> tuple[RunOptions, list[Forecast], list[tuple[Path, Run]]]:
    """The options of a command, and every run with its folder; of a dry run the forecasts instead."""
    options = read_options(RunOptions, with_profile(given, profile), of="run")
    planned = planned_runs(Path(items), model, Path(out), options)
    if dry_run:
        return options, list(map(forecast, planned)), []
    if options.until:
        return options, [], [(planned[0].folder, run_until(planned[0], ask=run_planned))]
    return options, [], [(each.folder, run_planned(each, [other.folder for other in planned])) for each in planned]


def planned_runs(items: Path, model: str | Model, out: Path, options: RunOptions) -> list[PlannedRun]:
    """A run per prompt, or per repetition, each in its own folder where there are several."""
    names, solver = options.prompt, next((each for each in suite_of(items).solvers if each.prompts is not None), None)
    if names and solver is not None and solver.prompts is not None:
        names = tuple(expand_names(names, solver.prompts, default=str(solver.recorded(solver.options())["prompt"])))
    prompts = {name: short_name(name) for name in names}
    if len(set(prompts.values())) < len(prompts):
        raise ProbandError(f"two of the prompts {', '.join(names)} have the same name, thus the same folder")
    if options.repeat > 1 and len(prompts) > 1:
        raise ProbandError("--repeat takes one prompt; without --repeat several are possible")
    each = {name: replace(options, options={**options.options, "prompt": prompt}) for prompt, name in prompts.items()}
    if options.repeat > 1:
        (one,) = each.values() or [options]
        each = {f"repeat-{number + 1}": replace(one, seed=one.seed + number) for number in range(options.repeat)}
    several = len(each) > 1
    return [
        PlannedRun(items=items, model=model, folder=out / name if several else out, options=own, name=name)
        for name, own in (each or {"": options}).items()
    ]


def run_planned(planned: PlannedRun, among: Sequence[Path] = ()) -> Run:
    """One run `among` the folders of its command. What all of them have cost counts against the one `max_cost`."""
    done = finished_run(planned)
    if done is not None:
        return done
    others = sum_usage(used_before(each) for each in among if each != planned.folder)
    try:
        return Runner(planned).run(others)
    except KeyboardInterrupt as interrupt:
        if len(among) < 2:
            raise
        finished = f"{among.index(planned.folder)} of {len(among)} runs are finished"
        raise KeyboardInterrupt(f"{finished}; of {planned.name}, {interrupt}") from None


def finished_run(planned: PlannedRun) -> Run | None:
    """The run in a folder, if it is this one and finished; a server is not asked for that."""
    path = planned.folder / "run.json"
    if not models.at_server(planned.model) or planned.options.retry_errors or not path.exists():
        return None
    there = read_run(path)
    if there.solver not in name_list(planned.options.solver or there.solver):
        return None
    options = replace(planned.options, solver=there.solver)
    try:
        runner = Runner(msgspec.structs.replace(planned, options=options), silent=True)
    except ProbandError:  # it has options of another solver
        return None
    same = not differences(there, runner.describe())
    return there if same and runner.answers.complete(runner.chosen.count) else None


def used_before(folder: Path) -> Usage:
    """The usage of earlier processes for the run of a folder."""
    path = folder / "run.json"
    return read_run(path).usage if path.exists() else {}


# ---- what would be asked -------------------------------------------------------------------------------------------


class Forecast(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The requests of a run; None: unknown for its solver. `tokens_out` and `cost` are upper bounds."""

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
    seconds_tried: bool = True  # otherwise by what a token took in other runs of the model


def forecast(planned: PlannedRun, *, until: float = inf) -> Forecast:
    """The requests of a run, counted by running the solver on a model that only counts. Answered items are left out;
    cached requests are counted as `cached`. No items are tried after `until` (`time.monotonic`), and the time of the
    run is not known then."""
    runner = Runner(planned, silent=True)
    wanted, done = list(runner.asked_items()), runner.answers.so_far()
    left = [item for item in wanted if item.id not in done]
    made = Forecast(
        suite=runner.suite.name, model=runner.model.name, solver=runner.solver.name, prompt=planned.name,
        items=len(wanted), answered=len(wanted) - len(left),
    )  # fmt: skip
    if runner.solver.needs not in (ScoresText, Generates) or runner.solver.needs_all_items:
        if runner.solver.needs_all_items or isinstance(runner.model, LearnsFromItems):
            return made
        return msgspec.structs.replace(made, seconds=runner.seconds_for(left, len(left), until=until))
    counting = Counting(runner.model, cache_of(runner.run_options.cache))
    runner.solve(left, model=counting.wrapped())
    calls = counting.figures()
    seconds = runner.seconds_for(left, calls["calls"], calls["tokens_out"], until=until)
    return msgspec.structs.replace(made, **calls, seconds=seconds)


# ---- one run -------------------------------------------------------------------------------------------------------


MEASURED, SLOW = 4, 2.0  # items whose time is taken for a forecast; one is enough where it takes so many seconds


class Runner(RunSetup):
    """One run in its folder, settled before anything is asked."""

    def __init__(self, planned: PlannedRun, *, silent: bool = False) -> None:
        super().__init__(planned.items, planned.model, planned.options, silent=silent)
        self.out, self.answers = planned.folder, RunAnswers(planned.folder)

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
                "shots come from the training items, which this run evaluates: "
                "take them from other items with --set shots-from=DIR, or another --split"
            )
        return result

    @property
    def one_chunk(self) -> bool:
        return self.solver.needs_all_items and not isinstance(self.model, Concurrent)

    def chunks(self) -> Iterator[list[Item]]:
        """Items that are answered together: one by one where the model takes several threads."""
        if self.one_chunk or isinstance(self.model, Concurrent):
            return chunks_of(self.asked_items(), size=None if self.one_chunk else 1)
        size, characters = getattr(self.model, "chunk", CHUNK), getattr(self.model, "chunk_characters", "inf")
        return chunks_of(self.asked_items(), size=int(size), characters=float(characters))

    checked = False

    def asked_items(self) -> Iterator[Item]:
        """The suite checks them the first time that all are read."""
        yield from self.chosen.of(read_items(self.items, check=None if self.checked else self.suite.check))
        self.checked = True

    def describe(self) -> Run:
        """The run.json of this run."""
        decides: dict[str, Any] = {
            "limit": self.run_options.limit,
            "sample": "clusters" if self.run_options.until else "",
            "where": dict(self.run_options.where),
            "split": "" if self.chosen.every_split else ",".join(self.chosen.splits),
            "asked": self.chosen.count,
        }
        part = {} if self.chosen.whole else {name: value for name, value in decides.items() if value}
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
            raise ProbandError("is a folder of items; choose another one for the run", file=self.out)
        self.out.mkdir(parents=True, exist_ok=True)
        with lock_folder(self.out):
            self.allowed = errors_allowed(self.run_options.max_errors, self.chosen.count)
            self.described = self.begin(described)
            # a model that was loaded for this run has used nothing for another
            self.at_start = {} if self.spec else usage_of(self.model)
            try:
                self.answer_all(others)
            finally:
                finished = self.write_down(ended=True)
        return finished

    def begin(self, run: Run) -> Run:
        """Write run.json, or make sure that the one there describes this very run or a smaller sample of it. Returns
        the run with what earlier processes have used, and how many items it had at each look."""
        path, answered, retry_errors = self.out / "run.json", self.answers.begun(), self.run_options.retry_errors
        if answered and not path.exists():
            raise ProbandError("contains answers.jsonl but no run.json; choose another folder", file=self.out)
        there = read_run(path) if path.exists() else run
        if not answered:
            run = msgspec.structs.replace(run, usage=there.usage)
            write_json(path, run)
            return run
        grows = _is_larger_sample(there, run)
        for name, (old, new) in differences(there, run).items():
            if not (name == "settings" and grows):
                differs = f"{name!r} differs: this folder holds a run with {old[:80]}, now it is {new[:80]}"
                raise ProbandError(f"{differs}; choose another folder", file=path)
        looks = [*there.settings.get("looks", ()), *([there.settings.get("asked")] if grows else [])]
        settings = {**run.settings, **({"looks": looks} if looks else {})}
        run = msgspec.structs.replace(run, usage=there.usage, settings=settings)
        if grows or retry_errors:
            known = self.answers.so_far().values()
            self.answers.replace(each for each in known if not retry_errors or each.status != "error")
            write_json(path, run)
        return run

    # ---- under way: answers as they come, errors counted, and what was used ----------------------------------------

    done = errors = 0
    part = 0.0  # of the whole, as far as the model says, where all items are one chunk
    written: Usage | None = None

    def answer_all(self, others: Usage) -> None:
        known = self.answers.to_keep(self.chunks())
        if self.one_chunk and len(known) < self.chosen.count:
            known = {}
        self.done, self.errors = len(known), sum(each.status == "error" for each in known.values())
        name = f"{self.suite.name} · {self.model.name}"
        resume = getattr(self.model, "resume", None)
        if callable(resume):
            resume(sum_usage([self.described.usage, others]))
        with Progress(name, total=self.chosen.count) as self.bar:
            self.bar.at(self.done)
            if self.done < self.chosen.count:
                self._ask(set(known))
        if self.answers.arrived.exists() or not self.answers.complete(self.chosen.count):
            known = self.answers.so_far()
            self.answers.replace(known[item.id] for item in self.asked_items())

    def _ask(self, known: Collection[str]) -> None:
        chunks = ([item for item in items if item.id not in known] for items in self.chunks())
        try:
            with self.answers, on_progress(self._part_done):
                answer_chunks(self, filter(None, chunks), put=self.put, tick=self.tick)
        except (KeyboardInterrupt, Unavailable) as error:
            text = f"{self.done} of {self.chosen.count} answers are kept in {self.out}, and the same command resumes"
            if isinstance(error, KeyboardInterrupt):
                raise KeyboardInterrupt(text if self.done else "nothing was answered") from None
            raise Unavailable(f"{error}; {text}") if self.done else error from None

    def put(self, answers: Sequence[Answer]) -> None:
        self.answers.put(answers)
        self.done += len(answers)
        self.bar.at(self.done)
        failed = [answer for answer in answers if answer.status == "error"]
        self.errors += len(failed)
        if failed and self.errors > self.allowed:
            raise Unavailable(
                f"{self.errors} of {self.chosen.count} items failed, more than --max-errors "
                f"{self.run_options.max_errors} allows; the last: item {failed[-1].item_id!r}: {failed[-1].text}"
            )

    def _part_done(self, share: float) -> None:
        if self.one_chunk:
            self.part = min(1.0, self.part + share)
            self.bar.at(self.part * self.chosen.count)

    def tick(self) -> None:
        if self.answers.tick():
            self.write_down()

    def write_down(self, *, ended: bool = False) -> Run:
        """run.json with what was used so far; a run that has ended without answers and without using anything leaves
        no files over which a report would stumble."""
        usage = sum_usage([self.described.usage, usage_since(usage_of(self.model), self.at_start)])
        run = msgspec.structs.replace(self.described, usage=usage)
        path, answers = self.out / "run.json", self.answers
        if ended and answers.finished.exists() and self.done == self.chosen.count and self.solver.summary is not None:
            run = msgspec.structs.replace(run, summary=dict(self.solver.summary(read_answers(answers.finished))))
        if ended and not self.done and not usage.get("requests") and not answers.finished.exists():
            answers.arrived.unlink(missing_ok=True)
            path.unlink(missing_ok=True)
        elif usage != self.written or run.summary or not path.exists():
            write_json(path, run)
            self.written = usage
        return run

    def seconds_for(self, items: Sequence[Item], calls: int, tokens: int = 0, *, until: float) -> float | None:
        """How long the calls will take: by the pace of an endpoint, or by what its first answers took; of a model on
        this machine, by what a few items take now."""
        if not calls or not items:
            return 0.0
        model = self.model
        if isinstance(model, Concurrent):
            used, rpm = used_before(self.out), getattr(model, "rpm", None)
            pace = 60 / rpm if rpm else 0.0
            if answered := used.get("answered"):
                return calls * max((used.get("seconds") or 0.0) / answered / model.concurrency, pace)
            return calls * pace if rpm else None
        sample = items[:: max(1, len(items) // MEASURED)][:MEASURED]
        if time.monotonic() > until:
            return None
        each = self._seconds(sample[:1], tokens / calls)
        return len(items) * (each if each > SLOW else self._seconds(sample, tokens / calls) / len(sample))

    def _seconds(self, items: Sequence[Item], longest: float) -> float:
        """How long items take now. Replies are cut to 1, 4, 16, ... tokens until they end or take SLOW seconds; then
        what a token takes counts for as many as a reply may have (`longest`)."""
        replies, most, last = list[Any](), 1, (list[Any](), 0.0)

        def cut(call: Callable[..., Any], requests: Sequence[Any], *, max_tokens: int, **settings: Any) -> Any:
            replies.append(call(requests, max_tokens=min(max_tokens, most), **settings))
            return replies[-1]

        model, names = self.model, ("generate", "chat", "replies")
        calls = {name: partial(cut, getattr(model, name)) for name in names if hasattr(model, name)}
        while True:
            begun = time.monotonic()
            self.solve(items, model=redirected(model, calls))
            seconds = time.monotonic() - begun
            if longest <= most or replies == last[0]:
                return seconds
            if most > 1 and seconds > SLOW:
                return seconds + max(0.0, seconds - last[1]) / (most - most // 4) * (longest - most)
            last, replies, most = (replies, seconds), [], 4 * most


def errors_allowed(most: str, total: int) -> int:
    """How many items of a run may fail (--max-errors).

    >>> [errors_allowed(text, 50) for text in ("10%", "3", "0", "1%", "0%")]
    [5, 3, 0, 1, 0]
    """
    number = re.fullmatch(r"(\d+(?:\.\d+)?)%|(\d+)", most.strip())
    if number is None:
        raise ProbandError(f"'max-errors' is {most!r}; it must be a number of items, or a share such as 10%")
    share = float(number[1] or 0) * total / 100
    return int(number[2] or (max(1, share) if share else 0))


# ---- the folder ----------------------------------------------------------------------------------------------------


def differences(there: Run, now: Run) -> dict[str, tuple[str, str]]:
    """The settings in which a run differs from the one in run.json, with both values."""
    there = msgspec.structs.replace(there, settings={n: v for n, v in there.settings.items() if n != "looks"})
    names = ("suite", "solver", "model", "seed", "items_sha", "identity", "settings")
    differing = dict[str, tuple[str, str]]()
    for name in names:
        old, new = getattr(there, name), getattr(now, name)
        if isinstance(old, Mapping):  # of two sets of settings, those that differ
            own = [each for each in {**old, **new} if dumps(old.get(each)) != dumps(new.get(each))]
            own = [each for each in own if each != "served" or each in old.keys() & new.keys()]  # a server may be away
            old, new = ({each: side[each] for each in own if each in side} for side in (old, new))
        if dumps(old) != dumps(new):
            differing[name] = dumps(old), dumps(new)
    return differing


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
