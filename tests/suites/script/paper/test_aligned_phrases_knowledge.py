"""Mutual information by hand, and phrases out of alignments."""

from __future__ import annotations

import math

import pytest

from proband.suites.script.paper import aligned_phrases
from proband.suites.script.paper.aligned_phrases import Aligned


def test_mutual_information_by_hand() -> None:
    """Ten tuples: (oil, pour) 3, (oil, pan) 1, (egg, crack) 4, (egg, pan) 2."""
    pairs = [("oil", "pour")] * 3 + [("oil", "pan")] + [("egg", "crack")] * 4 + [("egg", "pan")] * 2
    rows = {(row.abstract, row.concrete): row for row in aligned_phrases.table(pairs, least=1)}
    row = rows["oil", "pour"]
    assert row.pmi == pytest.approx(math.log((3 / 10) / ((4 / 10) * (3 / 10))))  # log 2.5
    assert row.npmi == pytest.approx(math.log(2.5) / -math.log(0.3))
    assert rows["oil", "pan"].pmi == pytest.approx(math.log((1 / 10) / ((4 / 10) * (3 / 10))))  # below 0: repelled
    assert (row.count, row.count_abstract, row.count_concrete) == (3, 4, 3)
    assert [r.pmi for r in aligned_phrases.table(pairs, least=1)] == sorted(
        (r.pmi for r in rows.values()), reverse=True
    )
    assert ("oil", "pan") not in {(r.abstract, r.concrete) for r in aligned_phrases.table(pairs, least=2)}


def test_a_pair_that_always_goes_together_has_npmi_one() -> None:
    rows = aligned_phrases.table([("a", "x")] * 2 + [("b", "y")] * 6, least=1)
    assert [row.npmi for row in rows] == pytest.approx([1.0, 1.0])


def test_backwards_counts_every_phrase_with_the_word() -> None:
    pairs = [("stir", "wire whisk")] * 2 + [("stir", "whisk")] + [("cut", "knife")] * 3
    (row,) = aligned_phrases.to_abstract(aligned_phrases.table(pairs, least=1), "whisk", least=1)
    assert (row.abstract, row.count) == ("stir", 3)
    assert row.pmi == pytest.approx(math.log((3 / 6) / ((3 / 6) * (3 / 6))))
    assert aligned_phrases.to_abstract(aligned_phrases.table(pairs, least=1), "whi") == []


def test_tuples_follow_the_alignment() -> None:
    text = "get a big strainer , the sink and noodles ."
    one = Aligned(("drain", "the", "pasta", "."), tuple(text.split()), (0, 0, 0, 0, 0, 2, 2, 2, 2, 3))
    found = list(aligned_phrases.tuples([one], {"big", "strainer", "sink", "noodles"}, stop={"the"}))
    assert found == [("drain", "big strainer"), ("pasta", "sink and noodles")]


def test_words_of_the_abstract_line_are_no_news() -> None:
    one = Aligned(("heat", "oven"), ("turn", "the", "oven", "dial"), (0, 0, 1, 1))
    assert list(aligned_phrases.tuples([one], {"oven", "dial", "turn"})) == [("heat", "turn"), ("oven", "dial")]
