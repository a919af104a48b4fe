"""A solver and a model made ready to answer chunks of items, in this process or in a worker's."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from proband import suites
from proband.core.files import read_items
from proband.core.options import read_options
from proband.core.protocols import LearnsFromItems
from proband.core.types import Answer, Item
from proband.pipeline.asking.cached_model import remembering
from proband.pipeline.asking.models import choose_solver, load_model

Solve = Callable[[Sequence[Item]], Sequence[Answer]]


@dataclass(frozen=True, kw_only=True)
class Job:
    """All that decides the answers to a chunk of items; it can be sent to another process."""

    suite: str
    items: Path
    solver: str
    options: Mapping[str, Any]  # of the solver
    seed: int
    limit: int | None
    cache: Path | None
    model: str | None  # None: an object that only this process has
    model_options: Mapping[str, Any]

    def load(self) -> Any:
        return load_model(str(self.model), self.model_options, suite=suites.suite(self.suite))

    def solve_with(self, model: Any) -> Solve:
        """The model remembers what it was asked, and has learnt what it must beforehand."""
        solver = choose_solver(suites.suite(self.suite), model, self.solver)
        options: Any = read_options(solver.options, self.options, of=f"solver {solver.name}")
        if isinstance(model, LearnsFromItems):
            model = model.learn(islice(read_items(self.items, reads(model)), self.limit))
        return partial(solver.solve, model=remembering(model, self.cache), seed=self.seed, options=options)


def reads(model: Any) -> type:
    """What a model needs of an item: all of it, or a struct with fewer fields (`outline`), which is decoded faster."""
    found: type = getattr(model, "outline", Item)
    return found
