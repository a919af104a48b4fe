"""Clusters of several kinds, in any form, and sets of names of one kind."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
import polars as pl
import pytest
from scipy.special import ndtri
from statsmodels.regression.linear_model import OLS

from proband import stats
from proband.stats.clusters import Clusters, Design, Floats, p_value, variance, variance_factors
from proband.stats.estimators.mean import weighted_residuals
from proband.stats.estimators.share import effective_number, wilson

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


# ---- the variance, against other programs and against simulations whose truth is known -------------------------------

Rng = np.random.Generator


def design_of(*sizes: int) -> Design:
    return Clusters.named(np.repeat(np.arange(len(sizes)), sizes).tolist(), sum(sizes)).design()


def answers(member: np.ndarray, r: float, mean: float, repetitions: int, rng: Rng) -> tuple[Floats, Floats]:
    """Two equal systems (repetitions x items) that share half of what makes items and clusters hard."""
    member = member[:, None] if member.ndim == 1 else member
    effects = rng.standard_normal((3, repetitions, int(member.max()) + 1))
    g = effects[:, :, member].mean(axis=-1) * np.sqrt(member.shape[1])
    z = np.sqrt(r) * g + np.sqrt(1 - r) * rng.standard_normal((3, repetitions, len(member)))
    a, b = ((z[0] + z[k]) / np.sqrt(2) < ndtri(mean) for k in (1, 2))
    return a.astype(float), b.astype(float)


def coverage(x: Floats, mean: float, design: Design) -> float:
    number = effective_number(x, design, variance(design, weighted_residuals(x, design)))
    low, high = wilson(x.mean(axis=1), number, design.summary.freedom)
    return float(((low <= mean) & (mean <= high)).mean())


def p_values(a: Floats, b: Floats, design: Design) -> Floats:
    d = a - b
    v = variance(design, weighted_residuals(d, design))
    return p_value(d.mean(axis=1), np.sqrt(v), design.summary.freedom)


def test_clusters_of_one_item_are_the_t_test() -> None:
    x = np.random.default_rng(0).normal(size=30)
    v = variance(design_of(*[1] * 30), (x - x.mean()) / 30)
    assert float(v) == pytest.approx(x.var(ddof=1) / 30)
    assert design_of(*[1] * 30).summary.freedom == pytest.approx(29)


def test_equal_clusters_are_cr1_of_statsmodels_without_its_small_sample_factor() -> None:
    rng = np.random.default_rng(1)
    groups, x = np.repeat(np.arange(12), 5), rng.normal(size=60) + np.repeat(rng.normal(size=12), 5)
    theirs = OLS(x, np.ones(60)).fit(cov_type="cluster", cov_kwds={"groups": groups, "use_correction": False})
    ours = variance(design_of(*[5] * 12), (x - x.mean()) / 60)
    assert float(ours) == pytest.approx(float(theirs.cov_params()[0, 0]) * 12 / 11)


def test_degrees_of_freedom_are_those_of_the_matrix() -> None:
    """nu = (tr P)^2 / sum of P_gh^2, written out."""
    sizes = np.array([40.0, 20, 10, 5, 5])
    n, w = sizes.sum(), sizes / sizes.sum()
    q = 1 / np.sqrt(1 - w)
    p = np.outer(q, q) * (np.diag(sizes) - np.outer(w, sizes) - np.outer(sizes, w) + n * np.outer(w, w))
    assert design_of(40, 20, 10, 5, 5).summary.freedom == pytest.approx(np.trace(p) ** 2 / (p**2).sum())


@pytest.mark.parametrize(
    ("sizes", "r", "mean"),
    [
        ([12] * 8, 0.3, 0.9),
        ([30] * 7, 0.5, 0.95),
        ([20] * 15, 0.5, 0.05),
        ([10] * 30, 0.5, 0.95),
        ([5] * 60, 0.5, 0.97),
    ],
)
def test_intervals_cover_near_the_ends(sizes: list[int], r: float, mean: float) -> None:
    """Without the rule for rare outcomes the second and third cover 0.90."""
    member = np.repeat(np.arange(len(sizes)), sizes)
    x, _ = answers(member, r, mean, 1500, np.random.default_rng(2))
    assert coverage(x, mean, design_of(*sizes)) >= 0.93


def test_one_cluster_with_most_of_the_items_is_too_few() -> None:
    """Intervals of the former method covered 0.92 at 70 % of the items, 0.74 at 95 %."""
    for largest, few in ((20, False), (233, True), (900, True), (1900, True)):
        assert design_of(largest, *[5] * 20).summary.few == few
    member = np.repeat(np.arange(21), [233, *[5] * 20])
    x, _ = answers(member, 0.2, 0.5, 800, np.random.default_rng(3))
    assert coverage(x, 0.5, design_of(233, *[5] * 20)) >= 0.95  # even so


@pytest.mark.parametrize(("tuples", "items"), [(8, 56), (8, 30), (25, 300)])
def test_twins_on_few_tuples(tuples: int, items: int) -> None:
    rng = np.random.default_rng(4)
    pairs = np.array([(i, j) for i in range(tuples) for j in range(tuples) if i != j])
    member = pairs[rng.permutation(len(pairs))[:items]]
    design = Clusters.named([set(map(str, row)) for row in member.tolist()], items).design()
    for r in (0.0, 0.3, 0.5):
        a, b = answers(member, r, 0.6, 1000, rng)
        assert (p_values(a, b, design) < 0.05).mean() <= 0.07 + 0.015


def test_the_names_of_clusters_do_not_matter() -> None:
    """An item's two clusters of one kind were taken in the order of their names, and the interval with them."""
    for seed in range(40):
        rng, x = np.random.default_rng(seed), np.random.default_rng(seed).normal(size=40)
        pairs = np.array([rng.choice(12, 2, replace=False) for _ in range(40)])
        one, other = (
            stats.mean(x, clusters=[{str(name) for name in pair} for pair in names])
            for names in (pairs, rng.permutation(12)[pairs])
        )
        assert (one.low, one.high) == pytest.approx((other.low, other.high))


@pytest.mark.parametrize(("clusters", "size", "r"), [(6, 10, 0.2), (8, 12, 0.2), (10, 10, 0.0)])
def test_equal_models_on_few_clusters_under_holm(clusters: int, size: int, r: float) -> None:
    """A false difference in 5 % of boards of 20 models at most, but for the noise of 200 boards; it was 27 %."""
    rng, design = np.random.default_rng(5), design_of(*[size] * clusters)
    member, false = np.repeat(np.arange(clusters), size), 0
    one, other = np.triu_indices(20, 1)
    for _ in range(200):
        g, e = rng.standard_normal((21, clusters)), rng.standard_normal((21, clusters * size))
        z = np.sqrt(r) * (g[:1] + g[1:])[:, member] + np.sqrt(1 - r) * (e[:1] + e[1:])
        x = (z / np.sqrt(2) < ndtri(0.7)).astype(float)
        false += float(p_values(x[one], x[other], design).min()) * len(one) < 0.05
    assert false / 200 <= 0.05 + 0.035


def test_kinds_that_are_named_cost_and_never_gain() -> None:
    rng = np.random.default_rng(6)
    member = np.array([(i, 20 + j) for i in range(20) for j in range(10)])
    crossed = Clusters.named([tuple(row) for row in member.tolist()], 200).design()
    a, b = answers(member, 0.3, 0.6, 800, rng)
    assert coverage(a, 0.6, crossed) >= 0.93
    assert (p_values(a, b, crossed) < 0.05).mean() <= 0.06
    apart = stats.difference(a[0], b[0], clusters=[tuple(row) for row in member.tolist()])
    assert (apart.p or 0.0) >= (stats.difference(a[0], b[0], clusters=member[:, 0].tolist()).p or 0.0)


def test_a_variance_of_which_nothing_is_known_has_finite_factors() -> None:
    for freedom in (0.0, 1e-10, 0.1):
        assert np.isfinite(variance_factors(freedom)).all()
    assert variance_factors(np.inf).tolist() == [1.0]
