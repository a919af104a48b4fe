"""Google's Syntactic N-grams (Goldberg and Orwant 2013): arcs, biarcs, triarcs, quadarcs, verbargs, and extended ones.

A line is `head word <TAB> n-gram <TAB> total count <TAB> year,count <TAB> year,count ...`; an n-gram is tokens
`word/tag/label/head` with Penn tags, Stanford basic labels and heads counted from 1 (0: the root of the fragment).

>>> line = "invaded\\tItaly/NNP/nsubj/2 invaded/VBD/ccomp/0 Ethiopia/NNP/dobj/2\\t12\\t1936,5\\t1937,7"
>>> reader = NgramReader(); reader.read(line)
[(('Italy', 'invaded', 'Ethiopia'), 12)]

N-grams of a shape differ only in their words, so the rules look at each shape once.
"""

from __future__ import annotations

import re

from proband.core.errors import ProbandError
from proband.english.extraction.rules import extract
from proband.english.extraction.tally import PUT_IN, Assertion, Written, written
from proband.english.extraction.trees import token, tree
from proband.english.extraction.word_lists import SHOWN

SHAPES = 500_000  # most shapes that are kept
# every rule needs a subject, a relative clause, a participle or an apposition
NEEDED = re.compile("subj|rcmod|partmod|vmod|appos|/acl")
TOKEN = re.compile(r"(\S+)/([^/\s]+)/([^/\s]+)/(\d+)")
IN_SHAPES = {form: form for word in SHOWN for form in (word, word.capitalize())}


class NgramReader:
    def __init__(self, *, file: object = "n-grams") -> None:
        self.file = file
        self.shapes: dict[str, list[tuple[Written, Written, Written]]] = {}

    def read(self, line: str, number: int = 0) -> list[tuple[Assertion, int]]:
        """The assertions of a line, with the count of its n-gram."""
        cells = line.split("\t", 3)
        if len(cells) < 3:
            why = "not a syntactic n-gram: head word, n-gram, count, counts by year"
            raise ProbandError(why, file=self.file, line=number)
        ngram = cells[1]
        if not NEEDED.search(ngram):
            return []
        flat = ngram.replace(" ", "/").split("/")
        if len(flat) != 4 * ngram.count(" ") + 4:  # a word that contains a slash, or no n-gram
            flat = self._flat(ngram, number)
        words = flat[::4]
        flat[::4] = [IN_SHAPES.get(word, "") for word in words]
        shape = "/".join(flat)
        result = self.shapes.get(shape)
        if result is None:
            self._flat(ngram, number)  # checks that every token is valid
            result = self._learn(shape, flat)
        if not result or not (count := self.count(cells, number)):
            return []
        words += PUT_IN
        return [((one(words), two(words).lower(), three(words)), count) for one, two, three in result]

    def _flat(self, ngram: str, number: int) -> list[str]:
        flat: list[str] = []
        for each in ngram.split(" "):
            match = TOKEN.fullmatch(each)
            if match is None:
                raise ProbandError(f"{each!r} is not word/tag/label/head", file=self.file, line=number)
            flat += match.groups()
        return flat

    def _learn(self, shape: str, flat: list[str]) -> list[tuple[Written, Written, Written]]:
        if len(self.shapes) >= SHAPES:
            self.shapes.clear()
        cells = zip(flat[::4], flat[1::4], flat[2::4], flat[3::4], strict=True)
        parsed = tree(token(word, tag, label, int(head) - 1) for word, tag, label, head in cells)
        self.shapes[shape] = [written(entry) for entry in extract(parsed)]
        return self.shapes[shape]

    def count(self, cells: list[str], number: int) -> int:
        try:
            return int(cells[2])
        except ValueError:
            raise ProbandError("counts must be whole numbers", file=self.file, line=number) from None
