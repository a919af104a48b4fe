"""A progress bar with the time left on a terminal, drawn by rich; in a pipe or a log, a line a minute."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

T = TypeVar("T")
LOGGED = 60.0  # seconds between two lines of a log


class Progress:
    """`with Progress("scoring", total=2000) as bar: bar.advance(32)`; on a terminal a bar, else a line a minute."""

    def __init__(self, what: str, *, total: int | None = None) -> None:
        self.what, self.total = what, total
        self.bar: Any = None
        self.task: Any = None
        self.whole: Progress | None = None  # the bar that includes this one
        self.counted, self.reported = 0.0, time.monotonic()

    def __enter__(self) -> Progress:
        if _whole:
            self.whole = _whole[-1]
            if self.whole.bar is not None:
                self.whole.bar.update(self.whole.task, description=self.what)
        elif sys.stderr.isatty() and not Verbosity.quiet:
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

    def advance(self, by: float = 1) -> None:
        self.counted += by
        if self.whole is not None:
            self.whole.advance(by)
        elif self.bar is not None:
            self.bar.advance(self.task, by)
        elif time.monotonic() - self.reported > LOGGED:
            self.reported = time.monotonic()
            log(f"{self.what}: {self.counted:,.0f}" + (f" of {self.total:,}" if self.total else ""))

    def at(self, done: float) -> None:
        """Set the total done so far; fractions give an estimate of the time left after the first batch."""
        self.advance(done - self.counted)


_whole: list[Progress] = []


@contextmanager
def one_bar(what: str, *, total: int) -> Iterator[Progress]:
    """One bar for all progress within this block, including that of single runs."""
    with Progress(what, total=total) as bar:
        _whole.append(bar)
        try:
            yield bar
        finally:
            _whole.remove(bar)


_listeners: list[Callable[[float], None]] = []  # called with the share of the present call that is done


def advance(share: float) -> None:
    """Report that a further share of a model call is done; models call this, `on_progress` receives it."""
    if _listeners:
        _listeners[-1](share)


@contextmanager
def on_progress(listen: Callable[[float], None]) -> Iterator[None]:
    """Call `listen(share)` for every `advance(share)` within this block."""
    _listeners.append(listen)
    try:
        yield
    finally:
        _listeners.remove(listen)


class Verbosity:
    """How much is printed on standard error: `quiet` nothing but errors."""

    quiet = False


def log(text: str) -> None:
    """Print a line to standard error, unless quiet."""
    if not Verbosity.quiet:
        sys.stderr.write(f"{text}\n")  # at once, so that lines of several processes stay apart
        sys.stderr.flush()


def track(things: Iterable[T], what: str, *, total: int | None = None) -> Iterator[T]:
    """Iterate over `things` with a progress bar."""
    with Progress(what, total=total) as bar:
        for thing in things:
            yield thing
            bar.advance()
