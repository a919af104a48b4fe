"""Reading an item back: the pairs it is about."""

from __future__ import annotations

import msgspec

from proband.core.errors import ProbandError, in_words
from proband.core.types import Item
from proband.suites.analogy.relations import Pair


def query_and_options(item: Item) -> tuple[Pair, list[Pair]]:
    """The query and the options of a choice between pairs."""
    options = item.facts.get("options")
    if not options:
        raise ProbandError(
            f"{item.id} is no choice between pairs; items of setting supervised or retrieval have solvers of that name"
        )
    return _pair(item.facts["query"]), [_pair(option) for option in options]


def query_and_option(item: Item) -> tuple[Pair, Pair]:
    """The query and the one option of a true/false item."""
    option = item.facts.get("option")
    if not option:
        raise ProbandError(f"{item.id} is not true or false: this solver is for items built with setting supervised")
    return _pair(item.facts["query"]), _pair(option)


def _pair(value: list[str]) -> Pair:
    return value[0], value[1]


class Facts(msgspec.Struct):
    """The pairs an item is about; which of them it has depends on its setting."""

    query: tuple[str, str]
    options: list[tuple[str, str]] = []
    option: tuple[str, str] | None = None
    answers: list[str] = []


TAGS = ("relation", "group", "probe", "setting")  # that solvers and reports rely on


def check(item: Item) -> str | None:
    """What is wrong with an item, if anything.

    >>> check(Item(id="a", suite="analogy", prompt="Which pair?", tags={"relation": "capital : country"}))
    "'tags' has no 'group'"
    """
    if missing := [name for name in TAGS if name not in item.tags]:
        return f"'tags' has no {missing[0]!r}"
    try:
        msgspec.convert(item.facts, Facts, strict=True)
    except msgspec.ValidationError as error:
        return "'facts': " + in_words(str(error))
    return None


def show(item: Item) -> str:
    """An item as text: what is asked, and of which relation and probe it is.

    >>> print(show(Item(id="a", suite="analogy", prompt="Which pair?", choices=("Rome : Italy", "Italy : Rome"), gold=0,
    ...     tags={"relation": "capital : country", "group": "ES", "probe": "reverse", "setting": "zero-shot"})))
    Which pair?
      > Rome : Italy
        Italy : Rome
    capital : country (ES), probe reverse, zero-shot
    """
    lines = [item.prompt]
    lines += [f"  {'>' if i == item.gold else ' '} {choice}" for i, choice in enumerate(item.choices)]
    if "answers" in item.facts:
        lines.append("  > " + " / ".join(item.facts["answers"]))
    tags = item.tags
    part = f", {tags['part']}" if "part" in tags else ""
    lines.append(f"{tags['relation']} ({tags['group']}), probe {tags['probe']}, {tags['setting']}{part}")
    return "\n".join(lines)
