"""For tests of your own suites and models: a toy suite, a model that follows a script, and suites known for a while.

from proband.testing import ScriptedModel, known_suites, toy_suite

with known_suites(toy_suite()):
    proband.build("toy", out="items")
    proband.run("items", model=ScriptedModel(default=-1.0), out="runs/scripted")
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Annotated, Any, Literal
from unittest.mock import patch

from msgspec import Meta

from proband import suites
from proband.core.metrics import ACCURACY
from proband.core.suite import Built, Suite, Table
from proband.core.types import Item
from proband.models.fake import ScriptedModel
from proband.solvers import DIRECT, LIKELIHOOD

__all__ = ["ScriptedModel", "ToyOptions", "known_suites", "toy_suite"]


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


@contextmanager
def known_suites(*added: Suite) -> Iterator[None]:
    """For a while these are found by their names, as if a package had declared them, before others of that name.

    >>> with known_suites(toy_suite()):
    ...     suites.suite("toy").question, "toy" in suites.names()
    ('can it add?', True)
    >>> "toy" in suites.names()
    False
    """
    names, find = suites.names, suites.suite
    by_name = {suite.name: suite for suite in added}
    with (
        patch.object(suites, "names", lambda: tuple(dict.fromkeys((*names(), *by_name)))),
        patch.object(suites, "suite", lambda name: by_name[name] if name in by_name else find(name)),
    ):
        yield
