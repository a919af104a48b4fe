"""Rows of English: no right label is accused, no wrong one certified, no trap read; one reading accuses nobody."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.proof.conftest import judge, judged

from proband.proof.decisions import RowVerdict
from proband.proof.rows import AuditRow

FOLDER = Path(__file__).parents[2] / "benchmarks" / "reading"
READ = {"kinship_third": 0.55, "kinship_sixth": 0.55, "kinship_dev": 0.25}  # at least
IN_MAKE_TEST = ("kinship_third", "traps_third", "grid_temporal_sixth")


def check(name: str) -> None:
    rows = [json.loads(line) for line in (FOLDER / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]
    read = 0
    for row in rows:
        domain = {"size": "sizes"}.get(row.get("domain", ""), row.get("domain", "kinship"))
        cells = {key: row[key] for key in ("text", "question", "answer")}
        judged = judge(domain).judge(AuditRow(file="", line=1, key="", cells={}, **cells))
        read += judged.verdict != "unread"
        if row["planted"] is None:
            assert not judged.accused, row["text"]
            assert judged.verdict in ("unread", "ambiguous") or judged.one_reading, row["text"]
        elif row["planted"]:
            assert judged.verdict != "entailed", row["text"]
        else:
            assert not judged.accused, row["text"]
    assert read >= READ.get(name, 0) * len(rows)


@pytest.mark.parametrize("name", IN_MAKE_TEST)
def test_zeros(name: str) -> None:
    check(name)


@pytest.mark.nightly
@pytest.mark.parametrize("name", sorted({path.stem for path in FOLDER.glob("*.jsonl")} - {*IN_MAKE_TEST}))
def test_zeros_of_the_other_sets(name: str) -> None:
    check(name)


# classes of rows that readers took wrongly; "right" labels may not be accused, "wrong" ones not be called entailed
CLASSES = {
    "a full name, then a part of it": [
        ("Rosa Lind is the mother of Piet. Rosa's brother is Karl.", "What is Karl to Piet?", "uncle", "right"),
        ("Omar Haddad is the father of Lina. Omar's wife is Salma.", "What is Salma to Lina?", "mother", "right"),
        ("Greta Holm and Nils Holm are married. Greta's father is Axel.",
         "What is Axel to Nils?", "father-in-law", "right"),
        ("Ivy Park met Ivy Stone. Ivy is the sister of Hugo.", "What is Ivy Park to Hugo?", "sister", "wrong"),
        ("Clara Bell is the aunt of Max. Clara's son is Leo Bell.", "What is Leo to Clara?", "son", "right"),
    ],
    "a name that may belong to two nouns": [
        ("Oscar lives with the sister of his father, Helen.", "What is Helen to Oscar?", "aunt", "right"),
        ("Emma wrote to the brother of her mother, Frank.", "What is Frank to Emma?", "uncle", "right"),
        ("Dean rang the mother of his wife, Susan.", "What is Susan to Dean?", "wife", "wrong"),
        ("Paula met the son of her brother, Henry.", "What is Henry to Paula?", "brother", "wrong"),
    ],
    "things that are not one constant": [
        ("A lamp is left of a chair. A chair is left of a desk.", "What is the lamp to the desk?", "left", "wrong"),
        ("A van is above a bus. The bike is below a bus.", "What is the van to the bike?", "above", "wrong"),
        ("Somebody is the father of Tess. Somebody is the son of Ralph.",
         "What is Ralph to Tess?", "grandfather", "wrong"),
        ("Everyone is the friend of Ada. Ada is the mother of Joel.", "What is Joel to Ada?", "daughter", "wrong"),
    ],
    "labels that say more than the relation": [
        ("Mark is the brother of Jane.", "What is Mark to Jane?", "elder brother", "wrong"),
        ("Edith is the mother of Ruth. Ruth is the mother of Carl.",
         "What is Edith to Carl?", "paternal grandmother", "wrong"),
        ("Alice is the sister of Fred.", "What is Alice to Fred?", "twin sister", "wrong"),
        ("Grace is the mother of Simon. Simon is the father of Ellen.",
         "What is Grace to Ellen?", "Simon's grandmother", "wrong"),
        ("Diana is the sister of Roger. Roger is the father of Amy.", "What is Diana to Amy?", "Auntie", "right"),
    ],
}  # fmt: skip


@pytest.mark.parametrize("kind", CLASSES)
def test_rows_of_a_class_are_not_taken_wrongly(kind: str) -> None:
    domain = "grid" if kind.startswith("things") else "kinship"
    for text, question, answer, label in CLASSES[kind]:
        own = "kinship" if "of Tess" in text or "of Ada" in text else domain
        judged = judge(own).judge(
            AuditRow(file="", line=1, key="", cells={}, text=text, question=question, answer=answer)
        )
        if label == "right":
            assert not judged.accused, text
        else:  # by two readings; one alone certifies nothing
            assert judged.verdict != "entailed" or judged.one_reading, text


# further rows, written before the readers were looked at: `open` labels follow in some families and not in others
ROWS = [json.loads(line) for line in Path(__file__).with_name("rows_by_class.jsonl").read_text().splitlines()]


@pytest.mark.parametrize("rows", [ROWS[::6], pytest.param(ROWS, marks=pytest.mark.nightly)], ids=["a sixth", "all"])
@pytest.mark.parametrize("kind", sorted({row["class"] for row in ROWS}))
def test_further_rows_of_a_class_are_not_taken_wrongly(kind: str, rows: Sequence[Mapping[str, Any]]) -> None:
    assert any(row["class"] == kind for row in rows)
    for row in rows:
        if row["class"] == kind:
            cells = {key: row[key] for key in ("text", "question", "answer")}
            judged = judge(row["domain"]).judge(AuditRow(file="", line=1, key="", cells={}, **cells))
            if judged.read:
                assert row["truth"] != "trap", row["text"]
                assert row["truth"] != "right" or not judged.accused, row["text"]
                assert row["truth"] == "right" or judged.verdict != "entailed", row["text"]
                assert row["truth"] != "open" or judged.verdict != "false", row["text"]


def aunt_of_cal(text: str) -> RowVerdict:
    row = AuditRow(
        file="", line=1, key="", cells={},
        text=f"{text} Bob is the father of Cal.", question="What is Ann to Cal?", answer="aunt",
    )  # fmt: skip
    return judge("kinship").judge(row)


@pytest.mark.parametrize(
    "text",
    [
        "Ann is Bob's soul sister.",
        "Ann is Bob's second sister.",
        "Ann is the great sister of Bob.",
        "Ann is Bob's sister in name.",
        "Ann is Bob's sister to the neighbours.",
        "Ann is Bob's sister until Friday.",
        "Ann is Bob's sister when drunk.",
        "Bob, whose sister Ann met, is the son of Eve.",
        "Bob met the daughter of his sister, Ann.",
    ],
)
def test_a_qualified_relation_and_a_name_of_two_nouns_are_read_by_neither(text: str) -> None:
    assert aunt_of_cal(text).verdict == "unread"


@pytest.mark.parametrize(
    "text", ["Ann is Bob's elder sister.", "Bob, whose sister is Ann, is the son of Eve.", "Bob phoned his sister Ann."]
)
def test_what_does_not_qualify_a_relation_is_read_by_both(text: str) -> None:
    judged = aunt_of_cal(text)
    assert (judged.verdict, judged.read) == ("entailed", True)


@pytest.mark.parametrize(
    "text",
    [
        "The lamp is probably left of the chair.",
        "The lamp was once left of the chair.",
        "The lamp is left of the chair. Just kidding.",
        "The lamp is left of the chair. None of this is true.",
        "In a dream the lamp is left of the chair.",
        "If the lamp is left of the chair, we are home.",
        "The lamp or the vase is left of the chair.",
        "The lamp seems to be left of the chair.",
        "Neither the lamp nor the vase is left of the chair.",
        "The box is left of the chair. The red box is above the lamp. The lamp is left of the chair.",
    ],
)
def test_what_may_say_something_else_is_unread(text: str) -> None:
    assert judged("grid", text, "Where is the lamp relative to the chair?", "right").verdict == "unread"


def test_what_one_reading_alone_understands_accuses_nobody() -> None:
    found = judged("temporal", "The fair preceded the parade.", "Was the parade before the fair?", "yes")
    assert (found.verdict, found.one_reading, found.accused) == ("false", True, False)
    both = judged("temporal", "The fair came before the parade.", "Was the parade before the fair?", "yes")
    assert (both.verdict, both.one_reading, both.accused) == ("false", False, True)
