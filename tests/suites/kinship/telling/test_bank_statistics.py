"""Coverage and variety of the bank, and the statistics themselves."""

from __future__ import annotations

import random
import re
from collections import Counter
from itertools import combinations, permutations
from pathlib import Path

import pytest

from proband.suites.kinship.paper.published import published_values
from proband.suites.kinship.telling.bank import Bank, load_bank, parse_bank
from proband.suites.kinship.telling.bank_statistics import statistics, tellings, words_of
from proband.suites.kinship.telling.crowd_templates import SLOT, load_crowd, tidy
from proband.suites.kinship.telling.paraphrases import JOINTS, Occasion, Phrase, Template, combined
from proband.suites.kinship.world.relations import FEMALE, GENDER, MALE, NEUTRAL

SINGLE = [(g, w) for w in NEUTRAL for g in (MALE, FEMALE) if NEUTRAL[w] != "spouse" or GENDER[w] != g]


def test_every_relation_and_gender() -> None:
    """22 relations by the gender of the other person; a husband's husband is not in the world: 42 of 44."""
    assert len(SINGLE) == 42
    assert min(len(tellings(load_bank(), fact)) for fact in SINGLE) >= 20


def test_our_bank_is_large() -> None:
    """At least 2,000 templates, each of which fits any relation, and 1,500 different words."""
    bank = load_bank()
    assert len(bank.templates) == len({t.id for t in bank.templates}) >= 2000
    assert all(t.general for t in bank.templates)
    said = {w for t in bank.templates for w in words_of(re.sub(r"{[^}]*}", "", t.text))}
    assert len(said) >= 1500
    assert combined(bank.occasions, 1) == len(bank.templates)
    assert combined(bank.occasions, 2) > 100_000


def test_combinations_by_hand() -> None:
    phrases = [
        Phrase.parse(line, {}) for line in ("chat about boats with @", "! pass the bat of @", "walk past @ at noon")
    ]
    occasion = Occasion("x", ("Hello.",), ("At noon",), tuple(phrases))
    expected = sum(joint.suits(chosen) for joint in JOINTS[2] for chosen in permutations(phrases, 2))
    assert combined([occasion], 2) == expected
    assert combined([occasion], 3) == sum(j.suits(chosen) for j in JOINTS[3] for chosen in permutations(phrases, 3))


def test_no_name_twice_in_a_sentence() -> None:
    bank, rng = load_bank(), random.Random(0)
    joints = [joint for n in JOINTS for joint in JOINTS[n]]
    for joint in joints:
        text = joint.pattern(rng.sample(bank.occasions[0].phrases, len(joint.clauses)))
        for sentence in text.split(". "):
            names = re.findall(r"\{(\d)\}", sentence)
            assert len(set(names)) == len(names)


def test_scenes() -> None:
    facts = Counter((t.facts, t.general) for t in load_bank("scenes").templates)
    assert facts[2, False] >= 200
    assert facts[3, False] >= 150


@pytest.mark.slow
def test_variety() -> None:
    found = statistics(load_bank())
    assert found.unigrams.pooled <= 0.37  # of single facts: two names, a kin word and a pronoun are in all of them
    assert found.unigrams.by_clause <= 0.37
    assert found.bigrams.pooled <= 0.16
    assert found.vocabulary > 1500


def test_variety_of_single_facts() -> None:
    bank, rng = load_bank(), random.Random(0)
    for fact in SINGLE:
        texts = [set(words_of(text)) for text in rng.sample(tellings(bank, fact), 60)]
        overlaps = [len(a & b) / len(a | b) for a, b in combinations(texts, 2)]
        assert sum(overlaps) / len(overlaps) <= 0.39


def test_by_hand() -> None:
    bank = parse_bank("== parent\n{0} x {1}.\n{1} y {0}.\n== spouse\n{0} z {1}\n", name="mine")
    found = statistics(bank, across=10)
    assert found.paraphrases == {1: 3, 2: 0, 3: 0}
    assert found.clauses == {1: 6, 2: 0, 3: 0}  # father, mother, son, daughter, husband, wife
    assert found.unigrams.by_clause == pytest.approx(0.5)  # {e0, x, e1} and {e0, y, e1}: 2 of 4
    assert found.unigrams.pooled == pytest.approx(0.5)
    assert found.bigrams.pooled == 0.0


@pytest.mark.data
@pytest.mark.nightly
def test_table_3_1(data: Path) -> None:
    """The released files hold 11 paraphrases fewer than the table counts; the overlap comes within 0.02."""
    rows, paper = load_crowd(data / "clutrr" / "templates").rows, published_values()
    templates = []
    for row in rows:
        text = SLOT.sub(lambda m: f"{{{m[1]}}}", tidy(row.text).translate({ord("{"): "(", ord("}"): ")"}))
        templates.append(Template(row.id, text, (tuple(NEUTRAL[w] for w in row.words),), row.genders))
    found = statistics(Bank("crowd", tuple(templates)))
    assert found.paraphrases == {1: paper["paraphrases"][1], 2: 1889, 3: 2248}
    assert found.clauses == {1: 20, 2: 58, 3: 235}
    assert found.unigrams.pooled == pytest.approx(paper["jaccard_unigrams"][None], abs=0.02)
    assert found.bigrams.pooled == pytest.approx(paper["jaccard_bigrams"][None], abs=0.012)
