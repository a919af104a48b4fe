"""Parts brought together: every text once, equal triples as one row."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from proband.suites.inference.assertions.arrays import Texts
from proband.suites.inference.assertions.distinct import Ints, Longs, changes, numbered, sorted_with_rows
from proband.suites.inference.assertions.encoded import BUCKETS, LARGEST, Encoded

Ints4 = tuple[Ints, Ints, Ints, Ints]  # subjects, relations, objects, counts
BITS = 64  # of the number that a triple is packed into


class Merged:
    """Some buckets of all parts; arguments and relations are columns of polars."""

    def __init__(self, parts: Iterable[Encoded], *, first: int = 0, last: int = BUCKETS) -> None:
        arguments, relations = _Gathered(), _Gathered()
        self.pieces: list[tuple[Ints, Ints, Ints]] = []  # rows; argument and relation of the part -> of the whole
        for part in parts:
            whole = last - first == BUCKETS
            rows = part.rows if whole else part.rows[:, (part.buckets >= first) & (part.buckets < last)]
            if rows.size:
                known = arguments.add(part.arguments, *([] if whole else [rows[0], rows[2]]))
                named = relations.add(part.relations, *([] if whole else [rows[1]]))
                self.pieces.append((rows, known, named))
        self.arguments, of_argument = arguments.distinct()
        self.relations, of_relation = relations.distinct()
        self.pieces = [(rows, of_argument[one], of_relation[two]) for rows, one, two in self.pieces]

    def rows(self, place: Ints) -> Ints:
        """Subject, relation, object and count, in the order of subject, object and relation, each triple once; an
        argument is called by its place. What was merged is let go on the way."""
        size = sum(rows.shape[1] for rows, _, _ in self.pieces)
        widths = (len(self.arguments).bit_length(), len(self.relations).bit_length())
        fits = 2 * widths[0] + widths[1] <= BITS
        return _packed(self._taken(place), size, *widths) if fits else _unpacked(self._taken(place))

    def _taken(self, place: Ints) -> Iterator[Ints4]:
        while self.pieces:
            rows, argument, relation = self.pieces.pop()
            placed = place[argument]
            yield placed[rows[0]], relation[rows[1]], placed[rows[2]], rows[3]


class _Gathered:
    """The texts of several parts, one after the other, and at last each once."""

    def __init__(self) -> None:
        self.columns: list[Any] = []
        self.size = 0

    def add(self, texts: Texts, *used: Ints) -> Ints:
        """Takes texts over, all or those that are used; gives their places by their numbers in the part."""
        chosen = np.ones(len(texts), bool)
        if used:
            chosen[:] = False
            for numbers in used:
                chosen[numbers] = True
        places = np.cumsum(chosen, dtype=np.uint32) - chosen.astype(np.uint32) + np.uint32(self.size)
        self.columns.append(texts.column(chosen if used else None))
        self.size += len(self.columns[-1])
        # a text that is not used has the place of the next one that is, and the last ones none at all
        kept: Ints = np.minimum(places, np.uint32(self.size - 1))
        return kept

    def distinct(self) -> tuple[Any, Ints]:
        """Every text once, and for each place the number of its text."""
        import polars as pl

        texts = pl.concat(self.columns) if self.size else pl.Series([], dtype=pl.String)
        first, codes = numbered(texts)
        return texts.gather(first), codes


def _packed(pieces: Iterable[Ints4], size: int, width: int, last: int) -> Ints:
    """Triples as one number each, which sorts several times as fast as three columns."""
    packed, counts = np.empty(size, np.uint64), np.empty(size, np.uint32)
    start = 0
    for subjects, relations, objects, often in pieces:
        triples = packed[start : start + len(subjects)]
        triples[:] = subjects
        for column, bits in ((objects, width), (relations, last)):
            triples <<= np.uint64(bits)
            triples |= column
        counts[start : start + len(subjects)] = often
        start += len(subjects)
    packed, order = sorted_with_rows(packed)
    counts = counts[order]
    new = changes(packed)
    if not new.all():
        packed, counts = packed[new], _totals(counts, new)
    out = np.empty((len(packed), 4), np.uint32)
    out[:, 3] = counts
    for at, bits in ((1, last), (2, width), (0, width)):
        out[:, at] = packed & np.uint64((1 << bits) - 1)
        packed >>= np.uint64(bits)
    return out


def _unpacked(pieces: Iterable[Ints4]) -> Ints:
    rows = np.concatenate([np.stack(piece, axis=1) for piece in pieces])
    rows = rows[np.lexsort((rows[:, 1], rows[:, 2], rows[:, 0]))]
    new = np.concatenate([[True], np.any(rows[1:, :3] != rows[:-1, :3], axis=1)])
    return np.column_stack([rows[new][:, :3], _totals(rows[:, 3], new)])


def _totals(counts: Ints, new: npt.NDArray[np.bool_]) -> Ints:
    """Of each run that `new` begins; a sum too large is cut off."""
    sums: Longs = np.add.reduceat(counts.astype(np.uint64), np.flatnonzero(new))
    return np.minimum(sums, LARGEST).astype(np.uint32)
