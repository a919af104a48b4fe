from __future__ import annotations

import pytest

from proband.english.domain import Word, load
from proband.english.labels import read_label, split_options
from proband.english.reading import AskedRelation, Label

KINSHIP = load("kinship")


def label(text: str, asked: AskedRelation | None = None, **options: str) -> Label | None:
    asked = asked or AskedRelation("Rose", "Bill")
    return read_label(text, domain=KINSHIP, asked=asked, options=options, things=["Rose", "Bill", "Ann"])


@pytest.mark.parametrize(
    "text", ["Auntie", "aunt", "her aunt", "Rose is Bill's aunt.", "She is the aunt of Bill", "aunty"]
)
def test_one_relation_under_many_names(text: str) -> None:
    found = label(text)
    assert found
    assert (found.word, found.text) == (Word("pibling", "female"), "aunt")


@pytest.mark.parametrize(
    "text",
    [
        "Ann's grandmother",
        "elder brother",
        "paternal grandmother",
        "his twin sister",
        "half sister",
        "ex-husband",
        "mother of Ann",
        "neighbour",
        "wife or sister",
    ],
)
def test_no_answer_to_the_question(text: str) -> None:
    assert label(text) is None


def test_an_answer_the_other_way_round() -> None:
    found = label("Bill is Rose's nephew")
    assert found
    assert found.pair == ("Bill", "Rose")


def test_beyond_options_people_and_truth() -> None:
    cousin = label("her cousin")
    assert cousin
    assert cousin.word == Word("cousin")
    lettered = label("(B)", a="uncle", b="aunt")
    assert lettered
    assert lettered.word == Word("pibling", "female")
    who, whether = AskedRelation("", "Bill", Word("parent")), AskedRelation("Rose", "Bill", Word("parent"))
    assert [each and each.text for each in (label("It is Ann", who), label("No, she isn't", whether))] == ["Ann", "no"]
    assert label("Yes, but by marriage", whether) is None
    assert label("yes, if she is married", whether) is None
    assert label("Rose's nephew") is None  # of the one who is asked about
    either = AskedRelation("Rose", "Bill", either_way=True)
    assert label("aunt", either) is None
    assert split_options("Is it an aunt or an uncle?") == ("Is it an aunt or an uncle?", {})


WHETHER = {
    "yes": ("yes", "True", "it is", "That's right.", "Yes, she is.", "it is true"),
    "no": ("no", "It is not.", "It isn't", "It is not true", "it is false", "No, she isn't"),
    "": ("No doubt", "No question about it", "yes and no", "Yes, she isn't", "Yes/No", "No, it is true",
         "right or wrong", "it is the other way round", "It is the opposite", "It is Ann"),
}  # fmt: skip


@pytest.mark.parametrize("meant", WHETHER)
def test_yes_and_no_are_whole_answers(meant: str) -> None:
    for text in WHETHER[meant]:
        found = label(text, AskedRelation("Rose", "Bill", Word("parent")))
        assert (found.text if found else "") == meant, text


def test_a_letter_that_is_also_a_thing_and_a_word_with_one_of_two_genders_are_no_answers() -> None:
    which, things = AskedRelation("", "Bill", Word("parent")), ["A", "B"]
    assert read_label("B", domain=KINSHIP, asked=which, options={"a": "B", "b": "C"}, things=things) is None
    assert read_label("(A)", domain=KINSHIP, asked=which, options={"a": "B", "b": "C"}, things=things) == Label(
        None, "B"
    )
    either = AskedRelation("Rose", "Bill", either_way=True)
    assert [label(text, either) for text in ("husband", "wife", "her husband")] == [None] * 3
    sisters = label("sister", AskedRelation("Rose", "Ann", either_way=True))
    assert sisters
    assert sisters.word == Word("sibling", "female")


@pytest.mark.parametrize("text", ["He is her son.", "He is his aunt", "He's her aunt."])
def test_a_pronoun_that_fits_no_name_is_no_answer(text: str) -> None:
    assert label(text) is None


@pytest.mark.parametrize(
    ("who", "of", "text", "read"),
    [
        ("Folake", "Adaeze", "She is Adaeze's sister-in-law.", True),  # the other person is named
        ("Galina", "Dmitri", "She's his sister-in-law.", True),  # Dmitri is no woman
        ("Emeric", "Calista", "He's her brother-in-law.", True),
        ("Emeric", "Folake", "He's her brother-in-law.", False),  # neither name tells
        ("Folake", "Tom", "He is her nephew.", False),
        ("Rose", "Bill", "He is Bill's aunt.", False),
    ],
)
def test_a_pronoun_means_a_person_whose_name_says_nothing_if_it_cannot_mean_the_other(
    who: str, of: str, text: str, read: bool
) -> None:
    found = read_label(text, domain=KINSHIP, asked=AskedRelation(who, of), options={}, things=[who, of])
    assert (found is not None) is read
