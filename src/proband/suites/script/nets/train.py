r"""Fitting a net: marginal likelihood, then Viterbi EM (A.3), with early stopping on held-out text.

A schedule is a list of stages; a stage is an objective (a function of net and batch) and a number of epochs. The rate
falls along a half cosine over the whole schedule, weights are averaged exponentially, and the average that scores best
on the held-out pairs is kept. Every epoch draws from a generator of its own, made of seed and epoch, and leaves a
checkpoint: a run that was interrupted and started again ends with the same weights as one that was not. On a CUDA
device steps are recorded and replayed (`graphs`).
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from proband.suites.script.nets.batches import Batch, Pair, epoch
from proband.suites.script.nets.steps import Objective, Steps


def marginal(net: Any, batch: Batch) -> Tensor:
    """Equation 7: summed over all alignments (for nets without alignments just their likelihood)."""
    out: Tensor = net.log_likelihood(batch)
    return out


def viterbi_em(net: Any, batch: Batch) -> Tensor:
    """A.3: the most likely alignments of the batch under the net as it is, then their joint likelihood."""
    out: Tensor = net.joint_log_likelihood(batch, net.align(batch))
    return out


@dataclass(frozen=True)
class Stage:
    objective: Objective
    epochs: int


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """How a net is fitted."""

    stages: tuple[Stage, ...]
    batch: int = 32
    rate: float = 1e-3
    decay: float = 0.0  # of weights (AdamW)
    average: float = 0.998  # of the running mean of the weights; 0: none
    clip: float = 5.0
    patience: int = 5  # epochs without a better held-out likelihood
    seconds: float = math.inf  # stop in time

    @property
    def epochs(self) -> int:
        return sum(stage.epochs for stage in self.stages)


def fit(
    net: Any,
    train: Sequence[Pair],
    valid: Sequence[Pair],
    *,
    recipe: Recipe,
    seed: int,
    device: str = "cpu",
    folder: Path | None = None,
    told: Callable[[Mapping[str, float]], None] = lambda line: None,
) -> list[dict[str, float]]:
    """Fit `net` in place; returns a line per epoch (`loss` per word in training, `valid` in nats per word)."""
    import time

    steps = Steps(net, rate=recipe.rate, decay=recipe.decay, clip=recipe.clip, device=device)
    best = {name: p.clone() for name, p in steps.mean.items()}
    history = _resume(folder, steps, best) if folder is not None else []
    per_epoch = math.ceil(len(train) / recipe.batch)
    began = time.monotonic()
    with torch.random.fork_rng(devices=[torch.cuda.current_device()] if device.startswith("cuda") else []):
        while len(history) < recipe.epochs and not _finished(history, recipe):
            at = len(history)
            torch.manual_seed(seed * 1_000_003 + at)
            net.train()
            batches = epoch(train, size=recipe.batch, generator=np.random.default_rng([seed, at]))
            for step, indices in enumerate(batches, start=at * per_epoch):
                numbers = _numbers(recipe, step=step, steps=recipe.epochs * per_epoch)
                steps.learn(_stage(recipe, at).objective, [train[i] for i in indices], *numbers)
            loss = steps.lost_since() / sum(len(y) for _, y in train)
            with swapped(steps.weights, steps.mean):
                held_out = nats_per_word(steps, valid)
            if not history or held_out < min(line["valid"] for line in history):
                for name, p in steps.mean.items():
                    best[name].copy_(p)
            history.append({"epoch": at, "loss": loss, "valid": held_out, "seconds": time.monotonic() - began})
            told(history[-1])
            if folder is not None:
                _save(folder, history, steps, best)
            if time.monotonic() - began > recipe.seconds:
                break
    with torch.no_grad():
        for name, p in steps.weights.items():
            p.copy_(best[name])
    net.eval()
    return history


def _stage(recipe: Recipe, at: int) -> Stage:
    for stage in recipe.stages:
        if at < stage.epochs:
            return stage
        at -= stage.epochs
    raise IndexError("beyond the schedule")


def _finished(history: Sequence[Mapping[str, float]], recipe: Recipe) -> bool:
    """No better epoch within the patience, counted within the last stage only: a stage is never cut before it began."""
    first = recipe.epochs - recipe.stages[-1].epochs
    if len(history) <= first + recipe.patience:
        return False
    values = [line["valid"] for line in history]
    return min(values[-recipe.patience :]) > min(values)


def _numbers(recipe: Recipe, *, step: int, steps: int) -> tuple[float, float]:
    """The rate of a step, and the share of its weights in their running mean."""
    rate = recipe.rate * (0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * step / steps)))
    # the mean of a young run forgets faster, so that it does not drag its random start along
    return rate, 1 - min(recipe.average, (2 + step) / (11 + step))


class swapped:
    """Within this block the net has other weights."""

    def __init__(self, parameters: Mapping[str, Tensor], other: Mapping[str, Tensor]) -> None:
        self.parameters, self.other = parameters, other
        self.own: dict[str, Tensor] = {}

    def __enter__(self) -> None:
        self.own = {name: p.detach().clone() for name, p in self.parameters.items()}
        self._set(self.other)

    def __exit__(self, *_: object) -> None:
        self._set(self.own)

    @torch.no_grad()
    def _set(self, values: Mapping[str, Tensor]) -> None:
        for name, p in self.parameters.items():
            p.copy_(values[name])


def nats_per_word(steps: Steps, pairs: Sequence[Pair], *, size: int = 64) -> float:
    """-log p(y | x) per word, over all pairs."""
    steps.net.eval()
    order = sorted(range(len(pairs)), key=lambda i: len(pairs[i][1]))
    for at in range(0, len(order), size):
        steps.ask([pairs[i] for i in order[at : at + size]])
    return steps.lost_since() / sum(len(y) for _, y in pairs)


# ---- checkpoints ----------------------------------------------------------------------------------------------------


def _save(folder: Path, history: list[dict[str, float]], steps: Steps, best: Mapping[str, Tensor]) -> None:
    from safetensors.torch import save_file

    tensors = {f"weight.{k}": v.detach() for k, v in steps.weights.items()}
    tensors |= {f"mean.{k}": v for k, v in steps.mean.items()} | {f"best.{k}": v for k, v in best.items()}
    for name, p in steps.weights.items():
        for key, value in steps.optimiser.state[p].items():
            tensors[f"adam.{key}.{name}"] = value
    folder.mkdir(parents=True, exist_ok=True)
    latest = folder / "checkpoint.safetensors"
    fresh = folder / ".checkpoint.safetensors"
    save_file({k: v.contiguous().cpu() for k, v in tensors.items()}, fresh, metadata={"history": json.dumps(history)})
    fresh.replace(latest)


def _resume(folder: Path, steps: Steps, best: Mapping[str, Tensor]) -> list[dict[str, float]]:
    from safetensors import safe_open

    path = folder / "checkpoint.safetensors"
    if not path.exists():
        return []
    with safe_open(path, framework="pt") as file, torch.no_grad():
        for name, p in steps.weights.items():
            p.copy_(file.get_tensor(f"weight.{name}"))
            steps.mean[name].copy_(file.get_tensor(f"mean.{name}"))
            best[name].copy_(file.get_tensor(f"best.{name}"))
            state = {key: file.get_tensor(f"adam.{key}.{name}") for key in ("step", "exp_avg", "exp_avg_sq")}
            steps.optimiser.state[p] = {key: value.to(p.device) for key, value in state.items()}
        history: list[dict[str, float]] = json.loads(file.metadata()["history"])
    return history
