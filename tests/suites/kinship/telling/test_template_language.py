"""Slots, frames and phrases; what is no template says so."""

from __future__ import annotations

import pytest

from proband.core.errors import ProbandError
from proband.suites.kinship.telling.bank import load_bank
from proband.suites.kinship.telling.template_language import Frame, Phrase, inflect

ANY = ("*",)


def fill(text: str, *names: str, genders: tuple[str, ...] = ("male", "female"), kin: str = "aunt") -> str:
    frame = Frame.parse(text, family="x", pattern=ANY)
    return frame.fill(names or ("Ben", "Mia"), genders, [kin], ["nephew"], [Phrase.parse("wait for @")])


@pytest.mark.parametrize(
    ("text", "filled"),
    [
        ("{0} rang {0 his} {1 of 0} {1}.", "Ben rang his aunt Mia."),
        ("{1} has {a 0 of 1}, {0}.", "Mia has a nephew, Ben."),
        ("{0} has {a 1 of 0}, {1}; {1 he} met {0 him}.", "Ben has an aunt, Mia; she met him."),
        ("{0} was <ing|{0 his} {1 of 0} {1}>.", "Ben was waiting for his aunt Mia."),
    ],
)
def test_slots(text: str, filled: str) -> None:
    assert fill(text) == filled


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{0} met {2}.", "beyond the path"),
        ("It rained.", "names no person"),
        ("{0} {0 foo}.", "unknown slot"),
        ("{0} <jumps|{1}>.", "unknown slot"),
        ("{0} {0 of 0}.", "not neighbours"),
    ],
)
def test_what_is_no_template(text: str, message: str) -> None:
    with pytest.raises(ProbandError, match=message):
        Frame.parse(text, family="x", pattern=ANY)


def test_phrases_fit_their_slots() -> None:
    event, of, after = (
        Phrase.parse(line) for line in ("! find a ring for @", "mend the coat of @", "run home after @")
    )
    was = Frame.parse("{0} was <ing|{0 his} {1 of 0} {1}>.", family="x", pattern=ANY).slots[0]
    pronoun = Frame.parse("{0}'s {1 of 0} {1} <past|{0 him}>.", family="x", pattern=ANY).slots[0]
    joined = Frame.parse("{0} <past|{0 his} {1 of 0} {1}> before <ing2|{1}>.", family="x", pattern=ANY).slots[0]
    assert [was.fits(each) for each in (event, of, after)] == [False, True, True]
    assert [pronoun.fits(each) for each in (event, of, after)] == [True, False, True]
    assert [joined.fits(each) for each in (event, of, after)] == [True, True, False]


def test_no_pronoun_that_could_mean_either() -> None:
    frame = Frame.parse("0/1 {0}'s {1 of 0} {1} <past|{1 his} {2 of 1} {2}>.", family="x", pattern=("*", "*"))
    assert frame.suits(("parent", "child"), ("male", "female", "male"))
    assert not frame.suits(("parent", "child"), ("male", "male", "male"))


def test_every_phrase_has_all_forms() -> None:
    for phrase in (phrase for occasion in load_bank().occasions for phrase in occasion.phrases):
        assert set(phrase.heads) == {"base", "past", "ing", "done"}
    assert inflect("eat") == {"past": "ate", "done": "eaten", "ing": "eating"}
    with pytest.raises(ProbandError, match="a verb in its base form"):
        Phrase.parse("wait")
