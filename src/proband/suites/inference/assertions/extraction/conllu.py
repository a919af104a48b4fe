"""CoNLL-U: parsed text as treebanks and parsers write it (Universal Dependencies, or Stanford's labels).

>>> rows = ["1\\tAspirin\\t_\\tPROPN\\t_\\t_\\t2\\tnsubj\\t_\\t_", "2\\trelieves\\t_\\tVERB\\t_\\t_\\t0\\troot\\t_\\t_",
...         "3\\tpain\\t_\\tNOUN\\t_\\t_\\t2\\tobj\\t_\\t_"]
>>> of_sentence(rows)
[('Aspirin', 'relieves', 'pain')]
"""

from __future__ import annotations

from collections.abc import Sequence

from proband.core.errors import ProbandError
from proband.suites.inference.assertions.extraction.rules import extract
from proband.suites.inference.assertions.extraction.tally import Assertion, assertions
from proband.suites.inference.assertions.extraction.trees import Token, token, tree, universal_pos


def of_sentence(rows: Sequence[str], file: object = "CoNLL-U", line: int = 1) -> list[Assertion]:
    """The assertions of one sentence, given as its lines; comments, contractions and empty nodes are passed over."""
    words: list[str] = []
    tokens: list[Token] = []
    for number, row in enumerate(rows, start=line):
        if row.startswith("#"):
            continue
        cells = row.split("\t")
        if len(cells) != 10:
            raise ProbandError(f"{len(cells)} columns instead of ten", file=file, line=number)
        if not cells[0].isdigit():
            continue
        if not cells[6].isdigit():
            raise ProbandError(f"HEAD is {cells[6]!r}, not a number", file=file, line=number)
        words.append(cells[1])
        tokens.append(token(cells[1], universal_pos(cells[3], cells[5]), cells[7], int(cells[6]) - 1))
    return list(assertions(words, extract(tree(tokens))))
