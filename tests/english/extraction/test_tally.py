"""Assertions as text, and their counts."""

from __future__ import annotations

from proband.english.extraction.tally import AssertionTally, assertions, spaced


def test_relations_are_in_lower_case_and_arguments_as_written() -> None:
    words = ["The", "Patient", "'s", "Doctor", "Prescribed", "B", "-", "Blockers"]
    assert list(assertions(words, [((0, 1, 2, 3), (4,), (5, 6, 7))])) == [
        ("The Patient's Doctor", "prescribed", "B-Blockers")
    ]
    # a form of "be" may be put in: -1 is, -2 are, -3 was, -4 were
    found = [((0,), (place, 1), (2,)) for place in (-1, -2, -3, -4)]
    assert [one[1] for one in assertions(["Cheese", "made", "here"], found)] == [
        "is made", "are made", "was made", "were made",
    ]  # fmt: skip


def test_only_possessives_and_hyphens_are_joined() -> None:
    assert spaced("James ' house") == "James' house"
    assert spaced("the dog \u2019s tail") == "the dog\u2019s tail"
    assert spaced("rock 'n' roll") == "rock 'n' roll"


def test_equal_assertions_are_one_with_the_sum_of_their_counts() -> None:
    tally, cheese, wine = AssertionTally(most=2), ("cheese", "is made of", "milk"), ("wine", "is made of", "grapes")
    full = [tally.full]
    for assertion, count in ((cheese, 1), (cheese, 4), (wine, 2)):
        tally.add(assertion, count)
        full.append(tally.full)
    assert full == [False, False, False, True]
    assert tally.empty() == (["cheese", "wine"], ["is made of"] * 2, ["milk", "grapes"], [5, 2])
    assert tally.counts == {}
