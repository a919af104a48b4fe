"""Sets in tables and JSON: Zeichner et al. 2012, SherLIiC (Schmitt and Schuetze 2019), and BoOQA (Li et al. 2022).

zeichner   `rule_lhs, rule_rhs, lhs, rhs, judgment, confidence` (tabs or commas). `lhs` (the premise) is the
           instantiated left side of a rule, `rhs` the hypothesis that applying the rule gives; `@R@` after a relation
           says that its arguments are swapped. The arguments are what stands around the relation. Every one of the
           6,567 released rows (entailing and non-entailing annotations) is cut so that both sides have the same two
           arguments, straight in 6,379 and swapped in 188, as the marks say.
sherliic   `dev.csv` and `test.csv` with a header and 22 columns, the premise LEFT: id, type and relation of premise and
           hypothesis (four numbers), four cells of premise text, four of hypothesis text (left argument, middle, right
           argument, end), whether each is reversed, examples of A and of B (`x / y / z`), the label (yes or no), three
           scores and a count. The left argument of a text that is not reversed is A. Arguments are the first example of
           each, as in the authors' later program; their types stand in the cells of the text (`person[A]`). Rows of one
           hypothesis share a cluster. dev is the validation split.
booqa      JSON lines: `{"r": "(PREDICATE::subject::object::...::type::type)", "label": true}`, a question about a time
           in the news. The articles are not part of it: items have no premise, so that a score says how far the
           statement is attested, and other systems' scores (`scores:FILE`) can be read beside it.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from proband.core.errors import ProbandError
from proband.core.files import text_lines
from proband.core.types import Split
from proband.suites.inference.datasets.triples import SPLITS, data_files, label, split_files
from proband.suites.inference.items import Example, Triple

# ---- Zeichner --------------------------------------------------------------------------------------------------------


FIELDS = ("rule_lhs", "rule_rhs", "lhs", "rhs", "judgment")
SIDES = (("lhs", "rule_lhs"), ("rhs", "rule_rhs"))
SWAPPED = "@R@"


def read_zeichner(path: Path) -> Iterator[Example]:
    """One table, or all of a folder."""
    for file in data_files(path) if path.is_dir() else [path]:
        for line, row in zeichner_rows(file):
            premise, hypothesis = (cut(row[text], row[rule], file, line) for text, rule in SIDES)
            straight = (SWAPPED in row["rule_lhs"]) == (SWAPPED in row["rule_rhs"])
            yield Example(
                premise=premise,
                hypothesis=hypothesis,
                entailed=label(row["judgment"], file, line),
                straight=straight,
                question=f"{row['rule_lhs']} -> {row['rule_rhs']}",
                source="zeichner",
                matched=(premise if straight else premise.swapped)[::2] == hypothesis[::2],
            )


def zeichner_rows(path: Path) -> Iterator[tuple[int, Mapping[str, str]]]:
    text = "".join(f"{line}\n" for _, line in text_lines(path))
    reader = csv.DictReader(io.StringIO(text), delimiter="\t" if "\t" in text.partition("\n")[0] else ",")
    if missing := [name for name in FIELDS if name not in (reader.fieldnames or ())]:
        raise ProbandError(f"has no column {missing[0]!r}; Zeichner's tables have {', '.join(FIELDS)}", file=path)
    for row in reader:
        if any(row[name] is None for name in FIELDS):
            raise ProbandError("has too few columns", file=path, line=reader.line_num)
        yield reader.line_num, row


def cut(text: str, relation: str, path: Path, line: int) -> Triple:
    """
    >>> cut("faces perplex Autistic children", "perplex@R@", Path("x"), 1)
    Triple(subject='faces', relation='perplex', object='Autistic children')
    """
    bare = " ".join(relation.replace(SWAPPED, "").split())
    before, match, after = f" {text} ".partition(f" {bare} ")
    if not match:
        raise ProbandError(f"the relation {bare!r} does not occur in {text!r}", file=path, line=line)
    return Triple(before.strip(), bare, after.strip())


# ---- SherLIiC --------------------------------------------------------------------------------------------------------


COLUMNS = 22


def read_sherliic(path: Path) -> Iterator[Example]:
    """A folder with dev.csv and test.csv, or one of them."""
    for file in split_files(path, ".csv"):
        text = "".join(f"{line}\n" for _, line in text_lines(file))
        reader = csv.reader(io.StringIO(text))
        next(reader, None)
        for row in reader:
            yield sherliic_example(row, file, reader.line_num)


def sherliic_example(row: Sequence[str], path: Path, line: int) -> Example:
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


# ---- BoOQA -----------------------------------------------------------------------------------------------------------


PREDICATE = re.compile(r"^(?:(\w+?)__)?\((.+),(.+)\)$")


def read_booqa(path: Path) -> Iterator[Example]:
    for file in data_files(path) if path.is_dir() else [path]:
        split: Split = next((split for name, split in SPLITS.items() if f"_{name}" in file.stem), "test")
        for line, text in text_lines(file):
            try:
                row = json.loads(text)
                cells, label = row["r"].strip("()").split("::"), row["label"]
            except (ValueError, KeyError, TypeError, AttributeError):
                raise ProbandError("is not a JSON object with 'r' and 'label'", file=file, line=line) from None
            if len(cells) != 8 or not isinstance(label, bool):
                raise ProbandError(
                    "'r' must have eight parts between `::`, and 'label' be true or false", file=file, line=line
                )
            relation = in_words(row["r"].removeprefix("(").split("::")[0])
            hypothesis = Triple(cells[1], relation, cells[2])
            yield Example(
                premise=Triple("", "", ""),
                hypothesis=hypothesis,
                entailed=label,
                straight=True,
                question=f"{cells[6]} {relation} {cells[7]}",
                pair=", ".join(hypothesis),
                source="booqa",
                split=split,
                typed=(cells[6], cells[7]),
            )


def in_words(predicate: str) -> str:
    """A predicate of the CCG parser in words: the longer of its two slots, and what stands before them.

    >>> in_words("(write.1,write.2)"), in_words("NEG__(use.2,use.in.2)"), in_words("try__(find.1,find.2)")
    ('write', 'do not use in', 'try to find')
    """
    match = PREDICATE.match(predicate)
    if match is None:
        return predicate.strip("()").replace(".", " ")
    slots = [[word for word in slot.split(".") if not word.isdigit()] for slot in match.groups()[1:]]
    words = " ".join(slots[0] if len(slots[0]) > len(slots[1]) else slots[1])
    before = {None: "", "NEG": "do not "}.get(match[1], f"{match[1]} to ")
    return f"{before}{words}".replace("_", " ")
