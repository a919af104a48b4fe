"""With the table of a rule base the composer proves what the closure proves; trained, it finds the table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from msgspec.structs import replace

import proband
from proband.core.files import read_items
from proband.core.options import read_options
from proband.suites.kinship import SUITE
from proband.suites.kinship.nets.batches import pad
from proband.suites.kinship.nets.extraction.reasoning import table
from proband.suites.kinship.nets.graph.composer import compose, told_facts
from proband.suites.kinship.nets.stories import story_of_item
from proband.suites.kinship.nets.task import Reads, task
from proband.suites.kinship.world.relations import NEUTRAL
from proband.suites.kinship.world.rules import load
from proband.training.fit import fit
from proband.training.vocabulary import Vocabulary


def test_chains_of_any_length_follow_from_the_table_of_the_rules(tmp_path: Path) -> None:
    proband.build("kinship", out=tmp_path, k="2,5,10", per_k=44)
    reads, words = Reads.of("composer"), Vocabulary.of([], least=1)
    stories = [story_of_item(item, file="x") for item in read_items(tmp_path)]
    batch = reads.padded([reads.numbered(story, words, pool=20) for story in stories], rounded=False)
    told = (
        told_facts(batch)[..., 0:22:2] + told_facts(batch)[..., 1:22:2]
    )  # of a neutral relation the man and the woman
    closed = compose(told, table("sound"))
    found = closed[torch.arange(len(stories)), batch.query[:, 0], batch.query[:, 1]].argmax(-1)
    assert float((found == batch.target // 2).float().mean()) > 0.97


def test_it_learns_rules_that_are_sound(tmp_path: Path) -> None:
    """Trained on k = 2 alone, every learned rule is one of the sound table (which of two outcomes may depend on
    the gender of the asker, which facts do not tell)."""
    proband.build("kinship", out=tmp_path, k="2", per_k=400, hold_out="clauses", test_per_k=0)
    options: Any = read_options(
        SUITE.net("composer").options, {"epochs": 8, "held_out": 0.0, "device": "cpu"}, of="composer"
    )
    plan = task(tmp_path, kind="composer", options=options, seed=0)
    net = fit(plan, seed=0).net
    rules, sound = net.rules(), load("sound")
    assert len(rules) > 80
    for (a, b), c in rules.items():
        assert NEUTRAL[c] in sound.compose(NEUTRAL[a], NEUTRAL[b]), (a, b, c)


@pytest.mark.parametrize("kind", ["composer", "edge-transformer", "edge-transformer-small"])
def test_a_story_reads_the_same_beside_larger_ones(kind: str) -> None:
    from proband.suites.kinship.nets.batches import Numbers
    from proband.suites.kinship.nets.task import KINDS

    torch.manual_seed(0)
    given = {"composer": {}, "edge-transformer": {"width": 8, "heads": 2, "dropout": 0}}.get(
        kind, {"width": 8, "heads": 2}
    )
    net = KINDS[kind](read_options(SUITE.net(kind).options, given, of=kind), 5)
    one = Numbers(((),), (3, 4, 0), ((0, 2, 1), (1, 3, 2)), (0, 2), 0)
    same = Numbers(((),), (0, 1, 2), ((0, 2, 1), (1, 3, 2)), (0, 2), 0)
    both = net(pad([one, same], text=False))
    torch.testing.assert_close(both[0], both[1])  # who is who does not matter, only what is told
    torch.testing.assert_close(net(pad([one], text=False))[0], both[0])


def test_facts_read_backwards_are_learned_too(tmp_path: Path) -> None:
    """The chain told from its end: (c, r, b), (b, s, a) for the question what c is to a."""
    from proband.core.files import encode

    proband.build("kinship", out=tmp_path, k="2", per_k=200, hold_out="paraphrases", test_per_k=0)
    items = list(read_items(tmp_path))
    turned = [
        replace(item, facts={**item.facts, "edges": [[j, r, i] for i, r, j in item.facts["edges"]]}) for item in items
    ]
    (tmp_path / "items.jsonl").write_bytes(b"\n".join(encode(item) for item in turned) + b"\n")
    losses = []
    for converses in (False, True):
        given = {"epochs": 5, "rate": 0.2, "held_out": 0.0, "device": "cpu", "converses": converses}
        options: Any = read_options(SUITE.net("composer").options, given, of="composer")
        losses.append(fit(task(tmp_path, kind="composer", options=options, seed=0), seed=0).curve[-1]["loss"])
    assert losses[0] > 3 > 1.5 > losses[1]
