"""Neighbours against a loop over all pairs of items."""

from __future__ import annotations

import numpy as np
import pytest

from proband.core.statistics.clusters import Clusters, Neighbours, clusters_of
from proband.core.types import Item


@pytest.mark.parametrize("most", [1, 2, 4, 8])
def test_sums_over_neighbours_are_those_of_a_loop(most: int) -> None:
    rng = np.random.default_rng(most)
    names = [tuple(map(str, rng.integers(0, 9 if most < 8 else 30, rng.integers(1, most + 1)))) for _ in range(60)]
    rows = np.flatnonzero(rng.random(60) < 0.8)
    u = rng.normal(size=(3, len(rows)))
    found = Neighbours.of(Clusters.of(names), rows)
    share = np.array([[i != j and not set(names[i]).isdisjoint(names[j]) for j in rows] for i in rows])
    assert found.degree.tolist() == share.sum(axis=1).tolist()
    assert found.pairs == share.sum()
    assert found.products(u) == pytest.approx(np.einsum("ri,ij,rj->r", u, share, u))
    assert found.products(u[0]) == pytest.approx(found.products(u)[0])
    sizes = [sum(name in set(names[i]) for i in rows) for name in {name for i in rows for name in names[i]}]
    assert found.clusters == len(sizes)
    assert found.effective == pytest.approx(sum(sizes) ** 2 / sum(size**2 for size in sizes))


def test_an_item_of_forty_clusters_is_one_item() -> None:
    found = Neighbours.of(Clusters.of([tuple(map(str, range(40)))]), np.arange(1))
    assert (found.clusters, found.pairs, found.ways) == (40, 0.0, 40.0)


def test_clusters_of_an_item() -> None:
    assert clusters_of(Item(id="a", suite="s", prompt="")) == ("a",)
    assert clusters_of(Item(id="a", suite="s", prompt="", facts={"clusters": ["x", "y"]})) == ("x", "y")
