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

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path

from proband.core.errors import ProbandError
from proband.core.tables import TableRow, read_table
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
        for row, cells in zeichner_rows(file):
            premise, hypothesis = (cut(cells[text], cells[rule], row) for text, rule in SIDES)
            straight = (SWAPPED in cells["rule_lhs"]) == (SWAPPED in cells["rule_rhs"])
            yield Example(
                premise=premise,
                hypothesis=hypothesis,
                entailed=label(cells["judgment"], row),
                straight=straight,
                question=f"{cells['rule_lhs']} -> {cells['rule_rhs']}",
                source="zeichner",
                matched=(premise if straight else premise.swapped)[::2] == hypothesis[::2],
            )


def zeichner_rows(path: Path) -> Iterator[tuple[TableRow, Mapping[str, str]]]:
    for row in read_table(path, kind=".csv"):
        if missing := [name for name in FIELDS if name not in row.cells]:
            raise ProbandError(f"has no column {missing[0]!r}; Zeichner's tables have {', '.join(FIELDS)}", file=path)
        if empty := next((name for name in FIELDS if not row.cells[name]), ""):
            raise row.error("is empty", empty)
        yield row, row.cells


def cut(text: str, relation: str, row: TableRow) -> Triple:
    """
    >>> cut("faces perplex Autistic children", "perplex@R@", TableRow({}, Path("x.csv"), 1))
    Triple(subject='faces', relation='perplex', object='Autistic children')
    """
    bare = " ".join(relation.replace(SWAPPED, "").split())
    before, match, after = f" {text} ".partition(f" {bare} ")
    if not match:
        raise row.error(f"the relation {bare!r} does not occur in {text!r}")
    return Triple(before.strip(), bare, after.strip())


# ---- SherLIiC --------------------------------------------------------------------------------------------------------


COLUMNS = 22


def read_sherliic(path: Path) -> Iterator[Example]:
    """A folder with dev.csv and test.csv, or one of them."""
    numbers = [str(place) for place in range(COLUMNS)]
    for file in split_files(path, ".csv"):
        rows = read_table(file, separator=",", names=lambda first: numbers, exact=True)
        for row in islice(rows, 1, None):  # below the header
            yield sherliic_example(row)


def sherliic_example(row: TableRow) -> Example:
    cells = list(row.cells.values())
    turned = [truth(cells[13], row), truth(cells[14], row)]
    ends = [cells[place].split("/")[0].strip() for place in (15, 16)]
    if not all(ends):
        raise row.error("has no examples for its arguments")
    premise, hypothesis = (
        sentence(cells[start : start + 4], ends[::-1] if reverse else ends)
        for start, reverse in zip((5, 9), turned, strict=True)
    )
    return Example(
        premise=premise,
        hypothesis=hypothesis,
        entailed=label(cells[17], row),
        straight=turned[0] == turned[1],
        question=f"{type_of(cells[9])} {cells[10]} {type_of(cells[11])}",
        source="sherliic",
        split=SPLITS.get(row.file.stem, "test"),
        typed=(type_of(cells[5]), type_of(cells[7])),
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


def truth(text: str, row: TableRow) -> bool:
    if text.strip().lower() not in ("true", "false"):
        raise row.error(f"'reversed' is {text!r}, not True or False")
    return text.strip().lower() == "true"


# ---- BoOQA -----------------------------------------------------------------------------------------------------------


PREDICATE = re.compile(r"^(?:(\w+?)__)?\((.+),(.+)\)$")


def read_booqa(path: Path) -> Iterator[Example]:
    for file in data_files(path) if path.is_dir() else [path]:
        split: Split = next((split for name, split in SPLITS.items() if f"_{name}" in file.stem), "test")
        for row in read_table(file, kind=".jsonl"):
            predicate, label = row.cells.get("r"), row.cells.get("label")
            cells = predicate.strip("()").split("::") if isinstance(predicate, str) else []
            if len(cells) != 8 or not isinstance(label, bool):
                raise row.error("'r' must have eight parts between `::`, and 'label' be true or false")
            relation = in_words(str(predicate).removeprefix("(").split("::")[0])
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
