"""Models that are asked in words (`generate`, `choose`) and reply yes or no, after rules where some are named."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from proband.core.types import Answer, Item
from proband.solvers.choose import ChooseOptions, choosing
from proband.solvers.generate import Asking, GenerateOptions, generating
from proband.solvers.replies import Choices, answer_of, letters_shown, names_of
from proband.suites.inference.methods.combination import RuleOptions, after_rules

OTHER_WORDS = {"true": "yes", "entailment": "yes", "entailed": "yes", "false": "no", "not entailed": "no"}
YES_NO = names_of(["yes", "no"], OTHER_WORDS)


def read(item: Item, reply: str, sent: str) -> Answer:
    """
    >>> item = Item(id="a", suite="inference", prompt="?", choices=("yes", "no"), gold=0)
    >>> read(item, "**Yes**, it follows.", "").scores, read(item, "Hard to say.", "").status
    ((1.0, 0.0), 'unread')
    """
    return answer_of(item, reply, Choices(YES_NO, letters=letters_shown(sent, item.choices)))


ASKING = Asking(
    prompts=Path(__file__).parents[1] / "prompts",
    default="yes-no",
    read=read,
    answer=lambda item: item.choices[item.gold or 0],
)


@dataclass(frozen=True, kw_only=True)
class ReplyOptions(GenerateOptions, RuleOptions):
    """What is sent, and which rules come first."""


@dataclass(frozen=True, kw_only=True)
class LetterOptions(ChooseOptions, RuleOptions):
    """What is sent, in how many orders, and which rules come first."""


def solve(
    items: Sequence[Item], model: Any, *, options: RuleOptions, ask: Callable[..., Sequence[Answer]], **how: Any
) -> list[Answer]:
    return after_rules(items, ask(items, model, options=options, **how), options)


GENERATE, CHOOSE = (
    replace(solver, solve=partial(solve, ask=solver.solve), options=options)
    for solver, options in ((generating(ASKING), ReplyOptions), (choosing(ASKING), LetterOptions))
)
