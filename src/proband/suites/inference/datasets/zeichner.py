"""Zeichner et al. 2012: `rule_lhs, rule_rhs, lhs, rhs, judgment, confidence` (tabs or commas).

`lhs` (the premise) is the instantiated left side of a rule, `rhs` the hypothesis that applying the rule gives; `@R@`
after a relation means that its arguments are swapped. The arguments are the texts around the relation. Each of the
6,567 released rows (entailing and non-entailing annotations) is split so that both sides have the same two arguments,
straight in 6,379 and swapped in 188, in agreement with the marks.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from proband.core.errors import ProbandError
from proband.core.tables import TableRow, read_table
from proband.suites.inference.datasets.triples import data_files, label
from proband.suites.inference.items import SWAPPED, Example, Triple

FIELDS = ("rule_lhs", "rule_rhs", "lhs", "rhs", "judgment")
SIDES = (("lhs", "rule_lhs"), ("rhs", "rule_rhs"))


def read_zeichner(path: Path) -> Iterator[Example]:
    """Read one table, or all tables of a folder."""
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
