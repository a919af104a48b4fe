"""Solver `choose`: like `generate`, with a prompt that shows the choices behind letters, in several orders.

Models prefer some letters to others, so a question is asked under several cyclic rotations of its choices, and choice c
scores the mean over the rotations r of

    1[the reply under r means c]                    if the model only writes text, or
    log P(letter of c under r | the letters)        if it gives log-probabilities of the first token.

An answer records the letter chosen under each rotation; `position_bias` measures the preference for letters.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from string import ascii_uppercase as LETTERS
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from proband.core.errors import ProbandError
from proband.core.metrics import best_choices
from proband.core.protocols import Chat, Generates, Replies, Reply
from proband.core.suite import Solver
from proband.core.types import Answer, Item
from proband.solvers.generate import (
    Asking,
    GenerateOptions,
    chats_of,
    make_generate_solver,
    replies_to,
    settings_of,
    texts_sent,
)
from proband.solvers.replies import read_choice

SHOWN = 300  # characters of each reply that are kept
UNREAD = "-"  # instead of a letter


@dataclass(frozen=True, kw_only=True)
class ChooseOptions(GenerateOptions):
    """The prompt, the number of orders, and the length of replies."""

    permutations: Annotated[
        Annotated[int, Meta(ge=1)] | None,
        Meta(description="orders of the choices to ask in (default: 4, or 1 where there are log-probabilities)"),
    ] = None
    max_tokens: Annotated[Annotated[int, Meta(ge=1)] | None, Meta(description="longest reply, with reasoning")] = 1024
    logprobs: Annotated[
        bool, Meta(description="score by the log-probabilities of the letters, where an endpoint gives them")
    ] = True


def make_choose_solver(asking: Asking) -> Solver:
    """The solver `choose` for a suite."""
    asking = replace(asking, prompts=Path(__file__).parent, default="letters", asked=lambda item: True)
    return replace(
        make_generate_solver(asking),
        name="choose",
        help="multiple choice by letter, in several orders of the choices",
        solve=partial(solve, asking=asking),
        options=ChooseOptions,
        prompts=None,
        sends=partial(sends, asking=asking),
        summary=position_bias,
    )


def rotations(choices: int, wanted: int) -> list[int]:
    """The shifts of the choices, evenly spread.

    >>> rotations(22, 4), rotations(2, 4)
    ([0, 5, 11, 16], [0, 1])
    """
    turns = max(1, min(wanted, choices))
    return [i * choices // turns for i in range(turns)]


def rotated(item: Item, shift: int) -> Item:
    """The item with its choices shifted: choice (p + shift) mod n is shown at place p."""
    n = len(item.choices)
    if not 1 <= n <= len(LETTERS):
        raise ProbandError(f"{item.id}: a question with {n} choices cannot be asked with the letters A to Z")
    gold = None if item.gold is None else (item.gold - shift) % n
    return msgspec.structs.replace(item, choices=item.choices[shift:] + item.choices[:shift], gold=gold)


@dataclass(frozen=True)
class View:
    """The result of a question under one rotation: log-probabilities of the choices, if known, and the chosen one."""

    shift: int
    reply: str
    logs: tuple[float, ...] | None
    place: int | None


def solve(items: Sequence[Item], model: Generates, *, options: ChooseOptions, **given: Any) -> list[Answer]:
    """Ask in the first order; ask in the others only without log-probabilities."""
    ask: Callable[..., list[View]] = partial(_views, model=model, options=options, **given)
    firsts = ask([(item, 0) for item in items])
    shifts = [rotations(len(item.choices), options.permutations or 4)[1:] for item in items]
    if options.permutations is None:
        shifts = [[] if view.logs is not None else more for view, more in zip(firsts, shifts, strict=True)]
    others = iter(ask([(item, shift) for item, more in zip(items, shifts, strict=True) for shift in more]))
    return [
        _answer(item, [first, *(next(others) for _ in more)])
        for item, first, more in zip(items, firsts, shifts, strict=True)
    ]


def _views(
    orders: Sequence[tuple[Item, int]], *, model: Any, seed: int, options: ChooseOptions, asking: Asking, **given: Any
) -> list[View]:
    turned = [rotated(item, shift) for item, shift in orders]
    chats = chats_of(turned, model, seed=seed, options=options, asking=asking, **given)
    replies = _replies(chats, model, seed=seed, options=options)
    return [
        _view(item, shift, reply, asking.read(item, reply.text, chat[-1][1]))
        for (item, shift), reply, chat in zip(orders, replies, chats, strict=True)
    ]


def _replies(chats: Sequence[Chat], model: Any, *, seed: int, options: ChooseOptions) -> list[Reply]:
    if more := _alternatives(model, options):
        return model.replies(chats, **settings_of(model, options, seed), **more)  # type: ignore[no-any-return]
    return replies_to(chats, model, seed=seed, options=replace(options, logprobs=False))


def _alternatives(model: Any, options: ChooseOptions) -> dict[str, bool]:
    """The setting that requests the alternatives to the first token, if the model supports it."""
    return {"alternatives": True} if options.logprobs and isinstance(model, Replies) else {}


def _view(item: Item, shift: int, reply: Reply, read: Answer) -> View:
    logs = letter_log_probabilities(reply.first, len(item.choices))
    if logs is not None:
        logs = logs[-shift:] + logs[:-shift] if shift else logs  # reorder from letters to choices
    return View(shift, reply.text, logs, None if read.status else best_choices(read)[0])


def _answer(item: Item, views: Sequence[View]) -> Answer:
    """The mean over the orders of the log-probabilities, if all orders have them, or else of the votes."""
    n, text = len(item.choices), " | ".join(view.reply.strip()[-SHOWN:] for view in views)
    logs = [view.logs for view in views if view.logs is not None]
    if len(logs) == len(views):
        scores = tuple(math.fsum(column) / len(logs) for column in zip(*logs, strict=True))
        places: list[int | None] = [log.index(max(log)) for log in logs]
    else:
        places = [view.place for view in views]
        scores = tuple(places.count(place) / len(views) for place in range(n))
    letters = "".join(
        UNREAD if place is None else LETTERS[(place - view.shift) % n]
        for view, place in zip(views, places, strict=True)
    )
    kept = letters if len(views) > 1 else msgspec.UNSET
    if not any(scores):
        return Answer(item_id=item.id, text=text, status="unread", letters=kept)
    return Answer(item_id=item.id, text=text, scores=scores, letters=kept)


def letter_log_probabilities(first: Sequence[tuple[str, float]], n: int) -> tuple[float, ...] | None:
    """log P(letter | the first n letters) from the log-probabilities of a reply's first token and its alternatives;
    None if the token is no letter.

    The model gives only some alternatives. A missing letter is at most as probable as the least likely alternative, and
    at most as probable as the remainder to 1. The smaller bound is used.
    """
    if not first or _letter(first[0][0], n) is None:
        return None
    mass, given = [0.0] * n, [math.exp(value) for _, value in first]
    for (token, _), probability in zip(first, given, strict=True):
        at = _letter(token, n)
        if at is not None:
            mass[at] += probability
    rest = max(1e-30, min(*given, 1.0 - sum(given)))
    filled = [max(p, 1e-30) if p > 0 else rest for p in mass]
    return tuple(math.log(p / sum(filled)) for p in filled)


def _letter(token: str, n: int) -> int | None:
    bare = token.strip(" \t\r\n*_`\"'(.)▁Ġ")
    return LETTERS.index(bare) if len(bare) == 1 and bare in LETTERS[:n] else None


def sends(items: Sequence[Item], model: Any, *, seed: int, options: ChooseOptions, **given: Any) -> list[list[str]]:
    """The exact texts to be sent for each item, in every order of its choices."""
    shifts = [rotations(len(item.choices), options.permutations or 4) for item in items]
    turned = [rotated(item, shift) for item, each in zip(items, shifts, strict=True) for shift in each]
    chats = chats_of(turned, model, seed=seed, options=options, **given)
    texts = iter(texts_sent(chats, model, **settings_of(model, options, seed), **_alternatives(model, options)))
    return [[next(texts) for _ in each] for each in shifts]


def position_bias(answers: Iterable[Answer]) -> dict[str, Any]:
    """The preference for letters, over the items that were asked in several orders: the share of items with the
    same choice in all orders, the number of replies that could not be read, and per letter the share of replies that
    chose it and the share if the order had no influence (each choice of an item paired with each of its orders).

    >>> always_a = Answer(item_id="a", scores=(0.5, 0.5), letters="AA")
    >>> figures = position_bias([always_a, Answer(item_id="b", scores=(1.0, 0.0), letters="AB")])
    >>> figures["same_choice"], figures["unread"], figures["letters"]
    (0.5, 0, {'A': [0.75, 0.5], 'B': [0.25, 0.5]})
    >>> print(figures["in_words"])
    the same choice in all orders in 50.0 % of 2 items; letter A in 75.0 % of the replies (50.0 % without position bias)
    """
    items = same = unread = 0
    chosen, expected = Counter[str](), defaultdict[str, float](float)
    for answer in answers:
        if answer.letters is msgspec.UNSET:
            continue
        items, unread = items + 1, unread + answer.letters.count(UNREAD)
        n, shifts = len(answer.scores), rotations(max(len(answer.scores), 1), len(answer.letters))
        picks = [
            (LETTERS.index(letter) + shift) % n
            for letter, shift in zip(answer.letters, shifts)
            if n and letter != UNREAD
        ]
        same += len(set(picks)) == 1 and len(picks) == len(answer.letters)
        chosen.update(answer.letters.replace(UNREAD, ""))
        for pick in picks:
            for shift in shifts:
                expected[LETTERS[(pick - shift) % n]] += 1 / len(shifts)
    total = chosen.total()
    if not items:
        return {}
    shares = {letter: [chosen[letter] / total, expected[letter] / total] for letter in sorted({*chosen, *expected})}
    text = f"the same choice in all orders in {100 * same / items:.1f} % of {items:,} items"
    if shares:
        letter, (share, unbiased) = max(shares.items(), key=lambda each: each[1][0] - each[1][1])
        text += f"; letter {letter} in {100 * share:.1f} % of the replies"
        text += f" ({100 * unbiased:.1f} % without position bias)"
    text += f"; {unread:,} replies unread" if unread else ""
    return {"items": items, "same_choice": same / items, "unread": unread, "letters": shares, "in_words": text}


CHOOSE = make_choose_solver(
    Asking(
        prompts=Path(__file__).parent,
        default="letters",
        read=read_choice,
        answer=lambda item: item.choices[item.gold or 0],
    )
)
