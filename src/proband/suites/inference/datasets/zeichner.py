"""Zeichner et al. 2012: a table with `rule_lhs, rule_rhs, lhs, rhs, judgment, confidence` (tabs or commas).

`lhs` (the premise) is the instantiated left side of a rule, `rhs` the hypothesis that applying the rule gives; `@R@`
after a relation says that its arguments are swapped. The arguments are what stands around the relation. Every one of
the 6,567 released rows (entailing and non-entailing annotations) is cut so that both sides have the same two arguments,
straight in 6,379 and swapped in 188, as the marks say.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from pathlib import Path

from proband.core.errors import ProbandError
from proband.suites.inference.datasets.rows import data_files, label, text_lines
from proband.suites.inference.items import Example, Triple

FIELDS = ("rule_lhs", "rule_rhs", "lhs", "rhs", "judgment")
SWAPPED = "@R@"


def read(path: Path) -> Iterator[Example]:
    """One table, or all of a folder."""
    for file in data_files(path) if path.is_dir() else [path]:
        for line, row in table(file):
            premise, hypothesis = (split(row[text], row[rule], file, line) for text, rule in SIDES)
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


SIDES = (("lhs", "rule_lhs"), ("rhs", "rule_rhs"))


def table(path: Path) -> Iterator[tuple[int, Mapping[str, str]]]:
    text = "".join(f"{line}\n" for _, line in text_lines(path))
    reader = csv.DictReader(io.StringIO(text), delimiter="\t" if "\t" in text.partition("\n")[0] else ",")
    if missing := [name for name in FIELDS if name not in (reader.fieldnames or ())]:
        raise ProbandError(f"has no column {missing[0]!r}; Zeichner's tables have {', '.join(FIELDS)}", file=path)
    for row in reader:
        if any(row[name] is None for name in FIELDS):
            raise ProbandError("has too few columns", file=path, line=reader.line_num)
        yield reader.line_num, row


def split(text: str, relation: str, path: Path, line: int) -> Triple:
    """
    >>> split("faces perplex Autistic children", "perplex@R@", Path("x"), 1)
    Triple(subject='faces', relation='perplex', object='Autistic children')
    """
    bare = " ".join(relation.replace(SWAPPED, "").split())
    before, each, after = f" {text} ".partition(f" {bare} ")
    if not each:
        raise ProbandError(f"the relation {bare!r} does not occur in {text!r}", file=path, line=line)
    return Triple(before.strip(), bare, after.strip())
