"""Paired tests on numbers whose differences are known."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from proband.core.metrics import Metric
from proband.reporting.numbers.comparisons import Comparison, compared
from proband.stats import Mean, Scores
from proband.stats.clusters import Clusters, Floats

NATS = Metric(name="nats", of=len, unit="nats")


def paired(a: Floats, b: Floats, clusters: Sequence[Sequence[str]]) -> Comparison:
    one, other = (Scores.of(x, clusters=Clusters.of(clusters), estimator=Mean()) for x in (a, b))
    return compared(NATS, one, other, group={}, labels=("a", "b"))


def test_it_sees_a_difference_and_says_what_it_could_not_have_seen() -> None:
    rng = np.random.default_rng(0)
    b = rng.random(200)
    result = paired(b + 0.1 + rng.normal(0, 0.2, 200), b, [(str(i),) for i in range(200)])
    assert (result.p or 0.0) < 0.001
    assert result.low < 0.1 < result.high
    assert result.detectable == pytest.approx(2.8 * 0.2 / np.sqrt(200), rel=0.15)
    assert result.turned().better == result.better == "a"
    assert result.verdict == "a is better"


def test_a_difference_of_two_tuples_is_no_difference_of_all() -> None:
    rng = np.random.default_rng(1)
    pairs = [(str(i), str(j)) for i in range(12) for j in range(12) if i != j]
    effect = rng.normal(size=12)
    d = np.array([effect[int(i)] + effect[int(j)] for i, j in pairs]) - 2 * effect.mean()
    assert (paired(d, np.zeros(len(d)), pairs).p or 0.0) > 0.3


def test_five_clusters_are_too_few_to_tell() -> None:
    a = np.random.default_rng(0).normal(1.0, 0.1, 90)
    few = paired(a, np.zeros(90), [(str(i % 5),) for i in range(90)])
    assert (few.few, few.clear, few.verdict) == (True, False, "too few to tell")
    assert (few.p, few.p_holm, few.detectable) == (None, None, None)
    assert paired(a, np.zeros(90), [(str(i % 6),) for i in range(90)]).clear
