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
    members = {frozenset(i for i in rows if name in names[i]) for i in rows for name in names[i]}
    sizes = [len(each) for each in members if not any(each < other for other in members)]  # the largest ones
    assert found.clusters == len(sizes)
    power = 1 if sum(sizes) == len(rows) else 2
    assert found.effective == pytest.approx(
        sum(size**power for size in sizes) ** 2 / sum(size ** (2 * power) for size in sizes)
    )


def test_an_item_of_forty_clusters_is_one_item() -> None:
    found = Neighbours.of(Clusters.of([tuple(map(str, range(40)))]), np.arange(1))
    assert (found.clusters, found.pairs, found.ways) == (1, 0.0, 1.0)


def test_small_clusters_inside_large_ones_are_no_further_evidence() -> None:
    """3 documents of 30 paragraphs of 4 items stay 3 clusters, whatever else is named."""
    names = [(f"d{i // 120}", f"p{i // 4}", f"i{i}") for i in range(360)]
    for kinds in (1, 2, 3):
        found = Neighbours.of(Clusters.of([each[:kinds] for each in names]), np.arange(360))
        assert (found.clusters, found.effective, found.least, found.few) == (3, 3.0, 3.0, True)
        assert len(found.readings) == kinds
    crossed = Neighbours.of(Clusters.of([(f"t{i % 5}", f"r{i % 12}") for i in range(360)]), np.arange(360))
    assert crossed.few  # five templates are five templates, with or without relations
    assert crossed.effective > 6 > crossed.least == 5.0


def test_places_with_the_same_names_are_one_kind() -> None:
    """The two tuples of an analogy are one kind of cluster, a relation beside them another."""
    rng = np.random.default_rng(0)
    pairs = [tuple(map(str, rng.choice(12, 2, replace=False))) for _ in range(80)]
    assert not Neighbours.of(Clusters.of(pairs), np.arange(80)).others
    both = Clusters.of([(f"r{i % 9}", *pair) for i, pair in enumerate(pairs)])
    assert len(set(both.kind.tolist())) == 2
    assert len(Neighbours.of(both, np.arange(80)).readings) == 3


def test_clusters_of_an_item() -> None:
    assert clusters_of(Item(id="a", suite="s", prompt="")) == ("a",)
    assert clusters_of(Item(id="a", suite="s", prompt="", facts={"clusters": ["x", "y"]})) == ("x", "y")
