"""Telling: every fact once, the same seed the same words, no held-out paraphrase on the wrong side."""

from __future__ import annotations

import os
import random
import re
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proband.core.errors import ProbandError
from proband.core.files import encode, parse
from proband.core.types import Item
from proband.suites.kinship.generate.build import build
from proband.suites.kinship.generate.options import BuildOptions
from proband.suites.kinship.reading.reader import read_story
from proband.suites.kinship.telling.bank import Bank, load_bank, parse_bank
from proband.suites.kinship.telling.stories import (
    ask,
    gender_lines,
    gender_sentences,
    plain,
    shown_names,
    tell,
    triples,
    walk,
)
from proband.suites.kinship.telling.template_check import canonical
from proband.suites.kinship.world.families import NAMES
from proband.suites.kinship.world.relations import FEMALE, GENDER, MALE, NEUTRAL, RELATIONS, Edge
from proband.suites.kinship.world.rules import load, story_of

EXAMPLES = 1000 if "PROBAND_MUTATIONS" in os.environ else 150  # `make test-all`, `make test`

World = tuple[list[Edge], list[str], list[str]]


@st.composite
def worlds(draw: st.DrawFn) -> World:
    """A chain with branches: every new person is a relation of an earlier one, mostly of the latest."""
    size = draw(st.integers(1, 9))
    genders, edges = [draw(st.sampled_from((MALE, FEMALE)))], []
    for person in range(1, size + 1):
        other = draw(st.sampled_from([person - 1] * 4 + list(range(person))))
        spouse_of_same = [w for w in RELATIONS if NEUTRAL[w] == "spouse" and GENDER[w] == genders[other]]
        word = draw(st.sampled_from([w for w in RELATIONS if w not in spouse_of_same]))
        edges.append((other, word, person))
        genders.append(GENDER[word])
    rng = random.Random(draw(st.integers(0, 2**32)))
    pool = {gender: rng.sample(names, size + 1) for gender, names in NAMES.items()}
    return edges, genders, [pool[gender].pop() for gender in genders]


def meant(edges: list[Edge], names: list[str]) -> set[tuple[str, str, str]]:
    return {canonical((names[i], w, names[j])) for i, w, j in edges}


@settings(max_examples=EXAMPLES, deadline=None)
@given(worlds(), st.integers(0, 2**32), st.booleans(), st.sampled_from((None, "train", "test")))
def test_told_and_read_back(world: World, seed: int, brackets: bool, split: str | None) -> None:
    edges, genders, names = world
    bank = load_bank() if split is None else HELD
    shown = shown_names(names, brackets=brackets)
    kwargs = {"names": shown, "genders": genders, "bank": bank, "split": split}
    story = tell(edges, rng=random.Random(seed), **kwargs)  # type: ignore[arg-type]
    assert all(name in story.text for name in shown)
    assert {canonical(f) for f in read_story(story.text, names=dict(zip(names, genders)))} == meant(edges, names)
    assert sorted(i for group in story.groups for i in group) == list(range(len(edges)))
    assert len(story.groups) == len(story.templates)
    assert story == tell(edges, rng=random.Random(seed), **kwargs)  # type: ignore[arg-type]
    if split is not None:
        assert {HELD.split[i] for i in story.templates} == {split}


HELD = load_bank().hold_out(0.2, seed=5)
HEADS = {phrase.id: phrase.heads for occasion in load_bank().occasions for phrase in occasion.phrases}
CHAIN: list[Edge] = [(0, "father", 1), (1, "sister", 2), (2, "son", 3)]
KWARGS = {"names": ["Ann", "Ben", "Clara", "Dan"], "genders": [FEMALE, MALE, FEMALE, MALE]}


def test_the_text_is_cut_in_many_ways() -> None:
    """Two facts in a sentence, or one each, after the opening."""
    bank, rng = load_bank(), random.Random(0)
    counts = Counter(len(re.findall(r"[.!?]", tell(CHAIN, bank=bank, rng=rng, **KWARGS).text)) for _ in range(300))  # type: ignore[arg-type]
    assert set(counts) == {3, 4}
    assert min(counts.values()) > 30


def test_each_phrase_tells_the_fact_it_is_filed_under() -> None:
    rng = random.Random(4)
    for _ in range(50):
        told = tell(CHAIN, bank=load_bank(), rng=rng, **KWARGS)  # type: ignore[arg-type]
        assert [len(group) for group in told.groups] == [1, 1, 1]
        places = [
            told.text.index(HEADS[i][form]) for i in told.templates for form in HEADS[i] if HEADS[i][form] in told.text
        ]
        assert places == sorted(places)
        for phrase, (edge,) in zip(told.templates, told.groups):
            head = next(h for h in HEADS[phrase].values() if h in told.text)
            after = told.text.split(head, 1)[1].split(".")[0]
            a, _, b = CHAIN[edge]
            assert min((after.find(KWARGS["names"][i]), i) for i in range(4) if KWARGS["names"][i] in after)[1] in (
                a,
                b,
            )


def test_many_different_tellings() -> None:
    bank, rng = load_bank(), random.Random(0)
    told = {tell(CHAIN, bank=bank, rng=rng, **KWARGS).text for _ in range(1000)}  # type: ignore[arg-type]
    assert len(told) > 950


def test_same_bytes_in_another_process() -> None:
    code = (
        "import random; from proband.suites.kinship.telling.bank import load_bank\n"
        "from proband.suites.kinship.telling.stories import tell\n"
        f"print(tell({CHAIN!r}, bank=load_bank().hold_out(0.2, 3), rng=random.Random(7), split='test', **{KWARGS!r}))"
    )
    seed = "77" if os.environ.get("PYTHONHASHSEED") != "77" else "0"
    env = {**os.environ, "PYTHONHASHSEED": seed}
    printed = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True).stdout
    bank = load_bank().hold_out(0.2, 3)
    here = tell(CHAIN, bank=bank, rng=random.Random(7), split="test", **KWARGS)  # type: ignore[arg-type]
    assert printed == f"{here}\n"


def test_hold_out_shares() -> None:
    share = sum(split == "test" for split in HELD.split.values()) / len(HELD.split)
    assert 0.15 < share < 0.25
    assert HELD.split == load_bank().hold_out(0.2, seed=5).split
    assert HELD.split != load_bank().hold_out(0.2, seed=6).split
    with pytest.raises(ProbandError, match="between 0 and 1"):
        load_bank().hold_out(1.5)


def test_every_single_fact_in_both_splits() -> None:
    for word in RELATIONS:
        for gender in (MALE, FEMALE):
            if NEUTRAL[word] != "spouse" or GENDER[word] != gender:
                ids = {
                    split: {line[0].id for line in HELD.menus(split)[gender, word].lines} for split in ("train", "test")
                }
                assert len(ids["train"]) >= 12
                assert len(ids["test"]) >= 4
                assert not ids["train"] & ids["test"]


def test_walk_turns_edges_round() -> None:
    star: list[Edge] = [(0, "father", 1), (0, "mother", 2), (0, "uncle", 3)]
    genders = [MALE, MALE, FEMALE, MALE]
    assert walk(star, 0, size=3, genders=genders) == ([1, 0, 2], (MALE, "son", "mother"))
    assert walk(star, 0, size=1, genders=genders) == ([0, 1], (MALE, "father"))


def test_reveal_tells_the_gender() -> None:
    """Anonymous people: the words alone must tell what the asked-about person is."""
    names = [f"@entity-{i}" for i in range(4)]
    rng = random.Random(2)
    for _ in range(300):
        told = tell(CHAIN, names=names, genders=KWARGS["genders"], bank=load_bank(), rng=rng, reveal=3)
        facts = read_story(told.text, names=names)
        kin = any(person == "@entity-3" for _, _, person in facts)
        alone = [word for word in ("his", "he", "him") if f" {word} " in f" {told.text.lower()} "]
        assert kin or alone


def test_plain() -> None:
    assert plain([(0, "aunt", 1)], ["Ben", "Ann"], [MALE, FEMALE]) == ["Ann is the aunt of Ben."]
    with pytest.raises(ProbandError, match="person 1 is male"):
        plain([(0, "aunt", 1)], ["Ben", "Al"], [MALE, MALE])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{0} met {1}.", "line 1: a paraphrase comes before"),
        ("== cousin\n{0}", "line 1: no relation 'cousin'"),
        ("== parent\n{0} {1}\n{0} {1}", "line 3: the paraphrase repeats line 2"),
        ("== parent, parent child\n", "line 1: the clauses of one header"),
        ("== parent child parent child\n", "line 1: a clause has one to 3"),
    ],
)
def test_bad_bank_files(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "bank.txt"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ProbandError, match=message):
        load_bank(str(path))


def test_a_bank_of_ones_own() -> None:
    bank = parse_bank("== parent\n{1} is {0}'s {1 of 0}.\n", name="mine")
    told = tell([(0, "son", 1)], names=["Ann", "Ben"], genders=[FEMALE, MALE], bank=bank, rng=random.Random(0))
    assert told.text == "Ann is Ben's mother."
    with pytest.raises(ProbandError, match="bank mine has no paraphrase of 'aunt'"):
        tell([(0, "aunt", 1)], names=["Ben", "Ann"], genders=[MALE, FEMALE], bank=bank, rng=random.Random(0))
    with pytest.raises(ProbandError, match="no such template bank"):
        load_bank("nowhere.txt")


def test_fast_enough() -> None:
    bank, rng = load_bank(), random.Random(0)

    def run(times: int) -> float:
        began = time.process_time()
        for _ in range(times):
            tell(CHAIN, bank=bank, rng=rng, **KWARGS)  # type: ignore[arg-type]
        return (time.process_time() - began) / times

    run(300)
    assert min(run(500) for _ in range(5)) < 60e-6  # 13 microseconds on a quiet core


def test_bank_is_one_object() -> None:
    assert load_bank() is load_bank("proband")
    assert isinstance(load_bank(), Bank)


def items(**options: Any) -> list[Item]:
    built = build(BuildOptions(**{"k": "2,4", "per_k": 44, "certify": "none", **options}), seed=11)
    return [parse(Item, encode(item), file="items.jsonl") for item in built.items]


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
    question = ask(kind, x="the mill", z="the inn", target="north", rules=load("grid"), draw=draw)
    assert "the mill" in question.text
    assert question.text[0].isupper()
    if kind != "yes-no":
        assert question.choices[question.gold] == "north"
        assert not question.facts
    else:
        assert (question.facts["asked"] == "north") == (question.gold == 0)
        assert question.facts["asked"] in question.text
