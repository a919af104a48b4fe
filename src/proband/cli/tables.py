"""How results are printed: as tables for people, or (--json) as one JSON object for machines.

On a terminal a table fits the window. In a pipe nothing is wrapped or coloured, whatever the width of the content.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

T = TypeVar("T")
NO_WRAPPING = 100_000  # columns


def give(result: T, layout: Callable[[T], Iterable[Any]], *, json: bool) -> None:
    """Print a result: `layout` gives its lines and tables."""
    if json:
        from proband.core.files import dumps

        print(dumps(result))
        return
    for part in layout(result):
        if isinstance(part, str):
            print(part)
        else:
            _print_table(part)


def _print_table(part: Any) -> None:
    from rich.console import Console

    if sys.stdout.isatty():
        Console(highlight=False).print(part)
        return
    console = Console(width=NO_WRAPPING, color_system=None, highlight=False)
    with console.capture() as capture:
        console.print(part)
    print("\n".join(line.rstrip() for line in capture.get().splitlines()))


def table(header: Sequence[str], rows: Iterable[Sequence[Any]], *, numbers: Sequence[int] = ()) -> Any:
    """A table without rules; `numbers` are the columns to align at the right."""
    from rich.table import Table
    from rich.text import Text

    made = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), show_header=any(header), header_style="bold")
    for place, name in enumerate(header):
        made.add_column(name, justify="right" if place in numbers else "left", overflow="fold")
    for row in rows:
        made.add_row(*(Text(words(cell)) for cell in row))
    return made


def fields(values: Mapping[str, Any]) -> Any:
    """A table of names and values; a mapping as value is laid out below its name."""
    return table(("", ""), _lines(values, ""))


def _lines(values: Mapping[str, Any], indent: str) -> Iterable[tuple[str, str]]:
    for name, value in values.items():
        plain = name.replace("_", " ")
        if isinstance(value, Mapping) and any(isinstance(each, (Mapping, list)) and each for each in value.values()):
            yield f"{indent}{plain}:", ""
            yield from _lines(value, indent + "  ")
        else:
            yield f"{indent}{plain}:", words(value)


def words(value: Any) -> str:
    """A value in words, never as JSON.

    >>> words({"train": 1200, "test": 0.25}), words([1, 2]), words(True), words(None)
    ('train 1,200, test 0.25', '1, 2', 'yes', '')
    """
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, Mapping):
        return shortened(_pairs(value))
    if isinstance(value, (list, tuple)) and any(isinstance(each, Mapping) for each in value):
        return f"{len(value):,} rows"
    if isinstance(value, (list, tuple)):
        return shortened(", ".join(words(each) for each in value))
    return str(value)


def _pairs(value: Mapping[str, Any]) -> str:
    """Names and values, without those that are empty."""
    return ", ".join(
        f"{name} {words(each)}".replace("_", " ") for name, each in value.items() if each not in (None, "")
    )


def shortened(text: str, size: int = 200) -> str:
    return text if len(text) <= size else text[: size - 1] + "…"
