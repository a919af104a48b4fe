"""What is collected of people: unnamed ones, groups of two, and what cannot be."""

from __future__ import annotations

import pytest

from proband.core.types import Fact
from proband.english.domain import FEMALE, MALE, Word, load
from proband.english.people import People
from proband.english.people_facts import PeopleFacts, linked
from proband.english.reading import Reading, Unread
from proband.english.tokens import NotRead

ANN, BO, CY = range(3)
MOTHER, BROTHER, WIFE = Word("parent", FEMALE), Word("sibling", MALE), Word("spouse", FEMALE)


@pytest.fixture
def facts() -> PeopleFacts:
    return PeopleFacts(load("kinship"), People("Ann met Bo. Cy left.", genders={"Ann": FEMALE, "Bo": MALE, "Cy": None}))


def test_a_mother_is_one_person_and_a_brother_may_be_one_of_several(facts: PeopleFacts) -> None:
    mother, brother = facts.described(BO, MOTHER), facts.described(BO, BROTHER)
    assert mother not in facts.name
    assert facts.described(BO, MOTHER) == mother
    with pytest.raises(NotRead, match="unclear which brother of Bo is meant"):
        facts.described(BO, BROTHER)
    assert brother != mother
    assert [fact[:3] for fact in facts.settled()] == [
        ("Bo's mother", "parent", "Bo"),
        ("Bo's brother", "sibling", "Bo"),
    ]


def test_the_mother_is_whoever_is_named_as_her(facts: PeopleFacts) -> None:
    unnamed = facts.described(BO, MOTHER)
    facts.facts += [(unnamed, WIFE, CY, 0), (ANN, MOTHER, BO, 1)]
    assert ("Ann", "spouse", "Cy") in {fact[:3] for fact in facts.settled()}
    assert not [fact for fact in facts.settled() if "'s " in fact.who + fact.of]


def test_a_group_of_two_has_a_fact_each_and_a_denial_stays_one(facts: PeopleFacts) -> None:
    both = facts.new()
    facts.groups[both] = (BO, CY)
    facts.facts.append((ANN, MOTHER, both, 0))
    facts.facts_denied.append((ANN, WIFE, BO, 1))
    assert facts.settled() == (
        Fact("Ann", "parent", "Bo", FEMALE, False, 0),
        Fact("Ann", "parent", "Cy", FEMALE, False, 0),
        Fact("Ann", "spouse", "Bo", FEMALE, True, 1),
    )
    assert facts.label(both) == "Bo and Cy"


@pytest.mark.parametrize(
    ("stated", "reason"),
    [
        ([(ANN, MOTHER, ANN, 0)], "Ann would be a relative of himself or herself"),
        ([(ANN, BROTHER, BO, 0)], "Ann is male according to one word and female according to another"),
        ([(ANN, WIFE, BO, 0), (ANN, WIFE, CY, 0)], "unclear which two people are married"),
    ],
)
def test_what_cannot_be_is_not_read(facts: PeopleFacts, stated: list[tuple[int, Word, int, int]], reason: str) -> None:
    facts.facts += stated
    with pytest.raises(NotRead, match=reason):
        facts.settled()


def test_an_unnamed_person_may_link_two_whom_no_fact_links() -> None:
    apart = Reading(facts=(Fact("Ann", "parent", "Bo's brother"), Fact("Cy", "sibling", "Di")))
    assert linked(apart, ("Ann", "Eve")).unread == Unread("no fact that was read is about Eve")
    assert linked(apart, ("Ann", "Cy")).unread == Unread("an unnamed person may link Ann and Cy")
    together = Reading(facts=(*apart.facts, Fact("Bo's brother", "spouse", "Cy")))
    assert linked(together, ("Ann", "Di")) == together
    named = Reading(facts=(Fact("Ann", "parent", "Bo"), Fact("Cy", "sibling", "Di")))
    assert linked(named, ("Ann", "Cy")) == named, "the answer is open, and that is certain"
