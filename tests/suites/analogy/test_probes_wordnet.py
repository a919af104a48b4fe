"""Links of words, against WordNet itself where it is installed and against files of one page otherwise."""

from __future__ import annotations

from pathlib import Path

import pytest

from proband.core.errors import ProbandError
from proband.lexicon.wordnet import Links
from proband.suites.analogy.probes import UnlistedTruths
from proband.suites.analogy.relations import Relation, Tuple


def small(folder: Path) -> Path:
    """sparrow, finch < bird < animal; wing part of bird; hot ! cold."""
    nouns = {
        "animal": "03 n 01 animal 0 000 | g",
        "bird": "03 n 01 bird 0 001 @ {animal} n 0000 | g",
        "sparrow": "03 n 01 sparrow 0 001 @ {bird} n 0000 | g",
        "finch": "03 n 02 finch 0 grey_bird 0 001 @ {bird} n 0000 | g",
        "wing": "03 n 01 wing 0 001 #p {bird} n 0000 | g",
    }
    adjectives = {
        "hot": "00 a 01 hot 0 001 ! {cold} a 0101 | g",
        "cold": "00 a 02 cold 0 icy(a) 0 001 ! {hot} a 0101 | g",
    }
    for name, records, speech in (("noun", nouns, "n"), ("adj", adjectives, "a"), ("verb", {}, "v"), ("adv", {}, "r")):
        places, at = dict.fromkeys(records, 0), 0
        for word, text in records.items():  # a place has eight digits, whatever it is
            places[word] = at
            at += len(f"{0:08d} {text.format(**dict.fromkeys(records, '0' * 8))}\n")
        named = {word: f"{place:08d}" for word, place in places.items()}
        lines = [f"{named[word]} {text.format(**named)}\n" for word, text in records.items()]
        (folder / f"data.{name}").write_text("".join(lines))
        index = [f"{word} {speech} 1 0 1 0 {place:08d}\n" for word, place in places.items()]
        (folder / f"index.{name}").write_text("".join(index))
    return folder


def test_links_of_a_page(tmp_path: Path) -> None:
    links = Links(small(tmp_path), ["sparrow", "finch", "bird", "animal", "wing", "hot", "cold"])
    assert links.between("sparrow", "animal") == {"hypernym"}
    assert links.between("Animal", "sparrow") == {"has hypernym"}
    assert links.between("wing", "bird") == {"part of"}
    assert links.between("hot", "cold") == {"antonym"}
    assert links.between("hot", "icy") == frozenset()  # the antonym is cold alone
    assert links.between("finch", "grey bird") == {"synonym"}
    assert links.between("sparrow", "finch") == frozenset()
    assert links.between("sparrow", "unknown") == frozenset()


def test_a_relation_s_own_links_are_refused_as_negatives(tmp_path: Path) -> None:
    links = Links(small(tmp_path), ["sparrow", "finch", "bird", "animal", "wing"])
    kinds = Relation("kind", "LS", (Tuple("sparrow", ("bird",)), Tuple("finch", ("animal",))))
    others = UnlistedTruths(kinds, links=links)
    assert others.own_links == {"hypernym"}
    assert others.holds(("sparrow", "animal"))
    assert not others.holds(("wing", "bird"))
    assert not others.holds(("animal", "sparrow"))


def test_a_two_way_link_does_not_excuse_a_reversed_tuple(tmp_path: Path) -> None:
    links = Links(small(tmp_path), ["hot", "cold"])
    one_way, two_way = (Relation("heat", "LS", (Tuple("hot", ("cold",)),), symmetric) for symmetric in (False, True))
    assert UnlistedTruths(one_way, links=links).own_links == {"antonym"}
    assert not UnlistedTruths(one_way, links=links).holds(("cold", "hot"))
    assert UnlistedTruths(two_way, links=links).holds(("cold", "hot"))


def test_without_wordnet_nothing_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent() -> Path:
        raise ProbandError("WordNet is not installed")

    monkeypatch.setattr("proband.lexicon.wordnet.find", absent)
    assert Links.among(frozenset(["bird"])) is None


@pytest.mark.wordnet
def test_links_of_wordnet_itself() -> None:
    links = Links.among(frozenset(["sparrow", "animal", "finger", "hand", "hot", "cold"]))
    assert links is not None
    assert "hypernym" in links.between("sparrow", "animal")
    assert "part of" in links.between("finger", "hand")
    assert "antonym" in links.between("hot", "cold")
