"""Results that one can count by hand: items, and runs whose answers are written down."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from proband.core.types import Answer, Item, Run


@dataclass(frozen=True)
class Written:
    """`core.suite.Results` in memory."""

    manifest: Mapping[str, Any]
    all_items: Sequence[Item]
    runs: Sequence[Run]
    said: Sequence[Sequence[Answer]] = field(default_factory=list)

    @property
    def labels(self) -> Sequence[str]:
        return [f"{run.model} {n}" for n, run in enumerate(self.runs)]

    def items(self) -> Iterator[Item]:
        return iter(self.all_items)

    def answers(self, run: int) -> Iterator[tuple[Item, Answer]]:
        return zip(self.all_items, self.said[run], strict=True)


def a_run(solver: str, net: str = "", seed: int = 0) -> Run:
    note = {"net": net, "seed": seed, "options": {"hidden": 8}} if net else {}
    return Run(
        suite="script", solver=solver, model=f"net:{net}" if net else "some:model", seed=0, items_sha="", net=note
    )


def an_item(name: str, abstract: str, concrete: str, blanks: list[list[int]], *, split: Any = "valid") -> Item:
    words = concrete.split()
    facts = {
        "abstract": abstract.split(),
        "concrete": words,
        "blanks": blanks,
        "gold": [words[slice(*span)] for span in blanks],
        "kinds": ["tool"] * len(blanks),
        "candidates": "spoon whisk pot knife",
    }
    return Item(id=name, suite="script", prompt="", tags={"split": split}, facts=facts, split=split)


@pytest.fixture
def run_of() -> Callable[..., Run]:
    return a_run


@pytest.fixture
def item_of() -> Callable[..., Item]:
    return an_item


@pytest.fixture
def results() -> Callable[..., Written]:
    """`results(items, (run, answers), ..., manifest=)`."""

    def make(items: Sequence[Item], *runs: tuple[Run, Sequence[Answer]], manifest: Any = None) -> Written:
        return Written(manifest or {}, items, [run for run, _ in runs], [answers for _, answers in runs])

    return make
