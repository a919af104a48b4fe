"""Tables that are filled as they are used, and random orders, which are drawn from one of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import permutations
from typing import TypeVar

K = TypeVar("K")
V = TypeVar("V")


class Lazy(dict[K, V]):
    """Entries are made when they are first asked for; a table of `most` entries begins anew, so that memory stays flat.

    >>> squares = Lazy[int, int](lambda n: n * n, most=2)
    >>> squares[3], squares[4], squares[5], dict(squares)
    (9, 16, 25, {5: 25})
    """

    def __init__(self, make: Callable[[K], V], *, most: int | None = None) -> None:
        super().__init__()
        self.make, self.most = make, most

    def __missing__(self, key: K) -> V:
        value = self.make(key)
        if self.most is not None and len(self) >= self.most:
            self.clear()
        self[key] = value
        return value


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
