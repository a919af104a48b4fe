"""A solver and a model made ready to answer chunks of items, in this process or in a worker's."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Literal

from proband import suites
from proband.core.cache import cache_folder
from proband.core.errors import ProbandError
from proband.core.files import read_items
from proband.core.options import read_options
from proband.core.protocols import LearnsFromItems
from proband.core.suite import Solver
from proband.core.types import Answer, Item
from proband.pipeline.asking.cached_model import remembering
from proband.pipeline.asking.examples import pool
from proband.pipeline.asking.lengths import answered_or_skipped, fitted
from proband.pipeline.asking.models import choose_solver, load_model

Solve = Callable[[Sequence[Item]], Sequence[Answer]]


@dataclass(frozen=True, kw_only=True)
class RunOptions:
    """How a run is made; what decides its answers stands in run.json."""

    solver: str | None = None  # the suite's first that fits, if not named
    seed: int = 0
    limit: int | None = None  # a sample of so many items (sampling.py)
    split: str = ""  # the splits that are asked: those that are scored, if not named (core/metrics.py)
    cache: Path | bool = True  # False: ask the model everything anew
    options: Mapping[str, Any] = field(default_factory=dict)  # of the solver
    engine: Literal["local", "ray"] = "local"
    workers: int | None = None  # processes of the ray engine
    model_options: Mapping[str, Any] = field(default_factory=dict)  # device, dtype, ...
    too_long: Literal["fail", "skip", "cut-left"] = "fail"  # an item that is longer than the model's window


@dataclass(frozen=True, kw_only=True)
class Job:
    """All that decides the answers to a chunk of items; it can be sent to another process."""

    suite: str
    items: Path
    solver: str
    model: str | None  # None: an object that only this process has
    how: RunOptions

    def load(self) -> Any:
        suite = suites.suite(self.suite)
        return load_model(str(self.model), self.how.model_options, suite=suite, seed=self.how.seed)

    def solve_with(self, model: Any) -> Solve:
        """The model remembers what it was asked, and has learnt what it must beforehand."""
        how, solver = self.how, choose_solver(suites.suite(self.suite), model, self.solver)
        options: Any = read_options(solver.options, how.options, of=f"solver {solver.name}")
        if isinstance(model, LearnsFromItems):
            model = model.learn(read_items(self.items, reads(model)))
        cache = cache_folder() if how.cache is True else Path(how.cache) if how.cache else None
        asked = remembering(fitted(model, how.too_long), cache)
        solve = partial(solver.solve, seed=how.seed, options=options, **self.examples(solver, options))
        return partial(answered_or_skipped, solve=solve, model=asked, too_long=how.too_long)

    def examples(self, solver: Solver, options: Any) -> dict[str, Any]:
        """The worked examples that a solver shows, as its argument."""
        count, folder = solver.examples(options)
        if not count:
            return {}
        return {"examples": pool(Path(folder) if folder else self.items, suite=self.suite, seed=self.how.seed)}

    def sends(self, items: Sequence[Item], model: Any) -> list[list[str]]:
        """Of each item, the texts that would be sent."""
        solver = choose_solver(suites.suite(self.suite), model, self.solver)
        if solver.sends is None:
            raise ProbandError(f"solver {solver.name} of {self.suite} sends no prompt to {model.name}")
        options: Any = read_options(solver.options, self.how.options, of=f"solver {solver.name}")
        given = self.examples(solver, options)
        return solver.sends(items, model, seed=self.how.seed, options=options, **given)


def reads(model: Any) -> type:
    """What a model needs of an item: all of it, or a struct with fewer fields (`outline`), which is decoded faster."""
    found: type = getattr(model, "outline", Item)
    return found
