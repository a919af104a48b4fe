"""Rows of a table as items. Every row must fit: the error lists all rows that do not, with row and column.

The right choice may be written as its text, as a letter, or as a number from 0 or from 1; the notation is inferred from
the whole column, and recorded. Questions about one context share a cluster, unless a column names their cluster.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path
from string import ascii_uppercase
from typing import Annotated, Any, Literal, TypeVar

from msgspec import Meta

from proband.core.errors import ProbandError
from proband.core.files import DATA
from proband.core.suite import Built
from proband.core.tables import SPLITS, TableRow, read_tables
from proband.core.types import Item, Split, Tag
from proband.suites.questions.columns import Columns, guess

GoldAs = Literal["text", "letter", "from-0", "from-1"]
LICENCE = "that of the file given"
EXAMPLE = "Apache-2.0 (written for Proband)"


@dataclass(frozen=True, kw_only=True)
class BuildOptions:
    """The source of the questions and its columns."""

    data: Annotated[
        str, Meta(description="CSV, Excel, JSON lines, Parquet file or a Hugging Face folder (default: an example)")
    ] = ""
    prompt: Annotated[str, Meta(description="column of the question (columns are guessed unless named)")] = ""
    context: Annotated[str, Meta(description="column of a text that precedes the question")] = ""
    choices: Annotated[str, Meta(description="column of lists, or a column for each choice, with commas")] = ""
    gold: Annotated[str, Meta(description="column of the right choice: its text, letter or number")] = ""
    gold_as: Annotated[GoldAs | None, Meta(description="how the right choice is written (default: guessed)")] = None
    answers: Annotated[str, Meta(description="columns of accepted answers, if there are no choices")] = ""
    cluster: Annotated[str, Meta(description="columns of what questions share (document, author, ...)")] = ""
    split: Annotated[str, Meta(description="column of train, valid or test (default: all are test items)")] = ""
    id: Annotated[str, Meta(description="column of a name for each question")] = ""
    tags: Annotated[str, Meta(description="columns to break results down by; none: no column")] = ""
    licence: Annotated[str, Meta(description="licence of the questions, for exports")] = ""
    skip_bad: Annotated[bool, Meta(description="leave out rows that do not fit, and count them")] = False


ROLES = ("prompt", "context", "choices", "gold", "answers", "cluster", "split", "id", "tags")


def build(options: BuildOptions, *, seed: int) -> Built:
    path = Path(options.data).expanduser() if options.data else DATA / "questions"
    rows = list(read_tables(path if options.data else path / "example.tsv"))
    if not rows:
        raise ProbandError("has no rows", file=path)
    names = list(dict.fromkeys(name for row in rows for name in row.cells))
    try:
        columns = guess(names, {role: getattr(options, role) for role in ROLES})
    except ProbandError as error:
        raise ProbandError(str(error), file=path) from None
    bad = BadRows(path)
    tried = [(row, bad.tried(row, lambda row: _choices(row, columns.choices))) for row in rows]
    drawn = columns.gold in columns.choices  # the right choice has a column of its own, and would always be the first
    rng = random.Random(f"choices {seed}")
    fit = [(row, tuple(rng.sample(own, len(own))) if drawn else own) for row, own in tried if own is not None]
    gold_as = options.gold_as or ("text" if drawn else _gold_as(fit, columns, path))
    items = list(_items(fit, columns, gold_as, bad))
    if bad.errors and not options.skip_bad:
        raise bad.in_one()
    counts = Counter("open" if not item.choices else f"{len(item.choices)} choices" for item in items)

    def summary() -> Mapping[str, Any]:
        right = {"right choice as": gold_as + ", choices in random order" * drawn} if columns.gold else {}
        skipped = {"skipped_rows": len(bad.errors)} if bad.errors else {}
        return {"columns": columns.described() | right, "kinds": dict(sorted(counts.items())), **skipped}

    return Built(items=items, licence=options.licence or (LICENCE if options.data else EXAMPLE), summary=summary)


MOST_NAMED = 10  # largest number of bad rows in an error
T = TypeVar("T")


class BadRows:
    """Collects the rows that do not fit, with the reasons."""

    def __init__(self, path: Path) -> None:
        self.path, self.errors = path, dict[tuple[Path, int], ProbandError]()

    def tried(self, row: TableRow, make: Callable[[TableRow], T]) -> T | None:
        """The result of reading a row; None if the row does not fit."""
        try:
            return make(row)
        except ProbandError as error:
            self.errors[row.file, row.number] = error
            return None

    def in_one(self) -> ProbandError:
        """One error that lists the bad rows."""
        reasons = [str(self.errors[row]).removeprefix(f"{self.path}: ") for row in sorted(self.errors)]
        if len(reasons) == 1:
            return next(iter(self.errors.values()))
        more = f"; and {len(reasons) - MOST_NAMED:,} more" if len(reasons) > MOST_NAMED else ""
        listed = f"{'; '.join(reasons[:MOST_NAMED])}{more}"
        return ProbandError(f"{len(reasons):,} rows do not fit: {listed} (--skip-bad leaves them out)", file=self.path)


def _items(
    rows: Sequence[tuple[TableRow, tuple[str, ...]]], columns: Columns, gold_as: GoldAs, bad: BadRows
) -> Iterator[Item]:
    width, seen, contexts = len(str(len(rows))), dict[str, TableRow](), dict[str, int]()
    answered: dict[tuple[str, frozenset[str]], tuple[TableRow, str]] = {}  # the same question with the same choices

    def item(row: TableRow, *, choices: tuple[str, ...], place: int) -> Item:
        prompt = _text(row, columns.prompt)
        if not prompt:
            raise row.error("the question is empty", columns.prompt)
        context = _text(row, columns.context) if columns.context else ""
        name = _text(row, columns.id) if columns.id else f"q{place:0{width}d}"
        if not name:
            raise row.error("is empty", columns.id)
        if name in seen:
            raise row.error(f"{name!r} is already in row {seen[name].number}", columns.id)
        seen[name] = row
        accepted = () if choices else _accepted(row, columns.answers)
        clusters = [f"{column}={cell}" for column in columns.cluster if (cell := _text(row, column))]
        if context and not columns.cluster:
            clusters = [f"context {contexts.setdefault(context, len(contexts) + 1)}"]
        prompt = f"{context}\n\n{prompt}" if context else prompt
        gold = _gold(row, choices, columns, gold_as) if choices else None
        if gold is not None:
            before, right = answered.setdefault((prompt, frozenset(choices)), (row, choices[gold]))
            if right != choices[gold]:
                raise row.error(f"{choices[gold]!r} is right here, and {right!r} in row {before.number}", columns.gold)
        return Item(
            id=name,
            suite="questions",
            prompt=prompt,
            choices=choices,
            gold=gold,
            tags={
                **({} if choices else {"setting": "open"}),
                **{column: tag for column in columns.tags if (tag := _tag(row.cells.get(column))) != ""},
            },
            facts={**({"clusters": clusters} if clusters else {}), **({"answers": list(accepted)} if accepted else {})},
            split=_split(row, columns.split),
        )

    for place, (row, choices) in enumerate(rows, start=1):
        if (made := bad.tried(row, partial(item, choices=choices, place=place))) is not None:
            yield made


# ---- cells ---------------------------------------------------------------------------------------------------------


def _text(row: TableRow, column: str) -> str:
    value = row.cells.get(column)
    if isinstance(value, (list, dict)):
        raise row.error(f"must be text, not {'a list' if isinstance(value, list) else 'an object'}", column)
    return "" if value is None else str(value).strip()


def _tag(value: Any) -> Tag:
    return value if isinstance(value, (bool, int, float)) else "" if value is None else str(value).strip()


def _list(row: TableRow, column: str, separators: str = "\n|;") -> tuple[str, ...]:
    """The texts of one cell: a list, an object with `text` (as in ARC), JSON in a cell, or separated parts."""
    value = row.cells.get(column)
    if isinstance(value, str) and value.strip()[:1] in ("[", "{"):
        try:
            value = json.loads(value)
        except ValueError:
            raise row.error("begins like JSON and is not JSON", column) from None
    if isinstance(value, dict):
        value = value.get("text", value.get("choices", list(value.values())))
    if value is None:
        return ()
    if isinstance(value, str):
        separator = next((sign for sign in separators if sign in value), None)
        value = value.split(separator) if separator else [value]
    parts = value if isinstance(value, (list, tuple)) else [value]
    if any(isinstance(part, (list, dict)) for part in parts):
        raise row.error("must be a list of texts", column)
    return tuple(text for part in parts if part is not None and (text := str(part).strip()))


def _choices(row: TableRow, columns: tuple[str, ...]) -> tuple[str, ...]:
    if not columns:
        return ()
    if len(columns) == 1:
        choices = _list(row, columns[0])
    else:
        cells = [(_text(row, column), column) for column in columns]
        choices = tuple(cell for cell, _ in cells if cell)
        gap = next((c for (cell, c), (after, _) in pairwise(cells) if not cell and after), None)
        if gap is not None:
            raise row.error("is empty, but a later choice is not", gap)
    if len(choices) == 1:
        raise row.error(f"has one choice ({choices[0]!r}); two or more are needed, or none", columns[0])
    twice = next((choice for place, choice in enumerate(choices) if choice in choices[:place]), None)
    if twice is not None:
        raise row.error(f"the choice {twice!r} occurs twice", columns[0])
    return choices


def _accepted(row: TableRow, columns: tuple[str, ...]) -> tuple[str, ...]:
    if not columns:
        raise row.error("has no choices and no column of accepted answers; name one with --answers")
    texts = (text for column in columns for text in _list(row, column, "|"))
    accepted = tuple(dict.fromkeys(text.rpartition("####")[2].strip() for text in texts))  # as GSM8K marks an answer
    if not accepted:
        raise row.error("the accepted answer is empty", columns[0])
    return accepted


def _split(row: TableRow, column: str) -> Split:
    written = _text(row, column) if column else row.split
    split: Any = SPLITS.get(written.lower(), "" if written else "test")
    if not split:
        raise row.error(f"{written!r} is none of train, valid, test", column)
    return split  # type: ignore[no-any-return]


# ---- the right choice ----------------------------------------------------------------------------------------------


def _labels(row: TableRow, columns: tuple[str, ...]) -> list[str]:
    """The labels of the choices, if the cell of the choices has them, as in ARC."""
    cell = row.cells.get(columns[0])
    return list(map(str, cell.get("label", ()))) if isinstance(cell, dict) else []


def _gold_as(rows: Sequence[tuple[TableRow, tuple[str, ...]]], columns: Columns, path: Path) -> GoldAs:
    """The notation of the right choice that fits most rows; an error if two that fit select different choices."""
    column = columns.gold
    unlabelled = [(row, own) for row, own in rows if column and own and not _labels(row, columns.choices)]
    cells = [(_text(row, column), choices) for row, choices in unlabelled]
    places = {way: [_place(cell, choices, way) for cell, choices in cells if cell] for way in WAYS}
    unfit = {way: own.count(None) for way, own in places.items()}
    fitting = [way for way in WAYS if unfit[way] == min(unfit.values()) < max(1, len(cells))]
    if other := next((way for way in fitting[1:] if places[way] != places[fitting[0]]), None):
        message = f"it may hold {WAYS[fitting[0]]} or {WAYS[other]}; say --gold-as {fitting[0]} or {other}"
        raise ProbandError(f"column {column!r}: {message}", file=path)
    return fitting[0] if fitting else "text"  # the row that does not fit is named


WAYS: Mapping[GoldAs, str] = {
    "text": "the text of the right choice",
    "letter": "its letter",
    "from-1": "its number from 1",
    "from-0": "its number from 0",
}


def _place(cell: str, choices: Sequence[str], way: GoldAs) -> int | None:
    """The index of the choice that a cell means, or None."""
    if way == "text":
        return choices.index(cell) if cell in choices else None
    bare = cell.strip("().: ").upper()
    if way == "letter":
        place = ascii_uppercase.find(bare) if len(bare) == 1 else -1
    else:
        place = int(cell) - (way == "from-1") if cell.isdecimal() else -1
    return place if 0 <= place < len(choices) else None


def _gold(row: TableRow, choices: tuple[str, ...], columns: Columns, way: GoldAs) -> int:
    column, labels = columns.gold, _labels(row, columns.choices)
    cell = _text(row, column)
    if not cell:
        raise row.error("the right choice is empty", column)
    place = labels.index(cell) if cell in labels else None if labels else _place(cell, choices, way)
    if place is None:
        other = f"no {WAYS[way].removeprefix('its ')} of one of {len(choices)} choices"
        none = f"none of the choices {', '.join(map(repr, choices))}"
        raise row.error(f"{cell!r} is {none if way == 'text' else other}", column)
    return place
