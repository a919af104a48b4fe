"""Fills that are valid though not the same: synonyms count, unrelated words do not, and the control shows luck."""

from __future__ import annotations

import pytest

from proband.core.types import Item
from proband.lexicon.wordnet import installed
from proband.suites.script.paper.valid_fills import FilledBlank, exact, sheet_for_people, shuffled, synonymous

FACTS = {"abstract": ["cook"], "concrete": ["stir", "it", "completely", "."], "blanks": [[2, 3]]}


def blank(gold: str, guess: str, number: int = 0) -> FilledBlank:
    item = Item(id=f"i{number}", suite="script", prompt="", facts=FACTS)
    return FilledBlank(item, 0, tuple(gold.split()), tuple(guess.split()))


@pytest.mark.skipif(installed() is None, reason="WordNet is not installed")
def test_synonyms_and_forms_count_and_others_do_not() -> None:
    words = "completely fully pan spoon chop chopped knife large big"
    judge = synonymous(frozenset(words.split()))
    assert judge is not None
    for gold, guess, right in (
        ("completely", "fully", True),
        ("chopped", "chop", True),
        ("big", "large", True),
        ("pan", "spoon", False),
        ("knife", "pan", False),
        ("big pan", "large pan", True),
        ("big pan", "pan", False),
    ):
        one = blank(gold, guess)
        assert judge(one, one.guess) is right, (gold, guess)
        assert exact(one, one.guess) is False


def test_the_control_gives_each_blank_the_fill_of_another_of_its_kind() -> None:
    blanks = [blank("pan", f"word{n}", n) for n in range(9)] + [blank("stir", f"verb{n}", n) for n in range(5)]
    others = shuffled(blanks, 0)
    assert all(words != one.guess for one, words in zip(blanks, others, strict=True))
    assert sorted(others) == sorted(one.guess for one in blanks)
    assert {words[0][:4] for words in others[:9]} == {"word"}
    assert others == shuffled(blanks, 0)


def test_the_sheet_for_people_does_not_say_whose_words_they_are() -> None:
    sheet, key = sheet_for_people("m", [blank("completely", f"word{n}", n) for n in range(5)], 0)
    assert len(sheet.rows) == len(key.rows) == 15
    whose = {row[0]: row[1] for row in key.rows}
    assert all((row[2] == "completely") == (whose[row[0]] == "right") for row in sheet.rows)
    assert all("[____]" in str(row[1]) and row[3] == "" for row in sheet.rows)
