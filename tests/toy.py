"""A toy suite for tests: sums of two numbers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from msgspec import Meta

from proband.core.metrics import ACCURACY
from proband.core.suite import Built, Suite, Table
from proband.core.types import Item
from proband.solvers import DIRECT, LIKELIHOOD


@dataclass(frozen=True, kw_only=True)
class ToyOptions:
    """Which sums."""

    count: Annotated[int, Meta(description="number of sums", ge=1)] = 12
    kind: Annotated[Literal["small", "large"], Meta(description="size of the numbers")] = "small"


def _build(options: ToyOptions, *, seed: int) -> Built:
    step = 1 if options.kind == "small" else 100

    def items() -> Iterator[Item]:
        for n in range(options.count):
            a, b = step * (n + seed), step * 2
            right, wrong = str(a + b), str(a + b + 1)
            choices = (right, wrong) if n % 2 else (wrong, right)
            yield Item(
                id=f"sum-{n}",
                suite="toy",
                prompt=f"{a} + {b} = ?",
                choices=choices,
                gold=choices.index(right),
                tags={"parity": n % 2},
                split="train" if n % 3 == 0 else "test",
            )

    return Built(items=items(), licence="CC0-1.0", summary=lambda: {"counts": {"small": options.count}, "terms": [1]})


def toy_suite(**fields: Any) -> Suite:
    """Sums of two numbers, right or wrong, every third one for training; `fields` of `Suite` replace its own.

    >>> suite = toy_suite(name="sums")
    >>> [item.prompt for item in suite.build(ToyOptions(count=2), seed=3).items], suite.name
    (['3 + 2 = ?', '4 + 2 = ?'], 'sums')
    """
    own: dict[str, Any] = {
        "name": "toy",
        "question": "can it add?",
        "cites": "",
        "build": _build,
        "options": ToyOptions,
        "solvers": (DIRECT, LIKELIHOOD),
        "metrics": (ACCURACY,),
        "tables": (Table(name="by_parity", title="By parity", rows=(), columns=("parity",)),),
        "show": lambda item: item.prompt,
    }
    return Suite(**{**own, **fields})
