"""Clusters of several kinds, in any form, and sets of names of one kind."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
import polars as pl
import pytest

from proband import stats

FORMS: dict[str, Callable[[list[list[int]]], Any]] = {  # of the columns of clusters
    "tuples of integers": lambda columns: list(zip(*columns)),
    "an array": lambda columns: np.array(columns).T,
    "a pandas frame": lambda columns: pd.DataFrame({str(at): each for at, each in enumerate(columns)}),
    "a polars frame": lambda columns: pl.DataFrame({str(at): each for at, each in enumerate(columns)}),
    "a mapping": lambda columns: {str(at): each for at, each in enumerate(columns)},
}


@pytest.mark.parametrize("form", FORMS)
def test_naming_a_further_kind_by_codes_never_makes_a_result_more_significant(form: str) -> None:
    """Codes of two kinds both begin at 0: they are different clusters; a row of an array is no cluster of its own."""
    rng, make = np.random.default_rng(0), FORMS[form]
    for _ in range(40):
        n = int(rng.integers(40, 120))
        columns = [[i // 6 for i in range(n)], rng.integers(0, int(rng.integers(3, 20)), n).tolist()]
        effects = sum(rng.normal(size=max(column) + 1)[column] for column in columns)
        a, b = ((effects + rng.normal(size=n) < q).astype(float) for q in (0.5, 0.0))
        one, two = (stats.difference(a, b, clusters=make(columns[:count])) for count in (1, 2))
        assert two.p is None or two.p >= (one.p or 0.0) - 1e-12
        assert two.few >= one.few
        assert two == stats.difference(a, b, clusters=[(f"x{i}", f"y{j}") for i, j in zip(*columns)])
        assert one == stats.difference(a, b, clusters=columns[0])


def test_clusters_of_one_kind_are_a_set_of_names() -> None:
    pairs = [(i, j) for i in range(8) for j in range(8) if i != j]
    x = [float((i + j) % 3 > 0) for i, j in pairs]
    alike = stats.mean(x, clusters=[{i, j} for i, j in pairs])
    apart = stats.mean(x, clusters=pairs)
    assert (alike.clusters, apart.clusters) == (8, 8)
    assert apart.effective <= alike.effective
