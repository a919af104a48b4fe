"""Fine-tuning: what is learned and saved, repeated, cut into parts."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest
import torch

from proband.core.protocols import Text
from proband.models import load
from proband.training.fit import fit
from proband.training.recipe import Recipe
from proband.training.steps import Steps


def tuned_folder(model: Any, examples: Any, out: Path, *, seed: int = 0, valid: Any = (), **recipe: Any) -> Any:
    """Fit and save; the learning curve."""
    settings = {"schedule": "linear", "decay": 0.01, "decay_vectors": False, "clip": 1.0, **recipe}
    task = model.finetuning(examples, valid=valid, recipe=Recipe(**settings))
    trained = fit(task, seed=seed)
    out.mkdir()
    task.save(trained.net, out)
    return trained


def test_fine_tuning_learns_saves_and_leaves_the_original(gpt2: Any, tmp_path: Path) -> None:
    examples = [("The capital of France is", " Paris."), ("The capital of Italy is", " Rome.")] * 4
    before = gpt2.score([Text("The capital of France is Paris.", 24)])[0].total
    trained = tuned_folder(gpt2, examples, tmp_path / "tuned", valid=examples[:2], epochs=6, rate=5e-3, batch=4, seed=3)
    losses = [line["valid"] for line in trained.curve]
    assert losses[trained.kept] == min(losses) < losses[0]
    assert gpt2.score([Text("The capital of France is Paris.", 24)])[0].total == before
    tuned = load(f"hf:{tmp_path / 'tuned' / 'model'}", {"device": "cpu"})
    # the loss of the curve is the loss of the folder that was saved: two targets, each with its end-of-text token
    ids = [tuned.tokenizer(c + t)["input_ids"] + [tuned.tokenizer.eos_token_id] for c, t in examples[:2]]
    skip = [len(tuned.tokenizer(c)["input_ids"]) for c, _ in examples[:2]]
    total, count = 0.0, 0
    for row, first in zip(ids, skip):
        with torch.no_grad():
            logprobs = tuned.network.model(torch.tensor([row])).logits[0].log_softmax(-1)
        total -= sum(logprobs[t - 1, row[t]].item() for t in range(first, len(row)))
        count += len(row) - first
    assert total / count == pytest.approx(min(losses), abs=1e-4)
    assert tuned.score([Text("The capital of France is Paris.", 24)])[0].total > before


def test_fine_tuning_repeats(gpt2: Any, tmp_path: Path) -> None:
    examples = [("The capital of", " France."), ("A river in", " Europe."), ("What is", " it?")]
    for name, seed in (("a", 0), ("b", 0), ("c", 1)):
        tuned_folder(gpt2, examples, tmp_path / name, epochs=2, batch=2, rate=5e-5, seed=seed)
    weights = [(tmp_path / name / "model" / "model.safetensors").read_bytes() for name in "abc"]
    assert weights[0] == weights[1] != weights[2]


def test_dropout_falls_on_training_alone(gpt2: Any) -> None:
    examples = [("The capital of", " France."), ("A river in the", " unbelievable Europe.")]
    found: dict[float, list[float]] = {}
    for dropout in (0.0, 0.5):
        task = gpt2.finetuning(examples, recipe=Recipe(batch=2), dropout=dropout)
        torch.manual_seed(0)
        net = task.network()
        for module in net.modules():
            if isinstance(module, torch.nn.Dropout):
                module.p = 0.0  # the family's own
        with torch.no_grad():
            found[dropout] = [float(task.loss(net.train(mode), task.batch([0, 1]))) for mode in (False, True)]
    assert found[0.0][0] == pytest.approx(found[0.0][1], abs=1e-5)
    assert found[0.5][0] == pytest.approx(found[0.0][0], abs=1e-6)
    assert abs(found[0.5][1] - found[0.0][1]) > 1e-2


def test_fine_tuning_in_parts_when_memory_is_short(gpt2: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Gradients summed over parts are those of the whole batch."""
    examples = [("The capital of", " France."), ("A river in the", " unbelievable Europe."), ("a", " b")]
    losses, grads = [], []
    for scarce in (False, True):
        task = gpt2.finetuning(examples, recipe=Recipe(batch=3))
        honest = task.loss

        def loss(net: Any, batch: Any, scarce: bool = scarce, honest: Any = honest) -> Any:
            if scarce and len(batch[0]) > 1:
                raise torch.OutOfMemoryError("CUDA out of memory")
            return honest(net, batch)

        steps = Steps(task, task.network().eval(), device="cpu")  # no dropout, so that both ways see the same network
        steps.learn(loss, range(3), rate=1e-3, share=1.0)
        losses.append(steps.loss())
        state = steps.optimiser.state  # after one step the running mean of the gradient is a tenth of it
        grads.append(torch.cat([state[p]["exp_avg"].flatten() for p in steps.weights.values()]))
    assert losses[0] == pytest.approx(losses[1], abs=1e-4)
    assert torch.allclose(grads[0], grads[1], atol=1e-6)


def test_a_tuned_folder_starts_texts_as_in_training(gpt2: Any, tmp_path: Path) -> None:
    other = next(i for i in range(5, 20) if i != gpt2.bos)
    for always in (None, other):
        started = copy.copy(gpt2)
        started.bos, started.bos_in_context = other, always
        folder = tmp_path / f"tuned-{always}"
        tuned_folder(started, [("What is", " it?")], folder, epochs=1, batch=1)
        tuned = load(f"hf:{folder / 'model'}", {"device": "cpu"})
        assert (tuned.bos, tuned.bos_in_context) == (other, always)
