"""Reading a reply to an inference question: yes or no."""

from __future__ import annotations

from proband.core.types import Answer, Item
from proband.solvers.replies import Choices, answer_of, letters_shown, names_of

OTHER_WORDS = {"true": "yes", "entailment": "yes", "entailed": "yes", "false": "no", "not entailed": "no"}
YES_NO = names_of(["yes", "no"], OTHER_WORDS)


def read(item: Item, reply: str, sent: str) -> Answer:
    """
    >>> item = Item(id="a", suite="inference", prompt="?", choices=("yes", "no"), gold=0)
    >>> read(item, "**Yes**, it follows.", "").scores, read(item, "Hard to say.", "").status
    ((1.0, 0.0), 'unread')
    """
    return answer_of(item, reply, Choices(YES_NO, letters=letters_shown(sent, item.choices)))
