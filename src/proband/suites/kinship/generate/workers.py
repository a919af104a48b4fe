"""The lines of a build in order, made here or in other processes, under a quota of clauses if there is one."""

from __future__ import annotations

import multiprocessing
from collections import Counter, deque
from collections.abc import Iterator
from itertools import islice
from typing import Any

from proband.core.errors import ProbandError
from proband.suites.kinship.generate.hold_outs import Note, Tally
from proband.suites.kinship.generate.plan import Cell, Plan
from proband.suites.kinship.generate.rounds import Maker

ROUNDS = 5  # per message between processes
Story = tuple[str, Note]


def stream(plan: Plan, tally: Tally, *, workers: int, most: int | None) -> Iterator[str]:
    """The lines of items.jsonl; `most` leaves out what goes beyond the quota of its clause."""
    with _Makers(plan, workers) as makers:
        for cell in plan.cells:
            kept, used = 0, Counter[str]()
            for line, note in makers.stories(cell, cell.count if most is None else 50 * cell.count):
                if most is not None:
                    if used[note.clause] == most:
                        continue
                    used[note.clause] += 1
                tally.add(note)
                yield line
                kept += 1
                if kept == cell.count:
                    break
            if kept < cell.count:
                raise ProbandError(
                    f"'max-per-clause' is {most}: the {cell.task} stories of {cell.k} facts have too few clauses for "
                    f"{cell.count} of them ({kept} found)"
                )


class _Makers:
    """Stories in order, round by round; other processes are never more than a few messages ahead."""

    def __init__(self, plan: Plan, workers: int) -> None:
        self.plan, self.workers = plan, workers

    def __enter__(self) -> _Makers:
        self.maker = Maker(self.plan)
        if self.workers > 1:
            method = "fork" if "fork" in multiprocessing.get_all_start_methods() else "spawn"
            self.pool = multiprocessing.get_context(method).Pool(self.workers, _begin, (self.plan,))
        return self

    def __exit__(self, *error: object) -> None:
        if self.workers > 1:
            self.pool.terminate()
            self.pool.join()

    def stories(self, cell: Cell, limit: int) -> Iterator[Story]:
        rounds = range(-(-limit // len(self.maker.goals)))
        every = (story for number in rounds for story in self.maker.round(cell, number))
        return islice(every if self.workers == 1 else self._elsewhere(cell, rounds), limit)

    def _elsewhere(self, cell: Cell, rounds: range) -> Iterator[Story]:
        waiting: deque[Any] = deque()
        for first in rounds[::ROUNDS]:
            waiting.append(self.pool.apply_async(_make, (cell, rounds[first : first + ROUNDS])))
            if len(waiting) > 3 * self.workers:
                yield from waiting.popleft().get()
        while waiting:
            yield from waiting.popleft().get()


_here: list[Maker] = []  # one per worker process


def _begin(plan: Plan) -> None:
    _here[:] = [Maker(plan)]


def _make(cell: Cell, rounds: range) -> list[Story]:
    return [story for number in rounds for story in _here[0].round(cell, number)]
