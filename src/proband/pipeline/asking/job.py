"""A solver and a model made ready to answer chunks of items, in this process or in a worker's."""

from __future__ import annotations

import copy
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Literal

import msgspec

from proband import models, suites
from proband.core.cache import cache_folder
from proband.core.errors import ProbandError
from proband.core.files import decode, items_path, read_items, read_json
from proband.core.options import read_options
from proband.core.progress import say
from proband.core.protocols import Generates, LearnsFromItems, ScoresText
from proband.core.suite import Solver, Suite
from proband.core.types import Item
from proband.pipeline.asking.item_answers import Answering, OnError, TooLongChoice
from proband.pipeline.asking.model_calls import Cached
from proband.pipeline.asking.models import candidates, choose_solver, load_model

MOST_EXAMPLES = 1000  # to choose --shots from
MOVED = ("permutations", "max_tokens", "temperature", "logprobs")
EXAMPLE_SEED = 1_000_003  # added to a build's seed, for examples that it does not contain


@dataclass(frozen=True, kw_only=True)
class RunOptions:
    """How a run is made; what decides its answers stands in run.json."""

    solver: str | None = None  # the suite's first that fits, if not named
    label: str = ""  # how reports name the run
    seed: int = 0
    limit: int | None = None  # a sample of so many items (sampling.py)
    split: str = ""  # the splits that are asked: those that are scored, if not named (core/metrics.py)
    cache: Path | bool = True  # False: ask the model everything anew
    options: Mapping[str, Any] = field(default_factory=dict)  # of the solver
    engine: Literal["local", "ray"] = "local"
    workers: int | None = None  # processes of the ray engine
    model_options: Mapping[str, Any] = field(default_factory=dict)  # device, dtype, ...
    too_long: TooLongChoice = "fail"  # an item that is longer than the model's window
    on_error: OnError = "fail"  # an item that the model cannot answer
    max_errors: str = "10%"  # so many may be recorded, of all items or as a number (at least one)

    def __post_init__(self) -> None:
        """Options of `choose` that were options of endpoints in earlier versions are read there too."""
        moved = {name: value for name, value in self.model_options.items() if name.replace("-", "_") in MOVED}
        if self.solver == "choose" and moved:
            say(f"{', '.join(moved)}: now set with --set, as options of solver choose; --model-set still works")
            kept = {name: value for name, value in self.model_options.items() if name not in moved}
            object.__setattr__(self, "model_options", kept)
            object.__setattr__(self, "options", {**moved, **self.options})

    @property
    def cache_folder(self) -> Path | None:
        return cache_folder() if self.cache is True else Path(self.cache) if self.cache else None

    def errors_allowed(self, total: int) -> int:
        """How many items of a run may fail.

        >>> [RunOptions(max_errors=text).errors_allowed(50) for text in ("10%", "3", "0", "1%")]
        [5, 3, 0, 1]
        """
        number, percent, rest = self.max_errors.partition("%")
        try:
            if rest or not 0 <= float(number) < float("inf") or (not percent and not float(number).is_integer()):
                raise ValueError
        except ValueError:
            raise ProbandError(
                f"'max-errors' is {self.max_errors!r}; it must be a number of items, or a share such as 10%"
            ) from None
        return max(1, int(float(number) * total / 100)) if percent else int(float(number))


def settled_model(model: str | Any, suite: Suite, how: RunOptions, *, setting: str = "") -> Any:
    """The model of a run, loaded if it is named. A server is not asked whether it scores texts if no solver that may
    be chosen needs that."""
    if not isinstance(model, str):
        return models.check_named(model, "model")
    option = _asks(model, how)
    known = {option: False} if option and needs_scores(suite, how, setting) is False else {}
    return load_model(model, {**known, **how.model_options}, suite=suite, seed=how.seed)


def without_asking(model: str | Any, suite: Suite, how: RunOptions, *, setting: str = "") -> RunOptions:
    """The options under which loading the model asks no server: it is taken to score texts only if the solver that is
    named needs it."""
    option = _asks(model, how)
    if not option:
        return how
    scores = needs_scores(suite, how, setting) is True
    return replace(how, model_options={option: scores, **how.model_options})


def asks_before(model: str | Any, suite: Suite, how: RunOptions, *, setting: str = "") -> bool:
    """Whether loading the model for a run asks its server one question."""
    return bool(_asks(model, how)) and needs_scores(suite, how, setting) is not False


def _asks(model: str | Any, how: RunOptions) -> str:
    if not isinstance(model, str):
        return ""
    kind, _, rest = model.partition(":")
    found = models.kind_of(kind) if kind not in ("net", "solver") else None
    option = found.asks(rest) if found else ""
    return "" if option in how.model_options else option


def needs_scores(suite: Suite, how: RunOptions, setting: str = "") -> bool | None:
    """Whether the solver that a chat model is asked by scores texts; None: if the model can."""
    if how.solver is not None and "," not in how.solver:
        return suite.solver(how.solver).needs is ScoresText
    for solver in candidates(suite, how.solver, setting=setting, options=how.options):
        if solver.setting in ("", setting) and solver.needs in (Generates, ScoresText):
            return None if solver.needs is ScoresText else False
    return None


@dataclass(frozen=True, kw_only=True)
class Job:
    """All that decides the answers to a chunk of items; it can be sent to another process."""

    suite: str
    items: Path
    solver: str
    model: str | None  # None: an object that only this process has
    how: RunOptions

    def load(self) -> Any:
        how = replace(self.how, solver=self.solver)
        return settled_model(str(self.model), suites.suite(self.suite), how)

    def answering(self, model: Any) -> Answering:
        """The model remembers what it was asked, and has learnt what it must beforehand."""
        how, solver = self.how, choose_solver(suites.suite(self.suite), model, self.solver)
        if isinstance(model, LearnsFromItems):
            model = model.learn(read_items(self.items, reads(model)))
        if how.too_long == "cut-left":
            model = with_truncation(model)
        return Answering(
            solve=self.solve(solver),
            solver=solver.name,
            model=Cached(model, how.cache_folder).wrapped(),
            alone=Cached(model, None).wrapped(),
            too_long=how.too_long,
            on_error=how.on_error,
        )

    def solve(self, solver: Solver) -> Any:
        """The solver with all but items and model given."""
        options: Any = read_options(solver.options, self.how.options, of=f"solver {solver.name}")
        return partial(solver.solve, seed=self.how.seed, options=options, **self.examples(solver, options))

    def examples(self, solver: Solver, options: Any) -> dict[str, Any]:
        """The worked examples that a solver shows, as its argument."""
        count, folder = solver.examples(options)
        if not count:
            return {}
        source = Path(folder) if folder else self.items
        pool = example_pool(source, suite=self.suite, seed=self.how.seed) or built_examples(source, suite=self.suite)
        return {"examples": pool}

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


def with_truncation(model: Any) -> Any:
    """A copy of the model that cuts texts at the left."""
    if not hasattr(model, "cut_left"):
        raise ProbandError(
            f"--too-long cut-left needs a language model on this machine; {model.name} takes skip or fail"
        )
    cutting = copy.copy(model)
    cutting.cut_left = True
    return cutting


def example_pool(folder: Path, *, suite: str, seed: int) -> list[Item]:
    """At most MOST_EXAMPLES items of the train split, drawn by seed from all of them in one pass (reservoir sampling).
    A folder without a train split gives none."""
    kept, seen, draw = list[Item](), 0, random.Random(f"{seed} examples")
    for item in read_items(folder):
        if item.suite != suite:
            raise ProbandError(f"contains items of {item.suite}, not of {suite}", file=items_path(folder))
        if item.split != "train":
            continue
        seen += 1
        if len(kept) < MOST_EXAMPLES:
            kept.append(item)
        elif (place := draw.randrange(seen)) < MOST_EXAMPLES:
            kept[place] = item
    return kept


def built_examples(folder: Path, *, suite: str) -> list[Item]:
    """Worked examples for a build without a train split, where its suite can make some: a small build with the options
    of its manifest and another seed, less what is asked too. `pick_shots` leaves out what shares a cluster with the
    question."""
    path = folder / "manifest.json"
    manifest = read_json(path) if folder.is_dir() and path.exists() else {}
    if "options" not in manifest or "seed" not in manifest:
        return []
    found = suites.suite(suite)
    options = found.examples(read_options(found.options, manifest["options"], of=f"build {suite}"))
    if options is None:
        return []
    lines = found.build(options, seed=int(manifest["seed"]) + EXAMPLE_SEED).items
    items = [decode(Item, each, file="examples") if isinstance(each, bytes) else each for each in lines]
    asked = {hash((item.prompt, item.choices)) for item in read_items(folder)}
    return [
        msgspec.structs.replace(item, id=f"example-{item.id}", split="train")
        for item in items
        if hash((item.prompt, item.choices)) not in asked
    ]
