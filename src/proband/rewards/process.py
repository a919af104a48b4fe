"""A reward for the steps of a reply, in addition to that for its answer: statements that lead to the answer.

share = used / (used + missing + wrong + unread)

`used` are the statements from which the answer follows, or, where it does not follow from them, those that tell facts
of the story which it needs; `missing` are such facts that no statement tells. So a true statement that the answer does
not rest on (a denial, a repetition, a remark) earns nothing; a wrong one, and a sentence about relations that could not
be read, costs. What is taken back counts not.

>>> from proband.rewards import Stream
>>> item = Stream("kinship", k="2", seed=0)[3]
>>> a, b = (item.facts["names"][person] for person in item.facts["query"])
>>> denial = f"{b} is not the grandson of {a}." if item.facts["target"] != "grandson" else f"{b} is not the son of {a}."
>>> [process_reward(item, reply).share for reply in (denial * 16, "")]
[0.0, 0.0]
"""

from __future__ import annotations

from dataclasses import dataclass

from proband.core.types import Item
from proband.pipeline.steps import check_reply
from proband.proof.statements import WRONG


@dataclass(frozen=True, kw_only=True)
class ProcessReward:
    """`first_wrong`: how many right statements stand before the first wrong one; None where none is wrong."""

    share: float
    first_wrong: int | None
    used: int
    wrong: int
    unread: int


def process_reward(item: Item, reply: str, *, answer: str = "") -> ProcessReward:
    """`answer`: as it was read, where that is known apart from the reply."""
    checked = check_reply(item, reply, answer=answer)
    wrong = len({statement.fact[:5] for statement in checked.statements if statement.verdict in WRONG})
    whole = checked.used + len(checked.missing) + wrong + checked.unread
    return ProcessReward(
        share=checked.used / whole if whole else 0.0,
        first_wrong=checked.first_wrong,
        used=checked.used,
        wrong=wrong,
        unread=checked.unread,
    )
