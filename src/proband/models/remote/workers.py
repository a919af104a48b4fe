"""Many requests at a time, from one thread or several, stopped at once by a failure or an interrupt."""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import threading
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

T = TypeVar("T")
Ask = Callable[[int], Awaitable[None]]
AGAIN = 0.1  # seconds between two cancellations of a worker that goes on


async def work_through(count: int, asks: Sequence[Ask]) -> None:
    """`ask(i)` for every i < count, one worker per `ask`; the first failure, or a cancellation, stops all of them.

    A worker can miss a cancellation: a connection that is just being opened or closed may end it for itself. So this
    task waits for the workers without depending on them (`gather` would hand a cancellation to the workers and wait for
    it to come back), the workers take no new number once it has stopped waiting, and they are cancelled until they end.
    """
    numbers, stopped = iter(range(count)), False

    async def work(ask: Ask) -> None:
        for i in numbers:  # shared: each number is taken by one worker
            if stopped:
                return
            await ask(i)

    workers = [asyncio.ensure_future(work(ask)) for ask in asks]
    try:
        await asyncio.wait(workers, return_when=asyncio.FIRST_EXCEPTION)
    finally:
        stopped = True
        failed = [worker for worker in workers if worker.done() and not worker.cancelled() and worker.exception()]
        while pending := [worker for worker in workers if not worker.done()]:
            for worker in pending:
                worker.cancel()
            await asyncio.wait(pending, timeout=AGAIN)
    for worker in (*failed, *workers):  # the first failure, not what it caused
        worker.result()


def run_to_end(work: Coroutine[Any, Any, T]) -> T:
    """Run to the end; beside a loop that runs already (a notebook), in a thread of its own."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    with contextlib.closing(asyncio.new_event_loop()) as loop, ThreadPoolExecutor(1) as beside:
        task = loop.create_task(work)
        try:
            return beside.submit(loop.run_until_complete, task).result()
        except BaseException:
            loop.call_soon_threadsafe(task.cancel)  # interrupted: what is under way ends too
            raise


class Session:
    """An event loop in a thread of its own, which any number of threads hand work to."""

    def __init__(self) -> None:
        self.cancelled = False
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, name="requests", daemon=True)
        self.thread.start()

    def finish(self, work: Coroutine[Any, Any, T]) -> T:
        """Run to the end; an interrupt of the waiting thread cancels the work."""
        if self.cancelled:
            work.close()
            raise asyncio.CancelledError
        future = asyncio.run_coroutine_threadsafe(work, self.loop)
        try:
            return future.result()
        except concurrent.futures.CancelledError:
            raise asyncio.CancelledError from None  # which is no Exception: nobody takes it for a failure
        except BaseException:
            future.cancel()
            raise

    def cancel(self) -> None:
        """Cancel all work, until it has ended (a connection that is being opened may miss a cancellation); take no more
        of it."""
        self.cancelled = True

        async def end() -> None:
            own = asyncio.current_task()
            while pending := [task for task in asyncio.all_tasks() if task is not own]:
                for task in pending:
                    task.cancel()
                await asyncio.wait(pending, timeout=AGAIN)

        asyncio.run_coroutine_threadsafe(end(), self.loop).result()

    def close(self) -> None:
        self.cancel()
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join()
        self.loop.close()
