"""Facts as letters, clauses as words, proofs as parse trees.

A letter is a relation with the genders of its two people, 4 r + 2 [x is a woman] + [z is a woman]. A rule with a single
outcome for these genders joins two letters into one: mother(x), her brother -> uncle(x). So the facts along a path are
a word, a proof of the answer from all of them is a parse tree of the word, and there are as many as it has parses:

    N[i, j] = sum over m of N[i, m] N[m, j], for the m at which the two letters join;   N[i, i + 1] = 1.

It is `prove.chart` for facts that hold in a family (there a segment with a proof has one letter), and remembers words.

>>> from proband.suites.kinship.world.rules import load
>>> proofs = Proofs(load("sound"))
>>> proofs[spell([2, 2, 2, 2], ["male"] * 5)][1], proofs[spell([0, 2, 2], ["male"] * 4)][1]  # brothers: in any order
(5, 1)
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from proband.suites.kinship.world.lazy_table import Lazy
from proband.suites.kinship.world.rules import FEMALE, MALE, Rules

KEPT = 50_000  # words to remember at most: memory stays flat
Word = tuple[int, ...]


def spell(relations: Sequence[int], genders: Sequence[str]) -> Word:
    """The word of a path: relation t is that of person t + 1 to person t."""
    female = [gender == FEMALE for gender in genders]
    return tuple([4 * r + 2 * a + b for r, a, b in zip(relations, female, female[1:])])


def genders_of(word: Word) -> list[str]:
    """
    >>> genders_of(spell([6, 3], ["female", "male", "female"]))
    ['female', 'male', 'female']
    """
    return [(MALE, FEMALE)[bit] for bit in (word[0] >> 1 & 1, *[letter & 1 for letter in word])]


class Proofs(Lazy[Word, tuple[int, int]]):
    """(the letter that a word proves, number of proofs) by word; `blind`: of people whose genders are not known."""

    def __init__(self, rules: Rules, *, blind: bool = False) -> None:
        super().__init__(self._parse, most=KEPT)
        self.size = 4 * len(rules.neutrals)
        self.joined = [-1] * self.size**2  # first letter * size + second letter -> the letter they join into
        relations = range(len(rules.neutrals))
        for a, b, x, y, z in product(relations, relations, (0, 1), (0, 1), (0, 1)):
            outcome = (rules.same if x == z and not blind else rules.table)[a][b]
            if outcome & (outcome - 1) == 0 and 0 < outcome < 1 << len(relations):
                joined = 4 * (outcome.bit_length() - 1) + 2 * x + z
                self.joined[(4 * a + 2 * x + y) * self.size + 4 * b + 2 * y + z] = joined

    def _parse(self, word: Word) -> tuple[int, int]:
        letter, total, size, joined = word[0], int(len(word) == 1), self.size, self.joined
        for m in range(1, len(word)):
            first, one = self[word[:m]]
            if one:
                second, two = self[word[m:]]
                if two and (join := joined[first * size + second]) >= 0:
                    letter, total = join, total + one * two
        return letter, total
