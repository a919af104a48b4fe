"""Training: every net learns fifty stories by heart, none learns shuffle labels, the same seed gives the same net."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from msgspec.structs import replace

import proband
from proband.core.errors import ProbandError
from proband.core.files import encode, read_items
from proband.core.protocols import EmbedsWords
from proband.suites.kinship import SUITE
from proband.suites.kinship.nets.stories import readable_story
from proband.suites.kinship.nets.task import KINDS, KinshipTask, task
from proband.training.fit import TrainedNet, fit

Small = Callable[..., Any]
EPOCHS = {"edge-transformer": 40, "gat": 50, "composer": 25, "rmc": 90}


def planned(kind: str, items: Path, options: Any, encoder: Any) -> KinshipTask:
    return task(items, kind=kind, options=options, seed=0, model=encoder if SUITE.net(kind).needs else None)


def accuracy(plan: KinshipTask, trained: TrainedNet, stories: Any) -> float:
    with torch.no_grad():
        batch = plan.reads.padded(stories, rounded=False)
        return float((trained.net(batch).argmax(-1) == batch.target).float().mean())


# one net of each family in `make test`: recurrent, over states, graph, table
FIRST_TIER = ("bilstm-mean", "bert", "gat", "composer")
EVERY_KIND = pytest.mark.parametrize(
    "kind", [k if k in FIRST_TIER else pytest.param(k, marks=pytest.mark.nightly) for k in KINDS]
)


@EVERY_KIND
def test_fifty_stories_are_learned_by_heart(kind: str, fifty: Path, small: Small, encoder: Any) -> None:
    assert isinstance(encoder, EmbedsWords)
    plan = planned(kind, fifty, small(kind, epochs=EPOCHS.get(kind, 30)), encoder)
    assert plan.size == 50
    assert accuracy(plan, fit(plan, seed=0), plan.train) == 1.0


@pytest.fixture(scope="module")
def misled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """150 training stories with labels that were dealt anew, and 350 with their own."""
    folder = tmp_path_factory.mktemp("misled")
    proband.build("kinship", out=folder, seed=1, k="2", per_k=500)
    items = list(read_items(folder))
    targets = [item.facts["target"] for item in items[:150]]
    random.Random(0).shuffle(targets)
    dealt = [
        replace(item, split="train", facts={**item.facts, "target": target}) for item, target in zip(items, targets)
    ]
    (folder / "items.jsonl").write_bytes(b"\n".join(encode(item) for item in (*dealt, *items[150:])) + b"\n")
    return folder


@EVERY_KIND
def test_shuffle_labels_teach_nothing(kind: str, misled: Path, small: Small, encoder: Any) -> None:
    """Trained on random labels, a net is at chance (1 in 22) on stories that it has not seen."""
    plan = planned(kind, misled, small(kind, epochs=4, batch=50), encoder)
    trained = fit(plan, seed=0)
    stories = [readable_story(item, plan.options, file="x") for item in read_items(misled) if item.split == "test"]
    unseen = plan.reads.numbers(stories, plan.vocabulary, pool=20, model=encoder)
    assert trained.curve[-1]["loss"] < trained.curve[0]["loss"]  # it does learn
    assert accuracy(plan, trained, unseen) < 0.11  # 350 stories: six standard errors above 1/22


@EVERY_KIND
def test_one_seed_one_net_and_placeholders_stay_fixed(kind: str, fifty: Path, small: Small, encoder: Any) -> None:
    found = []
    for seed in (5, 5, 6):
        trained = fit(planned(kind, fifty, small(kind, epochs=1), encoder), seed=seed)
        found.append(torch.cat([p.detach().flatten() for p in trained.net.parameters()]))
        assert "people" not in " ".join(name for name, _ in trained.net.named_parameters())
    assert torch.equal(found[0], found[1])
    assert not torch.equal(found[0], found[2])


def test_held_out_stories_are_not_learned_from(fifty: Path, small: Small) -> None:
    plan = task(fifty, kind="gat", options=small("gat", held_out=0.2), seed=0)
    assert (len(plan.train), len(plan.valid)) == (40, 10)
    assert not set(map(repr, plan.train)) & set(map(repr, plan.valid))


def test_test_items_of_another_world_do_not_hinder_training(fifty: Path, tmp_path: Path, small: Small) -> None:
    """As in the release, whose training slices stand beside test slices with cousins and sets of relations."""
    items = list(read_items(fifty))
    foreign = replace(items[0], id="foreign", split="test", facts={**items[0].facts, "target": "cousin"})
    (tmp_path / "items.jsonl").write_bytes(b"".join(encode(item) + b"\n" for item in (*items, foreign)))
    plan = task(tmp_path, kind="composer", options=small("composer", held_out=0.0), seed=0)
    assert len(plan.train) == 50


def altered(items: Path, out: Path, **facts: Any) -> Path:
    """The items with one of them changed: the third."""
    found = list(read_items(items))
    prompt = facts.pop("prompt", found[2].prompt)
    found[2] = replace(found[2], prompt=prompt, facts={**found[2].facts, **facts})
    out.mkdir()
    (out / "items.jsonl").write_bytes(b"\n".join(encode(item) for item in found) + b"\n")
    return out


@pytest.mark.parametrize(
    ("kind", "change", "message"),
    [
        ("bilstm-mean", {"target": "cousin"}, "has the 'target' 'cousin', none of the 22 relations"),
        ("gat", {"edges": [[0, "friend", 1]]}, "has 'friend' in 'edges', none of the 22 relations"),
        ("gat", {"edges": []}, "has no fact graph: 'edges' is missing or empty"),
        ("gat", {"edges": [[0, "son", 9]]}, "has a fact about person 9 of"),
        ("mac", {"prompt": "\nWho?"}, "has an empty story in 'prompt'"),
        (
            "mac",
            {"prompt": "so " * 501 + "\nWho?"},
            "501 words and marks in 'prompt', more than",
        ),
        ("mac", {"names": [f"N{n}" for n in range(21)]}, "has 21 people in 'names', more than the net's pool of 20"),
        ("mac", {"query": []}, "has no 'query' in its facts"),
        ("rmc", {"target": None}, "has no 'target' to learn"),
        ("gat", {"target": "cannot be determined"}, "has no 'target' to learn"),
    ],
)
def test_bad_data_fails_in_one_line(
    kind: str, change: dict[str, Any], message: str, fifty: Path, tmp_path: Path
) -> None:
    bad = altered(fifty, tmp_path / "bad", **change)
    with pytest.raises(ProbandError) as error:
        proband.train(bad, net=kind, out=tmp_path / "net")
    assert message in str(error.value)
    assert "items.jsonl" in str(error.value)
    assert "\n" not in str(error.value)
    assert "line 3" in str(error.value) or " to learn" in message  # found when all have been read


def test_a_net_without_training_items_or_model_says_so(tmp_path: Path, fifty: Path) -> None:
    proband.build("kinship", out=tmp_path / "test", k="2", per_k=3)
    with pytest.raises(ProbandError, match="no items of the split train"):
        proband.train(tmp_path / "test", net="gat", out=tmp_path / "net")
    with pytest.raises(ProbandError, match="starts from a model"):
        proband.train(fifty, net="bert", out=tmp_path / "bert")
    with pytest.raises(ProbandError, match="gives word embeddings"):
        proband.train(fifty, net="bert", model="baseline:random", out=tmp_path / "bert")
