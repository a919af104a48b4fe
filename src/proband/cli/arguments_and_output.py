"""What verbs share: their arguments in, their results out.

Results are printed as tables for people, or (--json) as one JSON object for machines. On a terminal a table fits the
window; in a pipe nothing is wrapped or coloured, whatever the width of the content.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args

from cyclopts import Group, Parameter
from cyclopts.validators import Number

from proband.core.errors import ProbandError
from proband.core.files import dumps

if TYPE_CHECKING:
    from proband.pipeline.run import Forecast

COUNT = Number(gte=1)
Count = Annotated[int, Parameter(metavar="N", validator=COUNT)]
MaybeCount = Annotated[int | None, Parameter(metavar="N", validator=COUNT)]
Flag = Annotated[bool, Parameter(negative=())]


def whole_number(_: Any, tokens: Sequence[Any]) -> int:
    """A whole number: 1.5 is an error and is not rounded."""
    try:
        return int(tokens[0].value)
    except ValueError:
        raise ValueError(f"{tokens[0].value!r} is not a whole number") from None


OPTIONS = Group("Options", sort_key=1)
EVERYDAY, FURTHER = Group("Everyday verbs", sort_key=0), Group("Further verbs", sort_key=0.5)
Pairs = Annotated[Sequence[str], Parameter(metavar="NAME=VALUE")]  # as often as it is given
Json = Annotated[Flag, Parameter(name="--json", help="Print the result as one JSON object.")]


def model_names() -> list[str]:
    """What may follow -m, as far as it has a name: for completion."""
    from proband.pipeline.show import listing

    return [row["name"] for row in listing()["models"]]


def shown(default: Any) -> str | None:
    """A default as help prints it: nothing for flags and empty lists."""
    return None if default is None or default is False or default in ("", ()) else str(default)


def settings(pairs: Sequence[str], flag: str = "--set") -> dict[str, str]:
    """NAME=VALUE pairs as a mapping.

    >>> settings(["steps=20", "norm=token"])
    {'steps': '20', 'norm': 'token'}
    """
    results = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or not name:
            raise ProbandError(f"{flag} takes NAME=VALUE, not {pair!r}")
        results[name] = value
    return results


def metavar(kind: Any) -> str:
    """
    >>> metavar(int | None), metavar(Path | None), metavar(str)
    ('N', 'PATH', 'TEXT')
    """
    kinds = (kind, *get_args(kind))
    names = {str: "TEXT", Path: "PATH", float: "X", int: "N"}
    return next((name for part, name in names.items() if part in kinds), "TEXT")


# ---- results -------------------------------------------------------------------------------------------------------


NO_WRAPPING = 100_000  # columns


def whole(result: Any) -> Iterable[Any]:
    """The layout of a result that is one table of its fields."""
    yield result


def give(result: Any, layout: Callable[[Any], Iterable[Any]] = whole, *, json: bool) -> None:
    """Print a result: `layout` gives its lines, tables, and mappings, which are printed as tables of their fields."""
    if json:
        print(dumps(result))
        return
    for part in layout(result):
        if isinstance(part, str):
            print(part)
        else:
            _print_table(fields(part) if isinstance(part, Mapping) else part)


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
    """Names and values, without those that are empty.

    >>> _pairs({"people": 0, "outcomes": {}, "measured": []})
    'people 0'
    """
    empty: tuple[Any, ...] = (None, "", [], (), {})
    return ", ".join(f"{name} {words(each)}".replace("_", " ") for name, each in value.items() if each not in empty)


def shortened(text: str, size: int = 200) -> str:
    return text if len(text) <= size else text[: size - 1] + "…"


def warning(unread: float, of: str = "") -> Iterable[str]:
    """
    >>> list(warning(0.25))
    ['warning: 25.0 % of the replies could not be read and count as wrong; look at them with `proband show`']
    """
    from proband.core.metrics import WARNED

    if unread > WARNED:
        who, share = f"{of}: " if of else "", f"{100 * unread:.1f} %"
        what = "of the replies could not be read and count as wrong; look at them with `proband show`"
        yield f"warning: {who}{share} {what}"


# ---- what a dry run prints -------------------------------------------------------------------------------------------


def dry_run_layout(result: Mapping[str, Sequence[Forecast]]) -> Iterable[Any]:
    """A line per run where there are several, then the whole."""
    from proband.pipeline.run import total_of

    forecasts = result["forecasts"]
    total = total_of(forecasts)
    if len(forecasts) > 1:
        head = ("model", "suite", "solver", "prompt", "questions", "answered", "calls", "tokens in", "cost", "time")
        names = ("model", "suite", "solver", "prompt", "items", "answered", "calls", "tokens_in", "cost")
        rows = [(*(getattr(each, name) for name in names), duration(each.seconds)) for each in forecasts]
        yield table(head, rows, numbers=range(4, 9))
        yield f"\nall {len(forecasts)} runs:"
    same = [name for name in ("suite", "model", "solver") if len({getattr(each, name) for each in forecasts}) == 1]
    shown = {name: getattr(total, name) for name in (*same, "items", "answered") if getattr(total, name)}
    if total.calls is None:
        shown |= {"calls": "not known for this solver", "tokens in": "not known"}
    else:
        cached = f" ({total.cached:,} more are in the cache)" if total.cached else ""
        estimated = "" if total.tokens_counted else " (estimated: 4 characters each)"
        shown |= {"calls": f"{total.calls:,}{cached}", "tokens in": f"{total.tokens_in:,}{estimated}"}
        shown |= {"tokens out": f"{total.tokens_out:,} at most"} if total.tokens_out else {}
        shown |= {"cost": f"{total.cost:,.4f} at most"} if total.cost is not None else {}
    known = [each.seconds for each in forecasts if each.seconds is not None]
    shown["time"] = duration(sum(known) if known else None)
    if known and len(known) < len(forecasts):
        shown["time"] += f", without {len(forecasts) - len(known)} runs whose time is not known"
    yield shown


def duration(seconds: float | None) -> str:
    """
    >>> duration(40.2), duration(600), duration(9000), duration(None)
    ('about 40 s', 'about 10 min', 'about 2.5 h', 'not known before the first answers')
    """
    if seconds is None:
        return "not known before the first answers"
    if seconds < 120:
        return f"about {seconds:.0f} s"
    return f"about {seconds / 60:.0f} min" if seconds < 7200 else f"about {seconds / 3600:.1f} h"
