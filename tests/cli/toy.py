"""A small suite for tests of the command line: sums of two numbers, right or wrong."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from msgspec import Meta

from proband.core.metrics import ACCURACY
from proband.core.protocols import AnswersItems
from proband.core.suite import Built, Solver, Suite, Table
from proband.core.types import Answer, Item
from proband.solvers import as_is


@dataclass(frozen=True, kw_only=True)
class BuildOptions:
    """Which sums."""

    count: Annotated[int, Meta(description="number of sums", ge=1)] = 12
    kind: Annotated[Literal["small", "large"], Meta(description="size of the numbers")] = "small"
    faithful: Annotated[bool, Meta(description="as in the paper")] = False
    data: Annotated[Path | None, Meta(description="file of sums")] = None


def build(options: BuildOptions, *, seed: int) -> Built:
    step = 1 if options.kind == "small" else 100

    def items() -> Iterator[Item]:
        for n in range(options.count):
            a, b = step * (n + seed), step * 2
            right, wrong = str(a + b), str(a + b + 1)
            choices = (right, wrong) if n % 2 else (wrong, right)
            split = "train" if n % 3 == 0 else "test"
            yield Item(
                id=f"sum-{n}",
                suite="toy",
                prompt=f"{a} + {b} = ?",
                choices=choices,
                gold=choices.index(right),
                tags={"parity": n % 2},
                split=split,  # type: ignore[arg-type]
            )

    return Built(items=items(), licence="CC0-1.0", summary=lambda: {"counts": {"small": options.count}, "terms": [1]})


class Adder:
    """Knows the answer."""

    name = "solver:adder"

    def identity(self) -> dict[str, str]:
        return {"kind": "adder"}

    def usage(self) -> dict[str, float]:
        return {"tokens": 1234.0}

    def answer(self, items: Sequence[Item]) -> list[Answer]:
        return [
            Answer(item_id=item.id, scores=tuple(float(place == item.gold) for place in range(len(item.choices))))
            for item in items
        ]


SUITE = Suite(
    name="toy",
    question="can it add?",
    cites="nobody",
    build=build,
    options=BuildOptions,
    solvers=(Solver(name="as-is", help="the items as they are", needs=AnswersItems, solve=as_is.solve),),
    metrics=(ACCURACY,),
    tables=(Table(name="by_parity", title="By parity", rows=(), columns=("parity",)),),
    show=lambda item: item.prompt,
    own_models={"adder": Adder},
)
