"""A solver and a model made ready to answer chunks of items, in this process or in a worker's; single items may fail.

An item that is longer than the model's window: `--too-long` decides.

    fail      the run stops and names the item
    skip      the item gets an answer of status "skipped", which no metric counts
    cut-left  the text loses its beginning (models on this machine, which know their tokens)

An item that the model or its server cannot answer (a refused prompt, a reply that stays unusable, a score that is not a
number): `--on-error` decides.

    fail      the run stops and names the item
    record    the item gets an answer of status "error", which counts as wrong

A reply that the server's filter withheld is an answer of status "content_filter" in any case; it counts as wrong too.
What no item is to blame for (a wrong key, a server that is away) always stops the run.
"""

from __future__ import annotations

import copy
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from proband import suites
from proband.core.errors import ModelFailed, ProbandError, TooLong, Unavailable, Withheld
from proband.core.files import decode, inconsistent, items_path, read_items, read_json
from proband.core.options import read_options
from proband.core.protocols import LearnsFromItems, MeasuresTexts, Model
from proband.core.suite import Solver
from proband.core.types import Answer, Item
from proband.pipeline.asking.model_calls import Cached, Fits, Measuring, without_surrogates
from proband.pipeline.asking.setup import OnError, RunOptions, TooLongChoice, choose_solver, settled_model

Solve = Callable[..., Sequence[Answer]]
FAILURES = (ModelFailed, TooLong, Withheld)  # that an item is to blame for
MOST_EXAMPLES = 1000  # to choose --shots from
EXAMPLE_SEED = 1_000_003  # added to a build's seed, for examples that it does not contain


@dataclass(frozen=True, kw_only=True)
class Job:
    """All that decides the answers to a chunk of items; it can be sent to another process."""

    suite: str
    items: Path
    solver: str
    model: str | None  # None: an object that only this process has
    how: RunOptions

    def load(self) -> Model:
        how = replace(self.how, solver=self.solver)
        return settled_model(str(self.model), suites.suite(self.suite), how)

    def answering(self, model: Model) -> Answering:
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

    def sends(self, items: Sequence[Item], model: Model) -> list[list[str]]:
        """Of each item, the texts that would be sent."""
        solver = choose_solver(suites.suite(self.suite), model, self.solver)
        if solver.sends is None:
            raise ProbandError(f"solver {solver.name} of {self.suite} sends no prompt to {model.name}")
        options: Any = read_options(solver.options, self.how.options, of=f"solver {solver.name}")
        given = self.examples(solver, options)
        return solver.sends(items, model, seed=self.how.seed, options=options, **given)


def reads(model: Model) -> type:
    """What a model needs of an item: all of it, or a struct with fewer fields (`outline`), which is decoded faster."""
    result: type = getattr(model, "outline", Item)
    return result


def with_truncation(model: Model) -> Model:
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
    result = suites.suite(suite)
    options = result.examples(read_options(result.options, manifest["options"], of=f"build {suite}"))
    if options is None:
        return []
    lines = result.build(options, seed=int(manifest["seed"]) + EXAMPLE_SEED).items
    items = [decode(Item, each, file="examples") if isinstance(each, bytes) else each for each in lines]
    asked = {hash((item.prompt, item.choices)) for item in read_items(folder)}
    return [
        msgspec.structs.replace(item, id=f"example-{item.id}", split="train")
        for item in items
        if hash((item.prompt, item.choices)) not in asked
    ]


# ---- answers to some items, of which single ones may fail ------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Answering:
    """A solver and its model. `alone` is the same model without a memory, to ask about single items when a chunk has
    failed: what a model says depends on the batch in its last digits, and single items must not reach the cache."""

    solve: Solve
    solver: str
    model: Model
    alone: Any
    too_long: TooLongChoice = "fail"
    on_error: OnError = "fail"

    def __call__(self, items: Sequence[Item]) -> list[Answer]:
        try:
            return self._answers(items, self.model)
        except Unavailable:
            raise
        except FAILURES as error:
            if len(items) == 1:
                return [self._outcome(items[0], error)]
            return self._without_failures(items, error)

    def _answers(self, items: Sequence[Item], model: Model) -> list[Answer]:
        """Checked answers; whatever goes wrong in code that is not ours is a failure of the model."""
        try:
            answers = list(self.solve(items, model=model))
        except (ProbandError, Fits, OSError, MemoryError):
            raise
        except Exception as error:
            if _is_ours(error):
                raise
            raise ModelFailed(f"{self.model.name}: {type(error).__name__}: {error}") from error
        check_answers(items, answers, solver=self.solver, model=self.model.name)
        return [_written(answer) for answer in answers]

    def _without_failures(self, items: Sequence[Item], first: Exception) -> list[Answer]:
        """The items that fail by themselves, each with what becomes of it; the others are answered together."""
        failed: dict[str, Answer] = {}
        for item in items:
            if (error := self._failure(item, too_long=isinstance(first, TooLong))) is not None:
                failed[item.id] = self._outcome(item, error)
        if not failed:
            raise ProbandError(f"an item from {items[0].id!r} to {items[-1].id!r}: {first}") from first
        rest = [item for item in items if item.id not in failed]
        answers = {each.item_id: each for each in (self(rest) if rest else ())}
        return [failed.get(item.id) or answers[item.id] for item in items]

    def _failure(self, item: Item, *, too_long: bool) -> ProbandError | None:
        """Why an item fails by itself; whether it fits is seen without asking a model that can tell."""
        measures = too_long and isinstance(self.alone, MeasuresTexts)
        try:
            self._answers([item], Measuring(self.alone).wrapped() if measures else self.alone)
        except Fits:
            pass
        except Unavailable:
            raise
        except FAILURES as error:
            return error
        return None

    def _outcome(self, item: Item, error: ProbandError) -> Answer:
        """What becomes of an item that fails: an answer that says so, or the end of the run."""
        if isinstance(error, Withheld):
            return Answer(item_id=item.id, text=error.text, status="content_filter")
        if isinstance(error, TooLong) and self.too_long != "fail":
            return Answer(item_id=item.id, text=str(error), status="skipped")
        if self.on_error == "record":
            return Answer(item_id=item.id, text=str(error), status="error")
        if isinstance(error, TooLong):
            raise ProbandError(f"item {item.id!r}: {error} (--too-long skip or cut-left continues)") from None
        raise ProbandError(f"item {item.id!r}: {error} (--on-error record continues)") from error.__cause__


def _is_ours(error: Exception) -> bool:
    """Whether an error was raised by our own code: then it is an internal one."""
    at = error.__traceback__
    while at is not None and at.tb_next is not None:
        at = at.tb_next
    return at is not None and str(at.tb_frame.f_globals.get("__name__", "")).startswith("proband.")


def _written(answer: Answer) -> Answer:
    """The answer with a text that a file can hold."""
    text = without_surrogates(answer.text) if answer.text else answer.text
    return answer if text == answer.text else msgspec.structs.replace(answer, text=text)


def check_answers(items: Sequence[Item], answers: Sequence[Answer], *, solver: str, model: str = "") -> None:
    """One answer per item, in order, a finite score per choice: a solver that breaks this is stopped here."""
    who = f"{model}, solver {solver}" if model else f"solver {solver}"
    if len(answers) != len(items):
        raise ModelFailed(f"{who} gave {len(answers)} answers for {len(items)} items")
    for item, answer in zip(items, answers, strict=True):
        if not isinstance(answer, Answer):
            raise ModelFailed(f"{who} gave {type(answer).__name__} for item {item.id!r}, which is no Answer")
        if answer.item_id != item.id:
            raise ModelFailed(f"{who} answered {answer.item_id!r} where {item.id!r} was asked")
        if item.choices and answer.scores and len(answer.scores) != len(item.choices):
            raise ModelFailed(f"{who}: {len(answer.scores)} scores for {len(item.choices)} choices of {item.id!r}")
        if wrong := inconsistent(answer):
            raise ModelFailed(f"{who}, item {item.id!r}: {wrong}")
