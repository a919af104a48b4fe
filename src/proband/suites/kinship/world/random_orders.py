"""Random orders."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import permutations

from proband.suites.kinship.world.lazy_table import Lazy

Random = Callable[[], float]  # a number from 0 up to 1
FEW = 7
orders: Lazy[int, list[tuple[int, ...]]] = Lazy(lambda n: list(permutations(range(n))))  # of few: one draw picks one


def shuffled(n: int, draw: Random) -> Sequence[int]:
    """A uniform order of 0..n-1.

    >>> shuffled(3, lambda: 0.99), len(shuffled(9, lambda: 0.5))
    ((2, 1, 0), 9)
    """
    if n <= FEW:
        every = orders[n]
        return every[int(draw() * len(every))]
    return sorted(range(n), key=lambda _: draw())
