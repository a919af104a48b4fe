r"""Fitting a net: marginal likelihood, then Viterbi EM (A.3), with early stopping on held-out text.

A schedule is a list of stages; a stage is an objective (a function of net and batch) and a number of epochs. The rate
falls along a half cosine over the whole schedule, weights are averaged exponentially, and the average that scores best
on the held-out pairs is kept. Every epoch draws from a generator of its own, made of seed and epoch, and leaves a
checkpoint: a run that was interrupted and started again ends with the same weights as one that was not.
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

from proband.suites.script.nets.batches import Batch, Pair, epoch, pad
from proband.suites.script.nets.vocabulary import PADDING, START

Objective = Callable[[Any, Batch], Tensor]  # one log-likelihood per pair, to be made larger


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

    net.to(device)
    names = dict(net.named_parameters())
    optimiser = torch.optim.AdamW(
        names.values(), lr=recipe.rate, weight_decay=recipe.decay, fused=device.startswith("cuda")
    )
    mean = {name: p.detach().clone() for name, p in names.items()}
    best = {name: p.clone() for name, p in mean.items()}
    history: list[dict[str, float]] = []
    if folder is not None:
        history = _resume(folder, names=names, mean=mean, best=best, optimiser=optimiser)
    per_epoch = math.ceil(len(train) / recipe.batch)
    began = time.monotonic()
    with torch.random.fork_rng(devices=[torch.cuda.current_device()] if device.startswith("cuda") else []):
        while len(history) < recipe.epochs and not _finished(history, recipe):
            at = len(history)
            torch.manual_seed(seed * 1_000_003 + at)
            objective = _stage(recipe, at).objective
            loss = _one_epoch(
                net, train, objective, recipe=recipe, optimiser=optimiser, mean=mean, device=device,
                generator=np.random.default_rng([seed, at]), step=at * per_epoch, steps=recipe.epochs * per_epoch,
            )  # fmt: skip
            with swapped(names, mean):
                held_out = nats_per_word(net, valid, device=device)
            if not history or held_out < min(line["valid"] for line in history):
                for name, p in mean.items():
                    best[name].copy_(p)
            history.append({"epoch": at, "loss": loss, "valid": held_out, "seconds": time.monotonic() - began})
            told(history[-1])
            if folder is not None:
                _save(folder, history, names=names, mean=mean, best=best, optimiser=optimiser)
            if time.monotonic() - began > recipe.seconds:
                break
    with torch.no_grad():
        for name, p in names.items():
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


def _one_epoch(
    net: Any,
    train: Sequence[Pair],
    objective: Objective,
    *,
    recipe: Recipe,
    optimiser: torch.optim.Optimizer,
    mean: dict[str, Tensor],
    device: str,
    generator: np.random.Generator,
    step: int,
    steps: int,
) -> float:
    net.train()
    parameters = dict(net.named_parameters())
    lost, words = torch.zeros((), device=device), 0
    for indices in epoch(train, size=recipe.batch, generator=generator):
        for group in optimiser.param_groups:
            group["lr"] = recipe.rate * (0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * step / steps)))
        batch = pad([train[i] for i in indices], start=START, padding=PADDING, device=device)
        count = sum(len(train[i][1]) for i in indices)
        loss = -objective(net, batch).sum()
        optimiser.zero_grad(set_to_none=True)
        (loss / count).backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(parameters.values(), recipe.clip)
        optimiser.step()
        step += 1
        # the mean of a young run forgets faster, so that it does not drag its random start along
        keep = min(recipe.average, (1 + step) / (10 + step))
        torch._foreach_lerp_(list(mean.values()), [p.detach() for p in parameters.values()], 1 - keep)
        lost += loss.detach()
        words += count
    return float(lost) / words


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


@torch.no_grad()
def nats_per_word(net: Any, pairs: Sequence[Pair], *, device: str, size: int = 64) -> float:
    """-log p(y | x) per word, over all pairs."""
    net.eval()
    order = sorted(range(len(pairs)), key=lambda i: len(pairs[i][1]))
    lost = 0.0
    for at in range(0, len(order), size):
        batch = pad([pairs[i] for i in order[at : at + size]], start=START, padding=PADDING, device=device)
        lost -= float(net.log_likelihood(batch).sum())
    return lost / sum(len(y) for _, y in pairs)


# ---- checkpoints ----------------------------------------------------------------------------------------------------


def _save(
    folder: Path,
    history: list[dict[str, float]],
    *,
    names: Mapping[str, Tensor],
    mean: Mapping[str, Tensor],
    best: Mapping[str, Tensor],
    optimiser: torch.optim.Optimizer,
) -> None:
    from safetensors.torch import save_file

    tensors = {f"weight.{k}": v.detach() for k, v in names.items()}
    tensors |= {f"mean.{k}": v for k, v in mean.items()} | {f"best.{k}": v for k, v in best.items()}
    for name, p in names.items():
        for key, value in optimiser.state[p].items():
            tensors[f"adam.{key}.{name}"] = value
    folder.mkdir(parents=True, exist_ok=True)
    latest = folder / "checkpoint.safetensors"
    fresh = folder / ".checkpoint.safetensors"
    save_file({k: v.contiguous().cpu() for k, v in tensors.items()}, fresh, metadata={"history": json.dumps(history)})
    fresh.replace(latest)


def _resume(
    folder: Path,
    *,
    names: Mapping[str, Tensor],
    mean: Mapping[str, Tensor],
    best: Mapping[str, Tensor],
    optimiser: torch.optim.Optimizer,
) -> list[dict[str, float]]:
    from safetensors import safe_open

    path = folder / "checkpoint.safetensors"
    if not path.exists():
        return []
    with safe_open(path, framework="pt") as file, torch.no_grad():
        for name, p in names.items():
            p.copy_(file.get_tensor(f"weight.{name}"))
            mean[name].copy_(file.get_tensor(f"mean.{name}"))
            best[name].copy_(file.get_tensor(f"best.{name}"))
            state = {key: file.get_tensor(f"adam.{key}.{name}") for key in ("step", "exp_avg", "exp_avg_sq")}
            optimiser.state[p] = {key: value.to(p.device) for key, value in state.items()}
        history: list[dict[str, float]] = json.loads(file.metadata()["history"])
    return history
