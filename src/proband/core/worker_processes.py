"""Work shared out to processes, the results in order: stories are made with it, rows judged, assertions extracted.

A pool of `concurrent.futures`, with three things added: results come one task after the other while only a few tasks
are under way, a job that nobody listens to any more is stopped in the middle of a task, and workers leave when their
parent is gone. The start method is `fork` on Linux (the children run plain Python, so threads of the parent's libraries
do them no harm, and scripts need no `__main__` guard) and `spawn` elsewhere.
"""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import signal
import sys
import threading
import time
import warnings
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import Any, Generic, TypeVar

from proband.core.errors import ProbandError

Task = TypeVar("Task")
Result = TypeVar("Result")
Work = Callable[[Task], Iterable[Result]]  # what a worker does with a task: results one by one
TASKS_PER_WORKER = 3  # tasks per worker that may be under way or wait for their turn
PATIENCE = 5.0  # seconds that workers have for leaving when the pool is closed
CLOSED = -1


class Pool(Generic[Task, Result]):
    """`begin(*arguments)` is called once in every process and gives the function that works on tasks there."""

    def __init__(self, begin: Callable[..., Work[Task, Result]], arguments: tuple[Any, ...], *, workers: int) -> None:
        if workers < 1:
            raise ProbandError(f"{workers} workers: there must be 1 or more")
        self.begin, self.arguments, self.workers = begin, arguments, workers

    def __enter__(self) -> Pool[Task, Result]:
        if self.workers == 1:
            self.work = self.begin(*self.arguments)
            return self
        context: Any = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")
        self.job = context.RawValue(ctypes.c_long, 0)  # the job that results are wanted of
        given = (os.getpid(), self.job, self.begin, self.arguments)
        self.executor = ProcessPoolExecutor(self.workers, mp_context=context, initializer=_begin, initargs=given)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # of fork where the parent has threads: see above
            self.executor.submit(int)  # starts the processes
        return self

    def __exit__(self, *error: object) -> None:
        if self.workers > 1:
            self.job.value = CLOSED
            self.executor.shutdown(cancel_futures=True)

    def results(self, tasks: Iterable[Task]) -> Generator[Iterable[Result], None, None]:
        """What each task gives, in the order of the tasks; a task that fails raises its error when it is its turn.
        Whoever stops listening early stops the work too."""
        if self.workers == 1:
            yield from map(self.work, tasks)
            return
        self.job.value += 1
        waiting: deque[Future[list[Result]]] = deque()
        try:
            for task in tasks:
                waiting.append(self.executor.submit(_work, self.job.value, task))
                if len(waiting) == TASKS_PER_WORKER * self.workers:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        except BrokenProcessPool:
            raise ProbandError("a worker process died; if memory ran out, fewer workers need less") from None
        finally:
            self.job.value += 1
            for future in waiting:
                future.cancel()


# ---- in a worker -----------------------------------------------------------------------------------------------------


_wanted: Any = None  # the number of the job that results are wanted of
_make: Callable[[], Work[Any, Any]]
_function: Work[Any, Any] | None = None


def _begin(parent: int, wanted: Any, begin: Callable[..., Work[Any, Any]], arguments: tuple[Any, ...]) -> None:
    global _wanted, _make
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's affair
    _wanted, _make = wanted, lambda: begin(*arguments)

    def leave_when_closed() -> None:
        while os.getppid() == parent and wanted.value != CLOSED:
            time.sleep(0.5)
        if os.getppid() == parent:
            time.sleep(PATIENCE)  # in the middle of a long search: nobody waits for it
        os._exit(1)

    threading.Thread(target=leave_when_closed, daemon=True).start()


def _work(job: int, task: Any) -> list[Any]:
    global _function
    _function = _function or _make()
    results: list[Any] = []
    for result in _function(task):
        if _wanted.value != job:
            break
        results.append(result)
    return results


@contextmanager
def cluster(workers: int | None) -> Iterator[Any]:
    """Joins the cluster at $RAY_ADDRESS, or starts one on this machine; errors of workers become one line."""
    try:
        import ray
    except ImportError:
        raise ProbandError("the ray engine is not installed: pip install 'proband[ray]'") from None
    mine = not ray.is_initialized()
    if mine:
        ray.init(
            address=os.environ.get("RAY_ADDRESS"),
            num_cpus=None if "RAY_ADDRESS" in os.environ else workers,
            include_dashboard=False,
            log_to_driver=False,
            configure_logging=False,
        )
    try:
        yield ray
    except ray.exceptions.RayTaskError as error:
        cause = error.cause
        raise cause if isinstance(cause, ProbandError) else ProbandError(f"a worker failed: {cause!r}") from None
    except ray.exceptions.RayActorError as error:
        raise ProbandError(f"a worker died: {' '.join(str(error).split())[:200]}") from None
    finally:
        if mine:
            ray.shutdown()
