"""Rows of other people's files, read by `core.tables`; and bAbI's texts.

Files are streams: no row is kept. The columns of text, question and answer are given, or guessed from their names. A
bad row is recorded; a bad file ends the audit with a one-line error.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, NamedTuple

from proband.core import tables
from proband.core.errors import ProbandError
from proband.core.tables import TableRow, is_unicode, kind_of, read_table, text_lines
from proband.core.types import Fact

NAMES: Final = {
    "text": ("story", "text", "context", "passage", "premise", "paragraph", "facts", "description"),
    "question": ("question", "query", "text_query", "q", "problem", "input"),
    "answer": ("answer", "label", "target", "gold", "target_text", "relation", "output"),
}
ITEM: Final = frozenset(("suite", "prompt", "choices", "gold"))  # the fields that identify our items
SUFFIXES: Final = tuple(suffix for suffix in tables.SUFFIXES if suffix != ".txt")
ENDINGS: Final = (*SUFFIXES, *(f"{suffix}.gz" for suffix in SUFFIXES))
BABI: Final = re.compile(r"qa(\d+)[_-].*\.txt(?:\.gz)?")  # how bAbI's files are called
LONGEST_TEXT: Final = 100_000  # characters of a story


@dataclass(frozen=True, kw_only=True)
class AuditRow:
    """A row of the source. `bad`: why it cannot be used. `facts` (in its words), `pair`: if the source gives them."""

    file: str
    line: int | None  # of the file, where rows have lines
    key: str  # what the file calls it
    cells: Mapping[str, Any] = field(repr=False)
    text: str = ""
    question: str = ""
    answer: str = ""
    answer_column: str = ""
    genders: Mapping[str, str | None] = field(default_factory=dict)
    item: bool = False  # one of our own items
    facts: tuple[Fact, ...] = ()
    pair: tuple[str, str] | None = None  # what is the first to the second?
    record: Any = None  # what its generator knows of it
    folder: str = ""  # the folder of its file (a release of a data set)
    bad: str = ""

    @property
    def place(self) -> str:
        return f"{self.file} line {self.line}" if self.line else f"{self.file} row {self.key}"

    def relabelled(self, right: str) -> dict[str, Any]:
        """The cells with another label, without what the old one was derived from (a proof, a text)."""
        if self.item:
            choices = list(self.cells["choices"])
            return {**self.cells, "gold": choices.index(right) if right in choices else None}
        emptied = {name: "[]" for name in ("text_target", "proof_state") if name in self.cells}
        return {**self.cells, **emptied, self.answer_column: right}


class RowFile(NamedTuple):
    """A file of rows: where it is and what it is called."""

    path: Path
    name: str


def files_at(path: Path, endings: tuple[str, ...]) -> list[RowFile]:
    """The file at `path`, or those in the folder whose names end so."""
    if not path.exists():
        raise ProbandError("no such file or folder", file=path)
    if path.is_file():
        return [RowFile(path=path, name=path.name)]
    files = sorted(p for p in path.rglob("*") if p.is_file() and p.name.endswith(endings))
    return [RowFile(path=p, name=p.relative_to(path).as_posix()) for p in files]


def row_files(path: Path) -> list[RowFile]:
    """The files of rows at `path`: itself, or those in the folder."""
    files = [each for each in files_at(path, (*ENDINGS, ".txt", ".txt.gz")) if path.is_file() or _has_rows(each)]
    if not files:
        raise ProbandError(f"contains no file of rows ({', '.join(SUFFIXES)})", file=path)
    if not _has_rows(files[0]):
        raise ProbandError(f"not a file of rows: its name ends in none of {', '.join(SUFFIXES)} (or .gz)", file=path)
    built = [each for each in files if each.name == "items.jsonl"]  # of a folder that `proband build` wrote
    return built or files


def _has_rows(file: RowFile) -> bool:
    return file.name.endswith(ENDINGS) or BABI.fullmatch(file.path.name) is not None


def columns_of(
    cells: Mapping[str, Any], given: Mapping[str, str], *, file: object,
    names: Mapping[str, Sequence[str]] = NAMES, needed: Sequence[str] = ("question", "answer"),
) -> dict[str, str]:  # fmt: skip
    """The columns of a file, guessed from the first row's names unless given; the text is "" where the question holds
    both.

    >>> columns_of({"story": "", "question": "", "label": ""}, {}, file="a.json")
    {'text': 'story', 'question': 'question', 'answer': 'label'}
    >>> columns_of({"Story": "", "Query": "", "Answer": ""}, {}, file="a.csv")["question"]
    'Query'
    """
    there = ", ".join(map(str, cells)) or "none"
    for what, named in given.items():
        wanted = [each.strip() for each in named.split(",")] if what == "pair" else [named]
        if what == "pair" and len(wanted) != 2:
            raise ProbandError(f"--pair-columns takes two columns with a comma, not {named!r}", file=file)
        if missing := next((name for name in wanted if name not in cells), ""):
            flag = f"--{what}-column{'s' * (what == 'pair')}"
            raise ProbandError(f"no column {missing!r} ({flag}); there are: {there}", file=file)
    if "facts" in given and "pair" not in given:
        raise ProbandError("--facts-column needs --pair-columns, the columns of A and B in the question", file=file)
    spelled = {str(name).casefold(): str(name) for name in reversed(list(cells)) if name != given.get("facts")}
    guessed = {what: next((spelled[name] for name in own if name in spelled), "") for what, own in names.items()}
    columns = {what: given.get(what) or guessed[what] for what in names}
    for what in needed:
        if not columns[what] and not (what == "question" and "pair" in given):
            known = f"no column for the {what} (known names: {', '.join(names[what])})"
            raise ProbandError(f"{known}; there are: {there}; say which with --{what}-column", file=file)
    return columns | {what: given[what] for what in ("pair", "facts") if what in given}


# ---- reading -------------------------------------------------------------------------------------------------------


class RowFormat(NamedTuple):
    """A form that rows of a known data set have. `fits(cells)`: whether a file's first row is such a row. `read(place,
    cells)`: the row. `domain` and `world`: what its labels are about, where it is known."""

    name: str
    fits: Callable[[Mapping[str, Any]], bool]
    read: Callable[[Mapping[str, Any], Mapping[str, Any]], AuditRow]
    domain: str = ""
    world: str = ""
    templates: bool = False  # its sentences are made from known templates: one reader is enough


def first_cells(file: RowFile) -> Mapping[str, Any]:
    """The cells of the first row; none where the file has no rows or cannot be read."""
    try:
        cells = next(read_cells(file), (None, "", ""))[2]
    except ProbandError:
        return {}
    return {} if isinstance(cells, str) else cells


def read_rows(file: RowFile, given: Mapping[str, str], row_format: RowFormat | None = None) -> Iterator[AuditRow]:
    """Every row of a file, bad ones included."""
    columns, place, folder = dict[str, str](), dict[str, Any](), file.path.parent.resolve().name
    for line, key, cells in read_cells(file):
        place = {"file": file.name, "line": line, "key": key, "folder": folder}
        if isinstance(cells, str):
            yield AuditRow(**place, cells={}, bad=cells)
        elif row_format:
            yield row_format.read(place, cells)
        elif cells.keys() >= ITEM:
            yield item_row(place, cells)
        else:
            columns = columns or columns_of(cells, given, file=file.name)
            yield table_row(place, cells, columns)
    if not place:
        raise ProbandError("contains no rows", file=file.path)


def table_row(place: Mapping[str, Any], cells: Mapping[str, Any], columns: Mapping[str, str]) -> AuditRow:
    values: dict[str, Any] = {}
    named = {what: column for what, column in columns.items() if what in NAMES}
    for what, column in named.items():
        value = cells.get(column) if column else ""
        if isinstance(value, list) and all(isinstance(part, str) for part in value):
            value = " ".join(value)
        if problem := _problem(value, empty=not column or (what == "text" and "facts" in columns)):
            return AuditRow(**place, cells=cells, bad=f"column {column!r} {problem}")
        values[what] = value
    row = AuditRow(**place, **values, answer_column=columns["answer"], cells=cells)
    return _with_given(row, columns) if "pair" in columns else row


def _with_given(row: AuditRow, columns: Mapping[str, str]) -> AuditRow:
    """A row with its pair, and its facts, in columns: what is the first of the pair to the second?"""
    a, b = (str(row.cells.get(name.strip()) or "").strip() for name in columns["pair"].split(","))
    if not a or not b or a == b:
        return replace(row, bad=f"columns {columns['pair']!r} do not name two things")
    asked = replace(row, question=f"What is {a} to {b}?")
    if "facts" not in columns:
        return asked
    facts = given_facts(row.cells.get(columns["facts"]))
    if facts is None:
        return replace(row, bad=f'column {columns["facts"]!r} is no list of facts such as [["Ann", "mother", "Bo"]]')
    return replace(asked, facts=facts, pair=(a, b))


def given_facts(value: Any) -> tuple[Fact, ...] | None:
    """Facts of a cell, [who, word, of] each: a list, JSON, or lines; None if the cell is none of these.

    >>> given_facts('[["Ann", "mother", "Bo"]]') == given_facts("Ann, mother, Bo") == (Fact("Ann", "mother", "Bo"),)
    True
    """
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except json.JSONDecodeError:
            value = [[part.strip() for part in line.split(",")] for line in re.split(r"[;\n]", value) if line.strip()]
    if not isinstance(value, list) or not value:
        return None
    rows = [[each.get(key) for key in ("who", "is", "of")] if isinstance(each, dict) else each for each in value]
    fits = all(isinstance(r, list) and len(r) == 3 and all(isinstance(p, str) and p for p in r) for r in rows)
    return tuple(Fact(*row) for row in rows) if fits else None


def _problem(value: Any, *, empty: bool) -> str:
    """The error of a cell, if any."""
    if not isinstance(value, str) or not (empty or value.strip()):
        return "is missing" if value is None else "is empty" if value == "" else f"is not text: {str(value)[:40]!r}"
    if not is_unicode(value):
        return "is not UTF-8"
    return f"has {len(value):,} characters; at most {LONGEST_TEXT:,} are read" if len(value) > LONGEST_TEXT else ""


def item_row(place: Mapping[str, Any], cells: Mapping[str, Any]) -> AuditRow:
    """One of our items: its prompt and gold choice."""
    choices, gold = cells["choices"], cells["gold"]
    if type(gold) is not int or not isinstance(choices, list) or not 0 <= gold < len(choices):
        return AuditRow(**place, cells=cells, item=True, bad="'gold' is not the place of a choice")
    return AuditRow(**place, cells=cells, item=True, question=str(cells["prompt"]), answer=str(choices[gold]))


def read_cells(file: RowFile) -> Iterator[tuple[int | None, str, Mapping[str, Any] | str]]:
    """For every row: its line and its id in the file, if any, and its cells or the reason why they cannot be read."""
    babi = kind_of(file.path) == ".txt"
    for row in _babi(file.path) if babi else read_table(file.path, exact=True, keep_bad=True, under_keys=True):
        key = row.key or str(row.number - 1 if row.line is None else row.line)
        yield row.line, key, row.problem or row.cells


def _babi(path: Path) -> Iterator[TableRow]:
    """bAbI's files: numbered sentences, a question with its answer behind a tab; a story begins with number 1."""
    name = BABI.fullmatch(path.name)
    story: list[str] = []
    for line, text in text_lines(path):
        number, _, content = text.strip().partition(" ")
        if number == "1":
            story = []
        question, tab, rest = content.partition("\t")
        if not tab:
            story.append(content)
            continue
        cells = {"story": list(story), "question": question.strip(), "answer": rest.partition("\t")[0].strip()}
        yield TableRow({**cells, "task": name[1] if name else ""}, path, line, line=line, by_line=True)
