"""Every released format, its direction, and bad lines."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from proband.core.errors import ProbandError
from proband.suites.inference.build import leaks
from proband.suites.inference.datasets.formats import detect, examples
from proband.suites.inference.items import facts_of, items
from proband.suites.inference.methods.lemma import features


def write(path: Path, *lines: str) -> Path:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def test_levy_dagan_rows_put_the_hypothesis_left_and_the_type_is_filled_in(tmp_path: Path) -> None:
    path = write(tmp_path / "x.tsv", "country, exports, coffee\tthe coffee, is grown in, kenya\ty")
    name, (found,) = examples(path, "auto")
    assert name == "levy-dagan"
    assert found.premise.text == "the coffee is grown in kenya"
    assert found.hypothesis.text == "kenya exports coffee"
    assert (found.straight, found.entailed, found.typed) == (False, True, ("", "country"))


def test_levy_holt_rows_mean_that_right_entails_left(tmp_path: Path) -> None:
    row = "animal, has, wings\tthe grackle, soared with, wings\tTrue"
    _, (ours,) = examples(write(tmp_path / "test.txt", row), "auto")
    assert ours.premise.relation == "soared with"


def test_the_question_of_levy_holt_is_the_triple_whose_type_was_filled_in(tmp_path: Path) -> None:
    write(
        tmp_path / "test.txt",
        "the grackle, soared with, wings\tanimal, has, wings\tFalse",
        "animal, has, wings\tthe grackle, soared with, wings\tTrue",
    )
    write(
        tmp_path / "test_s.txt",
        "The grackle,soared with,Wings\tThe grackle,has,Wings\tFalse",
        "The grackle,has,Wings\tThe grackle,soared with,Wings\tTrue",
    )
    write(tmp_path / "test_dir.txt", "animal, has, wings\tthe grackle, soared with, wings\tTrue")
    _, (back, forth) = examples(tmp_path, "auto")
    assert back.question == forth.question == "animal, has, wings"
    assert (back.direction, forth.direction) == ("question to answer", "answer to question")
    assert back.pair == forth.pair
    assert (back.directional, forth.directional) == (False, True)


def test_zeichners_tables_split_texts_at_the_relation(tmp_path: Path) -> None:
    header = "rule_lhs\trule_rhs\tlhs\trhs\tjudgment\tconfidence"
    row = "be puzzled by\tperplex@R@\tchildren be puzzled by faces\tfaces perplex children\tYes\t1"
    name, (found,) = examples(write(tmp_path / "z.txt", header, row), "auto")
    assert (name, found.straight, found.entailed) == ("zeichner", False, True)
    assert found.hypothesis == ("faces", "perplex", "children")


ZEICHNER = """rule_lhs	rule_rhs	lhs	rhs	judgment	confidence
shelter from	protect from	a roof shelter from rain	a roof protect from rain	Yes	1
be read by	read@R@	the letter be read by the clerk	the clerk read the letter	Yes	0.9
read	be read by@R@	the clerk read the letter	the letter be read by the clerk	yes	1
"""
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


def test_a_readme_beside_the_data_does_not_stop_a_reader(tmp_path: Path) -> None:
    (tmp_path / "annotations.txt").write_text(ZEICHNER, encoding="utf-8")
    before = examples(tmp_path, "auto")
    for name in ("README.md", "README", "LICENSE.txt", ".DS_Store"):
        (tmp_path / name).write_bytes(b"\xff about these files\n")
    assert examples(tmp_path, "auto") == before
    assert len(before[1]) == 3


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


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("a, b, c\td, e, f", "x.txt line 2: has 2 cells, not 3"),
        ("a, b\td, e, f\tTrue", "x.txt line 2: the left triple 'a, b' is not"),
        ("a, b, c\td, , f\tTrue", "x.txt line 2: the right triple 'd, , f' is not"),
        ("a, b, c\td, e, f\tmaybe", "x.txt line 2: the label is 'maybe'"),
    ],
)
def test_bad_lines_are_named(tmp_path: Path, line: str, message: str) -> None:
    path = write(tmp_path / "x.txt", "a, b, c\td, e, f\tTrue", line)
    with pytest.raises(ProbandError, match=message.replace("(", r"\(")):
        examples(path, "levy-holt")


def test_a_file_that_could_mean_either_direction_needs_its_format(tmp_path: Path) -> None:
    with pytest.raises(ProbandError, match="name one of levy-dagan, levy-holt, zeichner"):
        detect(write(tmp_path / "pairs.tsv", "a, b, c\td, e, f\tTrue"))


def test_leaks_between_splits_are_counted(tmp_path: Path) -> None:
    row = "animal, has, wings\tthe grackle, soared with, wings\tTrue"
    for name in ("dev", "test"):
        write(tmp_path / f"{name}.txt", row)
    _, found = examples(tmp_path, "auto")
    assert leaks(found)["pairs_in_test_and_valid"] == 1


@pytest.mark.nightly
@pytest.mark.data
def test_the_released_files_have_their_published_counts(data: Path) -> None:
    _, found = examples(data / "levy_dagan2016", "auto")
    assert Counter(each.entailed for each in found) == {True: 3147, False: 13224}
    _, both = examples(data / "levy_holt", "auto")
    assert Counter(each.split for each in both) == {"test": 12921, "valid": 5486}
    assert Counter(each.split for each in both if each.directional) == {"test": 1784, "valid": 630}
