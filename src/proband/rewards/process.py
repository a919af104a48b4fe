"""A reward of the steps of a reply, beside that of its answer: which of its statements the story tells or entails.

share = right statements / (different statements + sentences about relations that could not be read)

The same statement said twice counts once, so that repeating a right one gains nothing; what is taken back counts not.

>>> from proband.rewards import Stream
>>> item = Stream("kinship", k="2", seed=0)[3]
>>> a, b = (item.facts["names"][person] for person in item.facts["query"])
>>> right, wrong = (f"{b} is the {word} of {a}." for word in (item.facts["target"], "grandson"))
>>> [process_reward(item, reply).share for reply in (right, f"{right} {right}", f"{right} {wrong}", "")]
[1.0, 1.0, 0.5, 0.0]
"""

from __future__ import annotations

from dataclasses import dataclass

from proband.core.types import Item
from proband.pipeline.steps import check_reply


@dataclass(frozen=True, kw_only=True)
class ProcessReward:
    """`first_wrong`: how many right statements stand before the first wrong one; None where none is wrong."""

    share: float
    first_wrong: int | None
    statements: int
    unread: int


def process_reward(item: Item, reply: str) -> ProcessReward:
    checked = check_reply(item, reply)
    different = {statement.fact[:5]: statement.verdict for statement in checked.statements}
    right = sum(verdict in ("told", "entailed") for verdict in different.values())
    whole = len(different) + checked.unread
    return ProcessReward(
        share=right / whole if whole else 0.0,
        first_wrong=checked.first_wrong,
        statements=len(different),
        unread=checked.unread,
    )
