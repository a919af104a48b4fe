"""Verdicts of people on all answers, from a judge's on all and people's on a sample: coverage, also near 0 and 1."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats as scipy_stats
from scipy.special import ndtri

from proband import stats
from proband.core.errors import ProbandError
from proband.stats.clusters import Floats
from proband.stats.judges import Corrected, judge_corrected_mean

Rng = np.random.Generator


def verdicts(mean: float, errors: float, n: int, people: int, size: int, rng: Rng) -> tuple[Floats, Floats, list[int]]:
    """The judge's, people's on whole clusters (NaN elsewhere), and the clusters."""
    member, r = np.arange(n) // size, 0.2 if size > 1 else 0.0
    z = np.sqrt(r) * rng.standard_normal(n)[member] + np.sqrt(1 - r) * rng.standard_normal(n)
    truth = (z < ndtri(mean)).astype(float)
    judge = np.where(rng.random(n) < errors, rng.random(n) < 0.9, truth).astype(float)
    chosen = np.isin(member, rng.permutation(n // size)[: people // size])
    return judge, np.where(chosen, truth, np.nan), member.tolist()


def repeated(count: int, mean: float, errors: float, n: int, people: int, size: int) -> list[Corrected]:
    rng, found = np.random.default_rng(n), []
    for _ in range(count):
        judge, sampled, clusters = verdicts(mean, errors, n, people, size, rng)
        found.append(judge_corrected_mean(judge, sampled, clusters=clusters))
    return found


@pytest.mark.parametrize(
    ("mean", "errors", "n", "people", "size"),
    [
        (0.95, 0.1, 400, 60, 1),
        *(
            pytest.param(*each, marks=pytest.mark.nightly)
            for each in ((0.6, 0.1, 800, 200, 8), (0.98, 0.05, 1000, 100, 1), (0.95, 0.1, 800, 80, 4))
        ),
    ],
)
def test_people_are_covered_and_the_judge_saves_work(
    mean: float, errors: float, n: int, people: int, size: int
) -> None:
    """Student's t covered .84 to .89 near 1, and an interval had no width where the whole sample was right."""
    found = repeated(200, mean, errors, n, people, size)
    assert np.mean([each.low <= mean <= each.high for each in found]) >= 0.95 - 0.03
    assert all(each.low < each.high for each in found)
    assert np.median([each.gain for each in found]) > 1.3


def test_a_sample_on_which_people_agree_is_as_uncertain_as_alone() -> None:
    judge = [float(i % 3 > 0) for i in range(200)]
    found = judge_corrected_mean(judge, [1.0 if i < 30 else None for i in range(200)])
    assert (found.low, found.high) == pytest.approx(found.alone)
    assert found.alone[0] == pytest.approx(stats.mean([1.0] * 30).low)
    assert found.gain == pytest.approx(1.0)


def test_numbers_of_independent_answers_have_the_interval_of_the_paper() -> None:
    """theta and its variance written out: l^2 var(f)/N and var(y - l f)/n, and what both have in common."""
    rng = np.random.default_rng(1)
    f = 10 * rng.standard_normal(2000)
    y = np.where(np.arange(2000) < 500, f + rng.standard_normal(2000), np.nan)
    found, own = judge_corrected_mean(f, y), y[:500] - judge_corrected_mean(f, y).weight * f[:500]
    value, weight = found.weight * f.mean() + own.mean(), found.weight
    common = 2 * weight * np.cov(f[:500], own)[0, 1] / 2000  # the sample is a part of all answers
    error = np.sqrt(weight**2 * f.var() / 2000 + own.var() / 500 + common)
    t = scipy_stats.t.ppf(0.975, 499)
    assert found.mean == pytest.approx(value)
    assert (found.low, found.high) == pytest.approx((value - t * error, value + t * error), rel=0.02)


def test_few_clusters_are_too_few_and_mistakes_are_named() -> None:
    judge, sampled, _ = verdicts(0.6, 0.1, 200, 100, 1, np.random.default_rng(2))
    assert judge_corrected_mean(judge, sampled, clusters=[i // 40 for i in range(200)]).few
    for given, words in ((sampled[:-1], "name each answer once"), (np.full(200, np.nan), "at least 2 are needed")):
        with pytest.raises(ProbandError, match=words):
            judge_corrected_mean(judge, given)
    with pytest.raises(ProbandError, match="no verdict on answer 0"):
        judge_corrected_mean(np.full(200, np.nan), sampled)
