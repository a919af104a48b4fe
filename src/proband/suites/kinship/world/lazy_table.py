"""Tables that are filled as they are used."""

from __future__ import annotations

from collections.abc import Callable
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
