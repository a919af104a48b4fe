"""The frequency analysis against brute force and a planted effect."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from scipy import stats

from proband.core.types import Answer, Item, Run
from proband.suites.analogy.paper import findings as frequency


def test_cliffs_delta_by_brute_force() -> None:
    rng = np.random.default_rng(1)
    a, b = rng.integers(0, 6, 30), rng.integers(1, 7, 20)
    slow = np.mean([np.sign(x - y) for x in a for y in b])
    assert frequency.cliffs_delta(a, b) == pytest.approx(slow)


def test_wordfreq_orders_words_as_one_expects() -> None:
    known = frequency.from_wordfreq()
    assert known("house") > known("chalet") > 0


@pytest.fixture(scope="module")
def choices(built: Any) -> list[Item]:
    items = built(per_relation=200, relations="capital, verb : past")
    return [item for item in items if item.tags["paper_probe"] == "random"]


def answered(items: Sequence[Item], right: Callable[[Item], bool]) -> list[tuple[Item, Answer]]:
    return [(i, Answer(item_id=i.id, scores=tuple(float((k == i.gold) == right(i)) for k in range(2)))) for i in items]


def middle(items: Sequence[Item], known: frequency.Frequency) -> float:
    return float(np.median([frequency.harmonic(frequency.output_pair(i), known) for i in items]))


def test_a_planted_effect_is_found_and_noise_is_not(choices: list[Item]) -> None:
    """Where answers are right if and only if the tuple is frequent, the effect is complete; where they are right by
    whole tuples at random, the item-wise test sees an effect and the test by tuples does not."""
    known = frequency.from_wordfreq()
    limit = middle(choices, known)
    planted = answered(choices, lambda i: frequency.harmonic(frequency.output_pair(i), known) > limit)
    for effect in frequency.effects_of(planted, known):
        assert effect.delta == pytest.approx(1.0)
        assert effect.p is not None
        assert effect.p < 1e-6
        assert effect.p_tuples is not None
        assert effect.p_tuples < 0.005
    rng = np.random.default_rng(5)
    lucky = {pair: bool(rng.random() < 0.5) for pair in sorted({frequency.output_pair(i) for i in choices})}
    found = frequency.effects_of(answered(choices, lambda i: lucky[frequency.output_pair(i)]), known)
    assert all(e.p_tuples is None or e.p_tuples > 0.005 for e in found)
    assert {e.right + e.wrong for e in found} == {200}


@dataclass
class Two:
    """Two runs on one item set."""

    pairs: Sequence[list[tuple[Item, Answer]]]
    labels: Sequence[str] = ("planted", "perfect")
    runs: Sequence[Run] = ()
    manifest: Mapping[str, Any] = field(default_factory=dict)

    def items(self) -> Iterator[Item]:
        return (item for item, _ in self.pairs[0])

    def answers(self, run: int) -> Iterator[tuple[Item, Answer]]:
        return iter(self.pairs[run])

    scored = answers


def test_the_sheet_has_a_line_per_run_and_relation_and_two_outcomes(choices: list[Item]) -> None:
    known = frequency.from_wordfreq()
    limit = middle(choices, known)
    planted = answered(choices, lambda i: frequency.harmonic(frequency.output_pair(i), known) > limit)
    (sheet,) = frequency.analysis(Two([planted, answered(choices, lambda i: True)]), 0)
    assert [row[:2] for row in sheet.rows] == [
        (run, relation) for run in ("planted", "perfect") for relation in ("capital : country", "verb : past")
    ]
    assert {len(row) for row in sheet.rows} == {len(sheet.header)}
    assert set(sheet.outcomes) == {frequency.BY_ITEM, frequency.BY_TUPLE}
    by_item = sheet.outcomes[frequency.BY_ITEM]
    assert by_item["planted"].difference == pytest.approx(-2 / 3)
    assert by_item["planted"].p == pytest.approx(1 / 9)
    assert "2 of 2 relations, 2 after Holm" in by_item["planted"].evidence
    assert by_item["perfect"].p is None


def test_the_outcome_is_the_share_without_effect_by_a_binomial_test() -> None:
    raw = [0.01] * 6 + [0.5] * 34
    told = frequency.outcome("zero-shot", raw, corrected=[None] * 40, sizes=[0.1] * 40)
    assert told.difference == pytest.approx(34 / 40 - 2 / 3)
    assert told.evidence == "zero-shot: p < 0.05 in 6 of 40 relations, 0 after Holm; median effect 0.10"
    assert told.p == pytest.approx(stats.binomtest(34, 40, 2 / 3).pvalue)
