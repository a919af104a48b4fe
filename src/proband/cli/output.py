"""How results are printed: as tables for people, or (--json) as one JSON object for machines; and the table of scores
that `run` ends with.

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


# ---- scores: metric, interval, chance and unread replies, in all and per main tag ------------------------------------


LISTED = 10  # items that failed, by name
HEADER = ("", "score", "95 % interval", "chance", "unread", "n")


def scores_layout(made: Mapping[str, Any]) -> Iterable[Any]:
    """One run, or the runs of several prompts and the spread between them."""
    from proband.pipeline.asking.engines import in_words

    if "runs" in made:
        for each in made["runs"]:
            yield from scores_layout(each)
            yield ""
        first = made["runs"][0]["score"]
        rows = [(each["settings"].get("prompt", ""), *figures(each["score"], first["unit"])) for each in made["runs"]]
        yield table(("prompt", *HEADER[1:]), rows, numbers=(1, 3, 4, 5))
        yield spread_in_words(made["spread"], first["unit"])
        return
    score, usage = made["score"], {"usage": in_words(made["usage"])} if made["usage"] else {}
    shown = {name: made[name] for name in ("suite", "model", "solver", "seed", "answers")}
    prompt = {"prompt": made["settings"]["prompt"]} if made["settings"].get("prompt") else {}
    skipped = {"skipped": f"{made['skipped']:,} (not asked, not counted)"} if made.get("skipped") else {}
    unknown = (
        {"not covered": f"{made['uncovered']:,} (unknown to the model, not counted)"} if made.get("uncovered") else {}
    )
    withheld = {"withheld": f"{made['withheld']:,} (by a filter; count as wrong)"} if made.get("withheld") else {}
    summary = {"summary": made["summary"]["in_words"]} if made["summary"].get("in_words") else {}
    errors = {"errors": f"{len(made['errors']):,} (count as wrong)"} if made.get("errors") else {}
    yield fields({**shown, **prompt, **skipped, **unknown, **withheld, **errors, **summary, **usage})
    for item, how in (made.get("errors") or ())[:LISTED]:
        yield f"error: item {item!r}: {how}"
    if len(made.get("errors") or ()) > LISTED:
        yield f"and {len(made['errors']) - LISTED:,} more: `proband show` gives them, status error in answers.jsonl"
    yield ""
    if score["mean"] is None:
        yield f"{score['title']}: does not apply to these answers"
    else:
        yield table((score["title"], *HEADER[1:]), rows_of(score), numbers=(1, 3, 4, 5))
    if others := score.get("others"):
        yield ""
        rows = [(each["title"], *figures(each, each["unit"])) for each in others]
        yield table((f"other metrics, {score['group']}", *HEADER[1:]), rows, numbers=(1, 3, 4, 5))
    yield from warning(score.get("unread", 0.0))


def rows_of(score: Mapping[str, Any]) -> Iterable[tuple[str, ...]]:
    for line in (score, *score.get("groups", ())):
        yield (line["group"], *figures(line, score["unit"]))


def figures(line: Mapping[str, Any], unit: str) -> tuple[str, ...]:
    """
    >>> figures({"mean": 0.5, "low": 0.4, "high": 0.6, "few": False, "chance": 0.25, "unread": 0.02, "n": 90}, "share")
    ('50.0 %', '[40.0, 60.0]', '25.0', '2.0 %', '90')
    """
    if line["mean"] is None:
        return ("", "", "", "", "0")
    interval = "too few to tell" if line.get("few") else f"[{plain(line['low'], unit)}, {plain(line['high'], unit)}]"
    chance = "" if line["chance"] is None else plain(line["chance"], unit)
    mean = f"{plain(line['mean'], unit)} {'%' if unit == 'share' else unit}"
    return (mean, interval, chance, f"{100 * line.get('unread', 0.0):.1f} %", f"{line['n']:,}")


def plain(value: float, unit: str) -> str:
    return f"{100 * value:.1f}" if unit == "share" else f"{value:.3f}"


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


def spread_in_words(spread: Mapping[str, float], unit: str) -> str:
    """
    >>> spread_in_words({"lowest": 0.2, "highest": 0.3, "sd": 0.05}, "share")
    'between prompts: 20.0 to 30.0, standard deviation 5.0'
    """
    if not spread:
        return "between prompts: nothing to compare"
    low, high, sd = (plain(spread[name], unit) for name in ("lowest", "highest", "sd"))
    return f"between prompts: {low} to {high}, standard deviation {sd}"
