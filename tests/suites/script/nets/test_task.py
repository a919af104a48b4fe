"""Training the nets: the same twice, frozen vectors, resumed runs; folders without pickles."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
import torch

import proband
from proband.core.errors import ProbandError
from proband.core.files import dumps, write_text
from proband.core.plugins import read_options
from proband.core.protocols import AnswersItems, Model
from proband.core.types import Item
from proband.suites.script.nets import NETS
from proband.suites.script.nets.task import KINDS, ScriptTask, task
from proband.training.fit import TrainedNet, fit
from proband.training.recipe import Recipe
from proband.training.vocabulary import random_vectors

PAIRS = [([5, 6, 7], [8, 9, 10, 11]), ([6], [9, 10]), ([7, 5], [12, 8, 13]), ([5], [11, 8, 9, 9, 10])] * 4
Fresh = Callable[..., Any]


def planned(kind: str, fresh: Fresh, *, epochs: int) -> ScriptTask:
    net = fresh(kind, dropout=0.3, input_dropout=0.1, state_dropout=0.1)
    half = epochs // 2
    stages = (half, epochs - half) if KINDS[kind].latent else None
    recipe = Recipe(epochs=epochs, batch=4, rate=1e-2, average=0.998, patience=5)
    return ScriptTask(kind, net.shape, net.vectors.table, PAIRS, PAIRS[:4], recipe=recipe, stages=stages)


def weights(trained: TrainedNet) -> torch.Tensor:
    return torch.cat([p.detach().view(-1) for p in trained.net.parameters()])


# one net of each family in `make test`: a language model, one that attends, one that aligns
FIRST_TIER = ("lm", "attention", "transducer-param")


@pytest.mark.parametrize(
    "kind", [kind if kind in FIRST_TIER else pytest.param(kind, marks=pytest.mark.nightly) for kind in KINDS]
)
def test_one_seed_one_result_and_frozen_vectors(kind: str, fresh: Fresh) -> None:
    found = []
    for seed in (5, 5, 6):
        plan = planned(kind, fresh, epochs=4)
        trained = fit(plan, seed=seed)
        assert torch.equal(trained.net.vectors.table, plan.table)
        assert "vectors.table" not in dict(trained.net.named_parameters())
        assert trained.curve[-1]["loss"] < trained.curve[0]["loss"] or KINDS[kind].latent
        found.append(weights(trained))
    assert torch.equal(found[0], found[1])
    assert not torch.equal(found[0], found[2])


@pytest.mark.parametrize("kind", ["attention", "transducer-param"])
def test_a_killed_run_ends_as_a_whole_one(kind: str, fresh: Fresh, tmp_path: Path) -> None:
    class Killed(Exception):
        pass

    def stop(line: Mapping[str, float]) -> None:
        if line["epoch"] == 3:
            raise Killed

    whole = fit(planned(kind, fresh, epochs=6), seed=1)
    with pytest.raises(Killed):
        fit(planned(kind, fresh, epochs=6), seed=1, folder=tmp_path, on_epoch=stop)
    again = fit(planned(kind, fresh, epochs=6), seed=1, folder=tmp_path)
    assert [line["epoch"] for line in again.curve] == list(range(6))
    assert torch.equal(weights(whole), weights(again))


def build(folder: Path, items: list[Item]) -> Path:
    write_text(folder / "items.jsonl", "".join(dumps(each) + "\n" for each in items))
    write_text(folder / "whitelist.txt", "knife\nwhisk\npot\n")
    return folder


SMALL = {"epochs": 1, "hidden": 4, "width": 4, "min_count": 1, "device": "cpu"}


def test_nets_are_listed_and_complete() -> None:
    assert [net.name for net in NETS] == list(KINDS)


@pytest.mark.parametrize("name", ["attention", "transducer"])
def test_a_folder_answers_items(name: str, toy: list[Item], tmp_path: Path) -> None:
    items, out = build(tmp_path / "items", toy), tmp_path / "net"
    none = {"dropout": 0.0, "input_dropout": 0.0, "state_dropout": 0.0}
    sizes = SMALL | none | {"hidden": 24, "width": 24, "batch": 16, "epochs": 10, "rate": 1e-2}
    result = proband.train(items, net=name, out=out, options=sizes)
    assert result["valid"] < 2
    assert len(result["curve"]) == 10
    assert {path.name for path in out.iterdir()} - {".lock"} == {"net.json", "model.safetensors"}
    model = proband.load_model(f"net:{out}")
    assert isinstance(model, AnswersItems)
    assert isinstance(model, Model)
    held_out = [item for item in toy if item.split == "valid"]
    answers = model.answer(held_out)
    assert [a.item_id for a in answers] == [item.id for item in held_out]
    records = [record for answer in answers for record in answer.blanks]
    assert sum(record["oracle"] == record["gold"] for record in records) / len(records) > 0.9
    assert all(record["guess"][0] in {"knife", "whisk", "pot"} for record in records)
    # an answer does not depend on what else was asked
    assert model.answer(held_out[3:4])[0].blanks[0]["guess"] == answers[3].blanks[0]["guess"]
    # alignments of every text, training texts included, from the answers alone
    if name == "transducer":
        proband.run(items, model=f"net:{out}", solver="align", out=tmp_path / "aligned", cache=False)
        lines = (tmp_path / "aligned" / "answers.jsonl").read_text().splitlines()
        assert len(lines) == len(toy)
        assert all('"path":[0,' in line for line in lines)
    elif name == "attention":
        proband.run(items, model=f"net:{out}", solver="align", out=tmp_path / "aligned", cache=False)
        assert (tmp_path / "aligned" / "answers.jsonl").read_text().count('"path":[') == len(toy)
    else:
        with pytest.raises(ProbandError, match="has no alignments; train a transducer, or attention"):
            proband.run(items, model=f"net:{out}", solver="align", out=tmp_path / "aligned", cache=False)


def test_given_vectors_are_frozen_and_others_learned(toy: list[Item], tmp_path: Path) -> None:
    items = build(tmp_path / "items", toy)
    write_text(tmp_path / "glove.txt", "knife 0.5 -1 2\nwhisk 1 1 0\nspaceship 3 3 3\n")
    tables = {}
    for name, vectors in (("frozen", tmp_path / "glove.txt"), ("learned", None)):
        result = proband.train(items, net="lm", out=tmp_path / name, options={**SMALL, "vectors": vectors})
        assert result["vectors"]["learned"] == (name == "learned")
        net = proband.load_model(f"net:{tmp_path / name}")
        tables[name] = net.net.vectors.table.detach().cpu().numpy()[net.vocabulary.numbers(["knife", "whisk"])]
        start = random_vectors(len(net.vocabulary), 100)[net.vocabulary.numbers(["knife", "whisk"])]
    assert tables["frozen"].tolist() == [[0.5, -1, 2], [1, 1, 0]]
    assert result["vectors"] == {"learned": True}
    assert 0 < abs(tables["learned"] - start).max() < 0.5


def test_vectors_of_other_words_are_refused(toy: list[Item], tmp_path: Path) -> None:
    write_text(tmp_path / "glove.txt", "spaceship 3 3 3\n")
    options: Any = read_options(NETS[0].options, {"vectors": tmp_path / "glove.txt"}, of="net lm")
    with pytest.raises(ProbandError, match="no vector for any word"):
        task(build(tmp_path / "items", toy), kind="lm", options=options)


def test_a_finished_net_is_left_as_it_is_and_one_of_other_settings_refused(toy: list[Item], tmp_path: Path) -> None:
    items, out = build(tmp_path / "items", toy), tmp_path / "net"
    proband.train(items, net="lm", out=out, options=SMALL)
    before = (out / "model.safetensors").stat().st_mtime_ns
    proband.train(items, net="lm", out=out, options=SMALL)
    assert (out / "model.safetensors").stat().st_mtime_ns == before
    with pytest.raises(ProbandError, match="trained with other settings"):
        proband.train(items, net="lm", out=out, options={**SMALL, "width": 5})
    with pytest.raises(ProbandError, match="not an empty folder"):
        proband.train(items, net="lm", out=items, options=SMALL)


def test_a_folder_of_something_else_is_refused_in_one_line(tmp_path: Path) -> None:
    write_text(tmp_path / "net.json", '{"suite": "script", "net": "lm"}')
    with pytest.raises(ProbandError, match="not the folder of a script net"):
        NETS[0].load(tmp_path)
