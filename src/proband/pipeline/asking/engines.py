"""One loop: chunks of items go to an executor, answers are collected as they come.

An executor answers in this process (a network on this machine), in threads of it (a server, whose model limits its
requests itself), or on the workers of a Ray cluster, each of which loads the model once. The first Ctrl-C hands out
nothing more and takes in what is under way, the second gives that up.

`--too-long` decides about an item that is longer than the model's window: stop and name it, record an answer of status
"skipped", which no metric counts, or cut off the beginning of its text. `--on-error` decides about an item that the
model or its server cannot answer: stop and name it, or record an answer of status "error", which counts as wrong, as
does one of status "content_filter" (a reply that the server's filter withheld). What no item is to blame for (a wrong
key, a server that is away) always stops the run.
"""

from __future__ import annotations

import asyncio
import itertools
import os
import signal
import threading
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import msgspec

from proband.core.errors import ModelFailed, ProbandError, TooLong, Unavailable, Withheld
from proband.core.files import inconsistent, read_items, without_surrogates
from proband.core.progress import Verbosity
from proband.core.protocols import Concurrent, LearnsFromItems, MeasuresTexts, Model
from proband.core.types import Answer, Item
from proband.core.worker_processes import cluster
from proband.pipeline.asking.model_calls import RESULTS, Cached, Fits, Measuring, cache_of, redirected
from proband.pipeline.asking.setup import RunSetup, usage_of
from proband.pipeline.run_options import RunOptions

FAILURES = (ModelFailed, TooLong, Withheld)  # that an item is to blame for
Chunks = Iterable[tuple[int, Sequence[Item]]]
CHUNKS_PER_WORKER = 2  # of Ray, under way at a time, so that memory stays flat
MOST_AHEAD = 256  # chunks that may be answered before an earlier one is
TICK = 0.5  # seconds after which the collector hears that time has passed


class Collector(Protocol):
    """Where answers go: in any order, each chunk once."""

    def put(self, number: int, items: Sequence[Item], answers: Sequence[Answer]) -> None: ...

    def tick(self) -> None:
        """Some time has passed."""

    def used(self, worker: int, usage: Mapping[str, Any]) -> None:
        """What the model of another process has used so far."""


@dataclass(frozen=True)
class Executor:
    """`submit` hands over a chunk, of which `at_once` may be under way; after `drain` nothing new begins, and `cancel`
    gives up what is under way."""

    submit: Callable[[Sequence[Item]], Future[list[Answer]]]
    at_once: int = 1
    drain: Callable[[], None] = lambda: None
    cancel: Callable[[], None] = lambda: None


def answer_chunks(run: RunSetup, chunks: Chunks, collector: Collector) -> None:
    """Answer every chunk."""
    local = run.run_options.engine == "local"
    with local_executor(answering(run), run.model) if local else ray_executor(run, collector) as executor:
        run_chunks(executor, chunks, collector, interruptible=not run.solver.needs_all_items)


def run_chunks(executor: Executor, chunks: Chunks, collector: Collector, *, interruptible: bool = True) -> None:
    """The loop. Where a chunk fails, what was answered by then is collected, and the first failure is raised."""
    under_way: dict[Future[list[Answer]], tuple[int, Sequence[Item]]] = {}

    def collect(done: Iterable[Future[list[Answer]]]) -> None:
        failed = None
        for future in sorted(done, key=lambda each: under_way[each][0]):
            number, items = under_way.pop(future)
            error = future.exception()
            if error is None:
                collector.put(number, items, future.result())
            elif not isinstance(error, asyncio.CancelledError):  # which was not sent any more
                failed = failed or error
        if failed is not None:
            raise failed

    def wait_for_some() -> None:
        with interrupt.deferred():
            done = wait(under_way, timeout=TICK, return_when=FIRST_COMPLETED).done
        collect(done)
        collector.tick()
        if interrupt.is_set():
            executor.drain()

    with on_interrupt() if interruptible else nullcontext(Interrupt()) as interrupt:
        try:
            for number, items in chunks:
                if interrupt.is_set():
                    break
                under_way[executor.submit(items)] = number, items
                late = number - MOST_AHEAD
                while len(under_way) >= executor.at_once or any(each <= late for each, _ in under_way.values()):
                    wait_for_some()
            while under_way:
                wait_for_some()
        except BaseException:
            executor.cancel()
            wait(under_way)
            collect([each for each in under_way if each.exception() is None])
            raise
    if interrupt.is_set():
        raise KeyboardInterrupt


class Interrupt(threading.Event):
    """Set by the first Ctrl-C. The second is a KeyboardInterrupt: at once, or after a `deferred` block, whose locks it
    would leave locked."""

    waiting = again = False

    @contextmanager
    def deferred(self) -> Iterator[None]:
        self.waiting = True
        yield
        self.waiting = False
        if self.again:
            raise KeyboardInterrupt


@contextmanager
def on_interrupt() -> Iterator[Interrupt]:
    """The first Ctrl-C is a request, the second a KeyboardInterrupt; a handler that is there already stays."""
    interrupt = Interrupt()
    main = threading.current_thread() is threading.main_thread()
    if not main or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield interrupt
        return

    def handle(*_: object) -> None:
        if interrupt.is_set():
            interrupt.again = True
            if not interrupt.waiting:
                raise KeyboardInterrupt
            return
        interrupt.set()
        if not Verbosity.quiet:  # `print` may be what was interrupted
            os.write(2, b"\ninterrupted: taking in what is under way; Ctrl-C again stops at once\n")

    signal.signal(signal.SIGINT, handle)
    try:
        yield interrupt
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


# ---- executors -----------------------------------------------------------------------------------------------------


@contextmanager
def local_executor(answer: Callable[[Sequence[Item]], list[Answer]], model: Model) -> Iterator[Executor]:
    """This thread; or threads where the model takes several items at a time: more of them than requests that it makes
    at a time, so that no request waits for a solver."""
    if not isinstance(model, Concurrent):
        yield Executor(partial(answered_now, answer))
        return
    threads = 2 * model.concurrency
    with model.session() as requests, ThreadPoolExecutor(threads, "answering") as pool:
        yield Executor(lambda items: pool.submit(answer, items), threads, requests.drain, requests.cancel)


def answered_now(answer: Callable[[Sequence[Item]], list[Answer]], items: Sequence[Item]) -> Future[list[Answer]]:
    future: Future[list[Answer]] = Future()
    try:
        future.set_result(answer(items))
    except Exception as error:
        future.set_exception(error)
    return future


class Worker:
    """Lives in its own process."""

    def __init__(self, items: Path, model: str, options: RunOptions, first: Item) -> None:
        run = RunSetup(items, model, options, first=first)
        self.model, self.answering = run.model, answering(run)

    def answer(self, items: Sequence[Item]) -> tuple[list[Answer], dict[str, Any]]:
        """The answers, and what the model has used so far."""
        parts = [[item] for item in items] if isinstance(self.model, Concurrent) else [items]
        with local_executor(self.answering, self.model) as executor:
            futures = [executor.submit(part) for part in parts]
            return [answer for future in futures for answer in future.result()], usage_of(self.model)


@contextmanager
def ray_executor(run: RunSetup, collector: Collector) -> Iterator[Executor]:
    """Chunks go round the workers. A sentence shared by two chunks may be scored twice, in other batches, and so differ
    in its last digits from a local run's."""
    options = replace(run.run_options, solver=run.solver.name)
    if run.spec is None:
        raise ProbandError("the ray engine loads the model in each worker: name it, as in 'hf:roberta-large'")
    if options.max_cost is not None:
        raise ProbandError("--max-cost is kept by one process: use --engine local")
    with cluster(options.workers) as ray:
        resources = ray.cluster_resources()
        gpus, cpus = int(resources.get("GPU", 0)), int(resources.get("CPU", 1))
        actor = ray.remote(num_cpus=1, num_gpus=1 if gpus else 0)(Worker)
        team = [actor.remote(run.items, run.spec, options, run.first) for _ in range(options.workers or gpus or cpus)]
        turns, at_once = itertools.cycle(range(len(team))), CHUNKS_PER_WORKER * len(team)

        def answer(items: Sequence[Item]) -> list[Answer]:
            worker = next(turns)
            answers, usage = ray.get(team[worker].answer.remote(items))
            collector.used(worker, usage)
            return list(answers)

        def cancel() -> None:
            for worker in team:
                ray.kill(worker)

        with ThreadPoolExecutor(at_once, "workers") as pool:
            yield Executor(lambda items: pool.submit(answer, items), at_once, cancel=cancel)


# ---- answers to some items, of which single ones may fail ------------------------------------------------------------


def answering(run: RunSetup) -> Answering:
    """The model remembers what it was asked, and has learnt what it must beforehand."""
    options, model = run.run_options, run.model
    if isinstance(model, LearnsFromItems):
        model = model.learn(read_items(run.items))
    if options.too_long == "cut-left":
        if not hasattr(model, "cut_left"):
            wrong = f"--too-long cut-left needs a language model on this machine; {model.name} takes skip or fail"
            raise ProbandError(wrong)
        model = redirected(model, {"cut_left": True})
    called = any(hasattr(model, call) for call in RESULTS)  # what reads items itself is asked nothing to remember
    return Answering(
        run=run,
        model=Cached(model, cache_of(options.cache)).wrapped() if called else model,
        alone=Cached(model, None).wrapped() if called else model,
    )


@dataclass(frozen=True, kw_only=True)
class Answering:
    """A solver and its model. `alone` is the same model without a memory, to ask about single items when a chunk has
    failed: what a model says depends on the batch in its last digits, and single items must not reach the cache."""

    run: RunSetup
    model: Model
    alone: Any

    def __call__(self, items: Sequence[Item]) -> list[Answer]:
        try:
            return self._answers(items, self.model)
        except Unavailable:
            raise
        except FAILURES as error:
            if len(items) == 1:
                return [self._outcome(items[0], error)]
            return self._without_failures(items, error)

    def _answers(self, items: Sequence[Item], model: Model) -> list[Answer]:
        """Checked answers; whatever goes wrong in code that is not ours is a failure of the model."""
        try:
            answers = list(self.run.solve(items, model=model))
        except (ProbandError, Fits, OSError, MemoryError):
            raise
        except Exception as error:
            if _is_ours(error):
                raise
            raise ModelFailed(f"{self.model.name}: {type(error).__name__}: {error}") from error
        check_answers(items, answers, solver=self.run.solver.name, model=self.model.name)
        return [_written(answer) for answer in answers]

    def _without_failures(self, items: Sequence[Item], first: Exception) -> list[Answer]:
        """The items that fail by themselves, each with what becomes of it; the others are answered together."""
        failed: dict[str, Answer] = {}
        for item in items:
            if (error := self._failure(item, too_long=isinstance(first, TooLong))) is not None:
                failed[item.id] = self._outcome(item, error)
        if not failed:
            raise ProbandError(f"an item from {items[0].id!r} to {items[-1].id!r}: {first}") from first
        rest = [item for item in items if item.id not in failed]
        answers = {each.item_id: each for each in (self(rest) if rest else ())}
        return [failed.get(item.id) or answers[item.id] for item in items]

    def _failure(self, item: Item, *, too_long: bool) -> ProbandError | None:
        """Why an item fails by itself; whether it fits is seen without asking a model that can tell."""
        measures = too_long and isinstance(self.alone, MeasuresTexts)
        try:
            self._answers([item], Measuring(self.alone).wrapped() if measures else self.alone)
        except Fits:
            pass
        except Unavailable:
            raise
        except FAILURES as error:
            return error
        return None

    def _outcome(self, item: Item, error: ProbandError) -> Answer:
        """What becomes of an item that fails: an answer that says so, or the end of the run."""
        options = self.run.run_options
        if isinstance(error, Withheld):
            return Answer(item_id=item.id, text=error.text, status="content_filter")
        if isinstance(error, TooLong) and options.too_long != "fail":
            return Answer(item_id=item.id, text=str(error), status="skipped")
        if options.on_error == "record":
            return Answer(item_id=item.id, text=str(error), status="error")
        way = "--too-long skip or cut-left" if isinstance(error, TooLong) else "--on-error record"
        raise ProbandError(f"item {item.id!r}: {error} ({way} continues)") from error.__cause__


def _is_ours(error: Exception) -> bool:
    """Whether an error was raised by our own code: then it is an internal one."""
    *_, (frame, _) = traceback.walk_tb(error.__traceback__)
    return str(frame.f_globals.get("__name__", "")).startswith("proband.")


def _written(answer: Answer) -> Answer:
    """The answer with a text that a file can hold."""
    text = without_surrogates(answer.text) if answer.text else answer.text
    return answer if text == answer.text else msgspec.structs.replace(answer, text=text)


def check_answers(items: Sequence[Item], answers: Sequence[Answer], *, solver: str, model: str = "") -> None:
    """One answer per item, in order, a finite score per choice: a solver that breaks this is stopped here."""
    who = f"{model}, solver {solver}" if model else f"solver {solver}"
    if len(answers) != len(items):
        raise ModelFailed(f"{who} gave {len(answers)} answers for {len(items)} items")
    for item, answer in zip(items, answers, strict=True):
        if not isinstance(answer, Answer):
            raise ModelFailed(f"{who} gave {type(answer).__name__} for item {item.id!r}, which is no Answer")
        if answer.item_id != item.id:
            raise ModelFailed(f"{who} answered {answer.item_id!r} where {item.id!r} was asked")
        if item.choices and answer.scores and len(answer.scores) != len(item.choices):
            raise ModelFailed(f"{who}: {len(answer.scores)} scores for {len(item.choices)} choices of {item.id!r}")
        if wrong := inconsistent(answer):
            raise ModelFailed(f"{who}, item {item.id!r}: {wrong}")
