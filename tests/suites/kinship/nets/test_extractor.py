"""The extractor: what is stated in a story, learned from its facts, and reasoned with."""

from __future__ import annotations

import itertools
import random
from pathlib import Path

import pytest
import torch

import proband
from proband.core.errors import ProbandError
from proband.core.files import read_items, read_json, write_json
from proband.core.plugins import read_options
from proband.core.types import Item
from proband.suites.kinship.nets.batches import NEVER
from proband.suites.kinship.nets.extractor import Extractor, R, best_derivation, load, nearness, task, triples
from proband.suites.kinship.nets.options import ExtractorOptions
from proband.suites.kinship.nets.pair_classifier import (
    CONVERSE,
    FAR,
    NEUTRAL_NUMBER,
    NONE,
    MentionPairClassifier,
    Mentions,
    pad_mentions,
    pooled,
    stated_genders,
    stated_relations,
)
from proband.suites.kinship.nets.stories import NUMBER, UNTYPED, NetStory
from proband.suites.kinship.world.relations import RELATIONS
from proband.training.fit import fit
from proband.training.folder import NOTE
from proband.training.vocabulary import Vocabulary


class GoldReader:
    """Reads what the facts say, as a perfect classifier would; who nobody calls by a kin word is a man."""

    def __call__(self, batch: Mentions) -> tuple[torch.Tensor, torch.Tensor]:
        stated = torch.where(batch.stated == NEVER, NONE, batch.stated)
        return torch.nn.functional.one_hot(stated, NONE + 1) * 18.0, torch.where(batch.female == 1, 9.0, -9.0)


def test_with_perfect_reading_the_rules_answer_stories_of_any_length(tmp_path: Path) -> None:
    proband.build("kinship", out=tmp_path, k="2,6,10", per_k=11, task="clean,supporting,irrelevant,disconnected")
    options = read_options(ExtractorOptions, {}, of="extractor")
    solver = Extractor(net=GoldReader(), options=options, vocabulary=Vocabulary.of([], least=1), name="gold", sha="")
    items = list(read_items(tmp_path))
    right = [
        max(range(22), key=lambda c: answer.scores[c]) == item.gold for item, answer in zip(items, solver.answer(items))
    ]
    assert sum(right) / len(right) > 0.99


def test_with_perfect_reading_it_says_where_nothing_follows(tmp_path: Path) -> None:
    proband.build("kinship", out=tmp_path, k="3,5", per_k=20, open=0.5)
    options = read_options(ExtractorOptions, {}, of="extractor")
    solver = Extractor(net=GoldReader(), options=options, vocabulary=Vocabulary.of([], least=1), name="gold", sha="")
    items = list(read_items(tmp_path))
    said = [
        item.choices[max(range(23), key=answer.scores.__getitem__)] for item, answer in zip(items, solver.answer(items))
    ]
    right = [item.facts["target"] for item in items]
    assert said == right
    assert 10 < right.count("cannot be told") < 30


def test_it_learns_to_read_and_answers(fifty: Path) -> None:
    options = read_options(
        ExtractorOptions,
        {"width": 32, "blocks": 3, "epochs": 25, "batch": 10, "rate": 0.01, "held_out": 0, "dropout": 0},
        of="x",
    )
    plan = task(fifty, options=options, seed=0)
    net = fit(plan, seed=0).net
    items = [item for item in read_items(fifty) if item.split == "train"]
    solver = Extractor(net=net, options=options, vocabulary=plan.vocabulary, name="net:x", sha="")
    answers = solver.answer(items)
    right = [max(range(22), key=lambda c: answer.scores[c]) == item.gold for item, answer in zip(items, answers)]
    assert sum(right) / len(right) > 0.8  # hardly a phrase comes twice in fifty stories
    i, relation, j = items[0].facts["edges"][0]
    assert str(answers[0].text).count(";") == len(items[0].facts["edges"]) - 1  # every fact once
    assert i > j or f"{i} {relation} {j}" in str(answers[0].text).split("; ")


def test_facts_that_leave_no_relation_of_the_22_get_an_answer_all_the_same(tmp_path: Path) -> None:
    """My spouse's uncle is none of the eleven: the closure says "other"."""
    options = read_options(ExtractorOptions, {}, of="extractor")
    solver = Extractor(net=GoldReader(), options=options, vocabulary=Vocabulary.of([], least=1), name="gold", sha="")
    facts = {"names": ["Ann", "Bob", "Carl"], "edges": [[0, "husband", 1], [1, "uncle", 2]], "query": [0, 2]}
    item = Item(id="a", suite="kinship", prompt="Ann Bob Carl.\nWho?", choices=RELATIONS, gold=0, facts=facts)
    (answer,) = solver.answer([item])
    assert answer.text == "0 husband 1; 1 uncle 2"
    assert len(answer.scores) == 22


def test_untyped_noise_is_neither_stated_nor_denied() -> None:
    story = NetStory("a", (0, "x", 1, 2), 3, ((0, NUMBER["son"], 1), (1, UNTYPED, 2)), (0, 1), None, "train")
    table = stated_relations(story)
    assert table[0] == [NEVER, NEUTRAL_NUMBER["child"], NONE]
    assert (table[1][2], table[2][1]) == (NEVER, NEVER)
    assert stated_genders(story) == [NEVER, 0, NEVER]  # nobody says whether 0 is the father or the mother


def test_pooling_is_a_sum_over_pairs_of_mentions() -> None:
    torch.manual_seed(0)
    scores, owners = torch.randn(1, 4, 4, 11), torch.tensor([[0, 1, 0, -1]])
    found = pooled(scores, owners, 2, torch.tensor(CONVERSE))
    ahead, back = scores[0, [0, 2], 1], scores[0, 1, [0, 2]][:, CONVERSE]  # of 1 to 0, and of 0 to 1 turned around
    torch.testing.assert_close(found[0, 0, 1], torch.logsumexp(torch.cat([ahead, back]), 0))
    torch.testing.assert_close(found[0, 1, 0], found[0, 0, 1][CONVERSE])


def test_of_people_named_too_many_sentences_apart_nothing_is_read() -> None:
    torch.manual_seed(0)
    words = (0, "left", ".", 1, "left", ".", 2, "left", ".")
    story = NetStory("a", words, 3, ((0, NUMBER["son"], 2),), (0, 2), None, "train")
    vocabulary = Vocabulary.of([["left", "."]], least=1)
    batch, every = pad_mentions([story], vocabulary, pool=20), {(0, 1), (1, 2), (0, 2)}

    def read(net: MentionPairClassifier) -> set[tuple[int, int]]:
        chance = net(batch)[0].softmax(-1)[0, ..., :NONE].sum(-1)
        return {(i, j) for i, j in every if chance[i, j] > 0}

    for near, readable in ((0, set()), (1, {(0, 1), (1, 2)}), (2, every)):
        net = MentionPairClassifier(read_options(ExtractorOptions, {"near": near}, of="extractor"), len(vocabulary))
        assert read(net.eval()) == readable
        assert read(net.train()) == every  # what is stated nowhere is an example too


def test_how_far_a_fact_may_reach_is_learned_from_the_training_stories(fifty: Path) -> None:
    sentences = {0: (0, "met", 1, "."), 1: (0, "left", ".", 1, "left", ".")}
    edge = ((0, NUMBER["son"], 1),)
    stories = {gap: NetStory("a", words, 2, edge, (0, 1), None, "train") for gap, words in sentences.items()}
    unnamed = NetStory("b", ("rain", "."), 2, edge, (0, 1), None, "train")
    assert nearness([stories[0]] * 995 + [stories[1]] * 5 + [unnamed] * 100) == 0
    assert nearness([stories[0]] * 94 + [stories[1]] * 6) == 1
    chosen = [
        task(fifty, options=read_options(ExtractorOptions, given, of="extractor"), seed=0).note()["near"]
        for given in ({}, {"near": 3})
    ]
    assert chosen[1] == 3 != chosen[0]


def test_a_folder_of_before_near_reads_within_forty_words_and_others_are_refused(fifty: Path, tmp_path: Path) -> None:
    small = {"width": 8, "blocks": 1, "epochs": 1, "held-out": 0}
    proband.train(fifty, net="extractor", out=tmp_path / "net", options=small)
    assert load(tmp_path / "net").options.near == 0
    note = read_json(tmp_path / "net" / NOTE)
    write_json(tmp_path / "net" / NOTE, {name: value for name, value in note.items() if name != "near"})
    assert load(tmp_path / "net").net.near == FAR
    write_json(tmp_path / "net" / NOTE, {name: value for name, value in note.items() if name != "encoder"})
    with pytest.raises(ProbandError, match=r"is not the folder of an extractor: net\.json has no 'encoder'"):
        load(tmp_path / "net")


def test_the_surest_derivation_is_that_of_an_enumeration() -> None:
    """Of every path from 0 to 3, every reading of its facts and every bracketing."""
    torch.manual_seed(0)
    facts = torch.randn(1, 4, 4, R).log_softmax(-1)
    ahead = torch.where(torch.ones(4, 4).triu(1)[None, :, :, None] > 0, facts, -99.0)  # no way leads back
    rules = {(a, b): c for a, b, c in triples("sound")}

    def outcomes(chain: tuple[int, ...]) -> set[int]:
        if len(chain) == 1:
            return {chain[0]}
        cut = ((outcomes(chain[:at]), outcomes(chain[at:])) for at in range(1, len(chain)))
        return {rules[a, b] for first, second in cut for a in first for b in second if (a, b) in rules}

    best = torch.full((R,), -99.0)
    for path in ((0, 3), (0, 1, 3), (0, 2, 3), (0, 1, 2, 3)):
        for chain in itertools.product(range(R), repeat=len(path) - 1):
            value = sum(facts[0, i, j, r] for i, j, r in zip(path, path[1:], chain))
            for c in outcomes(chain):
                best[c] = torch.maximum(best[c], torch.as_tensor(value))
    torch.testing.assert_close(best_derivation(ahead, "sound")[0, 0, 3], best)


def test_placeholders_are_drawn_anew_in_training_only() -> None:
    story = NetStory("a", (0, "met", 1), 2, ((0, NUMBER["son"], 1),), (0, 1), None, "train")
    words, draw = Vocabulary.of([["met"]], least=1), random.Random(0)
    fixed = [pad_mentions([story], words, pool=20).slots.tolist() for _ in range(2)]
    drawn = [pad_mentions([story], words, pool=20, draw=draw).slots.tolist() for _ in range(2)]
    assert fixed[0] == fixed[1] != drawn[0] != drawn[1]
