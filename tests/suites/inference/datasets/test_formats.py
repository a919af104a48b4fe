"""Every released format, its direction, and bad lines."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from tests.suites.inference.datasets.conftest import ZEICHNER, write

from proband.core.errors import ProbandError
from proband.suites.inference.build import leaks
from proband.suites.inference.datasets.formats import examples


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
