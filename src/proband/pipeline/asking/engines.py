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
import copy
import itertools
import os
import signal
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

import msgspec

from proband import suites
from proband.core.errors import ModelFailed, ProbandError, TooLong, Unavailable, Withheld
from proband.core.files import inconsistent, read_items, without_surrogates
from proband.core.progress import Verbosity
from proband.core.protocols import Concurrent, LearnsFromItems, MeasuresTexts, Model
from proband.core.types import Answer, Item
from proband.core.worker_processes import cluster
from proband.pipeline.asking.model_calls import RESULTS, Cached, Fits, Measuring, cache_of
from proband.pipeline.asking.setup import Job, choose_solver, usage_of
from proband.pipeline.run_options import OnError, TooLongChoice

Solve = Callable[..., Sequence[Answer]]
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


def answer_chunks(job: Job, model: Model, chunks: Chunks, collector: Collector) -> None:
    """Answer every chunk; `model` is the one that this process has loaded."""
    own = (
        local_executor(answering(job, model), model) if job.options.engine == "local" else ray_executor(job, collector)
    )
    with own as executor:
        whole = choose_solver(suites.suite(job.suite), model, job.solver).needs_all_items
        run_chunks(executor, chunks, collector, interruptible=not whole)


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
        collect(wait(under_way, timeout=TICK, return_when=FIRST_COMPLETED).done)
        collector.tick()
        if interrupt.is_set():
            executor.drain()

    with on_interrupt() if interruptible else nullcontext(threading.Event()) as interrupt:
        try:
            for number, items in chunks:
                if interrupt.is_set():
                    break
                under_way[executor.submit(items)] = number, items
                while len(under_way) >= executor.at_once or number - _oldest(under_way, number) >= MOST_AHEAD:
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


def _oldest(under_way: Mapping[Any, tuple[int, Any]], number: int) -> int:
    return min((each for each, _ in under_way.values()), default=number)


@contextmanager
def on_interrupt() -> Iterator[threading.Event]:
    """The first Ctrl-C is a request, the second a KeyboardInterrupt; a handler that is there already stays."""
    interrupt = threading.Event()
    main = threading.current_thread() is threading.main_thread()
    if not main or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield interrupt
        return

    def handle(*_: object) -> None:
        if interrupt.is_set():
            raise KeyboardInterrupt
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

    def __init__(self, job: Job) -> None:
        self.model = job.load()
        self.answering = answering(job, self.model)

    def answer(self, items: Sequence[Item]) -> tuple[list[Answer], dict[str, Any]]:
        """The answers, and what the model has used so far."""
        parts = [[item] for item in items] if isinstance(self.model, Concurrent) else [items]
        with local_executor(self.answering, self.model) as executor:
            futures = [executor.submit(part) for part in parts]
            return [answer for future in futures for answer in future.result()], usage_of(self.model)


@contextmanager
def ray_executor(job: Job, collector: Collector) -> Iterator[Executor]:
    """Chunks go round the workers. A sentence shared by two chunks may be scored twice, in other batches, and so differ
    in its last digits from a local run's."""
    if job.model is None:
        raise ProbandError("the ray engine loads the model in each worker: name it, as in 'hf:roberta-large'")
    if job.options.max_cost is not None:
        raise ProbandError("--max-cost is kept by one process: use --engine local")
    with cluster(job.options.workers) as ray:
        resources = ray.cluster_resources()
        gpus, cpus = int(resources.get("GPU", 0)), int(resources.get("CPU", 1))
        actor = ray.remote(num_cpus=1, num_gpus=1 if gpus else 0)(Worker)
        team = [actor.remote(job) for _ in range(job.options.workers or gpus or cpus)]
        turns = itertools.cycle(range(len(team)))

        def submit(items: Sequence[Item]) -> Future[list[Answer]]:
            worker, future = next(turns), Future[list[Answer]]()

            def hand_over(done: Future[tuple[list[Answer], dict[str, Any]]]) -> None:
                if error := done.exception():
                    future.set_exception(error)
                    return
                answers, usage = done.result()
                collector.used(worker, usage)
                future.set_result(answers)

            team[worker].answer.remote(items).future().add_done_callback(hand_over)
            return future

        def cancel() -> None:
            for worker in team:
                ray.kill(worker)

        yield Executor(submit, CHUNKS_PER_WORKER * len(team), cancel=cancel)


# ---- answers to some items, of which single ones may fail ------------------------------------------------------------


def answering(job: Job, model: Model) -> Answering:
    """The model remembers what it was asked, and has learnt what it must beforehand."""
    options, solver = job.options, choose_solver(suites.suite(job.suite), model, job.solver)
    if isinstance(model, LearnsFromItems):
        model = model.learn(read_items(job.items))
    if options.too_long == "cut-left":
        model = with_truncation(model)
    called = any(hasattr(model, call) for call in RESULTS)  # what reads items itself is asked nothing to remember
    return Answering(
        solve=job.solve(solver),
        solver=solver.name,
        model=Cached(model, cache_of(options.cache)).wrapped() if called else model,
        alone=Cached(model, None).wrapped() if called else model,
        too_long=options.too_long,
        on_error=options.on_error,
    )


def with_truncation(model: Model) -> Model:
    """A copy of the model that cuts texts at the left."""
    if not hasattr(model, "cut_left"):
        raise ProbandError(
            f"--too-long cut-left needs a language model on this machine; {model.name} takes skip or fail"
        )
    cutting = copy.copy(model)
    cutting.cut_left = True
    return cutting


@dataclass(frozen=True, kw_only=True)
class Answering:
    """A solver and its model. `alone` is the same model without a memory, to ask about single items when a chunk has
    failed: what a model says depends on the batch in its last digits, and single items must not reach the cache."""

    solve: Solve
    solver: str
    model: Model
    alone: Any
    too_long: TooLongChoice = "fail"
    on_error: OnError = "fail"

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
            answers = list(self.solve(items, model=model))
        except (ProbandError, Fits, OSError, MemoryError):
            raise
        except Exception as error:
            if _is_ours(error):
                raise
            raise ModelFailed(f"{self.model.name}: {type(error).__name__}: {error}") from error
        check_answers(items, answers, solver=self.solver, model=self.model.name)
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
        if isinstance(error, Withheld):
            return Answer(item_id=item.id, text=error.text, status="content_filter")
        if isinstance(error, TooLong) and self.too_long != "fail":
            return Answer(item_id=item.id, text=str(error), status="skipped")
        if self.on_error == "record":
            return Answer(item_id=item.id, text=str(error), status="error")
        if isinstance(error, TooLong):
            raise ProbandError(f"item {item.id!r}: {error} (--too-long skip or cut-left continues)") from None
        raise ProbandError(f"item {item.id!r}: {error} (--on-error record continues)") from error.__cause__


def _is_ours(error: Exception) -> bool:
    """Whether an error was raised by our own code: then it is an internal one."""
    at = error.__traceback__
    while at is not None and at.tb_next is not None:
        at = at.tb_next
    return at is not None and str(at.tb_frame.f_globals.get("__name__", "")).startswith("proband.")


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
