"""The frequency analysis against brute force and a planted effect."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from scipy import stats
from tests.suites.analogy.conftest import Two

from proband.core.types import Answer, Item
from proband.suites.analogy.frequencies import Frequency, from_counts, from_wordfreq
from proband.suites.analogy.paper import frequency


def test_cliffs_delta_by_brute_force() -> None:
    rng = np.random.default_rng(1)
    a, b = rng.integers(0, 6, 30), rng.integers(1, 7, 20)
    slow = np.mean([np.sign(x - y) for x in a for y in b])
    assert frequency.cliffs_delta(a, b) == pytest.approx(slow)


@pytest.fixture(scope="module")
def choices(built: Any) -> list[Item]:
    items = built(per_relation=200, relations="capital, verb : past")
    return [item for item in items if item.tags["paper_probe"] == "random"]


def answered(items: Sequence[Item], right: Callable[[Item], bool]) -> list[tuple[Item, Answer]]:
    return [(i, Answer(item_id=i.id, scores=tuple(float((k == i.gold) == right(i)) for k in range(2)))) for i in items]


def middle(items: Sequence[Item], known: Frequency) -> float:
    return float(np.median([frequency.harmonic(frequency.output_pair(i), known) for i in items]))


def test_a_planted_effect_is_found_and_noise_is_not(choices: list[Item]) -> None:
    """Where answers are right if and only if the tuple is frequent, the effect is complete; where they are right by
    whole tuples at random, the item-wise test sees an effect and the test by tuples does not."""
    known = from_wordfreq()
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


def test_the_sheet_has_a_line_per_run_and_relation_and_two_outcomes(choices: list[Item]) -> None:
    known = from_wordfreq()
    limit = middle(choices, known)
    planted = answered(choices, lambda i: frequency.harmonic(frequency.output_pair(i), known) > limit)
    (sheet,) = frequency.analysis(Two([planted, answered(choices, lambda i: True)]), 0)
    assert [row[:2] for row in sheet.rows] == [
        (run, relation) for run in ("planted", "perfect") for relation in ("capital : country", "verb : past")
    ]
    assert {len(row) for row in sheet.rows} == {len(sheet.header)}
    assert set(sheet.outcomes) == {frequency.BY_ITEM, frequency.BY_TUPLE, frequency.EXCEPTIONS}
    assert "Frequencies: wordfreq" in sheet.note
    by_item = sheet.outcomes[frequency.BY_ITEM]
    assert by_item["planted"].difference == pytest.approx(-2 / 3)
    assert by_item["planted"].p == pytest.approx(1 / 9)
    assert "2 of 2 relations, 2 after Holm" in by_item["planted"].evidence
    assert by_item["perfect"].p is None


def test_the_outcome_is_the_share_without_effect_by_a_binomial_test() -> None:
    raw = [0.01] * 6 + [0.5] * 34
    outcome = frequency.outcome("zero-shot", raw, corrected=[None] * 40, sizes=[0.1] * 40)
    assert outcome.difference == pytest.approx(34 / 40 - 2 / 3)
    assert outcome.evidence == "zero-shot: p < 0.05 in 6 of 40 relations, 0 after Holm; median effect 0.10"
    assert outcome.p == pytest.approx(stats.binomtest(34, 40, 2 / 3).pvalue)


def true_or_false(count: int = 25) -> list[Item]:
    """The random probe of one relation as the supervised setting has it: each tuple in `count` - 1 true items, and
    negatives that join its head to the tail of another."""
    items = []
    for i in range(count):
        for j in range(count):
            if i != j:
                for gold, pair in ((0, (f"h{j}", f"t{j}")), (1, (f"h{j}", f"t{(j + i) % count}"))):
                    items.append(
                        Item(
                            id=f"{i}.{j}.{gold}",
                            suite="analogy",
                            prompt="?",
                            choices=("true", "false"),
                            gold=gold,
                            tags={"relation": "r", "paper_probe": "random", "setting": "supervised"},
                            facts={"query": [f"h{i}", f"t{i}"], "option": list(pair)},
                        )
                    )
    return items


def test_the_unit_is_a_tuple_of_the_list_and_not_a_combination_of_its_words() -> None:
    """Answers that depend on the head alone, at random: combinations of heads and tails share heads, so a test over
    them finds an effect of frequency in most relations; over the 25 tuples of the list it is found in one of twenty."""
    items, found, by_items = true_or_false(), 0, 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        often = {f"{side}{n}": float(rng.lognormal(8, 2)) for side in "ht" for n in range(25)}
        luck = {f"h{n}": float(rng.random()) for n in range(25)}
        right = [bool(rng.random() < luck[item.facts["option"][0]]) for item in items]
        answers = [
            (item, Answer(item_id=item.id, scores=(1.0, 0.0) if (item.gold == 0) == well else (0.0, 1.0)))
            for item, well in zip(items, right, strict=True)
        ]
        (effect,) = frequency.effects_of(answers, from_counts(often))
        assert effect.tuples == 25
        assert effect.p is not None
        assert effect.p_tuples is not None
        found, by_items = found + (effect.p_tuples < 0.05), by_items + (effect.p < 0.05)
    assert by_items > 40
    assert found <= 7


@pytest.mark.parametrize(("others", "holds"), [(0.5, True), (0.01, False)])
def test_exceptions_are_rarer_than_the_rule(others: float, holds: bool) -> None:
    ps = {"male : female": 0.01, "adj : comparative": 0.02, **{f"other {n}": others for n in range(9)}}
    effects = [
        frequency.Effect(
            relation=relation, right=1, wrong=1, gap=None, p=None, delta=None, tuples=25, rho=0.5 - p, p_tuples=p
        )
        for relation, p in ps.items()
    ]
    outcome = frequency.exceptions(effects)
    assert outcome is not None
    assert outcome.p == (0.02 if holds else None)
    assert outcome.unit == "count"  # a correlation, no difference of p
    assert outcome.difference == pytest.approx(0.48)
    assert f"{0 if holds else 9} of 9 other relations" in outcome.evidence
