"""A progress bar with the time left: on a terminal only, never in a pipe."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator
from types import TracebackType
from typing import TypeVar

T = TypeVar("T")


class Progress:
    """`with Progress("scoring", total=2000) as bar: bar.advance(32)`; silent unless standard error is a terminal."""

    def __init__(self, what: str, *, total: int | None = None) -> None:
        self.what, self.total, self.done = what, total, 0
        self.live = sys.stderr.isatty()
        self.began = self.drawn = time.monotonic()

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.live:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()

    def advance(self, by: int = 1) -> None:
        self.done += by
        now = time.monotonic()
        if self.live and (now - self.drawn > 0.1 or self.done == self.total):
            self.drawn = now
            sys.stderr.write("\r\x1b[K" + self.line(now - self.began))
            sys.stderr.flush()

    def line(self, seconds: float) -> str:
        """
        >>> bar = Progress("scoring", total=200); bar.done = 50
        >>> bar.line(30.0)
        'scoring  [#####...............] 50/200  1:30 left'
        """
        if not self.total:
            return f"{self.what}  {self.done:,}"
        filled = int(20 * self.done / self.total)
        left = int(seconds / max(self.done, 1) * (self.total - self.done))
        bar = "#" * filled + "." * (20 - filled)
        return f"{self.what}  [{bar}] {self.done:,}/{self.total:,}  {left // 60}:{left % 60:02d} left"


def track(things: Iterable[T], what: str, *, total: int | None = None) -> Iterator[T]:
    """Pass `things` through, showing how many went by."""
    with Progress(what, total=total) as bar:
        for thing in things:
            yield thing
            bar.advance()
