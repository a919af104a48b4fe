"""Multiple choice: the prompt and the choices go to a model that answers with one of them (chat endpoints)."""

from __future__ import annotations

from collections.abc import Sequence

from proband.core.options import NoOptions
from proband.core.protocols import Chooses, Question
from proband.core.suite import Solver
from proband.core.types import Answer, Item


def solve(items: Sequence[Item], model: Chooses, *, seed: int, options: NoOptions) -> list[Answer]:
    asked = [Question(prompt=item.prompt, choices=item.choices) for item in items]
    return [
        Answer(item_id=item.id, text=choice.text, status="unread")
        if choice.unread
        else Answer(item_id=item.id, scores=tuple(choice.scores), text=choice.text)
        for item, choice in zip(items, model.choose(asked), strict=True)
    ]


CHOOSE = Solver(name="choose", help="multiple choice, asked in words", needs=Chooses, solve=solve, in_words=True)
