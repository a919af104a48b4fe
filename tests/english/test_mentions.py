"""Both offline readers on short texts: what must be read as it is, and what must not be read."""

from __future__ import annotations

import pytest

from proband.english.domain import load
from proband.english.mentions import read_people
from proband.english.parsed_people import ParsedPeople
from proband.english.phrases import Grammar

KINSHIP = Grammar(load("kinship"))
PARSED = ParsedPeople(load("kinship"))

NOT_READ = [
    "Luke lives with the sister of his father, Kim.",  # whose name is Kim?
    "Ann met the aunt of the boy, Margaret.",
    "Mark phoned Steve. His sister Paula answered.",
    "Diana is the mother of Carol. She has a brother named Keith.",
    "A man is the father of Tim. Tim's sister is Ann, a man said.",
    "Somebody is Paul's sister.",
    "Everyone is Lisa's brother.",
    "Una is not the mother of Vic.",
    "Gwen may be the sister of Hal.",
    "If Pam is the sister of Raj, the house is hers.",
    "In the school play, Sean is the father of Tara.",
    "Cleo is like a mother to Dirk.",
    "Finn calls Gerd his brother.",
    "Lars believes that Mia is the sister of Nell.",
    "Jan used to be the wife of Kurt.",
    "Zita is engaged to Arno. Arno's mother is Berta.",
    "Cindy is the stepmother of Dora. Dora's brother is Ed.",
    "Oda is the mother of Piet. That was a mistake.",
    "Is Ivo the brother of Jana?",
    "Anna is the mother of Ben. The other Anna is the sister of Carl.",
    "Sister Agnes met Father Brown's brother Colm.",
    "Tom and Ann's son Bob went home.",
    "Then Gail went to the market with her brother Ross.",
    "Emma's uncle made it up.",
    "Tom is the father of Emma. Luke disagrees.",
    "Tom is the father of Emma. There are two men called Tom.",
    "Rex is the father of Bella. Rex is a dog.",
    "Tom is the father of Emma, NOT!",
    "Anna's father is called Tom. Luke's father is also called Tom.",
    "Kate's son is Paul. Kate's brother is Paul Hill.",
    "Mary Ann is the sister of Paul. Ann is the mother of Luke.",
    "Kate was a mother to Emma. Ruth is the sister of Kate.",
    "Paul is the only child of Ruth.",
    "Tom and Paul are the husbands of Anna and Kate.",
    "John is the mother of Kim.",  # by a name that leaves no doubt, a man
]


@pytest.mark.parametrize("text", NOT_READ)
def test_not_read_by_both(text: str) -> None:
    by_phrases, by_parse = read_people(KINSHIP, text), PARSED.read(text, ())
    assert by_phrases.unread or not by_phrases.facts, by_phrases.facts
    assert by_phrases.unread is None or by_phrases.unread.reason[0] in "'\"" or " " in by_phrases.unread.reason
    assert by_parse.unread or by_phrases.unread, by_parse.facts


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("Kate Miller is the mother of Sam. Kate's father is Tom.",
         {("Kate Miller", "parent", "Sam"), ("Tom", "parent", "Kate Miller")}),
        ("Susan, the mother of Peter, is married to Henry.",
         {("Susan", "parent", "Peter"), ("Susan", "spouse", "Henry")}),
        ("Joe has two sons, Max and Finn.", {("Max", "child", "Joe"), ("Finn", "child", "Joe")}),
        ("Harold has a wife, June. She has a sister called Vera.",
         {("June", "spouse", "Harold"), ("Vera", "sibling", "June")}),
        ("Arthur and Beth are married. They have a daughter called Cora.",
         {("Arthur", "spouse", "Beth"), ("Cora", "child", "Arthur"), ("Cora", "child", "Beth")}),
    ],
)  # fmt: skip
def test_read(text: str, facts: set[tuple[str, str, str]]) -> None:
    assert {fact[:3] for fact in read_people(KINSHIP, text).facts} == facts
    second = PARSED.read(text, ())
    assert second.unread or {fact[:3] for fact in second.facts} == facts


def test_genders_are_in_the_order_of_the_facts() -> None:
    """The same in every process, whatever the hashes of names are there."""
    pairs = (("Tom", "Emma"), ("Paul", "Ruth"), ("Luke", "Kate"), ("Mark", "Anna"))
    reading = read_people(KINSHIP, " ".join(f"{one} is the brother of {other}." for one, other in pairs))
    assert tuple(reading.genders) == tuple(name for pair in pairs for name in pair)
