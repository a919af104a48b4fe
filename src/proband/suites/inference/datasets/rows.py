"""Tab-separated rows of two triples and a label, with errors that name file, line and field; and Levy & Dagan 2016,
which is such rows: `question<TAB>answer<TAB>y|n`. There the answer (RIGHT) is the premise; the question has a type in
the place of the answer, which is put back."""

from __future__ import annotations

import gzip
from collections.abc import Iterator, Mapping
from pathlib import Path

from proband.core.errors import ProbandError
from proband.suites.inference.items import Example, Triple, instantiate

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
    entailed = LABELS.get(text.strip().lower())
    if entailed is None:
        raise ProbandError(f"the label is {text!r}, not y or n (True or False)", file=path, line=line)
    return entailed


# ---- Levy & Dagan ----------------------------------------------------------------------------------------------------


LEVY_DAGAN = "levy_dagan_all.tsv"


def read_levy_dagan(path: Path) -> Iterator[Example]:
    if path.is_dir():
        files = sorted(path.glob("*.tsv"))
        if not files:
            raise ProbandError(f"contains no {LEVY_DAGAN}", file=path)
        path = path / LEVY_DAGAN if (path / LEVY_DAGAN) in files else files[0]
    for _, question, answer, entailed in triple_rows(path):
        yield answered(question, answer, entailed=entailed, source="levy-dagan")


def answered(question: Triple, answer: Triple, *, entailed: bool | None, source: str) -> Example:
    """A question and a candidate answer, instantiated to premise and hypothesis."""
    hypothesis, straight, kind, matched = instantiate(question, answer)
    return Example(
        premise=answer,
        hypothesis=hypothesis,
        entailed=entailed,
        straight=straight,
        question=", ".join(question),
        source=source,
        typed=types_of(question, kind, straight=straight),
        matched=matched,
    )


def types_of(question: Triple, kind: str, *, straight: bool) -> tuple[str, str]:
    """The types of the premise's arguments: that of the answer is known."""
    first = (question.subject == kind) is straight
    return (kind, "") if first else ("", kind)
