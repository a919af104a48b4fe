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

from proband.core.errors import ProbandError
from proband.suites.inference.assertions.extraction.rules import Found, extract
from proband.suites.inference.assertions.extraction.tally import Assertion, assertions
from proband.suites.inference.assertions.extraction.trees import SHOWN, token, tree

SHAPES = 500_000  # remembered at most
# every rule needs a subject, a relative clause, a participle or an apposition, and something that is related
NEEDED = ("subj", "rcmod", "partmod", "vmod", "appos", "/acl")


class NgramReader:
    def __init__(self, *, years: tuple[int, int] | None = None, file: object = "n-grams") -> None:
        self.years, self.file = years, file
        self.shapes: dict[str, list[Found]] = {}

    def read(self, line: str, number: int = 0) -> list[tuple[Assertion, int]]:
        """The assertions of a line, with the count of its n-gram."""
        cells = line.split("\t", 3)
        if len(cells) < 3:
            raise ProbandError(
                "no syntactic n-gram: head word, n-gram, count, counts by year", file=self.file, line=number
            )
        ngram = cells[1]
        if not any(label in ngram for label in NEEDED):
            return []
        words, rests = [], []
        for each in ngram.split(" "):
            parts = each.rsplit("/", 3)
            if len(parts) != 4:
                raise ProbandError(f"{each!r} is no word/tag/label/head", file=self.file, line=number)
            words.append(parts[0])
            shown = parts[0].lower()
            rests.append(f"{shown if shown in SHOWN else ''}/{parts[1]}/{parts[2]}/{parts[3]}")
        shape = " ".join(rests)
        found = self.shapes.get(shape)
        if found is None:
            found = self._learn(shape, number)
        if not found:
            return []
        count = self.count(cells, number)
        return [(one, count) for one in assertions(words, found)] if count else []

    def _learn(self, shape: str, number: int) -> list[Found]:
        tokens = []
        for each in shape.split(" "):
            shown, tag, label, head = each.rsplit("/", 3)
            if not head.isdigit():
                raise ProbandError(f"the head in {each!r} is no number", file=self.file, line=number)
            tokens.append(token(shown, tag, label, int(head) - 1))
        if len(self.shapes) >= SHAPES:
            self.shapes.clear()
        self.shapes[shape] = extract(tree(tokens))
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
