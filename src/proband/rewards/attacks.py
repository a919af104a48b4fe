"""Attacks on a reward: kinds of replies that only look right, filled in for items, and which of them it pays for.

    paid(my_reward, [stream[1]], question=stream.question, kinds=["not {right}", "{right}? No."])

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
    """A reply of a kind to an item with choices, or with accepted answers, next to which there is one made-up answer.

    >>> filled("{right} or {wrong}", Item(id="a", suite="s", prompt="?", choices=("aunt", "uncle"), gold=0))
    'aunt or uncle'
    """
    choices = item.choices or (*map(str, item.facts.get("answers", ())), "Atlantis")
    if (item.choices and item.gold is None) or len(choices) < 2:
        raise ProbandError(f"item {item.id!r} has no right answer to attack with")
    right = choices[item.gold or 0]
    others = [each for each in choices if each not in right and right not in each]
    wrong = others[min(3, len(others) - 1)] if item.choices else others[-1]
    values = {
        "right": right, "Right": right.capitalize(), "wrong": wrong, "prompt": item.prompt,
        "right_wide": "".join(chr(ord(each) + 0xFEE0) if "!" <= each <= "~" else each for each in right),
        "question": question or item.prompt, "all": ", ".join(choices), "all_lines": "\n".join(choices),
        "all_letters": "\n".join(f"{chr(65 + n)}) {each}" for n, each in enumerate(choices)),
        "many_wrong": f"{wrong} " * 500, "many_all": " ".join(choices) * 200, "filler": "hm " * 30_000,
        "filler_all": ("so " * 50 + ", ".join(choices)) * 20,
    }  # fmt: skip
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
    """The kinds that a reward pays anything for, on some item whose right answer they are not ("yes" may be one)."""
    made = [(each, filled("{right}", each), question(each)) for each in items]

    def pays(kind: str) -> bool:
        return any(kind != right and reward(i, filled(kind, i, question=asked)) > 0 for i, right, asked in made)

    return [kind for kind in kinds or read_kinds() if pays(kind)]
