"""SherLIiC (Schmitt and Schuetze 2019): `dev.csv` and `test.csv` with a header and 22 columns, the premise LEFT.

    id, type and relation of premise and hypothesis (four numbers), four cells of premise text, four of hypothesis text
    (left argument, middle, right argument, end), whether each is reversed, examples of A and of B (`x / y / z`), the
    label (yes or no), three scores and a count

The left argument of a text that is not reversed is A. Arguments are the first example of each, as in the authors' later
program; their types stand in the cells of the text (`person[A]`). Rows of one hypothesis share a cluster. dev is the
validation split.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from pathlib import Path

from proband.core.errors import ProbandError
from proband.core.types import Split
from proband.suites.inference.datasets.rows import label, text_lines
from proband.suites.inference.items import Example, Triple

COLUMNS = 22
SPLITS: dict[str, Split] = {"train": "train", "dev": "valid", "test": "test"}


def read(path: Path) -> Iterator[Example]:
    """A folder with dev.csv and test.csv, or one of them."""
    if path.is_dir():
        files = [path / f"{name}.csv" for name in ("test", "dev", "train") if (path / f"{name}.csv").exists()]
        if not files:
            raise ProbandError("contains no dev.csv and no test.csv", file=path)
    else:
        files = [path]
    for file in files:
        text = "".join(f"{line}\n" for _, line in text_lines(file))
        reader = csv.reader(io.StringIO(text))
        next(reader, None)
        for row in reader:
            yield example(row, file, reader.line_num)


def example(row: Sequence[str], path: Path, line: int) -> Example:
    if len(row) != COLUMNS:
        raise ProbandError(f"has {len(row)} columns, not {COLUMNS}", file=path, line=line)
    turned = [truth(row[13], path, line), truth(row[14], path, line)]
    ends = [row[place].split("/")[0].strip() for place in (15, 16)]
    if not all(ends):
        raise ProbandError("has no examples for its arguments", file=path, line=line)
    premise, hypothesis = (
        sentence(row[start : start + 4], ends[::-1] if reverse else ends)
        for start, reverse in zip((5, 9), turned, strict=True)
    )
    return Example(
        premise=premise,
        hypothesis=hypothesis,
        entailed=label(row[17], path, line),
        straight=turned[0] == turned[1],
        question=f"{type_of(row[9])} {row[10]} {type_of(row[11])}",
        source="sherliic",
        split=SPLITS.get(path.stem, "test"),
        typed=(type_of(row[5]), type_of(row[7])),
    )


def sentence(cells: Sequence[str], ends: Sequence[str]) -> Triple:
    """
    >>> sentence(["person[A]", "is born in", "location[B]", ""], ["Ann", "Rome"]).text
    'Ann is born in Rome'
    """
    return Triple(ends[0], " ".join(cells[1].split()), " ".join(f"{ends[1]} {cells[3]}".split()))


def type_of(cell: str) -> str:
    """
    >>> type_of("organization_founder[A]"), type_of("he")
    ('organization founder', '')
    """
    name, mark, _ = cell.partition("[")
    return name.replace("_", " ").strip() if mark else ""


def truth(text: str, path: Path, line: int) -> bool:
    if text.strip().lower() not in ("true", "false"):
        raise ProbandError(f"'reversed' is {text!r}, not True or False", file=path, line=line)
    return text.strip().lower() == "true"
