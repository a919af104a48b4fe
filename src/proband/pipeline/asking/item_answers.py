"""The answers to some items, where single items may fail.

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

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import msgspec

from proband.core.errors import ModelFailed, ProbandError, TooLong, Unavailable, Withheld
from proband.core.files import inconsistent
from proband.core.types import Answer, Item
from proband.pipeline.asking.model_calls import Fits, Measuring, without_surrogates

Solve = Callable[..., Sequence[Answer]]
OnError = Literal["fail", "record"]
TooLongChoice = Literal["fail", "skip", "cut-left"]
FAILURES = (ModelFailed, TooLong, Withheld)  # that an item is to blame for


@dataclass(frozen=True, kw_only=True)
class Answering:
    """A solver and its model. `alone` is the same model without a memory, to ask about single items when a chunk has
    failed: what a model says depends on the batch in its last digits, and single items must not reach the cache."""

    solve: Solve
    solver: str
    model: Any
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

    def _answers(self, items: Sequence[Item], model: Any) -> list[Answer]:
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
        measures = too_long and hasattr(self.alone, "fits")
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
