"""Tab-separated rows of two triples and a label, with errors that name file, line and field."""

from __future__ import annotations

import gzip
from collections.abc import Iterator, Mapping
from pathlib import Path

from proband.core.errors import ProbandError
from proband.suites.inference.triples import Triple

LABELS: Mapping[str, bool] = {"y": True, "yes": True, "true": True, "1": True} | {
    "n": False,
    "no": False,
    "false": False,
    "0": False,
}


def text_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Line numbers and lines of a plain or gzipped text."""
    try:
        with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else open(path, encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                if line.strip():
                    yield number, line.rstrip("\n")
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise ProbandError(f"cannot be read: {error}", file=path) from None


def data_files(folder: Path) -> list[Path]:
    """The files of a folder that may be data: no README, licence or hidden file."""
    files = sorted(each for each in folder.iterdir() if each.is_file())
    return [
        each
        for each in files
        if each.suffix not in (".md", ".pdf") and not each.name.upper().startswith(("README", "LICEN", ".", "CITATION"))
    ]


def triple_rows(path: Path) -> Iterator[tuple[int, Triple, Triple, bool]]:
    """`triple<TAB>triple<TAB>label` as (line, left, right, label)."""
    for number, line in text_lines(path):
        cells = line.split("\t")
        if len(cells) != 3:
            raise ProbandError(f"has {len(cells)} columns, not 3", file=path, line=number)
        yield (
            number,
            triple(cells[0], "left", path, number),
            triple(cells[1], "right", path, number),
            label(cells[2], path, number),
        )


def triple(text: str, side: str, path: Path, line: int) -> Triple:
    try:
        return Triple.read(text)
    except ValueError:
        raise ProbandError(
            f"the {side} triple {text!r} is not `argument, relation, argument`", file=path, line=line
        ) from None


def label(text: str, path: Path, line: int) -> bool:
    found = LABELS.get(text.strip().lower())
    if found is None:
        raise ProbandError(f"the label is {text!r}, not y or n (True or False)", file=path, line=line)
    return found
