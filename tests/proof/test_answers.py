"""Answers to questions for yes, no, a thing, an option or a place in an order."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.proof.conftest import judged

import proband


@pytest.mark.parametrize(
    ("domain", "text", "question", "right", "wrong"),
    [
        (
            "grid",
            "To the left of the lamp is a chair. A vase stands left of the chair.",
            "Where is the vase relative to the lamp?",
            "to the left",
            "right",
        ),
        (
            "grid",
            "The stove is left of the sink and the fridge is left of the stove.",
            "Is the fridge left of the sink?",
            "yes",
            "No",
        ),
        (
            "grid",
            "The mug is left of the pen, which is left of the cup.",
            "What is left of the pen?",
            "the mug",
            "the cup",
        ),
        (
            "grid",
            "The attic is above the hall. The hall is above the cellar.",
            "What is directly below the attic?",
            "hall",
            "the cellar",
        ),
        (
            "grid",
            "The bank is east of the church.",
            "The church is (A) east (B) west (C) north of the bank.",
            "B",
            "(A)",
        ),
        (
            "temporal",
            "Lunch came before the meeting. The meeting came before the call.",
            "What happened first?",
            "lunch",
            "the call",
        ),
        (
            "sizes",
            "Omar is taller than Pia but shorter than Quinn. Rosa is taller than Quinn.",
            "Who is the second tallest?",
            "Quinn",
            "Omar",
        ),
        ("sizes", "The red box is bigger than the blue box.", "Is the blue box smaller than the red box?", "Yes", "no"),
        ("sizes", "Ana is taller than Bo. Ana is taller than Cy.", "Who is taller, Bo or Cy?", "cannot be told", ""),
        ("allen", "Lunch meets Tea. Tea is during Dinner.", "Is Lunch after Tea?", "no", "yes"),
    ],
)
def test_questions_of_every_kind(domain: str, text: str, question: str, right: str, wrong: str) -> None:
    assert judged(domain, text, question, right).verdict == "entailed"
    if wrong:
        assert judged(domain, text, question, wrong).verdict == "false"


def test_what_is_furthest_left_may_be_higher_up_too() -> None:
    text = "The lamp is to the upper left of the box. The box is to the upper left of the rug."
    for question in ("Which is furthest left?", "What is at the very top?"):
        assert judged("grid", text, question, "the lamp").verdict == "entailed"
        assert judged("grid", text, question, "the rug").verdict == "false"
    corner = judged(
        "grid", "The lamp is left of the box. The box is above the rug.", "What is at the bottom?", "the rug"
    )
    assert {world: verdict for world, (verdict, _) in corner.by_world.items()} == {
        "unit": "entailed",
        "any-distance": "entailed",
        "half-plane": "ambiguous",
    }


RED = "The red car is faster than the red bike. The red bike is faster than the blue bike."
NOT_ACCUSED = [
    ("sizes", RED, "Which bike is the fastest?", "the red bike"),
    ("sizes", "Ann is taller than Bob. Bob is taller than Carl.", "Which boy is the tallest?", "Bob"),
    ("sizes", "The tree is taller than Ann. Ann is taller than Bob.", "Who is the tallest?", "Ann"),
    ("sizes", "Ann is taller than Bob. Bob is taller than Carl.", "Who is the tallest? Ignore Ann.", "Bob"),
    ("sizes", "Ann was taller than Bob. Bob is taller than Ann.", "Is Bob taller than Ann?", "yes"),
    ("sizes", "The lamp is higher than the cat. The cat is taller than Ann.", "Is the lamp taller than Ann?", "no"),
    ("sizes", "The pole is bigger than the box.", "Does the box fit inside the pole?", "no"),
    ("grid", "A is left of B. B is left of C.", "Is A immediately left of C?", "no"),
    ("grid", "Milan is in the north of Italy.", "Is Milan north of Italy?", "no"),
    ("grid", "The letter box is left of the box. The box is left of the lamp.",
     "Where is the letter box relative to the lamp?", "left"),
    ("grid", "The table lamp is left of the bed. The lamp is right of the bed.",
     "Where is the lamp relative to the bed?", "right"),
    ("temporal", "The job interview was before the interview. The interview was before the party.",
     "Was the job interview before the party?", "yes"),
    ("kinship", "Ann is the wife of Bob.", "What is the relationship between Ann and Bob?", "husband"),
    ("kinship", "Ann is the mother of Bob. Bob is the father of Carl.",
     "How is Ann related to Carl? Give the inverse relation.", "grandson"),
    ("temporal", "The ball was long after the hunt. The feast was shortly after the hunt.",
     "What is the relation of the ball to the feast?", "after"),
    ("temporal", "The Monday meeting was after the storm. The Friday meeting was after the storm.",
     "Was the Monday meeting before the Friday meeting?", "yes"),
    ("sizes", "Ann is much taller than Bob. Cem is slightly taller than Bob.", "Is Ann taller than Cem?", "yes"),
    ("kinship", "Katie is Ben's twin sister. Ben's father is Oscar.", "What is Oscar to Katie?", "father"),
]  # fmt: skip
NOT_ENTAILED = [
    ("sizes", RED, "Which bike is the fastest?", "the red car"),
    ("sizes", "Ann is not much taller than Bob.", "Is Ann taller than Bob?", "no"),
    ("sizes", "Ann is about as tall as Bob. Bob is taller than Carl.", "Is Ann taller than Carl?", "yes"),
    ("kinship", "Jordan is the parent of Casey. Casey is the parent of Robin.", "How is Jordan related to Robin?",
     "cannot be determined"),
    *(("kinship", f"{text} Dan is the son of Carl.", "How is Dan related to Ann?", relation) for text, relation in (
        ("Ann gave her brother Carl's coat.", "nephew"), ("Ann informed her brother Carl arrived.", "nephew"),
        ("Ann made up her brother Carl.", "nephew"), ("Ann refused to name her son Carl.", "grandson"),
        ("Ann's brother called Carl from work.", "nephew"))),
]  # fmt: skip


@pytest.mark.parametrize("row", NOT_ACCUSED, ids=lambda row: row[2])
def test_no_right_label_is_accused(row: tuple[str, str, str, str]) -> None:
    assert not judged(*row).accused


@pytest.mark.parametrize("row", NOT_ENTAILED, ids=lambda row: row[1][:40])
def test_no_open_label_is_entailed(row: tuple[str, str, str, str]) -> None:
    assert judged(*row).verdict != "entailed"


def test_a_name_that_may_be_two_people_leaves_its_row_unread_and_no_other(tmp_path: Path) -> None:
    """Findings show the shape of a sentence that could not be read."""
    file = tmp_path / "rows.csv"
    first = "Mary is the mother of Tom. Mary Ann is the daughter of Tom.,What is Mary to Mary Ann?,grandmother"
    second = "Ann is the mother of Bob. Bob is the father of Cy.,How is Ann related to Cy?,grandmother"
    file.write_text(f"story,question,answer\n{first}\n{second}\n", encoding="utf-8")
    proband.audit(file, out=tmp_path / "out", domain="kinship")
    lines = (tmp_path / "out" / "verdicts.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["verdict"] for line in lines] == ["unread", "entailed"]


def test_a_thing_is_asked_for_among_all_things_or_not_at_all() -> None:
    text = " ".join(f"Box{n} is shorter than Box{n + 1}." for n in range(30))
    assert judged("sizes", text, "What is the tallest?", "Box30").verdict == "unread"
