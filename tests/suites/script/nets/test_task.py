"""Training: the same twice, frozen vectors, resumed runs, early stopping; folders without pickles."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from proband.suites.script.nets.folder import KINDS
from proband.suites.script.nets.train import Recipe, Stage, fit, marginal, viterbi_em

from proband.core.errors import ProbandError
from proband.core.files import write_lines, write_text
from proband.core.protocols import AnswersItems, Model
from proband.core.types import Item
from proband.suites.script.nets import NETS
from proband.training.vocabulary import random_vectors

PAIRS = [([5, 6, 7], [8, 9, 10, 11]), ([6], [9, 10]), ([7, 5], [12, 8, 13]), ([5], [11, 8, 9, 9, 10])] * 4
Fresh = Callable[..., Any]


def stages(kind: str, epochs: int) -> tuple[Stage, ...]:
    if KINDS[kind].latent:
        return (Stage(marginal, epochs // 2), Stage(viterbi_em, epochs - epochs // 2))
    return (Stage(marginal, epochs),)


@pytest.mark.parametrize("kind", KINDS)
def test_one_seed_one_result_and_frozen_vectors(kind: str, fresh: Fresh) -> None:
    recipe = Recipe(stages=stages(kind, 4), batch=4, rate=1e-2)
    weights = []
    for seed in (5, 5, 6):
        net = fresh(kind, dropout=0.3, input_dropout=0.1, state_dropout=0.1, word_dropout=0.1)
        before, start = net.vectors.table.clone(), [p.detach().clone() for p in net.parameters()]
        fit(net, PAIRS, PAIRS[:4], recipe=recipe, seed=seed)
        assert torch.equal(net.vectors.table, before)
        assert "vectors.table" not in dict(net.named_parameters())
        assert any(not torch.equal(p, q) for p, q in zip(net.parameters(), start))
        weights.append(torch.cat([p.detach().view(-1) for p in net.parameters()]))
    assert torch.equal(weights[0], weights[1])
    assert not torch.equal(weights[0], weights[2])


@pytest.mark.parametrize("kind", ["attention", "transducer-param"])
def test_an_interrupted_run_ends_as_one_that_was_not(kind: str, fresh: Fresh, tmp_path: Path) -> None:
    class Interrupted(Exception):
        pass

    def stop(line: Any) -> None:
        if line["epoch"] == 3:
            raise Interrupted

    recipe = Recipe(stages=stages(kind, 6), batch=4, rate=1e-2)
    whole, halved = fresh(kind, dropout=0.3), fresh(kind, dropout=0.3)
    fit(whole, PAIRS, PAIRS[:4], recipe=recipe, seed=1)
    with pytest.raises(Interrupted):
        fit(halved, PAIRS, PAIRS[:4], recipe=recipe, seed=1, folder=tmp_path, told=stop)
    again = fresh(kind, dropout=0.3)
    history = fit(again, PAIRS, PAIRS[:4], recipe=recipe, seed=1, folder=tmp_path)
    assert [line["epoch"] for line in history] == list(range(6))
    assert all(torch.equal(p, q) for p, q in zip(whole.parameters(), again.parameters()))


def test_training_lowers_the_loss_and_stops_when_held_out_text_gets_worse(fresh: Fresh) -> None:
    held_out = [([5, 6, 7], [19, 18, 17])]  # nothing like the training text: it can only get worse
    recipe = Recipe(stages=(Stage(marginal, 60),), batch=4, rate=3e-2, patience=4)
    history = fit(fresh("seq2seq"), PAIRS, held_out, recipe=recipe, seed=0)
    assert history[-1]["loss"] < history[0]["loss"]
    assert len(history) < 60


def build(folder: Path, items: list[Item]) -> Path:
    write_lines(folder / "items.jsonl", items)
    write_text(folder / "whitelist.txt", "knife\nwhisk\npot\n")
    return folder


def test_nets_are_listed_and_complete() -> None:
    assert [net.name for net in NETS] == list(KINDS)


@pytest.mark.parametrize("name", ["attention", "transducer"])
def test_a_folder_answers_items(name: str, toy: list[Item], tmp_path: Path) -> None:
    net = next(net for net in NETS if net.name == name)
    items = build(tmp_path / "items", toy)
    sizes = {"hidden": 24, "width": 24, "dropout": 0.0, "input_dropout": 0.0, "state_dropout": 0.0, "batch": 16}
    told = net.train(items, out=tmp_path / "net", seed=0, epochs=10, rate=1e-2, least=1, device="cpu", **sizes)
    assert told["valid"] < 2
    files = {path.name for path in (tmp_path / "net").iterdir()}
    assert files == {"config.json", "model.safetensors"}
    model = net.load(tmp_path / "net")
    assert isinstance(model, AnswersItems)
    assert isinstance(model, Model)
    held_out = [item for item in toy if item.tags["split"] == "valid"]
    answers = model.answer(held_out)
    assert [a.item_id for a in answers] == [item.id for item in held_out]
    records = [record for answer in answers for record in answer.blanks]
    assert sum(record["match"] for record in records) / len(records) > 0.9
    assert all(record["guess"][0] in {"knife", "whisk", "pot"} for record in records)
    # an answer does not depend on what else was asked
    assert model.answer(held_out[3:4])[0].blanks[0]["guess"] == answers[3].blanks[0]["guess"]


def test_given_vectors_are_frozen_and_others_learned(toy: list[Item], tmp_path: Path) -> None:
    items = build(tmp_path / "items", toy)
    write_text(tmp_path / "glove.txt", "knife 0.5 -1 2\nwhisk 1 1 0\nspaceship 3 3 3\n")
    small = {"epochs": 1, "hidden": 4, "width": 4, "least": 1, "device": "cpu"}
    tables = {}
    for name, vectors in (("frozen", tmp_path / "glove.txt"), ("learned", None)):
        told = NETS[0].train(items, out=tmp_path / name, vectors=vectors, **small)
        assert told["vectors"]["learned"] == (name == "learned")
        net = NETS[0].load(tmp_path / name)
        tables[name] = net.net.vectors.table.detach().numpy()[net.vocabulary.numbers(["knife", "whisk"])]
        start = random_vectors(len(net.vocabulary), 100)[net.vocabulary.numbers(["knife", "whisk"])]
    assert tables["frozen"].tolist() == [[0.5, -1, 2], [1, 1, 0]]
    assert told["vectors"] == {"learned": True}
    assert 0 < abs(tables["learned"] - start).max() < 0.5


def test_vectors_of_other_words_are_refused(toy: list[Item], tmp_path: Path) -> None:
    items = build(tmp_path / "items", toy)
    write_text(tmp_path / "glove.txt", "spaceship 3 3 3\n")
    with pytest.raises(ProbandError, match="no vector for any word"):
        NETS[0].train(items, out=tmp_path / "net", vectors=tmp_path / "glove.txt", device="cpu")


def test_a_loaded_net_may_be_renamed(toy: list[Item], tmp_path: Path) -> None:
    """The command line names a model after the spec it was asked for by."""
    NETS[0].train(build(tmp_path / "items", toy), out=tmp_path / "net", epochs=1, hidden=4, width=4, device="cpu")
    model = NETS[0].load(tmp_path / "net")
    model.name = "net:here"
    assert model.identity()["name"] == "net:here"


def test_a_checkpoint_of_another_run_is_refused(toy: list[Item], tmp_path: Path) -> None:
    from safetensors.torch import save_file

    items, out = build(tmp_path / "items", toy), tmp_path / "net"
    out.mkdir()
    write_text(out / "training.json", "{}")
    save_file({"x": torch.zeros(1)}, out / "checkpoint.safetensors")
    with pytest.raises(ProbandError, match="other settings"):
        NETS[0].train(items, out=out, seed=0, epochs=1, device="cpu")


def test_a_folder_of_something_else_is_refused_in_one_line(tmp_path: Path) -> None:
    write_text(tmp_path / "config.json", "{}")
    with pytest.raises(ProbandError, match="not the folder of a script net"):
        NETS[0].load(tmp_path)
