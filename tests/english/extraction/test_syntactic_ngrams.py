"""Lines of syntactic n-grams: assertions with their counts, one look per shape, and lines that are none."""

from __future__ import annotations

import pytest

from proband.core.errors import ProbandError
from proband.english.extraction.syntactic_ngrams import NgramReader

INVADED = "invaded\t{}/NNP/nsubj/2 invaded/VBD/ccomp/0 {}/NNP/dobj/2\t{}\t1936,5"


def test_n_grams_of_one_shape_are_analysed_once() -> None:
    reader = NgramReader()
    assert reader.read(INVADED.format("Italy", "Ethiopia", 12)) == [(("Italy", "invaded", "Ethiopia"), 12)]
    assert reader.read(INVADED.format("Rome", "Gaul", 3)) == [(("Rome", "invaded", "Gaul"), 3)]
    assert len(reader.shapes) == 1
    passive = "invaded\tGaul/NNP/nsubjpass/3 was/VBD/auxpass/3 Invaded/VBN/ROOT/0 by/IN/prep/3 Rome/NNP/pobj/4\t2"
    assert reader.read(passive) == [(("Gaul", "was invaded by", "Rome"), 2)]
    assert len(reader.shapes) == 2


def test_n_grams_without_an_assertion_give_nothing() -> None:
    reader = NgramReader()
    assert reader.read("dog\tthe/DT/det/2 dog/NN/pobj/0\t9") == []  # no label that a rule needs
    assert reader.shapes == {}
    assert reader.read("fell\tRome/NNP/nsubj/2 fell/VBD/ROOT/0\t9") == []  # nothing is related
    assert reader.read(INVADED.format("Italy", "Ethiopia", 0)) == []  # never seen


def test_a_word_with_a_slash_is_one_word() -> None:
    line = INVADED.format("A/B", "Ethiopia", 4)
    assert NgramReader().read(line) == [(("A/B", "invaded", "Ethiopia"), 4)]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("invaded\tItaly/NNP/nsubj/2", "line 7: not a syntactic n-gram"),
        ("invaded\tItaly/NNP/nsubj invaded/VBD/ROOT/0\t3", "line 7: 'Italy/NNP/nsubj' is not word/tag/label/head"),
        (INVADED.format("Italy", "Ethiopia", "many"), "line 7: counts must be whole numbers"),
    ],
)
def test_a_bad_line_is_named(line: str, reason: str) -> None:
    with pytest.raises(ProbandError, match=reason):
        NgramReader(file="arcs.gz").read(line, 7)
