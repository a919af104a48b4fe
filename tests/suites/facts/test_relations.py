"""Facts of a relation: an answer outside its answer space, an answer that the question leaks."""

from __future__ import annotations

from pathlib import Path

from tests.suites.facts.conftest import items_of

from proband.suites.facts.relations import FactRelation, SubjectFact


def test_an_answer_outside_the_space_is_left_out() -> None:
    rome, oslo = SubjectFact(subject="Italy", objects=("Rome",)), SubjectFact(subject="Norway", objects=("Oslo",))
    made = FactRelation(name="c", wordings=("[X] [Y]",), facts=(rome, oslo), space=("Paris", "Oslo")).checked()
    assert made.facts == (oslo,)
    assert "'Rome' is not an answer" in made.left_out[0]


def test_leaks_are_tagged(tmp_path: Path) -> None:
    file = tmp_path / "country.csv"
    file.write_text("subject,object\nBank of Scotland,Scotland\nRenault,France\n", encoding="utf-8")
    assert [item.tags["leak"] for item in items_of(data=str(file))] == [True, False]
