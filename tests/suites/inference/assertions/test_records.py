"""Records of files that others made."""

from __future__ import annotations

import pytest

from proband.core.errors import ProbandError
from proband.suites.inference.assertions.records import conllu_cells, of_sentence, read_tsv

ROW = "2\trelieves\trelieve\tVERB\t_\t_\t0\troot\t_\t_"


def test_comments_contractions_and_empty_nodes_are_no_words() -> None:
    assert conllu_cells(ROW, "a.conllu", 1)[1] == "relieves"
    for row in ("# text = Aspirin", ROW.replace("2", "2-3", 1), ROW.replace("2", "2.1", 1)):
        assert conllu_cells(row, "a.conllu", 1) == []
    subject = "1\tAspirin\t_\tPROPN\t_\t_\t2\tnsubj\t_\t_"
    pain = "3\tpain\t_\tNOUN\t_\t_\t2\tobj\t_\t_"
    rows = ["# a comment", subject, ROW.replace("2", "2-3", 1), ROW, pain]
    assert of_sentence(rows) == [("Aspirin", "relieves", "pain")]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (ROW.replace("0\troot", "x\troot"), r"a\.conllu line 7: HEAD is 'x', not a number"),
        ("2\trelieves", r"a\.conllu line 7: has 2 columns instead of ten"),
        (ROW.replace("0\troot", "²\troot"), r"a\.conllu line 7: HEAD is '²', not a number"),
        (ROW.replace("0\troot", "9\troot"), r"a\.conllu line 6: HEAD is 9 in a sentence of 1 words"),
    ],
)
def test_a_bad_word_is_named(row: str, message: str) -> None:
    with pytest.raises(ProbandError, match=message):
        of_sentence(["# one", row], "a.conllu", 6)


def test_a_triple_has_a_relation_in_lower_case_and_a_count() -> None:
    assert read_tsv("The  Nile\tFlows through\tEgypt\t 12 ", "a.tsv", 1) == (("The Nile", "flows through", "Egypt"), 12)
    assert read_tsv("a\tb\tc", "a.tsv", 1) == (("a", "b", "c"), 1)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("a\tb", "must be subject, relation, object"),
        ("a\t \tc\t1", "must be subject, relation, object"),
        ("a\tb\tc\t-1", "count '-1' is not a whole number"),
        ("a\tb\tc\t²", "count '²' is not a whole number"),
        (f"a\tb\tc\t{1 << 64}", "is not a whole number of at most 18 digits"),
        ("a\tx, y, z\tc", "'x, y, z' is not a relation"),
        ("a\tdog/NN/nsubj/2\tc", "is not a relation"),
    ],
)
def test_a_bad_triple_is_named(row: str, message: str) -> None:
    with pytest.raises(ProbandError, match=f"a.tsv line 3: .*{message}"):
        read_tsv(row, "a.tsv", 3)
