"""Certificates of small stories: what follows, what is one of two, what is open, what contradicts itself."""

from __future__ import annotations

from proband.suites.kinship.logic.certificates import certificate
from proband.suites.kinship.world.relations import UNDETERMINED, Edge
from proband.suites.kinship.world.rules import load

SOUND = load("sound")
MEN = ["male"] * 3


def test_an_uncle_is_a_fathers_brother() -> None:
    made = certificate(SOUND, MEN, [(0, "father", 1), (1, "brother", 2)], (0, 2))
    assert isinstance(made, dict)
    assert (made["target"], made["certificate"], made["certified_by"]) == ("uncle", "entailed", ["closure", "search"])


def test_my_sons_uncle_is_my_brother_or_brother_in_law() -> None:
    edges: list[Edge] = [(0, "son", 1), (1, "uncle", 2)]
    assert certificate(SOUND, MEN, edges, (0, 2)) == "no answer follows from its facts"
    made = certificate(SOUND, MEN, edges, (0, 2), several="one-of")
    assert isinstance(made, dict)
    assert (made["target"], len(made["families"])) == ("brother or brother-in-law", 2)
    either = certificate(SOUND, MEN, edges, (0, 2), several="open")
    assert isinstance(either, dict)
    assert (either["target"], either["proof"], len(either["families"])) == (UNDETERMINED, [], 2)


def test_two_who_are_each_others_fathers_have_no_certificate() -> None:
    edges: list[Edge] = [(0, "father", 1), (1, "father", 0)]
    for several in ("", "open", "one-of"):
        assert certificate(SOUND, MEN, edges, (0, 2), several=several) == "its facts contradict each other"
