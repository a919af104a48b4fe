"""Replies that name a relation under another name, and those that name none of the choices."""

from __future__ import annotations

from typing import Any

import pytest

from proband.core.errors import ProbandError
from proband.core.types import Item
from proband.solvers.prompts import read_prompt, rewordings, values_of
from proband.suites.kinship.generate.build import build
from proband.suites.kinship.generate.options import BuildOptions
from proband.suites.kinship.replies import ASKING, context, read, rules_in_words
from proband.suites.kinship.world.rules import load

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
    assert "the brother or sister of a father or mother is an uncle or aunt" in lines
    assert "the husband or wife of a father or mother is a father or mother" in lines
    several = (
        "the son or daughter of an uncle",
        "the son or daughter of a grandfather",
    )  # no word; a parent or an uncle
    assert not [line for line in lines if line.startswith(several)]


@pytest.mark.parametrize(
    ("rules", "reply", "answer"),
    [
        ("wide", "She is his great grandmother.", "great-grandmother"),
        ("wide", "A great-grandma!", "great-grandmother"),
        ("wide", "Her cousin.", "cousin"),
        ("blended", "His half sister.", "half-sister"),
        ("blended", "Half-brother", "half-brother"),
        ("blended", "She is his step mother.", "stepmother"),
        ("blended", "His stepmom.", "stepmother"),
        ("blended", "His step-dad", "stepfather"),
        ("blended", "The mother.", "mother"),
        ("blended", "His grandmother.", "grandmother"),
    ],
)
def test_words_of_other_worlds_are_read_in_any_spelling(rules: str, reply: str, answer: str) -> None:
    choices = load(rules).choices
    found = read(Item(id="a", suite="kinship", prompt="?", choices=choices, gold=0), reply, "")
    assert found.status == ""
    assert choices[found.scores.index(1.0)] == answer


@pytest.mark.parametrize("question", ["choice", "text", "yes-no", "sets"])
@pytest.mark.parametrize("prompt", ["choices", "open", "letters", "rules", *rewordings(ASKING.prompts)])
def test_a_prompt_asks_for_what_the_question_asks(question: Any, prompt: str) -> None:
    (item, *_) = build(BuildOptions(question=question, k=2, per_k=1, certify="none"), seed=0).items
    values = {**values_of(item, context(item)), "shots": [], "think": True, "chat": True}
    text = read_prompt(prompt, ASKING.prompts, default=ASKING.default).render(**values)
    instruction = text.replace(item.prompt, "").partition("Think step")[0]
    blank = question in ("choice", "sets")
    assert any(word in instruction for word in ("blank", "gap", "missing", "true", "Complete")) == blank
    assert ('"Answer: yes or no"' in text) == (question == "yes-no" and prompt not in ("letters", "rules"))
    if question == "sets" and prompt not in ("open", "letters"):
        assert "; sister, wife or sister-in-law" in text or "; brother, husband or brother-in-law" in text
    assert "(A, word, B)" not in text


def test_facts_as_triples_are_announced() -> None:
    (item, *_) = build(BuildOptions(form="graph", k=2, per_k=1, certify="none"), seed=0).items
    assert context(item)["triples"]


def test_a_path_in_an_item_is_not_opened() -> None:
    item = Item(id="a", suite="kinship", prompt="?", choices=CHOICES, gold=0, facts={"rules": "/etc/hostname"})
    with pytest.raises(ProbandError, match="neither blended, clutrr"):
        context(item)
