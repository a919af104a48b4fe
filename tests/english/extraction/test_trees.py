"""Dialects of labels become one tree, whatever hangs from what in them."""

from __future__ import annotations

from tests.english.extraction.conftest import found

from proband.english.extraction.trees import LABELS, token, tree


def test_dialects_agree() -> None:
    """The same sentence in three dialects."""
    ud = "Rome/PROPN/nsubj/2 sent/VERB/ROOT/0 troops/NOUNS/obj/2 to/ADP/case/5 Gaul/PROPN/obl/2"
    stanford = "Rome/NNP/nsubj/2 sent/VBD/ROOT/0 troops/NNS/dobj/2 to/TO/prep/2 Gaul/NNP/pobj/4"
    assert found(ud) == found(stanford) == ["Rome | sent troops to | Gaul", "Rome | sent | troops"]
    assert "root" in LABELS.values()


def rewritten(text: str) -> list[tuple[str, int]]:
    """Label and place of the head of each word, counted from 1."""
    cells = [each.rsplit("/", 3) for each in text.split(" ")]
    parsed = tree(token(word, tag, label, int(head) - 1) for word, tag, label, head in cells)
    return [(one.dep, one.head + 1) for one in parsed.tokens]


def test_a_preposition_hangs_from_its_noun() -> None:
    text = "Rome/NNP/nsubj/2 sent/VBD/ROOT/0 troops/NNS/dobj/2 to/TO/prep/2 Gaul/NNP/pobj/4"
    assert rewritten(text) == [("nsubj", 2), ("root", 0), ("obj", 2), ("case", 5), ("obl", 2)]


def test_what_something_became_is_the_head_and_the_verb_its_copula() -> None:
    text = "Paris/NNP/nsubj/2 became/VBD/ROOT/0 the/DT/det/4 capital/NN/attr/2 of/IN/prep/4 France/NNP/pobj/5"
    assert rewritten(text) == [("nsubj", 4), ("cop", 4), ("det", 4), ("root", 0), ("case", 6), ("nmod", 4)]


def test_one_in_five_customers_are_customers() -> None:
    text = "one/CD/nsubj/5 in/IN/case/4 five/CD/nummod/4 customers/NNS/nmod/1 pay/VBP/ROOT/0"
    assert rewritten(text) == [("nummod", 4), ("case", 3), ("nummod", 1), ("nsubj", 5), ("root", 0)]
