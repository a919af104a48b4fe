"""The suite `more`: does a model know which of two numbers is larger?"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from msgspec import Meta
from msgspec.structs import replace

from proband.core.metrics import ACCURACY
from proband.core.suite import Built, Suite, Table, Variation, Verb
from proband.core.types import Item
from proband.solvers import DIRECT
from proband.solvers.choose import CHOOSE
from proband.solvers.likelihood import LIKELIHOOD


@dataclass(frozen=True, kw_only=True)
class MoreOptions:
    """Building `more`."""

    count: Annotated[int, Meta(description="items", ge=1)] = 20
    most: Annotated[int, Meta(description="the largest number", ge=2)] = 200


def build(options: MoreOptions, *, seed: int) -> Built:
    def items() -> Iterator[Item]:
        rng = random.Random(seed)
        for i in range(options.count):
            a, b = rng.sample(range(1, options.most + 1), 2)
            yield Item(
                id=f"more-{i}",
                suite="more",
                prompt=f"The larger of {a} and {b} is ___.",
                choices=(str(a), str(b)),
                gold=int(b > a),
                tags={"same_length": len(str(a)) == len(str(b))},
                facts={"clusters": [str(a), str(b)]},
            )

    return Built(items=items(), licence="CC0-1.0")


def turned(item: Item, *, rng: random.Random, folder: Path) -> Item | str:
    """The choices in the other order."""
    if item.gold is None:
        return "has no gold"
    return replace(item, choices=item.choices[::-1], gold=1 - item.gold)


def same_choice(source: Item, varied: Item) -> str | None:
    right = [None if item.gold is None else item.choices[item.gold] for item in (source, varied)]
    return None if right[0] == right[1] else "its right choice is not that of its source"


VARIATIONS = (
    Variation(name="turned", help="the choices in the other order", effect="keeps", make=turned, check=same_choice),
)

SUITE = Suite(
    name="more",
    question="does the model know which of two numbers is larger?",
    cites="",
    build=build,
    options=MoreOptions,
    solvers=(LIKELIHOOD, CHOOSE, DIRECT),
    metrics=(ACCURACY,),
    tables=(Table(name="length", title="By length", rows=(), columns=("same_length",)),),
    show=lambda item: f"{item.prompt}\n  {' | '.join(item.choices)}",
    verbs=(Verb(name="largest", run="proband_outside.own:largest"),),
    tasks={"larger": "proband_outside.larger:LARGER"},
    variations="proband_outside.more:VARIATIONS",
)
