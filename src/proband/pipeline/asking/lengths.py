"""Items that are longer than the model's window: `--too-long` says what becomes of them.

fail      the run stops and names the item
skip      the item gets an answer of status "skipped", which no metric counts
cut-left  the text loses its beginning (models on this machine, which know their tokens)
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any

from proband.core.errors import ProbandError, TooLong
from proband.core.types import Answer, Item


def fitted(model: Any, too_long: str) -> Any:
    """The model, told to cut texts at the left where that is asked for."""
    if too_long != "cut-left":
        return model
    if not hasattr(model, "cut_left"):
        raise ProbandError(
            f"--too-long cut-left needs a language model on this machine; {model.name} takes skip or fail"
        )
    cutting = copy.copy(model)
    cutting.cut_left = True
    return cutting


def answered_or_skipped(
    items: Sequence[Item], *, solve: Callable[..., Sequence[Answer]], model: Any, too_long: str
) -> list[Answer]:
    """The answers to some items; those that do not fit are named or skipped."""
    try:
        return list(solve(items, model=model))
    except TooLong as first:
        why = {item.id: error for item in items if (error := _does_not_fit(item, solve, model))}
        if not why:
            raise ProbandError(f"an item from {items[0].id!r} to {items[-1].id!r}: {first}") from None
        if too_long != "skip":
            item_id, error = next(iter(why.items()))
            raise ProbandError(f"item {item_id!r}: {error} (--too-long skip or cut-left continues)") from None
    rest = [item for item in items if item.id not in why]
    answers = {each.item_id: each for each in (solve(rest, model=model) if rest else ())}
    skipped = {name: Answer(item_id=name, text=str(error), status="skipped") for name, error in why.items()}
    return [skipped.get(item.id) or answers[item.id] for item in items]


class _Fits(Exception):
    """The text is not too long: nothing more is asked of the model."""


def _does_not_fit(item: Item, solve: Callable[..., Sequence[Answer]], model: Any) -> TooLong | None:
    """Why an item is too long for the model, without asking the model where it can tell by itself."""
    try:
        solve([item], model=_measuring(model))
    except TooLong as error:
        return error
    except _Fits:
        pass
    return None


def _measuring(model: Any) -> Any:
    """A copy of a local model that reads its texts and no more."""
    if not hasattr(model, "fits"):
        return model
    measuring = copy.copy(model)

    def read(texts: Sequence[Any], **_: Any) -> Any:
        model.fits(texts)
        raise _Fits

    for call in ("score", "generate", "chat"):
        if hasattr(model, call):
            setattr(measuring, call, read)
    return measuring
