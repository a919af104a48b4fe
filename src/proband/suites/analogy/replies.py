"""Reading a reply to an analogy question: which pair it means, however the two words are put together."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from proband.core.errors import ProbandError
from proband.core.types import Answer, Item
from proband.solvers.choose import choosing
from proband.solvers.generate import Asking, generating
from proband.solvers.replies import Choices, answer_of, letters_shown, names_of
from proband.suites.analogy.item_pairs import query_and_options

JOINED = ("{} : {}", "{}: {}", "{}:{}", "{} is to {}", "{} - {}", "{} -> {}", "{} → {}", "{} and {}", "{}, {}", "{}/{}")
AROUND = ('"{}" is to "{}"', "'{}' is to '{}'", '"{}" and "{}"', "'{}' and '{}'", '"{}" : "{}"', '"{}", "{}"')


@cache
def _choices(choices: tuple[str, ...], pairs: tuple[tuple[str, str], ...], letters: tuple[int, ...]) -> Choices:
    """The pairs in every way of writing them; a single word that only one of them has is not enough."""
    written = {
        form.format(head, tail).casefold(): choice
        for choice, (head, tail) in zip(choices, pairs, strict=True)
        for form in (*JOINED, *AROUND)
    }
    return Choices(names_of([choice.casefold() for choice in choices], written), letters=letters)


def read(item: Item, reply: str, sent: str) -> Answer:
    """The answer in a reply; `unread` where it names no pair, or both.

    >>> item = Item(id="a", suite="analogy", prompt="?", choices=("Rome : Italy", "Italy : Rome"), gold=0,
    ...     facts={"query": ["Paris", "France"], "options": [["Rome", "Italy"], ["Italy", "Rome"]]})
    >>> read(item, "What Paris is to France, Rome is to Italy.", "").scores
    (1.0, 0.0)
    """
    pairs = tuple(tuple(option) for option in query_and_options(item)[1])
    choices = tuple(choice.casefold() for choice in item.choices)
    return answer_of(item, reply, _choices(choices, pairs, letters_shown(sent, item.choices)))


def asked(item: Item) -> bool:
    if "options" not in item.facts:
        raise ProbandError(f"{item.id}: `generate` asks for a choice between pairs; build with --setting zero-shot")
    return True


ASKING = Asking(
    prompts=Path(__file__).parent / "prompts",
    default="letters",
    read=read,
    answer=lambda item: item.choices[item.gold or 0],
    asked=asked,
)
GENERATE, CHOOSE = generating(ASKING), choosing(ASKING)
