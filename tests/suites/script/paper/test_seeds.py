"""Every training seed of a net has a line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pytest

from proband.core.types import Answer, Item, Run
from proband.suites.script.paper.seeds import per_seed


class Planted:
    """A net with two seeds, and the same with another width, whose words surprise it by one nat less."""

    manifest: Mapping[str, Any] = {}
    labels: Sequence[str] = ("a", "b", "c", "d")
    runs: Sequence[Run] = tuple(
        Run(suite="script", solver="answer", model="m", seed=0, items_sha="",
            net={"net": "lm", "seed": seed, "options": {"width": width}})
        for width in (8, 16) for seed in (0, 1)
    )  # fmt: skip

    def items(self) -> Iterator[Item]:
        return (Item(id=str(n), suite="script", prompt="?", facts={"clusters": [str(n // 2)]}) for n in range(40))

    def answers(self, run: int) -> Iterator[tuple[Item, Answer]]:
        for n, item in enumerate(self.items()):
            if n != run:  # each run lacks a text
                surprisals = [3.0 + n % 5 - run // 2, 2.0 - run // 2]
                blank = {"surprisals": surprisals, "moves": [0.0, 0.0], "known": [True, True]}
                yield item, Answer(item_id=item.id, blanks=(blank,))

    scored = answers


def test_every_seed_has_a_line() -> None:
    (sheet,) = per_seed(Planted(), 0)
    assert [row[1] for row in sheet.rows] == [0, 1, 0, 1]
    released = [float(row[-1] or 0) for row in sheet.rows]
    assert released[0] - released[2] == pytest.approx(1.0, abs=0.05)
