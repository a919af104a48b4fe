"""Workers under load: early ends and dead workers, many times each, and never a wait."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import islice
from typing import Any

import pytest

from proband.core.errors import ProbandError
from proband.core.worker_processes import Pool

LARGE = "x" * 300_000  # several fillings of a pipe: most of the time a worker is in the middle of a message

TURNS = 30 if "PROBAND_MUTATIONS" in os.environ else 4  # `make test-all`, `make test`


@pytest.fixture
def load() -> Iterator[None]:
    """Two processes that want all the time there is."""
    busy = [subprocess.Popen([sys.executable, "-S", "-c", "while True: pass"]) for _ in range(2)]
    yield
    for process in busy:
        process.kill()
        process.wait()


def echo(pause: float = 0.0) -> Callable[[int], Iterator[tuple[int, str]]]:
    def work(task: int) -> Iterator[tuple[int, str]]:
        for _ in range(3):
            time.sleep(pause)
            yield task, LARGE

    return work


def numbers(found: Any) -> list[int]:
    return [number for part in found for number, _ in part]


def test_results_come_in_the_order_of_the_tasks() -> None:
    for workers in (1, 2, 3):
        with Pool(echo, (), workers=workers) as pool:
            assert numbers(pool.results(range(20))) == [n for n in range(20) for _ in range(3)]
            assert list(pool.results([])) == []


@pytest.mark.usefixtures("load")
def test_whoever_stops_early_never_waits() -> None:
    """Under a quota the reader leaves while workers are in mid-message, again and again with the same workers."""
    with Pool(echo, (0.0005,), workers=3) as pool:
        for turn in range(4 * TURNS):
            with closing(pool.results(range(50))) as found:
                assert numbers(islice(found, turn % 4)) == [n for n in range(turn % 4) for _ in range(3)]
    assert not pool.pipes


@pytest.mark.usefixtures("load")
def test_a_pool_is_left_at_any_time() -> None:
    for turn in range(TURNS):
        with Pool(echo, (0.0005,), workers=2) as pool:
            processes = list(pool.pipes.values())
            assert numbers([next(iter(pool.results(range(50))))]) == [0, 0, 0]
            time.sleep(0.001 * (turn % 5))
        assert not pool.pipes
        assert not any(process.is_alive() for process in processes)


@pytest.mark.usefixtures("load")
def test_a_killed_worker_ends_the_work_with_one_line() -> None:
    for turn in range(TURNS):
        with pytest.raises(ProbandError, match="a worker process died \\(killed by signal 9\\)"):  # noqa: SIM117
            with Pool(echo, (0.0002,), workers=2) as pool:
                for number, _ in enumerate(pool.results(range(10_000))):
                    if number == turn % 3:
                        time.sleep(0.0003 * (turn % 7))
                        os.kill(next(iter(pool.pipes.values())).pid, signal.SIGKILL)


def failing() -> Callable[[int], Iterator[int]]:
    def work(task: int) -> Iterator[int]:
        if task == 3:
            time.sleep(0.2)  # the other worker fails at 5 meanwhile
            raise ProbandError("no story of 3 facts")
        yield 10 // (task - 5)

    return work


def test_an_error_in_a_worker_is_an_error_here() -> None:
    with Pool(failing, (), workers=2) as pool:
        with pytest.raises(ProbandError, match="no story of 3 facts"):
            list(pool.results(range(10)))
        assert [list(found) for found in pool.results([6, 7])] == [[10], [5]]  # the pool is as good as before
        with pytest.raises(RuntimeError, match="ZeroDivisionError"):
            list(pool.results([5]))


SCRIPT = """
from proband.suites.kinship import SUITE
for line in SUITE.build(SUITE.options(per_k=10**6, workers=2), seed=0).items:
    print("x", flush=True)
"""


def test_control_c_and_a_dead_parent_leave_nobody_behind() -> None:
    for sign in (signal.SIGINT, signal.SIGKILL):
        process = subprocess.Popen(
            [sys.executable, "-c", SCRIPT], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True
        )
        assert process.stdout is not None
        assert process.stdout.readline() == b"x\n"
        os.kill(process.pid, sign)
        process.stdout.close()
        process.wait(timeout=60)
        for _ in range(1200):
            try:
                os.killpg(process.pid, 0)  # is anybody of its group left?
            except ProcessLookupError:
                break
            time.sleep(0.05)
        else:
            os.killpg(process.pid, signal.SIGKILL)
            pytest.fail(f"workers outlived signal {sign}")
