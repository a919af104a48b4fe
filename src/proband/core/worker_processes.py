"""A pool of processes with results in order, used to make stories, judge rows and extract assertions.

Every worker has its own pipe and shares nothing with the others: no queue, no lock. So if a worker dies, even in the
middle of a message, the parent reads an end of file on its pipe and reports it in one line. A worker gets its next task
only after the parent has taken its last result, so neither ever waits for the other to empty a pipe.

A number in shared memory, checked by workers between two results, stops them; they exit when their pipe is closed
(workers of `concurrent.futures` outlive a killed parent, and cannot be stopped in the middle of a task). The start
method is `fork` on Linux (the children run plain Python, so threads of the parent's libraries do them no harm, and
scripts need no `__main__` guard) and `spawn` elsewhere.
"""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import signal
import sys
import traceback
import warnings
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager, suppress
from multiprocessing import connection
from typing import Any, Generic, TypeVar

from proband.core.errors import ProbandError

Task = TypeVar("Task")
Result = TypeVar("Result")
Work = Callable[[Task], Iterable[Result]]  # yields the results of a task
TASKS_PER_WORKER = 3  # tasks per worker that may be running or waiting
PATIENCE = 5.0  # seconds that workers have to exit


class Pool(Generic[Task, Result]):
    """`begin(*arguments)` is called once in every process and returns the function that works on tasks."""

    def __init__(self, begin: Callable[..., Work[Task, Result]], arguments: tuple[Any, ...], *, workers: int) -> None:
        if workers < 1:
            raise ProbandError(f"--workers is {workers}; it must be 1 or more")
        self.begin, self.arguments, self.workers = begin, arguments, workers
        self.pipes: dict[connection.Connection, Any] = {}  # -> its process
        self.busy: set[connection.Connection] = set()

    def __enter__(self) -> Pool[Task, Result]:
        if self.workers == 1:
            self.work = self.begin(*self.arguments)
            return self
        forked = sys.platform == "linux"
        context: Any = multiprocessing.get_context("fork" if forked else "spawn")
        self.job = context.RawValue(ctypes.c_long, 0)  # number of the current job
        for _ in range(self.workers):
            ours, theirs = context.Pipe()
            inherited = [*self.pipes, ours] if forked else []  # the child closes the parent's ends
            process = context.Process(
                target=_serve, args=(theirs, inherited, self.job, self.begin, self.arguments), daemon=True
            )
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DeprecationWarning)  # of fork where the parent has threads: see above
                process.start()
            theirs.close()
            self.pipes[ours] = process
        return self

    def __exit__(self, *error: object) -> None:
        if not self.pipes:
            return
        self.job.value += 1
        while self.busy and (ready := connection.wait(self.busy, timeout=PATIENCE)):
            for pipe in ready:
                with suppress(ProbandError):
                    self._receive(pipe)
        for pipe in self.pipes:
            pipe.close()
        for process in self.pipes.values():
            process.join(timeout=PATIENCE)
            if process.is_alive():  # in the middle of a long search whose result is not needed
                process.kill()
                process.join()
        self.pipes.clear()

    def results(self, tasks: Iterable[Task]) -> Generator[Iterable[Result], None, None]:
        """The results of each task, in order; a task that fails raises its error in its turn. Closing the generator
        stops the work."""
        if self.workers == 1:
            yield from map(self.work, tasks)
            return
        self.job.value += 1
        job, todo, waiting = self.job.value, enumerate(tasks), dict[int, list[Result] | Exception]()
        turn, sent, more = 0, 0, True
        try:
            while True:
                # wait only if needed: for the next result in order, or for a worker if all are busy
                must = turn not in waiting and (sent > turn or len(self.busy) == self.workers)
                for pipe in connection.wait(self.busy, timeout=None if must else 0):
                    of, number, result, error = self._receive(pipe)
                    if of != job:  # left over from a cancelled job
                        continue
                    waiting[number] = result if error is None else error
                idle = [pipe for pipe in self.pipes if pipe not in self.busy]
                while more and idle and sent - turn < TASKS_PER_WORKER * self.workers:
                    following = next(todo, None)
                    if more := following is not None:
                        self._send(idle.pop(), (job, *following))
                        sent += 1
                if turn in waiting:
                    done = waiting.pop(turn)
                    if isinstance(done, Exception):
                        raise done
                    yield done
                    turn += 1
                elif turn == sent and not more:
                    return
        finally:
            self.job.value += 1

    def _send(self, pipe: Any, message: Any) -> None:
        try:
            pipe.send(message)
        except OSError:
            raise self._died(pipe) from None
        self.busy.add(pipe)

    def _receive(self, pipe: Any) -> tuple[int, int, list[Result], Exception | None]:
        self.busy.discard(pipe)
        try:
            message: tuple[int, int, list[Result], Exception | None] = pipe.recv()
        except (EOFError, OSError):
            raise self._died(pipe) from None
        return message

    def _died(self, pipe: Any) -> ProbandError:
        process = self.pipes[pipe]
        process.join(timeout=PATIENCE)
        code = process.exitcode
        ended = f"killed by signal {-code}" if code is not None and code < 0 else f"exit code {code}"
        return ProbandError(f"a worker process died ({ended}); if memory ran out, use fewer workers")


def _serve(
    pipe: Any, inherited: list[Any], wanted: Any, begin: Callable[..., Work[Task, Result]], arguments: tuple[Any, ...]
) -> None:
    """The loop of a worker, until the parent closes the pipe or exits."""
    for each in inherited:
        each.close()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles Ctrl-C
    work: Work[Task, Result] | None = None
    while True:
        try:
            job, number, task = pipe.recv()
        except (EOFError, OSError):
            return
        results: list[Result] = []
        error: Exception | None = None
        try:
            work = work or begin(*arguments)
            for result in work(task):
                if wanted.value != job:
                    break
                results.append(result)
        except ProbandError as known:
            error = known
        except Exception:
            error = RuntimeError(f"in a worker process:\n{traceback.format_exc()}")
        try:
            pipe.send((job, number, results, error))
        except OSError:
            return


@contextmanager
def ray_session(workers: int | None) -> Iterator[Any]:
    """Join the Ray cluster at $RAY_ADDRESS, or start one on this machine; errors of workers become one line."""
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
