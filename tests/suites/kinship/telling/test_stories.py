"""The teller: every fact once, one occasion, no tics; a telling renders to the same text; what differs is found."""

from __future__ import annotations

import random
import re
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest

import proband
from proband.core.files import read_items
from proband.core.types import Item
from proband.suites.kinship.telling.bank import load_bank
from proband.suites.kinship.telling.stories import BRIDGE, Telling, kin_words, render, tell, telling_of, walk
from proband.suites.kinship.world.rules import story_of

NEVER = re.compile(r"\bIt was \w+'s\b|\bWhat \w+ \w+ did was\b|\bwas seen\b|\bwas \w+ed by (?:his|her)\b")


@pytest.fixture(scope="module")
def items(tmp_path_factory: pytest.TempPathFactory) -> list[Item]:
    folder = tmp_path_factory.mktemp("stories")
    proband.build("kinship", out=folder, task="clean,all", k="2,6,10,20", per_k=22, certify="none", seed=11)
    return list(read_items(folder))


def test_no_construction_comes_twice_in_three_sentences(items: list[Item]) -> None:
    bank = load_bank()
    for item in items:
        families = [bank.by_id[each.frame].family for each in telling_of(item.facts).sentences]
        assert all(families[at] not in families[max(0, at - 2) : at] for at in range(len(families))), item.prompt


def test_a_story_keeps_to_one_occasion_and_uses_no_phrase_twice(items: list[Item]) -> None:
    for item in items:
        telling = telling_of(item.facts)
        assert len(telling.scenes) == 1
        phrases = [phrase for each in telling.sentences for phrase in each.phrases]
        assert len(set(phrases)) == len(phrases)
        assert sorted(telling.order(item.facts["edges"])) == list(range(len(item.facts["edges"])))


def test_a_story_that_needs_more_goes_on_elsewhere_over_a_bridge() -> None:
    edges, genders = [(i, "son", i + 1) for i in range(70)], ["male"] * 71
    telling = tell(edges, genders=genders, bank=load_bank(), rng=random.Random(0))
    text = render(telling, edges, names=[f"N{i}" for i in range(71)], genders=genders)
    assert len(telling.scenes) > 1
    assert text.count(BRIDGE) == len(telling.scenes) - 1


def test_no_tics(items: list[Item]) -> None:
    assert [story_of(item) for item in items if NEVER.search(story_of(item))] == []
    sentences = [s for item in items for s in re.split(r"(?<=[.!?]) ", story_of(item))]
    starts = Counter(" ".join(sentence.split()[:2]) for sentence in sentences)
    assert starts["It was"] / len(sentences) < 0.01  # openings alone
    assert starts.most_common(1)[0][1] / len(sentences) < 0.05


def test_constructions_are_used_about_equally(items: list[Item]) -> None:
    bank = load_bank()
    used = Counter(bank.by_id[each.frame].family for item in items for each in telling_of(item.facts).sentences)
    assert set(used) == set(bank.families)
    assert min(used.values()) > 0.05 * used.total()


def test_held_out_occasions_and_constructions_never_meet(tmp_path: Path) -> None:
    proband.build(
        "kinship", out=tmp_path, k="2,3", per_k=66, test_k="2,4", test_per_k=44, certify="none",
        hold_out="paraphrases,constructions:dialogue+copula+whose",
    )  # fmt: skip
    used: dict[str, set[str]] = {"train": set(), "test": set()}
    for item in read_items(tmp_path):
        telling = telling_of(item.facts)
        used[item.split] |= {scene.occasion for scene in telling.scenes}
        used[item.split] |= {each.frame.partition(".")[0] for each in telling.sentences}
    assert not used["train"] & used["test"]
    assert {"dialogue", "copula", "whose"} <= used["test"]


def test_the_telling_is_all_that_decides_the_text(items: list[Item]) -> None:
    for item in items[:20]:
        facts = item.facts
        people = {"names": facts["names"], "genders": facts["genders"]}
        assert render(telling_of(facts), facts["edges"], **people) == story_of(item)


def test_a_fact_can_have_a_sentence_of_its_own() -> None:
    edges, genders = [(0, "son", 1), (1, "son", 2), (2, "son", 3)], ["male"] * 4
    for seed in range(20):
        telling = tell(edges, genders=genders, bank=load_bank(), rng=random.Random(seed), alone=[1])
        assert [each for each in telling.sentences if set(each.people) == {1, 2}]


def test_paths_and_their_words() -> None:
    assert walk([(1, "son", 0), (1, "wife", 2), (3, "son", 4)], 0, size=3) == [0, 1, 2]
    assert kin_words([(0, "father", 1)], ["female", "male"], [0, 1]) == (["father"], ["daughter"])
    with pytest.raises(KeyError):
        kin_words([(0, "father", 1)], ["female", "male"], [0, 2])
    assert Telling().order([]) == []
    assert list(pairwise([1])) == []
