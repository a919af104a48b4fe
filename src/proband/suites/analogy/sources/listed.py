"""Plain lists: TSV, CSV or JSONL with the fields head, tail or tails, relation and, if there are any, group, symmetric.

`tail` is one tail, taken as it stands (AC/DC). `tails` are all that are accepted, the usual one first: joined by `/` in
a table (a slash that belongs to a tail is written `\\/`), a list in JSONL. A group may have any name. The lists inside
the package are such files.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping
from importlib import resources
from pathlib import Path
from typing import Any

from proband.core.errors import ProbandError
from proband.core.progress import say
from proband.suites.analogy.relations import Relation, Tuple
from proband.suites.analogy.sources.bats import clean, decode, json_lines, written

BUILT_IN = ("encyclopedic.tsv", "lexicographic.tsv", "derivational.tsv", "inflectional.tsv")
FIELDS = {"head", "tail", "tails", "relation", "group", "symmetric"}
UNGROUPED = "ungrouped"  # of a list that names no group
SLASH = re.compile(r"(?<!\\)/")  # one that is not escaped
ENDINGS = (".tsv", ".csv", ".jsonl")
SYMMETRIC: dict[Any, bool | None] = {"yes": True, "no": False, True: True, False: False, "": None, None: None}


def built_in() -> list[Relation]:
    """Our own lists: five relations per group, 44 to 50 tuples each."""
    with resources.as_file(resources.files("proband") / "data" / "analogy") as folder:
        return [relation for name in BUILT_IN for relation in read(folder / name)]


def read_folder(folder: Path) -> list[Relation]:
    files = sorted(path for path in folder.iterdir() if path.suffix in ENDINGS)
    if not files:
        raise ProbandError("is neither BATS nor a folder of .tsv, .csv or .jsonl lists", file=folder)
    return [relation for path in files for relation in read(path)]


def read(path: Path) -> list[Relation]:
    """The relations of one file, in the order in which they first appear."""
    rows: dict[str, list[Tuple]] = {}
    about: dict[str, tuple[str, bool | None]] = {}
    slashes = 0
    for number, row in _rows(path):
        slashes += "tails" not in row and "/" in str(row.get("tail"))
        name, group, symmetric, found = _checked(row, path, number)
        if about.setdefault(name, (group, symmetric)) != (group, symmetric):
            raise ProbandError(f"relation {name!r} has two values of group or symmetric", file=path, line=number)
        rows.setdefault(name, []).append(found)
    if not rows:
        raise ProbandError("contains no pairs", file=path)
    if slashes:
        say(f"{path}: {slashes:,} of 'tail' have a slash and are taken as they stand; several tails belong in 'tails'")
    return [Relation(name, about[name][0], tuple(tuples), about[name][1]) for name, tuples in rows.items()]


def _rows(path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    if path.suffix == ".jsonl":
        yield from json_lines(path, dict[str, Any])
        return
    reader = csv.reader(io.StringIO(decode(path)), delimiter="," if path.suffix == ".csv" else "\t", strict=True)
    try:
        header = [name.strip() for name in next(reader, [])]
        for cells in reader:
            if cells:
                if len(cells) != len(header):
                    raise ProbandError(
                        f"has {len(cells)} columns, the header {len(header)}", file=path, line=reader.line_num
                    )
                yield reader.line_num, dict(zip(header, cells, strict=True))
    except csv.Error as error:
        raise ProbandError(f"is not a table: {error}", file=path, line=reader.line_num) from error


def _checked(row: Mapping[str, Any], path: Path, line: int) -> tuple[str, str, bool | None, Tuple]:
    for name in row:
        if name not in FIELDS:
            raise ProbandError(f"unknown field {name!r}; there are {', '.join(sorted(FIELDS))}", file=path, line=line)
    for name in ("head", "relation"):
        if not written(row.get(name)):
            raise ProbandError(f"field {name!r} must be text", file=path, line=line)
    tails = _tails(row)
    if not tails or not all(written(t) for t in tails):
        raise ProbandError("field 'tail' must be text (or 'tails', joined by '/')", file=path, line=line)
    group = row.get("group") or UNGROUPED
    if not written(group):
        raise ProbandError(f"'group' is {group!r}; it must be text", file=path, line=line)
    answer = row.get("symmetric")
    if not isinstance(answer, str | bool | None) or answer not in SYMMETRIC:
        raise ProbandError(f"'symmetric' is {answer!r}; it must be yes or no", file=path, line=line)
    found = Tuple(clean(row["head"]), tuple(dict.fromkeys(clean(t) for t in tails)))
    return clean(row["relation"]), clean(group), SYMMETRIC[answer], found


def _tails(row: Mapping[str, Any]) -> list[Any]:
    r"""
    >>> _tails({"tail": "AC/DC"}), _tails({"tails": "black/dark blue"}), _tails({"tails": r"AC\/DC/Acca Dacca"})
    (['AC/DC'], ['black', 'dark blue'], ['AC/DC', 'Acca Dacca'])
    """
    several = row.get("tails")
    if isinstance(several, str):
        return [part.replace("\\/", "/") for part in SLASH.split(several)]
    return several if isinstance(several, list) else [row.get("tail") if several is None else several]
