"""Attacks on a reward: kinds of replies that only look right, filled in for items, and which of them it pays for.

    from proband.rewards import Stream
    from proband.rewards.attacks import paid

    stream = Stream("kinship", k="2,3", seed=7)
    paid(my_reward, [stream[n] for n in range(5)], question=stream.question)                       # ours
    paid(my_reward, [stream[1]], question=stream.question, kinds=["not {right}", "{right}? No."])  # one's own

`my_reward(item, reply)` gives a number. The kinds that ship are data/rewards/sham_replies.txt, a JSON text a line.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from proband.core.errors import ProbandError
from proband.core.files import DATA, read_utf8
from proband.core.types import Item


def read_kinds(path: str | Path = DATA / "rewards" / "sham_replies.txt") -> list[str]:
    """The kinds of a file; those that ship, if none is named."""
    lines = read_utf8(Path(path)).splitlines()
    return [json.loads(line) for line in lines if line.strip() and not line.startswith("#")]


def filled(kind: str, item: Item, *, question: str = "") -> str:
    """A reply of a kind to an item with choices.

    >>> filled("{right} or {wrong}", Item(id="a", suite="s", prompt="?", choices=("aunt", "uncle"), gold=0))
    'aunt or uncle'
    """
    if item.gold is None:
        raise ProbandError(f"item {item.id!r} has no right choice to attack with")
    right = item.choices[item.gold]
    others = [each for each in item.choices if each not in right and right not in each]
    wrong = others[min(3, len(others) - 1)]
    values = {
        "right": right,
        "Right": right.capitalize(),
        "wrong": wrong,
        "prompt": item.prompt,
        "question": question or item.prompt,
        "all": ", ".join(item.choices),
        "all_lines": "\n".join(item.choices),
        "all_letters": "\n".join(f"{chr(65 + n)}) {each}" for n, each in enumerate(item.choices)),
        "many_wrong": f"{wrong} " * 500,
        "many_all": " ".join(item.choices) * 200,
        "filler": "hm " * 30_000,
        "filler_all": ("so " * 50 + ", ".join(item.choices)) * 20,
    }
    for name, value in values.items():
        kind = kind.replace(f"{{{name}}}", value)
    return kind


def paid(
    reward: Callable[[Item, str], float],
    items: Iterable[Item],
    *,
    question: Callable[[Item], str] = lambda item: item.prompt,
    kinds: Sequence[str] = (),
) -> list[str]:
    """The kinds that a reward pays anything for, on some item."""
    chosen, known = list(items), list(kinds) or read_kinds()
    return [k for k in known if any(reward(each, filled(k, each, question=question(each))) > 0 for each in chosen)]
