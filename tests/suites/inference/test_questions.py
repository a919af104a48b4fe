"""Questions as lines of type, relation and argument."""

from __future__ import annotations

from pathlib import Path

import pytest

from proband.core.errors import ProbandError
from proband.suites.inference.questions import TypedQuestion, read


@pytest.mark.parametrize("text", ["Which country borders Ethiopia?", "a\tb", "a\t\tb", "country, borders", "a, b, "])
def test_what_does_not_fit(tmp_path: Path, text: str) -> None:
    path = tmp_path / "q.txt"
    path.write_text(f"# questions\nperson, wrote, Hamlet\n{text}\n", encoding="utf-8")
    with pytest.raises(ProbandError, match=r"q\.txt line 3: must be `type, relation, argument`"):
        read(path)


def test_commas_and_tabs(tmp_path: Path) -> None:
    path = tmp_path / "q.tsv"
    path.write_text(
        "q_type\tq_rel\tq_arg\ncountry\tborders\tEthiopia\n\ncountry, borders,  Ethiopia\n", encoding="utf-8"
    )
    assert read(path) == [TypedQuestion("country", "borders", "Ethiopia")]
    path.write_text("city, is between, Rome, Naples and the sea\n", encoding="utf-8")
    assert read(path) == [TypedQuestion("city", "is between", "Rome, Naples and the sea")]
    path.write_text("drug, treats, pain\taspirin, relieves, pain\ty\n", encoding="utf-8")
    assert read(path) == [TypedQuestion("drug", "treats", "pain")]
    path.write_text("\n", encoding="utf-8")
    with pytest.raises(ProbandError, match="contains no questions"):
        read(path)


@pytest.mark.data
def test_the_questions_of_the_released_data(data: Path) -> None:
    assert len(read(data / "levy_dagan2016" / "levy_dagan_all.tsv")) == 564
