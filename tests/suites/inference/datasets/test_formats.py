"""Every released format, its direction, and bad lines."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from tests.suites.inference.datasets.conftest import ZEICHNER, write

from proband.core.errors import ProbandError
from proband.suites.inference.build import leaks
from proband.suites.inference.datasets.formats import detect, examples


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


def test_a_readme_beside_the_data_does_not_stop_a_reader(tmp_path: Path) -> None:
    (tmp_path / "annotations.txt").write_text(ZEICHNER, encoding="utf-8")
    before = examples(tmp_path, "auto")
    for name in ("README.md", "README", "LICENSE.txt", ".DS_Store"):
        (tmp_path / name).write_bytes(b"\xff about these files\n")
    assert examples(tmp_path, "auto") == before
    assert len(before[1]) == 3


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
