"""What is wrong with the facts of an item, if anything."""

from __future__ import annotations

import msgspec

from proband.core.errors import in_words
from proband.core.types import Item


class Facts(msgspec.Struct):
    """Both texts as words, the blanks as spans of the concrete one, and what belongs into each."""

    abstract: list[str]
    concrete: list[str]
    blanks: list[tuple[int, int]]
    gold: list[list[str]]
    kinds: list[str]


def check(item: Item) -> str | None:
    """
    >>> facts = {"abstract": ["mix"], "concrete": ["stir", "it"], "blanks": [[0, 9]], "gold": [["stir"]],
    ...          "kinds": ["action"]}
    >>> check(Item(id="a", suite="script", prompt="...", facts=facts))
    'blank [0, 9] is not inside the 2 words of the text'
    """
    try:
        facts = msgspec.convert(item.facts, Facts, strict=True)
    except msgspec.ValidationError as error:
        return "'facts': " + in_words(str(error))
    for start, end in facts.blanks:
        if not 0 <= start < end <= len(facts.concrete):
            return f"blank {[start, end]} is not inside the {len(facts.concrete)} words of the text"
    if not len(facts.blanks) == len(facts.gold) == len(facts.kinds):
        return f"{len(facts.blanks)} blanks, but {len(facts.gold)} 'gold' and {len(facts.kinds)} 'kinds'"
    return None
