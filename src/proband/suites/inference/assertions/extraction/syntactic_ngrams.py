"""Google's Syntactic N-grams (Goldberg and Orwant 2013): arcs, biarcs, triarcs, quadarcs, verbargs, and extended ones.

A line is `head word <TAB> n-gram <TAB> total count <TAB> year,count <TAB> year,count ...`; an n-gram is tokens
`word/tag/label/head` with Penn tags, Stanford basic labels and heads counted from 1 (0: the root of the fragment).

>>> line = "invaded\\tItaly/NNP/nsubj/2 invaded/VBD/ccomp/0 Ethiopia/NNP/dobj/2\\t12\\t1936,5\\t1937,7"
>>> reader = NgramReader(); reader.read(line)
[(('Italy', 'invaded', 'Ethiopia'), 12)]
>>> NgramReader(years=(1937, 2008)).read(line)
[(('Italy', 'invaded', 'Ethiopia'), 7)]

N-grams of a shape differ only in their words, so the rules look at each shape once.
"""

from __future__ import annotations

import re

from proband.core.errors import ProbandError
from proband.suites.inference.assertions.extraction.rules import Found, extract
from proband.suites.inference.assertions.extraction.tally import Assertion, assertions
from proband.suites.inference.assertions.extraction.trees import SHOWN, token, tree

SHAPES = 500_000  # remembered at most
# every rule needs a subject, a relative clause, a participle or an apposition
NEEDED = re.compile("subj|rcmod|partmod|vmod|appos|/acl")
TOKEN = re.compile(r"(\S+)(/[^/\s]+/[^/\s]+/\d+)(?: |$)")
AS_WRITTEN = SHOWN | {word.capitalize() for word in SHOWN}


class NgramReader:
    def __init__(self, *, years: tuple[int, int] | None = None, file: object = "n-grams") -> None:
        self.years, self.file = years, file
        self.shapes: dict[str, list[Found]] = {}

    def read(self, line: str, number: int = 0) -> list[tuple[Assertion, int]]:
        """The assertions of a line, with the count of its n-gram."""
        cells = line.split("\t", 3)
        if len(cells) < 3:
            why = "no syntactic n-gram: head word, n-gram, count, counts by year"
            raise ProbandError(why, file=self.file, line=number)
        ngram = cells[1]
        if not NEEDED.search(ngram):
            return []
        tokens = TOKEN.findall(ngram)
        if len(tokens) != ngram.count(" ") + 1:
            raise self._wrong(ngram, number)
        shape = " ".join([(word if word in AS_WRITTEN else "") + rest for word, rest in tokens])
        found = self.shapes.get(shape)
        if found is None:
            found = self._learn(shape)
        if not found:
            return []
        count = self.count(cells, number)
        words = [word for word, _ in tokens]
        return [(one, count) for one in assertions(words, found)] if count else []

    def _wrong(self, ngram: str, number: int) -> ProbandError:
        bad = next((each for each in ngram.split(" ") if not TOKEN.fullmatch(each)), ngram)
        return ProbandError(f"{bad!r} is no word/tag/label/head", file=self.file, line=number)

    def _learn(self, shape: str) -> list[Found]:
        cells = (each.rsplit("/", 3) for each in shape.split(" "))
        if len(self.shapes) >= SHAPES:
            self.shapes.clear()
        self.shapes[shape] = extract(tree(token(word, tag, label, int(head) - 1) for word, tag, label, head in cells))
        return self.shapes[shape]

    def count(self, cells: list[str], number: int) -> int:
        try:
            if self.years is None:
                return int(cells[2])
            first, last = self.years
            pairs = (cell.split(",") for cell in cells[3].split("\t")) if len(cells) > 3 else ()
            return sum(int(count) for year, count in pairs if first <= int(year) <= last)
        except ValueError:
            raise ProbandError(
                "counts must be whole numbers, by year as `year,count`", file=self.file, line=number
            ) from None
