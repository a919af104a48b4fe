"""Many requests at a time, from one thread or several, stopped by a failure or an interrupt."""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterable
from contextlib import AbstractAsyncContextManager
from typing import Any, TypeVar

T = TypeVar("T")
CANCEL_INTERVAL = 0.1  # seconds between two cancellations of a worker that continues
Turn = Callable[[], AbstractAsyncContextManager[None]]


async def all_of(count: int, ask: Callable[[int], Awaitable[None]], *, turn: Turn) -> None:
    """`ask(i)` for every i < count, each in its `turn`; the first failure, or a cancellation, stops all of them.

    This task waits for the others without passing its cancellation on to them, unlike `gather`, which would also wait
    for them to be cancelled.
    """
    failure = False

    async def one(i: int) -> None:
        nonlocal failure
        async with turn():
            if failure:  # no further call is started
                raise asyncio.CancelledError
            try:
                await ask(i)
            except BaseException:
                failure = True
                raise

    tasks = [asyncio.ensure_future(one(i)) for i in range(count)]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION)
    finally:
        failed = [task for task in tasks if task.done() and not task.cancelled() and task.exception()]
        await end(tasks)
    for task in (*failed, *tasks):  # report the first failure, not its consequences
        task.result()


async def end(tasks: Iterable[asyncio.Task[Any]]) -> None:
    """Cancel tasks until they have ended. A task may miss a cancellation, because a connection that is being opened or
    closed may consume it."""
    while pending := [task for task in tasks if not task.done()]:
        for task in pending:
            task.cancel()
        await asyncio.wait(pending, timeout=CANCEL_INTERVAL)


class Session:
    """A client, and an event loop in its own thread, for work from any number of threads. Together they make at
    most `at_a_time` requests at a time; only `turn` enforces this limit."""

    def __init__(self, client: Any, *, at_a_time: int) -> None:
        self.client, self._slots = client, asyncio.Semaphore(at_a_time)
        self.draining = self.cancelled = False
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, name="requests", daemon=True)
        self.thread.start()

    @contextlib.asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Wait for a free slot; cancelled once the session is `drain`ing."""
        async with self._slots:
            self.check()
            yield

    def check(self) -> None:
        """Raise CancelledError once the session is draining."""
        if self.draining:
            raise asyncio.CancelledError

    def drain(self) -> None:
        """Finish requests that were sent; cancel those that wait for their turn or a retry."""
        self.draining = True

    def finish(self, work: Coroutine[Any, Any, T]) -> T:
        """Run to the end; an interrupt of the waiting thread cancels the work."""
        if self.cancelled:
            work.close()
            raise asyncio.CancelledError
        future = asyncio.run_coroutine_threadsafe(work, self.loop)
        try:
            return future.result()
        except concurrent.futures.CancelledError:
            raise asyncio.CancelledError from None  # not an Exception, so it is not treated as a failure
        except BaseException:
            future.cancel()
            raise

    def cancel(self) -> None:
        """Cancel all work, wait until it has ended, and accept no more."""
        self.cancelled = self.draining = True

        async def end_others() -> None:
            own = asyncio.current_task()
            while others := [task for task in asyncio.all_tasks() if task is not own]:
                await asyncio.sleep(0)  # a library's task may have to take its first step before it can be cancelled
                await end(others)

        asyncio.run_coroutine_threadsafe(end_others(), self.loop).result()

    def close(self) -> None:
        self.cancel()
        asyncio.run_coroutine_threadsafe(self.client.aclose(), self.loop).result()
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join()
        self.loop.close()
