"""Records of files that others made: parsed sentences (CoNLL-U, as treebanks and parsers write it, with Universal
Dependencies or Stanford's labels), tab-separated triples, ReVerb's files, OpenIE's.

>>> rows = ["1\\tAspirin\\t_\\tPROPN\\t_\\t_\\t2\\tnsubj\\t_\\t_", "2\\trelieves\\t_\\tVERB\\t_\\t_\\t0\\troot\\t_\\t_",
...         "3\\tpain\\t_\\tNOUN\\t_\\t_\\t2\\tobj\\t_\\t_"]
>>> of_sentence(rows)
[('Aspirin', 'relieves', 'pain')]
>>> read_tsv("aspirin\\trelieves\\tpain\\t3", file="a.tsv", line=1)
(('aspirin', 'relieves', 'pain'), 3)
>>> read_openie("0.93 (Aspirin; relieves; pain)", file="o.txt", line=1)
(('Aspirin', 'relieves', 'pain'), 1)
>>> read_openie("1.000\\tAspirin\\trelieves\\tpain", file="o.txt", line=1)
(('Aspirin', 'relieves', 'pain'), 1)
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from proband.core.errors import ProbandError
from proband.english.extraction.rules import extract
from proband.english.extraction.tally import Assertion, assertions
from proband.english.extraction.trees import TreeToken, token, tree, universal_pos


def of_sentence(rows: Sequence[str], file: object = "CoNLL-U", line: int = 1) -> list[Assertion]:
    """The assertions of one sentence, given as its lines; comments, contractions and empty nodes are passed over."""
    words: list[str] = []
    tokens: list[TreeToken] = []
    for number, row in enumerate(rows, start=line):
        if cells := conllu_cells(row, file, number):
            words.append(cells[1])
            tokens.append(token(cells[1], universal_pos(cells[3], cells[5]), cells[7], int(cells[6]) - 1))
    return list(assertions(words, extract(tree(tokens))))


def conllu_cells(row: str, file: object, line: int) -> list[str]:
    """The ten cells of a word; none of a comment, a contraction or an empty node."""
    if row.startswith("#"):
        return []
    cells = row.split("\t")
    if len(cells) != 10:
        raise ProbandError(f"has {len(cells)} columns instead of ten", file=file, line=line)
    if not cells[0].isdigit():
        return []
    if not cells[6].isdigit():
        raise ProbandError(f"HEAD is {cells[6]!r}, not a number", file=file, line=line)
    return cells


BRACKETED = re.compile(r"^\s*(?:\d[\d.]*\s*:?\s*)?(?:Context\(.*?\):?)?\((.+)\)\s*$")
REVERB = {18: (2, 3, 4), 16: (2, 3, 4), 10: (1, 2, 3)}  # columns of a line -> where the triple stands


def read_tsv(row: str, file: object, line: int) -> tuple[Assertion, int]:
    """`subject, relation, object[, count]`, separated by tabs."""
    cells = row.split("\t")
    if len(cells) not in (3, 4) or not all(cell.strip() for cell in cells[:3]):
        raise ProbandError("must be subject, relation, object[, count], separated by tabs", file=file, line=line)
    if len(cells) == 4 and not cells[3].strip().isdigit():
        raise ProbandError(f"count {cells[3].strip()!r} is not a whole number", file=file, line=line)
    return _clean(cells[0], cells[1], cells[2]), int(cells[3]) if len(cells) == 4 else 1


def read_reverb(row: str, file: object, line: int) -> tuple[Assertion, int]:
    """ReVerb's output (18 columns: file, sentence, arg1, rel, arg2, ...) or its released tuples (10 columns: id, arg1,
    rel, arg2, the same normalised, count, confidence, addresses)."""
    cells = row.split("\t")
    if len(cells) not in REVERB:
        raise ProbandError(f"{len(cells)} columns; ReVerb writes 18 and releases 10", file=file, line=line)
    one, two, three = REVERB[len(cells)]
    count = cells[7].strip() if len(cells) == 10 else "1"
    if not count.isdigit():
        raise ProbandError(f"count {count!r} is not a whole number", file=file, line=line)
    return _clean(cells[one], cells[two], cells[three]), int(count)


def read_openie(row: str, file: object, line: int) -> tuple[Assertion, int] | None:
    """`confidence (subject; relation; object)` as OpenIE 4 and 5 print it, or Stanford's `confidence, subject,
    relation, object` separated by tabs. Extractions of two or of more than three parts are no triples: None."""
    cells = row.split("\t")
    if len(cells) == 4:
        return _clean(*cells[1:]), 1
    if match := BRACKETED.match(row):
        parts = match[1].split("; ")
        return (_clean(*parts), 1) if len(parts) == 3 and all(part.strip() for part in parts) else None
    raise ProbandError("must be `confidence (subject; relation; object)` or four columns", file=file, line=line)


def _clean(subject: str, relation: str, thing: str) -> Assertion:
    return " ".join(subject.split()), " ".join(relation.split()).lower(), " ".join(thing.split())
