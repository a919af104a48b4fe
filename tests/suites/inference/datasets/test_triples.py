"""Rows of triples: which side is the question, and the type that was filled in."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from tests.suites.inference.datasets.conftest import write

from proband.core.errors import ProbandError
from proband.suites.inference.datasets.formats import detect, examples


def test_levy_dagan_rows_put_the_hypothesis_left_and_the_type_is_filled_in(tmp_path: Path) -> None:
    path = write(tmp_path / "x.tsv", "country, exports, coffee\tthe coffee, is grown in, kenya\ty")
    name, (found,) = examples(path, "auto")
    assert name == "levy-dagan"
    assert found.premise.text == "the coffee is grown in kenya"
    assert found.hypothesis.text == "kenya exports coffee"
    assert (found.straight, found.entailed, found.typed) == (False, True, ("", "country"))


def test_all_files_of_a_folder_are_read_unless_one_has_the_authors_name(tmp_path: Path) -> None:
    row = "country, exports, coffee\tthe coffee, is grown in, {}\ty"
    for name in ("a.tsv", "b.tsv"):
        write(tmp_path / name, row.format(name))
    (tmp_path / "c.tsv.gz").write_bytes(gzip.compress(row.format("kenya").encode()))
    name, found = examples(tmp_path, "auto")
    assert (name, [each.premise.object for each in found]) == ("levy-dagan", ["a.tsv", "b.tsv", "kenya"])
    write(tmp_path / "levy_dagan_all.tsv", row.format("all"))
    assert [each.premise.object for each in examples(tmp_path, "auto")[1]] == ["all"]


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


def test_a_file_that_could_mean_either_direction_needs_its_format(tmp_path: Path) -> None:
    with pytest.raises(ProbandError, match="name one of levy-dagan, levy-holt, zeichner"):
        detect(write(tmp_path / "pairs.tsv", "a, b, c\td, e, f\tTrue"))
