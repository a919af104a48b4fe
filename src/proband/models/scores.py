"""`scores:FILE`: the scores of another system as a run, without the system.

A table (tabs or commas, .gz or not) or JSON lines. A line scores the item with its `id`, or the items with the facts of
its other columns (as `premise` and `hypothesis`, whatever their case); without these there is one line per item, in the
order of the items, and a `label` must agree.
`score` is the preference for the first choice over the second. For items with more choices, JSON lines have `scores`,
one per choice. A header names the columns. Without a header, two columns are an id and a score, or a label (0, 1, True,
False) and a score. Lines without names may be for all items or for one split. Items without a line are *not covered*.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from proband.core.errors import ProbandError
from proband.core.files import group_by_key, sha256_file
from proband.core.plugins import ModelKind
from proband.core.tables import read_table, text_lines
from proband.core.types import Answer, Item

TRUE, FALSE = ("1", "1.0", "true", "y", "yes"), ("0", "0.0", "false", "n", "no")
UNNAMED = "first column"
Row = tuple[int, Mapping[str, Any]]


class FileScores:
    """The answers of a file (protocols AnswersItems, LearnsFromItems: it must see which items there are)."""

    def __init__(self, path: Path) -> None:
        if not path.is_file():
            raise ProbandError("does not exist", file=path)
        self.name, self.path = f"scores:{path}", path
        self.rows = list(read_rows(path))
        if not self.rows:
            raise ProbandError("contains no scores", file=path)
        first = self.rows[0][1]
        if "score" not in first and "scores" not in first:
            raise ProbandError("has no column 'score'", file=path, line=self.rows[0][0])

    def identity(self) -> Mapping[str, str]:
        return {"kind": "scores", "sha256": sha256_file(self.path)}

    def learn(self, items: Iterable[Item]) -> FileScores:
        """Match the lines with the items. The labels of items do not affect any score."""
        every, columns = list(items), self.rows[0][1]
        facts = [name for name in columns if name not in ("score", "scores", "label")]
        facts = facts if all(name in item.facts for item in every[:1] for name in facts) else []
        by = ["id"] if "id" in columns else facts
        self.row_of = self._by_name(every, by) if by else self._in_order(every)
        return self

    def answer(self, items: Sequence[Item]) -> list[Answer]:
        return [self._answer(item) for item in items]

    def _answer(self, item: Item) -> Answer:
        if item.id not in self.row_of:
            return Answer(item_id=item.id, status="not covered")
        line, row = self.row_of[item.id]
        given: Any = row["scores"] if "scores" in row else [row.get("score")]
        try:
            values = [float(each) for each in given]
        except (TypeError, ValueError):
            raise ProbandError(f"the score is {given!r}, not a number", file=self.path, line=line) from None
        scores = (values[0], 0.0) if "scores" not in row and len(item.choices) == 2 else tuple(values)
        if not all(map(math.isfinite, scores)) or len(scores) != len(item.choices):
            wanted = "a finite number for each choice" if len(item.choices) > 2 else "a finite number"
            raise ProbandError(f"the score is {given!r}, not {wanted}", file=self.path, line=line)
        return Answer(item_id=item.id, scores=scores)

    def _by_name(self, items: Sequence[Item], names: Sequence[str]) -> dict[str, Row]:
        places = group_by_key((key, item.id) for item in items for key in dict.fromkeys(keys_of(item, names)))
        results: dict[str, Row] = {}
        for line, row in self.rows:
            key = tuple(clean(row.get(name), name) for name in names)
            if key not in places:
                raise ProbandError(
                    f"no item has the {' and '.join(names)} {', '.join(key)!r}", file=self.path, line=line
                )
            for place in places[key]:
                if place in results:
                    raise ProbandError(f"a second score for item {place}", file=self.path, line=line)
                results[place] = (line, row)
        return results

    def _in_order(self, items: Sequence[Item]) -> dict[str, Row]:
        sizes = {"": items} | {
            split: [item for item in items if item.split == split] for split in ("test", "valid", "train")
        }
        chosen = next((each for each in sizes.values() if len(each) == len(self.rows)), None)
        if chosen is None:
            counts = ", ".join(f"{len(each):,} of {split}" for split, each in sizes.items() if split and each)
            raise ProbandError(
                f"has {len(self.rows):,} scores without ids; there are {len(items):,} items ({counts})", file=self.path
            )
        for item, (line, row) in zip(chosen, self.rows, strict=True):
            if "label" in row and item.gold is not None and truth_of(row["label"], self.path, line) != (item.gold == 0):
                raise ProbandError(
                    f"the label is {row['label']}, not that of item {item.id}", file=self.path, line=line
                )
        return {item.id: row for item, row in zip(chosen, self.rows, strict=True)}


def keys_of(item: Item, names: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """The keys by which a line may name the item."""
    values = {**item.facts, "id": item.id}
    for join in (", ".join, " ".join):  # a triple with commas, or in words
        if all(name in values for name in names):
            each = ((name, values[name]) for name in names)
            yield tuple(clean(join(value) if isinstance(value, list) else value, name) for name, value in each)


def clean(value: object, name: str) -> str:
    text = " ".join(str(value).split())
    return text if name == "id" else text.lower().rstrip(".").replace(" ,", ",")


def truth_of(text: object, path: Path, line: int) -> bool:
    word = str(text).strip().lower()
    if word not in TRUE + FALSE:
        raise ProbandError(f"the label is {text!r}, neither true nor false", file=path, line=line)
    return word in TRUE


def read_rows(path: Path) -> Iterator[Row]:
    """Line number and fields of each line."""
    _, first = next(text_lines(path), (1, ""))
    if not first:
        return
    mark = next((each for each in ("\t", ",") if each in first), " ")
    kind = ".jsonl" if first.startswith("{") else ".txt"

    def names(first: Sequence[str]) -> Sequence[str] | None:
        """The columns of a table without a header."""
        if any(name.lower() == "score" for name in first):
            return None
        if len(first) > 2:
            raise ProbandError("has no header with the column 'score'", file=path, line=1)
        return (UNNAMED, "score")[-len(first) :]

    rows = list(read_table(path, kind=kind, separator=mark, names=names, exact=True))
    labels = all(str(row.cells.get(UNNAMED)).strip().lower() in TRUE + FALSE for row in rows)
    renamed = {UNNAMED: "label" if labels else "id", "item_id": "id"}
    for row in rows:
        lower = {name if kind == ".jsonl" else name.lower(): value for name, value in row.cells.items()}
        yield row.number, {renamed.get(name, name): value for name, value in lower.items()}


KIND = ModelKind(
    name="scores",
    help="the scores of another system, from a file",
    load=lambda rest, *, options: FileScores(Path(rest)),
)
