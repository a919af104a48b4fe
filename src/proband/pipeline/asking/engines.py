"""One loop: chunks of items go to an executor, answers are collected as they come.

An executor answers in this process (a network on this machine), in threads of it (a server, whose model limits its
requests itself), or on the workers of a Ray cluster, each of which loads the model once. The first Ctrl-C stops new
work and waits for open requests; the second abandons them.

`--too-long` and `--on-error` decide about an item that fails (`Answer.status`). What no item is to blame for (a wrong
key, a server that is away) always stops the run.
"""

from __future__ import annotations

import asyncio
import itertools
import os
import signal
import threading
import traceback
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import msgspec

from proband.core.errors import ModelFailed, ProbandError, TooLong, Unavailable, Withheld
from proband.core.files import inconsistent, read_items, without_surrogates
from proband.core.progress import Verbosity
from proband.core.protocols import Concurrent, LearnsFromItems, Model
from proband.core.types import Answer, Item
from proband.core.worker_processes import ray_session
from proband.pipeline.asking.model_calls import RESULTS, Cached, cache_of, redirected
from proband.pipeline.asking.setup import RunSetup
from proband.pipeline.run_options import RunOptions

FAILURES = (ModelFailed, TooLong, Withheld)  # that an item is to blame for
Chunks = Iterable[Sequence[Item]]
CHUNKS_PER_WORKER = 2  # of Ray, under way at a time, so that memory stays flat
TICK = 0.5  # seconds after which `tick` is called
Put = Callable[[Sequence[Answer]], None]  # called with answers
Tick = Callable[[], None]  # called now and then


@dataclass(frozen=True)
class Executor:
    """`submit` starts a chunk, at most `at_once` at a time; after `drain` nothing new starts, and `cancel` abandons
    open work."""

    submit: Callable[[Sequence[Item]], Future[list[Answer]]]
    at_once: int = 1
    drain: Callable[[], None] = lambda: None
    cancel: Callable[[], None] = lambda: None


def answer_chunks(run: RunSetup, chunks: Chunks, *, put: Put, tick: Tick) -> None:
    """Answer every chunk, in any order. Only this process calls an endpoint, because it keeps the budget."""
    local = run.run_options.engine == "local" or isinstance(run.model, Concurrent)
    with local_executor(Answering(run).answer, run.model) if local else ray_executor(run) as executor:
        run_chunks(executor, chunks, put=put, tick=tick, interruptible=not run.solver.needs_all_items)


def run_chunks(executor: Executor, chunks: Chunks, *, put: Put, tick: Tick, interruptible: bool) -> None:
    """The loop. After a failure nothing new starts, but what was sent is waited for, since a server may bill it; the
    answers so far are collected and the first failure is raised."""
    under_way: list[Future[list[Answer]]] = []
    failures: list[Exception] = []

    def collect(done: Collection[Future[list[Answer]]]) -> None:
        for future in [each for each in under_way if each in done]:
            under_way.remove(future)
            try:
                put(future.result())
            except asyncio.CancelledError:
                pass  # it was not sent any more
            except Exception as error:
                failures.append(error)

    def wait_for_some() -> None:
        with interrupt.deferred():
            done = wait(under_way, timeout=TICK, return_when=FIRST_COMPLETED).done
        collect(done)
        tick()
        if interrupt.is_set() or failures:
            executor.drain()

    with on_interrupt() if interruptible else nullcontext(Interrupt()) as interrupt:
        try:
            for items in chunks:
                if interrupt.is_set() or failures:
                    break
                under_way.append(executor.submit(items))
                while len(under_way) >= executor.at_once:
                    wait_for_some()
            while under_way:
                wait_for_some()
        except BaseException:
            executor.cancel()
            wait(under_way)
            collect(list(under_way))
            raise
    if failures:
        raise failures[0]
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
    """The first Ctrl-C is a request, the second a KeyboardInterrupt; an existing handler is kept."""
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
            os.write(2, b"\ninterrupted: finishing calls in progress; Ctrl-C again stops at once\n")

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


@contextmanager
def ray_executor(run: RunSetup) -> Iterator[Executor]:
    """Chunks go round the workers. A sentence shared by two chunks may be scored twice, in other batches, and so differ
    in its last digits from a local run's."""
    options = replace(run.run_options, solver=run.solver.name)
    if run.spec is None:
        raise ProbandError("the ray engine loads the model in each worker: name it, as in 'hf:roberta-large'")
    with ray_session(options.workers) as ray:
        resources = ray.cluster_resources()
        gpus, cpus = int(resources.get("GPU", 0)), int(resources.get("CPU", 1))
        actor = ray.remote(num_cpus=1, num_gpus=1 if gpus else 0)(Worker)
        team = [actor.remote(run.items, run.spec, options, run.first) for _ in range(options.workers or gpus or cpus)]
        turns, at_once = itertools.cycle(team), CHUNKS_PER_WORKER * len(team)

        def answer(items: Sequence[Item]) -> list[Answer]:
            return list(ray.get(next(turns).answer.remote(items)))

        def cancel() -> None:
            for worker in team:
                ray.kill(worker)

        with ThreadPoolExecutor(at_once, "workers") as pool:
            yield Executor(lambda items: pool.submit(answer, items), at_once, cancel=cancel)


# ---- answers to some items, of which single ones may fail ------------------------------------------------------------


class Answering:
    """A solver with its cached model, after the solver has learned from its training items. A chunk that fails is
    halved until the failing items are alone; the halves bypass the cache, because the last digits of a score depend on
    the batch."""

    def __init__(self, run: RunSetup) -> None:
        options, model = run.run_options, run.model
        if isinstance(model, LearnsFromItems):
            model = model.learn(read_items(run.items))
        if options.too_long == "cut-left":
            if not hasattr(model, "cut_left"):
                needs = "--too-long cut-left needs a language model on this machine"
                raise ProbandError(f"{needs}; {model.name} takes skip or fail")
            model = redirected(model, {"cut_left": True})
        self.run, self.model, self.uncached = run, model, model
        if any(hasattr(model, call) for call in RESULTS):  # what reads items itself is asked nothing to remember
            self.model, self.uncached = (Cached(model, to).wrapped() for to in (cache_of(options.cache), None))

    def answer(self, items: Sequence[Item], *, model: Model | None = None) -> list[Answer]:
        try:
            return self._answers(items, model or self.model)
        except Unavailable:
            raise
        except FAILURES as error:
            if len(items) == 1:
                return [self._outcome(items[0], error)]
            if self.run.solver.needs_all_items:
                raise ProbandError(f"an item from {items[0].id!r} to {items[-1].id!r}: {error}") from error
        halves = items[: len(items) // 2], items[len(items) // 2 :]
        return [answer for half in halves for answer in self.answer(half, model=self.uncached)]

    def _answers(self, items: Sequence[Item], model: Model) -> list[Answer]:
        """Checked answers; any error in code that is not ours counts as a failure of the model."""
        try:
            answers = list(self.run.solve(items, model=model))
        except (ProbandError, OSError, MemoryError):
            raise
        except Exception as error:
            *_, (frame, _) = traceback.walk_tb(error.__traceback__)
            if str(frame.f_globals.get("__name__", "")).startswith("proband."):
                raise  # an internal error
            raise ModelFailed(f"{self.model.name}: {type(error).__name__}: {error}") from error
        check_answers(items, answers, solver=self.run.solver.name, model=self.model.name)
        texts = [answer.text and without_surrogates(answer.text) for answer in answers]  # that a file can hold
        return [msgspec.structs.replace(answer, text=text) for answer, text in zip(answers, texts, strict=True)]

    def _outcome(self, item: Item, error: ProbandError) -> Answer:
        """The outcome of a failed item: an answer with status `error`, or the end of the run."""
        options = self.run.run_options
        if isinstance(error, Withheld):
            return Answer(item_id=item.id, text=error.text, status="content_filter")
        if isinstance(error, TooLong) and options.too_long != "fail":
            return Answer(item_id=item.id, text=str(error), status="skipped")
        if options.on_error == "record":
            return Answer(item_id=item.id, text=str(error), status="error")
        way = "--too-long skip or cut-left" if isinstance(error, TooLong) else "--on-error record"
        raise ProbandError(f"item {item.id!r}: {error} ({way} continues)") from error.__cause__


class Worker(Answering):
    """Lives in its own process."""

    def __init__(self, items: Path, model: str, options: RunOptions, first: Item) -> None:
        super().__init__(RunSetup(items, model, options, first=first))


def check_answers(items: Sequence[Item], answers: Sequence[Answer], *, solver: str, model: str) -> None:
    """One answer per item, in order, a finite score per choice: a solver that breaks this is stopped here."""
    who = f"{model}, solver {solver}"
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
