"""Our own pair lists: enough of them, well formed, and their morphology as other resources have it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import lemminflect
import pytest

from proband.suites.analogy import sources
from proband.suites.analogy.relations import GROUPS, Relation

TAGS = {
    "noun : plural": "NNS",
    "verb : past": "VBD",
    "adjective : comparative": "JJR",
    "verb : gerund": "VBG",
    "verb : third person": "VBZ",
}
AFFIXES: dict[str, Callable[[str, str], bool]] = {
    "adjective + ness": lambda h, t: t == h + "ness" or (h.endswith("y") and t == h[:-1] + "iness"),
    "un + adjective": lambda h, t: t == "un" + h,
    "noun + less": lambda h, t: t == h + "less" or (h.endswith("y") and t == h[:-1] + "iless"),
    "verb + er": lambda h, t: t in (h + "er", h + "r", h + h[-1] + "er"),
    "adjective + ly": lambda h, t: t in (h + "ly", h[:-1] + "ily", h[:-1] + "y"),
}


def test_there_are_sixteen_relations_or_more_of_thirty_pairs_or_more_in_four_groups(own: list[Relation]) -> None:
    by_group = Counter(r.group for r in own)
    assert len(own) >= 16
    assert set(by_group) == set(GROUPS)
    assert min(by_group.values()) >= 4
    assert min(len(r.tuples) for r in own) >= 40


def test_no_head_stands_twice_and_no_word_is_its_own_answer(own: list[Relation]) -> None:
    for r in own:
        heads = [t.head for t in r.tuples]
        assert len(set(heads)) == len(heads), r.name
        for t in r.tuples:
            assert t.head not in t.tails
            assert len(set(t.tails)) == len(t.tails)
            assert all(word == " ".join(word.split()) for word in (t.head, *t.tails))


def test_inflections_agree_with_lemminflect(own: list[Relation]) -> None:
    exceptions = {("ox", "oxen")}  # its rules give "oxes"
    for r in own:
        for t in r.tuples if r.name in TAGS else ():
            assert t.pair in exceptions or t.tail in lemminflect.getInflection(t.head, TAGS[r.name]), t


def test_derivations_are_spelt_by_the_rules(own: list[Relation]) -> None:
    checked = 0
    for r in own:
        if r.name in AFFIXES:
            for t in r.tuples:
                assert AFFIXES[r.name](t.head, t.tail), t
                checked += 1
    assert checked > 200


@pytest.mark.data
def test_they_are_not_bats(own: list[Relation], data: Path) -> None:
    """Facts may coincide (Stockholm is in Sweden); a list that copies one of BATS would share most of its tuples."""
    theirs = {t.pair for r in sources.read_bats(data / "bats") for t in r.tuples}
    for r in own:
        common = sum((t.head.lower(), t.tail.lower()) in theirs for t in r.tuples)
        assert common / len(r.tuples) < 0.6, (r.name, common)


def test_every_list_in_the_package_is_read(root: Path) -> None:
    there = {path.name for path in (root / "src" / "proband" / "data" / "analogy").glob("*.tsv")}
    assert there == {*sources.BUILT_IN, "usual_values.tsv"}
