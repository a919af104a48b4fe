"""Table 3.1's figures, on a bank that can be counted."""

from __future__ import annotations

import pytest

from proband.suites.kinship.telling.bank import load_bank, parse_bank
from proband.suites.kinship.telling.bank_statistics import jaccard, statistics, words_of


def test_counted_by_looking() -> None:
    text = "== parent\n{1} is {0}'s {1 of 0}.\n{1} is the {1 of 0} of {0}.\n== parent sibling\n{0}, {1} and {2} met."
    found = statistics(parse_bank(text, name="mine"))
    assert found.paraphrases == {1: 2, 2: 1}
    assert found.clauses == {1: 1, 2: 1}
    one = set(words_of("ent_1_male is ent_0_male's father"))
    other = set(words_of("ent_1_male is the father of ent_0_male"))
    assert found.unigrams == pytest.approx(jaccard(one, other))


def test_of_ours() -> None:
    found = statistics(load_bank())
    assert found.paraphrases[1] > 20_000
    assert found.clauses[1] > 0
    assert found.vocabulary > 3_000
    assert 0 < found.bigrams < found.unigrams < 0.5
