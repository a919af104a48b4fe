"""Numbers of texts and orders of numbers, against Python's dictionaries and numpy's own sort."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from proband.suites.inference.assertions.distinct import numbered, sorted_with_rows, stable_order


def test_numbers_are_those_of_a_dictionary() -> None:
    rng = np.random.default_rng(0)
    texts = [f"é{number}" for number in rng.zipf(1.3, 3000) % 700]
    first, codes = numbered(pl.Series(texts))
    known: dict[str, int] = {}
    assert codes.tolist() == [known.setdefault(text, len(known)) for text in texts]
    assert [texts[row] for row in first] == list(known)
    assert [len(each) for each in numbered(pl.Series([], dtype=pl.String))] == [0, 0]


@pytest.mark.parametrize("bits", [1, 30, 53, 56, 63, 64])
def test_orders_are_numpys(bits: int) -> None:
    """With room for the row beside the value, and without: then close values are sorted again."""
    rng = np.random.default_rng(bits)
    values = rng.integers(0, 2**bits - 1, 2000, dtype=np.uint64, endpoint=True)
    values[::3] = values[0]
    values[1::3] = values[0] ^ rng.integers(0, 2 ** min(bits, 3), len(values[1::3])).astype(np.uint64)
    found, rows = sorted_with_rows(values)
    expected = np.argsort(values, kind="stable")
    assert rows.tolist() == expected.tolist()
    assert found.tolist() == values[expected].tolist()
    small = (values % 97).astype(np.uint32)
    assert stable_order(small).tolist() == np.argsort(small, kind="stable").tolist()
