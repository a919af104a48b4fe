"""Prompts: the question fits the story, the gold answer is right, gender does not give it away."""

from __future__ import annotations

import random
import re
from typing import Any

import pytest

from proband.core.files import parse
from proband.core.types import Item
from proband.suites.kinship.generate.build import build
from proband.suites.kinship.generate.options import BuildOptions
from proband.suites.kinship.telling.questions import ask, gender_lines, gender_sentences, story_of, triples
from proband.suites.kinship.world.relations import GENDER, RELATIONS
from proband.suites.kinship.world.rules import load


def items(**options: Any) -> list[Item]:
    built = build(BuildOptions(**{"k": "2,4", "per_k": 44, "certify": "none", **options}), seed=11)
    return [parse(Item, line, file="items.jsonl") for line in built.items if isinstance(line, bytes)]


def question_of(item: Item) -> str:
    return item.prompt.rsplit("\n", 1)[-1]


def test_the_default_is_a_blank_to_fill_from_22() -> None:
    for item in items():
        x, z = (item.facts["names"][p] for p in item.facts["query"])
        assert question_of(item) == f"{z} is the ___ of {x}."
        assert item.choices == RELATIONS
        assert item.gold is not None
        assert item.choices[item.gold] == item.facts["target"]
        assert all(name in story_of(item) for name in item.facts["names"])


def test_questions_in_words() -> None:
    asked = items(question="text")
    assert len({re.sub(r"\b[A-Z]\w+(?= |\?)", "", question_of(i)) for i in asked}) >= 4
    for item in asked:
        assert question_of(item).endswith("?")
        assert item.gold is not None
        assert item.choices[item.gold] == item.facts["target"]


def test_yes_and_no_are_even_and_gender_tells_nothing() -> None:
    asked = items(question="yes-no", per_k=440)
    assert 0.45 < sum(item.gold == 0 for item in asked) / len(asked) < 0.55
    for item in asked:
        assert item.choices == ("yes", "no")
        words = [w for w in RELATIONS if f" the {w} of " in question_of(item)]
        assert len(words) == 1
        assert (words[0] == item.facts["target"]) == (item.gold == 0)
        assert GENDER[words[0]] == item.facts["genders"][item.facts["query"][1]]


def test_brackets() -> None:
    for item in items(brackets=True):
        for name in item.facts["names"]:
            assert f"[{name}]" in item.prompt
            assert not re.search(rf"(?<!\[)\b{name}\b(?!\])", item.prompt)


def test_anonymous_people_are_drawn_from_a_small_pool() -> None:
    seen = set()
    for item in items(anonymise=True, task="clean,all"):
        names = item.facts["names"]
        assert len(set(names)) == len(names)
        assert all(re.fullmatch(r"@entity-\d+", name) for name in names)
        seen |= set(names)
    assert 30 < len(seen) <= 40


def test_anonymous_stories_never_need_a_gender_that_is_not_told() -> None:
    """The complete search, with every gender unknown but those the relation words tell, and that of the one asked for,
    which a pronoun tells where no relation word does."""
    from proband.suites.kinship.logic import search as certify

    for item in items(anonymise=True, k="2,3"):
        facts = item.facts
        genders: list[str | None] = [None] * len(facts["names"])
        for _, word, j in facts["edges"]:
            genders[j] = GENDER[word]
        x, z = facts["query"]
        pronoun = {"male": "his|he|him", "female": "her|she"}[facts["genders"][z]]
        told = [word for word in RELATIONS if re.search(rf"{word},? {facts['names'][z]}\b", item.prompt)]
        assert genders[z] or told or re.search(rf"\b(?:{pronoun})\b", item.prompt)
        genders[z] = facts["genders"][z]
        edges = [(i, w, j) for i, w, j in facts["edges"]]
        assert certify.entailed(genders, edges, (x, z), facts["target"])


def test_facts_as_plain_sentences_and_as_a_graph() -> None:
    for item in items(form="facts", task="all"):
        sentences = re.findall(r"[^.]+\.", story_of(item))
        assert len(sentences) == len(item.facts["edges"]) + len(item.facts["names"])  # and everybody's gender
        names = item.facts["names"]
        told = {f"{names[j]} is the {w} of {names[i]}." for i, w, j in item.facts["edges"]}
        assert {s.strip() for s in sentences} == told | set(gender_sentences(names, item.facts["genders"]))
    for item in items(form="graph"):
        names = item.facts["names"]
        lines = [*triples(item.facts["edges"], names).splitlines(), *gender_lines(names, item.facts["genders"])]
        assert set(story_of(item).splitlines()) == set(lines)


def test_the_three_forms_tell_the_same_facts() -> None:
    """So that reading can be told from reasoning."""
    forms = [items(form=form, task="all") for form in ("story", "facts", "graph")]
    for story, facts, graph in zip(*forms, strict=True):
        assert story.facts["edges"] == facts.facts["edges"] == graph.facts["edges"]
        assert story.facts["names"] == facts.facts["names"] == graph.facts["names"]
        assert story.gold == facts.gold == graph.gold


@pytest.mark.parametrize("kind", ["choice", "text", "yes-no"])
def test_questions_about_places(kind: str) -> None:
    draw = random.Random(0).random
    question, choices, gold = ask(kind, x="the mill", z="the inn", target="north", rules=load("grid"), draw=draw)
    assert "the mill" in question
    assert question[0].isupper()
    if kind != "yes-no":
        assert choices[gold] == "north"
