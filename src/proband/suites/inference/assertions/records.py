"""Records of files that others made: parsed sentences (CoNLL-U, as treebanks and parsers write it, with Universal
Dependencies or Stanford's labels), and tab-separated triples.

>>> rows = ["1\\tAspirin\\t_\\tPROPN\\t_\\t_\\t2\\tnsubj\\t_\\t_", "2\\trelieves\\t_\\tVERB\\t_\\t_\\t0\\troot\\t_\\t_",
...         "3\\tpain\\t_\\tNOUN\\t_\\t_\\t2\\tobj\\t_\\t_"]
>>> of_sentence(rows)
[('Aspirin', 'relieves', 'pain')]
>>> read_tsv("aspirin\\trelieves\\tpain\\t3", file="a.tsv", line=1)
(('aspirin', 'relieves', 'pain'), 3)
"""

from __future__ import annotations

from collections.abc import Sequence

from proband.core.errors import ProbandError
from proband.english.extraction.rules import extract
from proband.english.extraction.tally import Assertion, assertions
from proband.english.extraction.trees import TreeToken, token, tree, universal_pos

LARGEST = 10**18  # counts are added up in 64 bits


def of_sentence(rows: Sequence[str], file: object = "CoNLL-U", line: int = 1) -> list[Assertion]:
    """The assertions of one sentence, given as its lines; comments, contractions and empty nodes are skipped."""
    words: list[str] = []
    tokens: list[TreeToken] = []
    for number, row in enumerate(rows, start=line):
        if cells := conllu_cells(row, file, number):
            words.append(cells[1])
            tokens.append(token(cells[1], universal_pos(cells[3], cells[5]), cells[7], int(cells[6]) - 1))
    if (head := max((each.head + 1 for each in tokens), default=0)) > len(words):
        raise ProbandError(f"HEAD is {head} in a sentence of {len(words)} words", file=file, line=line)
    return list(assertions(words, extract(tree(tokens))))


def conllu_cells(row: str, file: object, line: int) -> list[str]:
    """The ten cells of a word; none of a comment, a contraction or an empty node."""
    if row.startswith("#"):
        return []
    cells = row.split("\t")
    if len(cells) != 10:
        raise ProbandError(f"has {len(cells)} columns instead of ten", file=file, line=line)
    if not cells[0].isdecimal():
        return []
    if not cells[6].isdecimal():
        raise ProbandError(f"HEAD is {cells[6]!r}, not a number", file=file, line=line)
    return cells


def read_tsv(row: str, file: object, line: int) -> tuple[Assertion, int]:
    """`subject, relation, object[, count]`, separated by tabs."""
    cells = row.split("\t")
    if len(cells) not in (3, 4) or not all(cell.strip() for cell in cells[:3]):
        raise ProbandError("must be subject, relation, object[, count], separated by tabs", file=file, line=line)
    if len(cells) == 4 and not (cells[3].strip().isdecimal() and int(cells[3]) < LARGEST):
        raise ProbandError(
            f"count {cells[3].strip()!r} is not a whole number of at most 18 digits", file=file, line=line
        )
    if cells[1].count(", ") > 1 or all(word.count("/") > 2 for word in cells[1].split(" ")):  # pairs, n-grams
        raise ProbandError(f"{cells[1]!r} is not a relation", file=file, line=line)
    subject, relation, thing = (" ".join(cell.split()) for cell in cells[:3])
    return (subject, relation.lower(), thing), int(cells[3]) if len(cells) == 4 else 1
