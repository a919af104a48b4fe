"""Our items as CLUTRR's CSV files; training items and test items never share a file."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from proband.core.errors import ProbandError
from proband.core.text import csv_lines
from proband.core.types import Item
from proband.suites.kinship.clutrr.items import to_cells
from proband.suites.kinship.clutrr.rows import COLUMNS, Unreadable, row_of
from proband.suites.kinship.world.rules import of_item


def export(items: Iterable[Item], path: Path) -> None:
    """`proband export DIR --to clutrr`: into a folder, one file per split, named as CLUTRR names them
    (1.2,1.3_train.csv). Into a .csv file, the test items; training items come beside it, as NAME_train.csv."""
    if path.suffix == ".gz":
        raise ProbandError("is written plain: choose a name that ends in .csv", file=path)
    folder = path.parent if path.suffix == ".csv" else path
    folder.mkdir(parents=True, exist_ok=True)
    files: dict[str, tuple[Any, Path]] = {}
    tasks: dict[str, set[str]] = {}
    with ExitStack() as stack:
        for index, item in enumerate(items):
            if of_item(item).world != "family":
                raise ProbandError(f"item {item.id!r} is not about a family: CLUTRR's files have kin words only")
            if item.split not in files:  # its final name depends on the tasks in it
                part = folder / f".{item.split}.{os.getpid()}.csv"
                stack.callback(part.unlink, missing_ok=True)
                files[item.split] = stack.enter_context(open(part, "w", encoding="utf-8", newline="")), part
                files[item.split][0].write(HEADER)
            cells = to_cells(item, index=index)
            row = row_of(cells, file=path.name, line=index + 2)
            if isinstance(row, Unreadable):
                raise ProbandError(f"item {item.id!r} has no CLUTRR form: {row.column} {row.reason}")
            tasks.setdefault(item.split, set()).add(cells["task_name"].removeprefix("task_"))
            files[item.split][0].write(csv_line(cells))
        for split, (file, part) in files.items():
            file.close()
            part.replace(_file_of(split, path, tasks[split]))


def _file_of(split: str, path: Path, tasks: set[str]) -> Path:
    """
    >>> str(_file_of("train", Path("out/mine.csv"), {"1.2"})), str(_file_of("test", Path("out"), {"1.10", "1.2"}))
    ('out/mine_train.csv', 'out/1.2,1.10_test.csv')
    """
    if path.suffix == ".csv":
        return path if split == "test" else path.with_name(f"{path.stem}_{split}.csv")
    return path / f"{','.join(sorted(tasks, key=lambda name: [int(x) for x in name.split('.')]))}_{split}.csv"


def csv_line(cells: Mapping[str, str]) -> str:
    """A row as a line of a CLUTRR file."""
    return next(csv_lines([[cells.get(name, "") for name in COLUMNS]], guarded=False))


HEADER = csv_line({name: name for name in COLUMNS})
