"""A progress bar with the time left: on a terminal only, never in a pipe. Drawn by rich."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

T = TypeVar("T")


class Progress:
    """`with Progress("scoring", total=2000) as bar: bar.advance(32)`; silent unless standard error is a terminal."""

    def __init__(self, what: str, *, total: int | None = None) -> None:
        self.what, self.total = what, total
        self.bar: Any = None
        self.task: Any = None

    def __enter__(self) -> Progress:
        if sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
            from rich.progress import Progress as Bar

            columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
            self.bar = Bar(*columns, console=Console(stderr=True), transient=True)
            self.task = self.bar.add_task(self.what, total=self.total)
            self.bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self.bar is not None:
            self.bar.stop()

    def advance(self, by: int = 1) -> None:
        if self.bar is not None:
            self.bar.advance(self.task, by)


def say(text: str) -> None:
    """What is being done, in a line of its own."""
    print(text, file=sys.stderr, flush=True)


def track(things: Iterable[T], what: str, *, total: int | None = None) -> Iterator[T]:
    """Pass `things` through, showing how many went by."""
    with Progress(what, total=total) as bar:
        for thing in things:
            yield thing
            bar.advance()
