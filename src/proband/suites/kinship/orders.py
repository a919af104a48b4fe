"""Random orders."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import permutations

Random = Callable[[], float]  # a number from 0 up to 1
SMALL = [list(permutations(range(n))) for n in range(6)]  # all orders of a few, so that one draw picks one


def shuffled(n: int, draw: Random) -> Sequence[int]:
    """A uniform order of 0..n-1.

    >>> shuffled(3, lambda: 0.99), len(shuffled(9, lambda: 0.5))
    ((2, 1, 0), 9)
    """
    if n < len(SMALL):
        return SMALL[n][int(draw() * len(SMALL[n]))]
    order = list(range(n))
    for i in range(n - 1, 0, -1):
        j = int(draw() * (i + 1))
        order[i], order[j] = order[j], order[i]
    return order
