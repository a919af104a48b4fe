"""Orders are uniform, for few people and for many."""

from __future__ import annotations

import random
from collections import Counter
from math import factorial

import pytest

from proband.suites.kinship.orders import SMALL, shuffled


@pytest.mark.parametrize("n", [0, 1, 3, len(SMALL) - 1, len(SMALL)])
def test_every_order_comes_equally_often(n: int) -> None:
    rng = random.Random(n)
    draws = 60 * factorial(n)
    counts = Counter(tuple(shuffled(n, rng.random)) for _ in range(draws))
    assert all(sorted(order) == list(range(n)) for order in counts)
    assert len(counts) == factorial(n)
    chi = sum((count - 60) ** 2 / 60 for count in counts.values())
    free = factorial(n) - 1
    assert chi <= free + 5 * (2 * free) ** 0.5
