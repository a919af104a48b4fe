"""Released data sets as examples: which format a file or folder has, and its reader.

The direction differs: Levy & Dagan and Levy/Holt rows put the hypothesis LEFT and the premise RIGHT, Zeichner's the
premise LEFT.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from proband.core.errors import ProbandError
from proband.core.tables import text_lines
from proband.suites.inference.datasets.triples import LEVY_DAGAN, SPLITS, data_files, read_levy_dagan, read_levy_holt
from proband.suites.inference.datasets.zeichner import read_zeichner
from proband.suites.inference.gold import read_own
from proband.suites.inference.items import Example

READERS: Mapping[str, Callable[[Path], Iterator[Example]]] = {
    "levy-dagan": read_levy_dagan,
    "levy-holt": read_levy_holt,
    "zeichner": read_zeichner,
    "own": lambda path: iter(read_own(path)[1]),
}
LICENCES = {
    "levy-dagan": "none stated by the authors (Levy and Dagan 2016)",
    "levy-holt": "none stated by the authors (Levy and Dagan 2016; Holt 2018; Hosseini et al. 2018)",
    "zeichner": "that of the files given (Zeichner et al. 2012)",
    "own": "Apache-2.0 (written for Proband)",
    "judgments": "that of the files given",
}


def examples(path: Path, form: str) -> tuple[str, list[Example]]:
    """The format and the examples."""
    if not path.exists():
        raise ProbandError("does not exist", file=path)
    name = detect(path) if form == "auto" else form
    pairs = list(READERS[name](path))
    if not pairs:
        raise ProbandError("contains no examples", file=path)
    return name, pairs


def detect(path: Path) -> str:
    """Detect the format by the names in a folder, otherwise by the first line of a file.

    Levy/Holt's rows look like those of Holt 2018, which have the opposite direction. Only the file names differ, so a
    file with another name needs --format.
    """
    if not path.exists():
        raise ProbandError("does not exist", file=path)
    if path.is_dir():
        names = {each.name for each in path.iterdir()}
        if {"questionnaires.jsonl", "judgments.jsonl"} <= names:
            return "judgments"
        if "questions.txt" in names:
            return "own"
        if {"dev.txt", "test.txt"} & names:
            return "levy-holt"
        if LEVY_DAGAN in names:
            return "levy-dagan"
        kinds = {by_first_line(each) for each in data_files(path)}
        if len(kinds) == 1 and (only := kinds.pop()):
            return only
    elif path.suffix == ".txt" and path.stem.removesuffix("_s").removesuffix("_dir") in SPLITS:
        return "levy-holt"
    elif name := by_first_line(path):
        return name
    raise ProbandError(
        f"has no recognised format; name one of {', '.join(READERS)}, judgments with --format",
        file=path,
    )


def by_first_line(path: Path) -> str:
    """The format that the first line of a file shows; "" if it shows none."""
    first = next(text_lines(path), (1, ""))[1]
    if "rule_lhs" in first:
        return "zeichner"
    if first.count("\t") == 2 and first.rpartition("\t")[2] in ("y", "n"):
        return "levy-dagan"
    return ""
