"""GAT's layer against torch-geometric's, the edge transformer's against loops, the composer against the closure."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest
import torch
from msgspec.structs import replace

import proband
from proband.core.files import read_items
from proband.core.plugins import read_options
from proband.core.types import Item
from proband.suites.kinship import SUITE
from proband.suites.kinship.nets.batches import Numbers, pad
from proband.suites.kinship.nets.graph_nets import (
    Composer,
    EdgeTransformer,
    Gat,
    GatLayer,
    TriangularAttention,
    compose,
    stated_facts,
    turned,
)
from proband.suites.kinship.nets.options import EdgeTransformerOptions, GatOptions, NetOptions
from proband.suites.kinship.nets.stories import GENDERS, readable_story
from proband.suites.kinship.nets.task import KINDS, Reads, recipe_of, task
from proband.suites.kinship.world import relations
from proband.suites.kinship.world.relations import GENDER, NEUTRAL, NEUTRALS, RELATIONS
from proband.suites.kinship.world.rules import Rules, load
from proband.training.fit import fit
from proband.training.vocabulary import Vocabulary

# ---- graph attention network -----------------------------------------------------------------------------------------


def test_the_layer_is_that_of_torch_geometric() -> None:
    """Where the relation speaks through attention alone (U takes W x_j and leaves r), it is GATConv with edge features
    and the mean of its heads."""
    from torch_geometric.nn import GATConv

    torch.manual_seed(0)
    width, edge, heads, people = 6, 4, 3, 5
    own = GatLayer(width, edge, heads=heads)
    theirs = GATConv(width, width, heads=heads, concat=False, add_self_loops=False, edge_dim=edge)
    x, r = torch.randn(people, width), torch.randn(8, edge)
    i, j = torch.tensor([0, 0, 1, 2, 4, 4, 4, 3]), torch.tensor([1, 2, 2, 3, 0, 1, 4, 3])
    with torch.no_grad():
        own.u.weight.copy_(torch.cat([torch.eye(width), torch.zeros(width, edge)], 1))
        own.u.bias.copy_(theirs.bias)
        own.w.weight.copy_(theirs.lin.weight)
        own.a_i.copy_(theirs.att_dst[0])
        own.a_j.copy_(theirs.att_src[0])
        own.a_r.copy_(torch.einsum("hd,hde->he", theirs.att_edge[0], theirs.lin_edge.weight.view(heads, width, edge)))
    expected = theirs(x, torch.stack([j, i]), r)  # messages go from j to i
    padded = torch.cat([r, torch.randn(1, edge)])[None]
    mask = torch.tensor([[True] * 8 + [False]])
    found = own(x[None], torch.cat([i, i[:1]])[None], torch.cat([j, j[-1:]])[None], padded, mask)
    torch.testing.assert_close(found[0], expected)


def test_gat_reads_a_story_the_same_beside_larger_ones() -> None:
    torch.manual_seed(0)
    net = Gat(read_options(GatOptions, {"width": 8, "edge": 4}, of="gat"), 5).eval()
    one = Numbers(((),), (3, 4), ((0, 2, 1),), (0, 1), 0)
    two = Numbers(((),), (0, 1, 2, 5), ((0, 2, 1), (1, 4, 2), (2, 9, 3)), (0, 3), 0)
    alone, beside = net(pad([one], text=False)), net(pad([two, one], text=False))
    torch.testing.assert_close(alone[0], beside[1])


# ---- edge transformer ------------------------------------------------------------------------------------------------


@torch.no_grad()
def test_attention_is_that_of_the_paper_triangle_by_triangle() -> None:
    """alpha_ilj over l, v_il * u_lj, a head after the other; the third person does not exist."""
    torch.manual_seed(0)
    layer, x, there = TriangularAttention(4, 2), torch.randn(1, 3, 3, 4), [0, 1]
    found = layer(x, torch.tensor([[True, True, False]]))[0]
    q, k, v, u = (each(x)[0] for each in (layer.q, layer.k, layer.v, layer.u))
    for i in there:
        for j in there:
            heads = []
            for head in (slice(0, 2), slice(2, 4)):
                weights = [math.exp(float(q[i, l, head] @ k[l, j, head]) / math.sqrt(2)) for l in there]
                parts = [w * v[i, l, head] * u[l, j, head] for w, l in zip(weights, there)]
                heads.append(torch.stack(parts).sum(0) / sum(weights))
            torch.testing.assert_close(found[i, j], layer.out(torch.cat(heads)))


def test_the_settings_are_those_of_the_released_program() -> None:
    options = read_options(EdgeTransformerOptions, {}, of="edge-transformer")
    defaults = (
        options.width,
        options.heads,
        options.rounds,
        options.dropout,
        options.epochs,
        options.batch,
        options.clip,
    )
    assert defaults == (200, 4, 8, 0.2, 50, 400, 1.0)
    recipe = recipe_of(options)
    assert [recipe.rate_at(step, 1100) for step in (0, 50, 100, 600, 1100)] == [0, 0.0005, 0.001, 0.0005, 0]


def test_it_sees_what_is_told_and_nothing_else() -> None:
    """A fact read backwards has no vector of its own, unlike in the small net: the order of people does not matter."""
    torch.manual_seed(0)
    net = EdgeTransformer(read_options(EdgeTransformerOptions, {"width": 8, "heads": 2}, of="net"), 5).eval()
    one = Numbers(((),), (0, 1, 2), ((0, 2, 1), (1, 3, 2)), (0, 2), 0)
    turned = Numbers(((),), (0, 1, 2), ((2, 2, 1), (1, 3, 0)), (2, 0), 0)
    both = net(pad([one, turned], text=False))
    torch.testing.assert_close(both[0], both[1])


# ---- composer: with the table of a rule base it proves what the closure proves; trained, it finds the table ----------


def table(rules: Rules) -> torch.Tensor:
    """11 × 11 × 11: 1 where two neutral relations compose to a single one."""
    ones = torch.zeros(11, 11, 11)
    for (n, a), (m, b) in product(enumerate(NEUTRALS), repeat=2):
        outcomes = rules.compose(a, b)
        if len(outcomes) == 1 and (only := next(iter(outcomes))) in NEUTRALS:
            ones[n, m, NEUTRALS.index(only)] = 1
    return ones


def test_chains_of_any_length_follow_from_the_table_of_the_rules(tmp_path: Path) -> None:
    proband.build("kinship", out=tmp_path, k="2,5,10", per_k=44)
    reads, words = Reads.of("composer"), Vocabulary.of([], least=1)
    stories = [readable_story(item, NetOptions(), graph=True, file="x") for item in read_items(tmp_path)]
    batch = reads.padded(reads.numbers(stories, words, pool=20), rounded=False)
    stated = stated_facts(batch)[..., 0:22:2] + stated_facts(batch)[..., 1:22:2]  # neutral relations: man and woman
    inverse = torch.eye(11)[list(load("sound").inverse[:11])].expand(3, -1, -1)
    closed = compose(stated + turned(stated, batch.genders, inverse), table(load("sound")))
    found = closed[torch.arange(len(stories)), batch.query[:, 0], batch.query[:, 1]].argmax(-1)
    assert float((found == batch.target // 2).float().mean()) > 0.97


def test_it_learns_rules_that_are_sound(tmp_path: Path) -> None:
    """Trained on k = 2 alone, every learned rule is one of the sound table (which of two outcomes may depend on
    the gender of the asker)."""
    chain: dict[str, Any] = {"k": "2", "per_k": 400, "hold_out": "clauses", "test_per_k": 0, "facts_along_chain": True}
    proband.build("kinship", out=tmp_path, **chain)
    given = {"epochs": 8, "held_out": 0.0, "device": "cpu", "converses": False}
    options: Any = read_options(SUITE.net("composer").options, given, of="composer")
    plan = task(tmp_path, kind="composer", options=options, seed=0)
    outcomes, sound = fit(plan, seed=0).net.table.detach().argmax(-1), load("sound")
    rules = [(RELATIONS[a], RELATIONS[b], RELATIONS[c]) for (a, b), c in learned(outcomes) if c < len(RELATIONS)]
    assert len(rules) > 80
    for a, b, c in rules:
        assert NEUTRAL[c] in sound.compose(NEUTRAL[a], NEUTRAL[b]), (a, b, c)


def learned(outcomes: torch.Tensor) -> Iterator[tuple[tuple[int, int], int]]:
    """The likeliest outcome of every pair."""
    return (((a, b), int(outcomes[a, b])) for a in range(outcomes.shape[0]) for b in range(outcomes.shape[1]))


@pytest.mark.parametrize("kind", ["composer", "edge-transformer"])
def test_a_story_reads_the_same_beside_larger_ones(kind: str) -> None:
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


@pytest.mark.nightly
def test_the_side_a_fact_is_told_from_does_not_matter(tmp_path: Path) -> None:
    """Trained on k = 2, 3, 4, it keeps its accuracy up to k = 10, and with every fact turned round."""
    proband.build("kinship", out=tmp_path, k="2,3,4", per_k=700, hold_out="clauses", test_k="2..10", test_per_k=22)
    given = {"epochs": 10, "batch": 32, "clip": 0.0, "held_out": 0.0, "device": "cpu"}
    options: Any = read_options(SUITE.net("composer").options, given, of="composer")
    plan = task(tmp_path, kind="composer", options=options, seed=0)
    net = fit(plan, seed=0).net.eval()
    test = [item for item in read_items(tmp_path) if item.split == "test"]
    for items in (test, [_turned(item) for item in test]):
        stories = [readable_story(item, NetOptions(), graph=True, file="x") for item in items]
        numbers = plan.reads.numbers(stories, plan.vocabulary, pool=20)
        batch = plan.reads.padded(numbers, rounded=False)
        right = (net(batch).argmax(-1) == batch.target).float()
        assert float(right.mean()) > 0.95
    sound = load("sound")
    genders = {number: gender for gender, number in GENDERS.items()}
    sides = [
        RELATIONS[back] == sound.word(sound.inverse[sound.code[RELATIONS[r]]], genders[of])
        for (of, r), back in learned(net.other_side.detach().argmax(-1))
        if of in genders
    ]
    assert sum(sides) / len(sides) > 0.75  # nobody is a man's husband, and of in-laws few facts tell


def _turned(item: Item) -> Item:
    """Every fact from its other side."""
    sound, genders = load("sound"), item.facts["genders"]
    edges = [relations.turned(edge, genders, sound.back) for edge in item.facts["edges"]]
    return replace(item, facts={**item.facts, "edges": edges})


def test_it_never_contradicts_a_given_gender(tmp_path: Path) -> None:
    """Whatever its tables hold, and also where nothing follows: the answer has the gender of the person asked about."""
    proband.build("kinship", out=tmp_path, k="2,3", per_k=22)
    reads, words = Reads.of("composer"), Vocabulary.of([], least=1)
    stories = [readable_story(item, NetOptions(), graph=True, file="x") for item in read_items(tmp_path)]
    batch = reads.padded(reads.numbers(stories, words, pool=20), rounded=False)
    for seed in range(3):
        torch.manual_seed(seed)
        options: Any = read_options(SUITE.net("composer").options, {}, of="composer")
        net = Composer(options, 0).eval()
        with torch.no_grad():
            answers = net(batch).argmax(-1)
        given = batch.genders.gather(1, batch.query[:, 1:]).squeeze(1)
        assert [GENDERS[GENDER[RELATIONS[answer]]] for answer in answers] == given.tolist()
