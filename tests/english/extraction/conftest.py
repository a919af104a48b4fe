"""Assertions of a tree that is written as word/tag/label/head."""

from __future__ import annotations

from proband.english.extraction.rules import extract
from proband.english.extraction.tally import assertions
from proband.english.extraction.trees import token, tree


def found(text: str) -> list[str]:
    cells = [each.rsplit("/", 3) for each in text.split(" ")]
    parsed = tree(token(word, tag, label, int(head) - 1) for word, tag, label, head in cells)
    return sorted(" | ".join(one) for one in assertions([cell[0] for cell in cells], extract(parsed)))
