"""What a model says where several relations are possible (`--question sets`): of all that somebody can be, just these?

    right         exactly what is possible
    too narrow    some of it and nothing else: it excludes what the story leaves open
    too wide      all of it and more: it leaves open what the story excludes
    astray        something that cannot be, and not all that can

A guess is each choice equally often; its row says what that gives on these questions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from proband.core.metrics import chosen_answer
from proband.core.suite import Analysis, Results, Sheet
from proband.core.types import Item
from proband.suites.kinship.world.relations import possibilities

OUTCOMES: Final = ("right", "too narrow", "too wide", "astray")


def outcome(gold: str, chosen: str) -> str:
    """
    >>> [outcome("aunt or mother", said) for said in ("mother or aunt", "aunt", "aunt, mother or sister", "sister", "")]
    ['right', 'too narrow', 'too wide', 'astray', 'astray']
    """
    possible, said = possibilities(gold), possibilities(chosen)
    return (
        "right"
        if said == possible
        else "too narrow"
        if said < possible
        else "too wide"
        if said > possible
        else "astray"
    )


def table(results: Results, seed: int) -> Sequence[Sheet]:
    """Of every run over such questions, where one relation is possible and where several are; nothing for others."""
    rows: list[tuple[str | float | None, ...]] = []
    asked: list[Item] = []
    for run, label in enumerate(results.labels):
        pairs = [(item, answer) for item, answer in results.scored(run) if "possible" in item.tags]
        if pairs:
            asked = [item for item, _ in pairs]
            said = [chosen_answer(item, answer) if answer.scores else "" for item, answer in pairs]
            rows.append((label, *_shares(asked, [{outcome(_gold(i), each): 1.0} for i, each in zip(asked, said)])))
    if not rows:
        return ()
    guesses = []
    for item in asked:
        outcomes = [outcome(_gold(item), choice) for choice in item.choices]
        guesses.append({name: outcomes.count(name) / len(outcomes) for name in OUTCOMES})
    rows.append(("*a guess*", *_shares(asked, guesses)))
    single = ("right", "too wide", "astray")  # one relation cannot be answered too narrowly
    return (
        Sheet(
            name="sets",
            title="All that somebody can be: right, too narrow, too wide",
            header=(
                "model",
                *(f"one possible: {name}, %" for name in single),
                *(f"several possible: {name}, %" for name in OUTCOMES),
            ),
            rows=tuple(rows),
            note="Too narrow: some of what is possible and no more; too wide: all of it and more; astray: neither.",
        ),
    )


def _gold(item: Item) -> str:
    return item.choices[item.gold or 0]


def _shares(items: Sequence[Item], outcomes: Sequence[Mapping[str, float]]) -> list[float | None]:
    """Shares of the outcomes in percent where one relation is possible, then where several are."""
    shares: list[float | None] = []
    for several, names in ((False, ("right", "too wide", "astray")), (True, OUTCOMES)):
        own = [each for item, each in zip(items, outcomes) if (item.tags["possible"] != 1) == several]
        shares += [round(100 * sum(e.get(name, 0.0) for e in own) / len(own), 1) if own else None for name in names]
    return shares


SETS = Analysis(
    name="sets", help="Right, too narrow and too wide, where several relations are possible", of=table, always=True
)
