"""The extractor: what is stated in a story, learned from its facts, and reasoned with."""

from __future__ import annotations

import random
from pathlib import Path

import torch

import proband
from proband.core.files import read_items
from proband.core.options import read_options
from proband.suites.kinship.nets.batches import NEVER
from proband.suites.kinship.nets.extraction.answers import Extractor
from proband.suites.kinship.nets.extraction.batches import NONE, Mentions, pad_mentions, stated_relations
from proband.suites.kinship.nets.extraction.pair_classifier import pooled
from proband.suites.kinship.nets.extraction.task import task
from proband.suites.kinship.nets.options import ExtractorOptions
from proband.suites.kinship.nets.stories import NUMBER, UNTYPED, Story
from proband.training.fit import fit
from proband.training.vocabulary import Vocabulary


class GoldReader:
    """Reads what the facts say, as a perfect classifier would."""

    def __call__(self, batch: Mentions) -> torch.Tensor:
        stated = torch.where(batch.stated == NEVER, NONE, batch.stated)
        return torch.nn.functional.one_hot(stated, NONE + 1) * 18.0


def test_with_perfect_reading_the_rules_answer_stories_of_any_length(tmp_path: Path) -> None:
    proband.build("kinship", out=tmp_path, k="2,6,10", per_k=22, task="clean,supporting,irrelevant,disconnected")
    options = read_options(ExtractorOptions, {}, of="extractor")
    solver = Extractor(net=GoldReader(), options=options, vocabulary=Vocabulary.of([], least=1), name="gold", sha="")
    items = list(read_items(tmp_path))
    right = [
        max(range(22), key=lambda c: answer.scores[c]) == item.gold for item, answer in zip(items, solver.answer(items))
    ]
    assert sum(right) / len(right) > 0.95


def test_it_learns_to_read_and_answers(fifty: Path) -> None:
    options = read_options(
        ExtractorOptions, {"width": 32, "blocks": 3, "epochs": 40, "rate": 0.01, "held_out": 0, "dropout": 0}, of="x"
    )
    plan = task(fifty, options=options, seed=0)
    net = fit(plan, seed=0).net
    items = [item for item in read_items(fifty) if item.split == "train"]
    solver = Extractor(net=net, options=options, vocabulary=plan.vocabulary, name="net:x", sha="")
    answers = solver.answer(items)
    right = [max(range(22), key=lambda c: answer.scores[c]) == item.gold for item, answer in zip(items, answers)]
    assert sum(right) / len(right) > 0.9
    i, relation, j = items[0].facts["edges"][0]
    assert f"{i} {relation} {j}" in str(answers[0].text).split("; ")


def test_untyped_noise_is_neither_stated_nor_denied() -> None:
    story = Story("a", (0, "x", 1, 2), 3, ((0, NUMBER["son"], 1), (1, UNTYPED, 2)), (0, 1), None, "train")
    table = stated_relations(story)
    assert table[0] == [NEVER, NUMBER["son"], NONE]
    assert (table[1][2], table[2][1]) == (NEVER, NEVER)
    assert table[1][0] == NEVER  # nobody says whether 0 is the father or the mother


def test_pooling_is_a_sum_over_pairs_of_mentions() -> None:
    torch.manual_seed(0)
    scores, owners = torch.randn(1, 4, 4, 22), torch.tensor([[0, 1, 0, -1]])
    found = pooled(scores, owners, 2)
    torch.testing.assert_close(found[0, 0, 1], torch.logsumexp(scores[0, [0, 2], 1], 0))
    torch.testing.assert_close(found[0, 0, 0], torch.logsumexp(scores[0][[0, 2]][:, [0, 2]].flatten(0, 1), 0))


def test_placeholders_are_drawn_anew_in_training_only() -> None:
    story = Story("a", (0, "met", 1), 2, ((0, NUMBER["son"], 1),), (0, 1), None, "train")
    words, draw = Vocabulary.of([["met"]], least=1), random.Random(0)
    fixed = [pad_mentions([story], words, pool=20).slots.tolist() for _ in range(2)]
    drawn = [pad_mentions([story], words, pool=20, draw=draw).slots.tolist() for _ in range(2)]
    assert fixed[0] == fixed[1] != drawn[0] != drawn[1]
