"""Workers stop at a failure and at an interrupt, also those that miss a cancellation."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
import time
from collections.abc import Awaitable, Callable
from contextlib import closing

import httpx
import pytest

from proband.models.remote.workers import Session, all_of


def work(count: int, ask: Callable[[int], Awaitable[None]], *, workers: int) -> None:
    with closing(Session(httpx.AsyncClient(), at_a_time=workers)) as session:
        session.finish(all_of(count, ask, turn=session.turn))


def test_every_number_is_worked_on_once() -> None:
    seen: list[int] = []

    async def ask(i: int) -> None:
        await asyncio.sleep(0)
        seen.append(i)

    work(20, ask, workers=3)
    assert sorted(seen) == list(range(20))


@pytest.mark.usefixtures("interruptible")
@pytest.mark.parametrize("deaf", [1, 3])
def test_an_interrupt_stops_workers_that_miss_their_cancellation(deaf: int) -> None:
    """As a connection can that is being opened: the worker goes on as if nothing had been asked of it."""
    seen: list[int] = []
    missed = 0

    async def ask(i: int) -> None:
        nonlocal missed
        seen.append(i)
        if i == 5:
            os.kill(os.getpid(), signal.SIGINT)
        try:
            await asyncio.sleep(0.01)
        except asyncio.CancelledError:
            missed += 1
            if missed > deaf:
                raise

    with pytest.raises(KeyboardInterrupt):
        work(1000, ask, workers=3)
    assert missed >= deaf
    assert len(seen) < 12


def test_the_first_failure_is_raised_and_ends_the_others() -> None:
    ended: list[int] = []

    async def ask(i: int) -> None:
        try:
            if i == 2:
                raise ValueError("the second")
            await asyncio.sleep(30)
        finally:
            ended.append(i)

    with pytest.raises(ValueError, match="the second"):
        work(9, ask, workers=4)
    assert sorted(ended) == [0, 1, 2]  # the third was not begun


def test_tasks_of_a_library_take_their_first_step_before_they_are_cancelled() -> None:
    """What such a task would await is a coroutine that nobody awaits otherwise, and Python warns of that."""
    connecting, stepped = threading.Event(), list[str]()

    async def connect() -> None:
        stepped.append("connect")
        await asyncio.sleep(30)

    async def task_of_library(work: Awaitable[None]) -> None:
        await work

    async def ask(_: int) -> None:
        connecting.set()
        while not session.cancelled:
            time.sleep(0.01)
        time.sleep(0.1)  # the cancellation is in the loop's queue
        await asyncio.sleep(0)
        await asyncio.ensure_future(task_of_library(connect()))

    with closing(Session(httpx.AsyncClient(), at_a_time=1)) as session:

        def cancel_while_connecting() -> None:
            connecting.wait()
            session.cancel()

        canceller = threading.Thread(target=cancel_while_connecting)
        canceller.start()
        with pytest.raises(asyncio.CancelledError):
            session.finish(all_of(1, ask, turn=session.turn))
        canceller.join()
    assert stepped == ["connect"]
