"""Facts of a relation: an answer outside its answer space, an answer that the question leaks."""

from __future__ import annotations

import json
from pathlib import Path

from tests.suites.facts.conftest import items_of

from proband.core.files import DATA
from proband.core.tables import read_table
from proband.suites.facts.relations import FactRelation, SubjectFact, prompt_of, wrong_wording


def test_an_answer_outside_the_space_is_left_out() -> None:
    rome, oslo = SubjectFact(subject="Italy", objects=("Rome",)), SubjectFact(subject="Norway", objects=("Oslo",))
    made = FactRelation(name="c", wordings=("[X] [Y]",), facts=(rome, oslo), space=("Paris", "Oslo")).checked()
    assert made.facts == (oslo,)
    assert "'Rome' is not an answer" in made.left_out[0]


def test_another_name_of_a_right_answer_is_no_wrong_answer(tmp_path: Path) -> None:
    """Aliases count for every subject that has the object."""
    file = tmp_path / "country.jsonl"
    rows = [("London", "United Kingdom", ["UK"]), ("Leeds", "UK", []), ("Paris", "France", [])]
    file.write_text("".join(f"{json.dumps(dict(zip(('subject', 'object', 'obj_aliases'), row)))}\n" for row in rows))
    choices = {item.facts["subject"]: item.choices for item in items_of(data=str(file))}
    assert choices["London"] == ("United Kingdom", "France")
    assert choices["Leeds"] == ("UK", "France")
    assert choices["Paris"] == ("United Kingdom", "UK", "France")


def test_what_our_own_lists_call_true_is_no_wrong_answer() -> None:
    right = {("colour", "coal", "grey"), ("material", "table", "glass"), ("language", "Israel", "Arabic")}
    right |= {("part", "seed", "apple"), ("part", "roof", "church"), ("part", "pedal", "car")}
    items = {(str(item.tags["relation"]), item.facts["subject"]): item for item in items_of()}
    assert all((relation, subject) in items for relation, subject, _ in right)
    assert not [each for each in right if each[2] in items[each[:2]].choices]
    assert "grey" not in items["colour", "coal"].facts["accepted"]  # it is not asked either
    for row in read_table(DATA / "analogy" / "usual_values.tsv"):
        if item := items.get((row.cells["relation"], row.cells["head"])):
            wrong = {choice for place, choice in enumerate(item.choices) if place != item.gold}
            assert not wrong & set(row.cells["tails"].split("/")), item.id


def test_wordings_and_prompts() -> None:
    assert wrong_wording("The capital of [X] is Paris.") == "'The capital of [X] is Paris.' must have [Y] once"
    assert prompt_of("[X] is usually [Y].", "snow") == "Snow is usually ___."


def test_leaks_are_tagged(tmp_path: Path) -> None:
    file = tmp_path / "country.csv"
    file.write_text("subject,object\nBank of Scotland,Scotland\nRenault,France\n", encoding="utf-8")
    assert [item.tags["leak"] for item in items_of(data=str(file))] == [True, False]
