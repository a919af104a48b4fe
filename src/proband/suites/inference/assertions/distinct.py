"""Distinct texts of a column, by hash, and the orders of whole numbers: sorting is what a store spends its time on.

numpy sorts 64-bit numbers several times as fast as it finds the order that would sort them. So a value and its row are
sorted as one number, and the rows are read off the result.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.uint32]
Longs = npt.NDArray[np.uint64]


def stable_order(values: Ints) -> Ints:
    """
    >>> stable_order(np.array([7, 3, 7, 1], np.uint32)).tolist()
    [3, 1, 0, 2]
    """
    mixed = values.astype(np.uint64) << np.uint64(32)
    mixed |= np.arange(len(values), dtype=np.uint64)
    mixed.sort()
    return mixed.astype(np.uint32)  # the lower half


def sorted_with_rows(values: Longs) -> tuple[Longs, Ints]:
    """Values in their order, and the rows they come from; equal values in the order of rows.

    Where a value and its row need more than 64 bits, lower bits of the value give way, and what is then out of order
    is sorted once more.

    >>> values, rows = sorted_with_rows(np.array([2**64 - 1, 5, 2**64 - 2, 5], np.uint64))
    >>> values.tolist() == [5, 5, 2**64 - 2, 2**64 - 1], rows.tolist()
    (True, [1, 3, 2, 0])
    """
    bits = max(1, len(values).bit_length())
    cut = max(0, int(values.max(initial=0)).bit_length() + bits - 64)
    mixed = values >> np.uint64(cut)
    mixed <<= np.uint64(bits)
    mixed |= np.arange(len(values), dtype=np.uint64)
    mixed.sort()
    rows = (mixed & np.uint64((1 << bits) - 1)).astype(np.uint32)
    mixed >>= np.uint64(bits)
    found = values[rows]
    wrong = np.flatnonzero(found[1:] < found[:-1])
    if len(wrong):
        run = np.cumsum(changes(mixed), dtype=np.uint32)
        broken = np.zeros(int(run[-1]) + 1, bool)
        broken[run[wrong]] = True
        at = np.flatnonzero(broken[run])
        again = at[np.argsort(found[at], kind="stable")]
        found[at], rows[at] = found[again], rows[again]
    return found, rows


def changes(values: Longs) -> npt.NDArray[np.bool_]:
    """Where a value is not the one before it."""
    new = np.ones(len(values), bool)
    np.not_equal(values[1:], values[:-1], out=new[1:])
    return new


def numbered(column: Any) -> tuple[Ints, Ints]:
    """The rows of a polars column where each text appears first, and for every row the number of its text among them.

    Two texts of one 64-bit hash would be taken for one: of ten million texts that happens once in 300,000 stores.
    """
    n = len(column)
    hashes, order = sorted_with_rows(column.hash().to_numpy())
    starts = np.flatnonzero(changes(hashes))
    first = order[starts]
    appears = np.zeros(n, bool)
    appears[first] = True
    number = np.cumsum(appears, dtype=np.uint32)[first] - np.uint32(1)
    codes = np.empty(n, np.uint32)
    codes[order] = np.repeat(number, np.diff(starts, append=n))
    return np.flatnonzero(appears).astype(np.uint32), codes
