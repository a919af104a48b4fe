"""What a person who judges gets to see."""

from __future__ import annotations

import unicodedata
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from proband.core.files import encode
from proband_annotate.kinds.judge import figures, masked, shown, units


@pytest.mark.parametrize(
    ("text", "answers", "wanted"),
    [
        ("South Sudan left Sudan.", ["Sudan", "South Sudan"], "[PLACE] left [PLACE]."),
        ("SOUTH \n sudan grew.", ["South Sudan"], "[PLACE] grew."),
        ("The Sudanese met in Sudan-town.", ["Sudan"], "The Sudanese met in [PLACE]-town."),
        ("C++ is not C.", ["C++", "C"], "[PLACE] is not [PLACE]."),
        (unicodedata.normalize("NFD", "Côte d'Ivoire grew."), ["Côte d'Ivoire"], "[PLACE] grew."),
        ("Côte d\u2019Ivoire grew.", ["Côte d'Ivoire"], "[PLACE] grew."),
        ("The Guinea\u2011Bissau of GUINEA\u2013BISSAU.", ["Guinea-Bissau"], "The [PLACE] of [PLACE]."),
        ("In der STRASSE, groß.", ["Straße"], "In der [PLACE], groß."),
        ("İstanbul ist İstanbul.", ["İstanbul"], "[PLACE] ist [PLACE]."),
        ("Nothing to hide.", ["", "  "], "Nothing to hide."),
    ],
)
def test_every_answer_is_masked_however_it_is_written(text: str, answers: list[str], wanted: str) -> None:
    assert masked(text, answers, "place") == wanted


def test_a_type_is_text_and_no_pattern() -> None:
    assert masked("Sudan", ["Sudan"], r"\1\x \g<0>") == r"[\1\X \G<0>]"


def body(question: str, *pairs: tuple[str, str]) -> dict[str, Any]:
    return {
        "question": question,
        "q_type": "country",
        "candidates": [
            {"id": f"{answer}-{n}", "text": text, "answer": answer} for n, (text, answer) in enumerate(pairs)
        ],
    }


def test_no_candidate_tells_of_another_and_no_id_is_shown() -> None:
    made = shown(body("Who borders Chad?", ("Libya borders Chad.", "Libya"), ("Niger is near Libya.", "Niger")))
    assert made["candidates"] == ["[COUNTRY] borders Chad.", "[COUNTRY] is near [COUNTRY]."]
    assert "Libya" not in str(made)
    assert "Niger" not in str(made)


def test_a_word_of_the_question_is_hidden_in_its_own_sentence_only() -> None:
    made = shown(body("Who borders Chad?", ("Chad meets Libya.", "Chad"), ("Libya borders Chad.", "Libya")))
    assert made["candidates"] == ["[COUNTRY] meets [COUNTRY].", "[COUNTRY] borders Chad."]
    ivory = "Côte d'Ivoire"
    made = shown(body("Who borders Côte d\u2019Ivoire?", (f"Mali meets {ivory}.", "Mali"), (f"{ivory}.", ivory)))
    assert made["candidates"] == [f"[COUNTRY] meets {ivory}.", "[COUNTRY]."]


def test_people_may_judge_sentences_without_triples(tmp_path: Path) -> None:
    """What a build needs of a questionnaire (`q_rel`, `subject`) is optional here."""
    sheet = {**body("Who borders Chad?", ("Libya borders Chad.", "Libya")), "id": "q1"}
    (tmp_path / "questionnaires.jsonl").write_bytes(encode(sheet) + b"\n")
    assert [unit.id for unit in units(tmp_path)] == ["q1"]


def test_pairs_on_which_people_do_not_agree_are_missed_positives() -> None:
    labels = {"q1 a": "yes", "q1 b": None, "q2 a": "yes", "q2 b": "no", "q3 a": "yes"}
    expert = {"q1 a": "yes", "q1 b": "yes", "q2 a": "yes", "q2 b": "yes", "q3 a": "no"}
    given = [SimpleNamespace(item_id=part, value=value) for part, value in expert.items()]
    results: Any = SimpleNamespace(labels=labels, groups={}, judgments=lambda panel: given)
    made = figures(results)
    assert made["recall_of_all"]["here"] == 0.5
    assert made["recall_of_agreed"]["here"] == pytest.approx(2 / 3)
    assert made["precision"]["here"] == pytest.approx(2 / 3)
