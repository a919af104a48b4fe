"""Zeichner's tables: how texts are split, and bad rows."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.suites.inference.datasets.conftest import ZEICHNER, write

from proband.core.errors import ProbandError
from proband.suites.inference.build import leaks
from proband.suites.inference.datasets.formats import examples
from proband.suites.inference.items import facts_of, items
from proband.suites.inference.methods.lemma import features


def test_zeichners_tables_split_texts_at_the_relation(tmp_path: Path) -> None:
    header = "rule_lhs\trule_rhs\tlhs\trhs\tjudgment\tconfidence"
    row = "be puzzled by\tperplex@R@\tchildren be puzzled by faces\tfaces perplex children\tYes\t1"
    name, (found,) = examples(write(tmp_path / "z.txt", header, row), "auto")
    assert (name, found.straight, found.entailed) == ("zeichner", False, True)
    assert found.hypothesis == ("faces", "perplex", "children")


ZEICHNER_NOT = """rule_lhs	rule_rhs	lhs	rhs	judgment	confidence
be fond of	be fond of@R@	the cat be fond of milk	milk be fond of the cat	No	1
wait for	lead to	a storm wait for nobody	a storm lead to somebody	no	0.8
"""


def test_a_folder_of_zeichners_tables(tmp_path: Path) -> None:
    """Both annotation files, rules that swap the arguments on either side, and a row whose arguments differ."""
    (tmp_path / "entailingAnnotations.txt").write_text(ZEICHNER, encoding="utf-8")
    (tmp_path / "nonEntailingAnnotations.txt").write_text(ZEICHNER_NOT, encoding="utf-8")
    name, found = examples(tmp_path, "auto")
    assert name == "zeichner"
    assert [(each.entailed, each.straight) for each in found] == [
        (True, True), (True, False), (True, False), (False, False), (False, True),
    ]  # fmt: skip
    assert leaks(found)["without_common_argument"] == 1
    by_lemma = [all(features(facts_of(item)).values()) for item in items(found, control="none")]
    assert by_lemma == [False, True, True, False, False]  # a swap without a change of voice is no inference


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("rule_lhs,rule_rhs,lhs\na,b,c\n", "has no column 'rhs'"),
        ("rule_lhs,rule_rhs,lhs,rhs,judgment\na,b,x a y\n", "row 2, column 'rhs': is empty"),
        ("rule_lhs,rule_rhs,lhs,rhs,judgment\na,b,x a y,x c y,Yes\n", "row 2: the relation 'b' does not occur in"),
        ("rule_lhs,rule_rhs,lhs,rhs,judgment\na,b,x a y,x b y,unsure\n", "row 2: the label is 'unsure'"),
    ],
)
def test_bad_tables_of_zeichners_are_named(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "z.csv").write_text(text, encoding="utf-8")
    with pytest.raises(ProbandError, match=message):
        examples(tmp_path / "z.csv", "zeichner")
