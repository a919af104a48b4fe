"""Orders are uniform, for few people and for many."""

from __future__ import annotations

import random
from collections import Counter
from math import factorial

import pytest

from proband.suites.kinship.world import tables
from proband.suites.kinship.world.tables import shuffled


@pytest.mark.parametrize("few", [0, 7])
@pytest.mark.parametrize("n", [0, 1, 3, 5])
def test_every_order_comes_equally_often(few: int, n: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """By one draw among all orders, and by one draw for each."""
    monkeypatch.setattr(tables, "FEW", few)
    rng = random.Random(n)
    counts = Counter(tuple(shuffled(n, rng.random)) for _ in range(60 * factorial(n)))
    assert all(sorted(order) == list(range(n)) for order in counts)
    assert len(counts) == factorial(n)
    chi, free = sum((count - 60) ** 2 / 60 for count in counts.values()), factorial(n) - 1
    assert chi <= free + 5 * (2 * free) ** 0.5
