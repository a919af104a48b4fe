"""What a sentence does not assert is not extracted; a plain negation marks its relation.

Every kind has a twin that does assert, so that a parser or a rule which finds nothing does not pass.
"""

from __future__ import annotations

from importlib.util import find_spec

import pytest

from proband.english.extraction.plain_text import OURS, TextParser
from proband.suites.inference.assertions.store import Assertion

# nothing follows from these about who invaded, relieves or borders what
NOT_ASSERTED = """
Aspirin barely relieves headaches.
The drug hardly relieves pain.
The drug scarcely relieves pain.
Aspirin rarely relieves headaches.
Doctors seldom prescribe aspirin.
No drug relieves headaches.
No country borders Ethiopia.
Frogs have no horns.
Neither drug relieves headaches.
Neither Italy nor Germany invaded Kenya.
Few drugs relieve headaches.
Aspirin no longer relieves headaches.
It is not true that Italy invaded Ethiopia.
It is false that Italy invaded Ethiopia.
It is unlikely that Italy invaded Ethiopia.
It is possible that aspirin relieves headaches.
Italy denied that troops invaded Ethiopia.
The minister denies that Italy invaded Ethiopia.
Historians doubt that Italy invaded Ethiopia.
The doctor believes that aspirin relieves headaches.
The newspaper said that Italy invaded Ethiopia.
The company claims that the drug relieves pain.
Many people think aspirin relieves headaches.
The general hoped that Italy invaded Ethiopia.
The study did not show that aspirin relieves headaches.
The claim that Italy invaded Ethiopia is false.
Italy would have won the war.
Germany could have invaded Switzerland.
The government should have banned the drug.
The army would have invaded Kenya.
If Italy invades Ethiopia, Britain will close the canal.
If aspirin relieves headaches, doctors prescribe aspirin.
The river floods the town if rain fills the lake.
Unless Italy invades Ethiopia, Britain will support Rome.
Italy would invade Ethiopia if Britain closed the canal.
Had Italy invaded Kenya, Britain would have declared war.
The committee asked whether Italy invaded Ethiopia.
The committee asked if aspirin relieves headaches.
Did Italy invade Ethiopia?
Does aspirin relieve headaches?
Which country borders Ethiopia?
Has Germany invaded Poland?
Will the treaty end the war?
Is Paris the capital of France?
What drug relieves headaches?
Italy invaded Ethiopia?
Why did Italy invade Ethiopia?
Who said that Italy invaded Ethiopia?
Italy almost invaded Kenya.
The army nearly conquered Egypt.
The minister allegedly stole money.
Perhaps aspirin relieves headaches.
Italy or Germany invaded Ethiopia.
Not Italy but the weather stopped the army's advance?
Not all drugs relieve headaches.
Nor did Italy invade Kenya.
Never has Italy invaded Kenya.
Little evidence supports the theory.
The army acted as if Italy controlled Ethiopia.
The rumour that aspirin causes cancer is old.
""".strip().splitlines()

# the same kinds of sentences that do assert, with what must be among their assertions
ASSERTED = {
    "Aspirin often relieves headaches.": ("Aspirin", "relieves", "headaches"),
    "The drug relieves pain.": ("The drug", "relieves", "pain"),
    "Frogs have horns.": ("Frogs", "have", "horns"),
    "A few drugs relieve headaches.": ("A few drugs", "relieve", "headaches"),
    "Both Italy and Germany invaded Greece.": ("Germany", "invaded", "Greece"),
    "It is true that Italy invaded Ethiopia.": ("Italy", "invaded", "Ethiopia"),
    "The study showed that aspirin relieves headaches.": ("aspirin", "relieves", "headaches"),
    "Historians know that Italy invaded Ethiopia.": ("Italy", "invaded", "Ethiopia"),
    "Italy did not invade Kenya but conquered Ethiopia.": ("Italy", "conquered", "Ethiopia"),
    "Italy has won the war.": ("Italy", "has won", "the war"),
    "Italy invaded Ethiopia because Britain closed the canal.": ("Britain", "closed", "the canal"),
    "Although Britain closed the canal, Italy invaded Ethiopia.": ("Italy", "invaded", "Ethiopia"),
    "Aspirin may relieve headaches.": ("Aspirin", "may relieve", "headaches"),
    "Paris is the capital of France.": ("Paris", "is the capital of", "France"),
}

# a plain negation stays in the relation
NEGATED = {
    "Italy did not invade Kenya.": ("Italy", "did not invade", "Kenya"),
    "Aspirin doesn't relieve headaches.": ("Aspirin", "does n't relieve", "headaches"),
    "Germany never invaded Switzerland.": ("Germany", "never invaded", "Switzerland"),
    "Paris is not the capital of Spain.": ("Paris", "is not the capital of", "Spain"),
    "Kenya was not invaded by Italy.": ("Kenya", "was not invaded by", "Italy"),
    "Italy did not invade Kenya or conquer Egypt.": ("Italy", "did not conquer", "Egypt"),
    "Italy has never invaded Kenya.": ("Italy", "has never invaded", "Kenya"),
}

# who did not do it at one time, or all of it, may have done it at another, or in part: kept whole, or left out
DENIED_WHOLE = {
    "Italy did not invade Kenya in 1935.": set(),
    "The vaccine does not prevent infection in people over 65.": {
        ("The vaccine", "does not prevent infection in", "people over 65")
    },
    "The airline does not fly to Oslo in winter.": set(),
    "The council has not yet approved the plan.": {("The council", "has not approved", "the plan")},
    "However, the bank did not pay the farmers.": {("the bank", "did not pay", "the farmers")},
    "The bank did not pay the farmers yesterday.": set(),
    "In 1935 Italy did not invade Kenya.": set(),
    "The bank did not immediately pay the farmers.": set(),
    "Smith was not the mayor of Leeds in 1998.": set(),
    "The queen did not tell the duke that she was ill.": set(),
    "The queen did not marry the duke to please her father.": set(),
    "Italy did not try to conquer Egypt in 1935.": set(),
}


@pytest.fixture(scope="module")
def parser() -> TextParser:
    if find_spec(OURS) is None:
        pytest.skip("weights/proband-english is not installed")
    return TextParser()


def test_there_are_sixty() -> None:
    assert len(set(NOT_ASSERTED)) == 60


@pytest.mark.parametrize("text", NOT_ASSERTED)
def test_not_asserted(text: str, parser: TextParser) -> None:
    assert list(parser.assertions([text])) == []


@pytest.mark.parametrize("text", ASSERTED)
def test_asserted(text: str, parser: TextParser) -> None:
    assert ASSERTED[text] in set(parser.assertions([text]))


@pytest.mark.parametrize("text", NEGATED)
def test_a_plain_negation_marks_the_relation(text: str, parser: TextParser) -> None:
    got = set(parser.assertions([text]))
    assert NEGATED[text] in got
    assert all(Assertion(*one, 1).negated for one in got)


@pytest.mark.parametrize("text", DENIED_WHOLE)
def test_a_denial_has_all_that_is_denied(text: str, parser: TextParser) -> None:
    assert set(parser.assertions([text])) == DENIED_WHOLE[text]
