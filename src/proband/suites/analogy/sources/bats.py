"""BATS 3.0 as released: four folders of ten files `X01 [name].txt`, one tuple per line, `head<TAB>tail/tail/...`.

The name of a file says how its columns read, with one exception: `E01 [country - capital].txt` has the capital in
column 1. The tuples are kept as they stand (capital, country), as the paper uses them (Paris : France); the relation
keeps the file's name in the paper's spelling (`country : capital`), so that rows meet their published neighbours.
"""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from proband.core.errors import ProbandError
from proband.core.files import decode as parse_json
from proband.suites.analogy.relations import Relation, Tuple

GROUP_OF = {"I": "IM", "D": "DM", "E": "ES", "L": "LS"}
NAME = re.compile(r"([IDEL])(\d\d) \[(.+)\]\.txt$")


def looks_like(folder: Path) -> bool:
    return any(NAME.match(path.name) for path in folder.rglob("*.txt"))


def read(folder: Path) -> list[Relation]:
    """All relations of the folder, in the order of their codes within the paper's group order."""
    files = [(match, path) for path in folder.rglob("*.txt") if (match := NAME.match(path.name))]
    files.sort(key=lambda found: ("ELDI".index(found[0][1]), found[0][2]))
    return [Relation(match[3].replace(" - ", " : "), GROUP_OF[match[1]], tuple(_tuples(path))) for match, path in files]


def _tuples(path: Path) -> list[Tuple]:
    tuples: list[Tuple] = []
    for number, line in enumerate(decode(path).splitlines(), start=1):
        if not line.strip():
            continue
        cells = line.split("\t")
        tails = tuple(dict.fromkeys(clean(tail) for tail in cells[-1].split("/") if clean(tail)))
        if len(cells) != 2 or not clean(cells[0]) or not tails:
            raise ProbandError("must be head<TAB>tail/tail/...", file=path, line=number)
        tuples.append(Tuple(clean(cells[0]), tails))
    if not tuples:
        raise ProbandError("contains no pairs", file=path)
    return tuples


def clean(word: str) -> str:
    return " ".join(word.replace("_", " ").split())


def written(word: object) -> bool:
    """Whether this is text with something in it that can be written down again.

    >>> written("Rome"), written("  "), written("\\ud800"), written(3)
    (True, False, False, False)
    """
    return isinstance(word, str) and bool(clean(word)) and not any("\ud800" <= c <= "\udfff" for c in word)


def decode(path: Path) -> str:
    """The text of a file, plain or gzip."""
    try:
        raw = path.read_bytes()
        raw = gzip.decompress(raw) if path.suffix == ".gz" else raw
    except (OSError, EOFError, zlib.error) as error:
        raise ProbandError(f"cannot be read: {error}", file=path) from error
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ProbandError("is not UTF-8", file=path, line=raw[: error.start].count(b"\n") + 1) from error


def json_lines(path: Path, kind: Any) -> Iterator[tuple[int, Any]]:
    """The values of a JSON-lines file, with the numbers of their lines."""
    for number, line in enumerate(decode(path).split("\n"), start=1):
        if line.strip():
            yield number, parse_json(kind, line.encode(), file=path, line=number)
