"""The frequency analysis against scipy, brute force, and a planted effect."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from proband.core.errors import ProbandError
from proband.core.types import Answer, Item
from proband.suites.analogy import SUITE, frequency


def test_ranks_and_spearman_agree_with_scipy() -> None:
    rng = np.random.default_rng(0)
    a = rng.integers(0, 8, 40).astype(float)
    b = a + rng.integers(0, 12, 40)
    assert frequency.ranks(a).tolist() == stats.rankdata(a).tolist()
    rho, p = frequency.spearman(a, b, seed=0, draws=5000)
    theirs = stats.spearmanr(a, b)
    assert rho == pytest.approx(theirs.statistic)
    assert p == pytest.approx(theirs.pvalue, abs=0.01)
    assert frequency.spearman([1, 1, 1, 1], [1, 2, 3, 4], seed=0) == (None, None)


def test_cliffs_delta_by_brute_force() -> None:
    rng = np.random.default_rng(1)
    a, b = rng.integers(0, 6, 30), rng.integers(1, 7, 20)
    slow = np.mean([np.sign(x - y) for x in a for y in b])
    assert frequency.cliffs_delta(a, b) == pytest.approx(slow)


def test_a_frequency_file_and_its_errors(tmp_path: Path) -> None:
    path = tmp_path / "counts.txt"
    path.write_text("paris 30\nnew york\t7\nParis 10\n")
    known = frequency.from_file(path)
    assert (known("PARIS"), known("New York"), known("rome")) == (40.0, 7.0, 0.0)
    path.write_text("paris 30\nrome many\n")
    with pytest.raises(ProbandError, match="line 2: must be a word and its count"):
        frequency.from_file(path)


def test_wordfreq_orders_words_as_one_expects() -> None:
    known = frequency.from_wordfreq()
    assert known("house") > known("chalet") > 0


def choices() -> list[Item]:
    built = SUITE.build(per_relation=200, relations="capital, verb : past").items
    return [item for item in built if isinstance(item, Item) and item.tags["paper_probe"] == "random"]


def test_a_planted_effect_is_found_and_noise_is_not() -> None:
    """Where answers are right if and only if the tuple is frequent, the effect is complete; where they are right by
    whole tuples at random, the item-wise test cries wolf and the test by tuples does not."""
    items = choices()
    known = frequency.from_wordfreq()
    middle = float(np.median([frequency.harmonic(frequency.output_pair(i), known) for i in items]))

    def answer(item: Item, right: bool) -> Answer:
        gold = item.gold or 0
        return Answer(item_id=item.id, scores=tuple(float((k == gold) == right) for k in range(2)))

    planted = [answer(i, frequency.harmonic(frequency.output_pair(i), known) > middle) for i in items]
    for effect in frequency.analyse(items, planted, known, seed=0):
        assert effect.delta == pytest.approx(1.0)
        assert effect.p_holm is not None
        assert effect.p_holm < 1e-6
        assert effect.p_tuples_holm is not None
        assert effect.p_tuples_holm < 0.01
    rng = np.random.default_rng(5)
    lucky = {
        pair: bool(rng.random() < 0.5) for pair in {frequency.output_pair(i) for i in sorted(items, key=lambda x: x.id)}
    }
    told = frequency.analyse(items, [answer(i, lucky[frequency.output_pair(i)]) for i in items], known, seed=0)
    assert all(e.p_tuples is None or e.p_tuples > 0.005 for e in told)
    assert {e.right + e.wrong for e in told} == {200}
    assert "| capital : country |" in frequency.markdown(told)
