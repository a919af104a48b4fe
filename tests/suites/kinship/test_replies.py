"""Replies that name a relation under another name, and those that name none of the choices."""

from __future__ import annotations

import pytest

from proband.core.types import Item
from proband.suites.kinship.replies import read, rules_in_words

CHOICES = ("aunt", "mother", "grandmother", "mother-in-law", "sister")


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ("She is his mum.", "mother"),
        ("His grand-mother!", "grandmother"),
        ("Ann is Bo's mother in law.", "mother-in-law"),
        ("She is his mom's sister, so his auntie.", "aunt"),
        ("She is his great-aunt.", ""),
        ("A step-mother.", ""),
        ("His half-sister.", ""),
        ("His half sister.", ""),
        ("His ex-mother-in-law.", ""),
        ("Either his aunt or his mother.", ""),
    ],
)
def test_a_relation_is_read_under_any_of_its_names(reply: str, answer: str) -> None:
    item = Item(id="a", suite="kinship", prompt="?", choices=CHOICES, gold=0)
    found = read(item, reply, "")
    assert found.status == ("" if answer else "unread")
    if answer:
        assert found.scores == tuple(float(choice == answer) for choice in CHOICES)


def test_rules_in_words_are_those_with_one_outcome() -> None:
    lines = rules_in_words("sound").splitlines()
    assert "the brother or sister of a father or mother is a uncle or aunt" in lines
    assert "the husband or wife of a father or mother is a father or mother" in lines
    several = (
        "the son or daughter of a uncle",
        "the son or daughter of a grandfather",
    )  # no word; a parent or an uncle
    assert not [line for line in lines if line.startswith(several)]
