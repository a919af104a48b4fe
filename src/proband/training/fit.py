r"""The loop: epochs of steps, a held-out score after each, the best weights kept.

Every epoch has its own random numbers, derived from seed and epoch, and writes a checkpoint. So a fit that is killed
and started again ends with the same weights as an uninterrupted one.
"""

from __future__ import annotations

import itertools
import json
import math
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from proband.core.errors import ProbandError
from proband.training.batches import device_of
from proband.training.recipe import Line
from proband.training.steps import Steps
from proband.training.task import CHECKPOINT, Task

Curve = list[dict[str, float]]


@dataclass(frozen=True)
class TrainedNet:
    """A net with its best weights, and its learning curve: a line per epoch with `loss`, `valid` and `seconds`."""

    net: Any
    curve: Curve
    kept: int  # the epoch of the weights

    @property
    def valid(self) -> float | None:
        """The held-out score of these weights."""
        return self.curve[self.kept].get("valid")


def fit(
    task: Task,
    *,
    seed: int,
    folder: Path | None = None,
    of: str = "",
    on_epoch: Callable[[Line], None] = lambda line: None,
) -> TrainedNet:
    """Fit a net; `on_epoch` receives each line of its learning curve. A fit with a folder writes checkpoints there and
    resumes from them if they are its own (they have the same text `of`). Torch's generators are left unchanged."""
    device = device_of(task.device)
    cuda = [torch.device(device)] if device.startswith("cuda") else []
    with torch.random.fork_rng(devices=cuda), own_stream(*cuda) as stream:
        fitting = TrainingState(task, seed=seed, device=device, stream=stream, folder=folder, of=of)
        for line in fitting.epochs():
            on_epoch(line)
        return fitting.result()


@contextmanager
def own_stream(*cuda: torch.device) -> Iterator[Any]:
    """Run CUDA work in this block on a stream that can be recorded. Products of float32 use TF32 (ten bits of the
    factors' mantissas), which takes half the time."""
    if not cuda:
        yield None
        return
    flags, stream = torch.backends.cuda.matmul, torch.cuda.Stream(*cuda)  # type: ignore[no-untyped-call]
    before, flags.allow_tf32 = flags.allow_tf32, True
    try:
        with torch.cuda.stream(stream):
            yield stream
        stream.synchronize()
    finally:
        flags.allow_tf32 = before


class TrainingState:
    """A net in training, with its best weights so far."""

    def __init__(self, task: Task, *, seed: int, device: str, stream: Any, folder: Path | None, of: str) -> None:
        self.task, self.recipe, self.seed, self.folder, self.of = task, task.recipe, seed, folder, of
        torch.manual_seed(seed)
        self.net: Any = task.network()
        self.steps = Steps(task, self.net, device=device, stream=stream)
        self.best = {k: v.detach().clone() for k, v in (self.steps.weights | self.steps.buffers).items()}
        self.curve: Curve = [] if folder is None else resume(folder, self.steps, self.best, of=of)

    def _open(self) -> bool:
        epochs, _ = self.recipe.length(self.task.size)
        return len(self.curve) < epochs and not self.recipe.finished(self.curve, self.task.better)

    def epochs(self) -> Iterator[Line]:
        """Train to the end; yields the lines of the learning curve."""
        began = time.monotonic() - max((line["seconds"] for line in self.curve), default=0.0)
        per_epoch = math.ceil(self.task.size / self.recipe.batch)
        _, steps = self.recipe.length(self.task.size)
        while self._open():
            epoch = len(self.curve)
            torch.manual_seed(self.seed * 1_000_003 + epoch)
            self.net.train()
            objective, first = self.task.objective(epoch), epoch * per_epoch
            order = itertools.islice(self.task.order(epoch=epoch, seed=self.seed), max(0, steps - first))
            for step, indices in enumerate(order, start=first):
                rate, share = self.recipe.rate_at(step, steps), self.recipe.share_at(step)
                self.steps.learn(objective, indices, rate=rate, share=share)
            scored = self._score_held_out()
            line = {"epoch": epoch, "loss": self.steps.loss(), **({"valid": self.steps.score()} if scored else {})}
            if not all(map(math.isfinite, line.values())):
                raise ProbandError(f"the loss or its held-out score is not a number in epoch {epoch}; lower the rate")
            self.curve.append(line | {"seconds": time.monotonic() - began})
            if scored and self.recipe.kept(self.curve, self.task.better) == epoch:
                self._keep()
            if self.folder is not None and self._open():
                save_checkpoint(self.folder, self.steps, best=self.best, curve=self.curve, of=self.of)
            yield self.curve[-1]

    def _score_held_out(self) -> bool:
        """Score the mean of the weights, or the weights themselves; returns whether there are held-out batches."""
        self.net.eval()
        scored = False
        with swap_weights(self.steps.weights, self.steps.mean):
            for batch in self.task.held_out():
                self.steps.add_held_out_score(batch)
                scored = True
        return scored

    def _keep(self) -> None:
        """Keep the weights as the best so far."""
        assign(self.best, self.steps.weights | self.steps.buffers | self.steps.mean)

    def result(self) -> TrainedNet:
        if self.curve and "valid" not in self.curve[-1]:
            self._keep()
        assign(self.steps.weights | self.steps.buffers, self.best)
        return TrainedNet(self.net.eval(), self.curve, self.recipe.kept(self.curve, self.task.better))


@contextmanager
def swap_weights(parameters: Mapping[str, Tensor], other: Mapping[str, Tensor]) -> Iterator[None]:
    """Give parameters other values within this block."""
    own = {name: parameters[name].detach().clone() for name in other}
    try:
        assign(parameters, other)
        yield
    finally:
        assign(parameters, own)


@torch.no_grad()
def assign(tensors: Mapping[str, Tensor], values: Mapping[str, Tensor]) -> None:
    """Copy values into tensors."""
    for name, value in values.items():
        tensors[name].copy_(value)


# ---- checkpoints: the state of training after an epoch, in one file without pickles -------------------------------


def save_checkpoint(folder: Path, steps: Steps, *, best: Mapping[str, Tensor], curve: Curve, of: str) -> None:
    """Write a checkpoint atomically. `of` identifies the fit."""
    from safetensors.torch import save_file

    results = {f"weight.{k}": v.detach() for k, v in (steps.weights | steps.buffers).items()}
    results |= {f"mean.{k}": v for k, v in steps.mean.items()} | {f"best.{k}": v for k, v in best.items()}
    for weight, p in steps.weights.items():
        results |= {f"adam.{key}.{weight}": value for key, value in steps.optimiser.state[p].items()}
    folder.mkdir(parents=True, exist_ok=True)
    fresh = folder / f".{CHECKPOINT}"
    note = {"curve": json.dumps(curve), "of": of}
    save_file({k: v.contiguous().cpu().clone() for k, v in results.items()}, fresh, metadata=note)
    fresh.replace(folder / CHECKPOINT)


def resume(folder: Path, steps: Steps, best: Mapping[str, Tensor], *, of: str) -> Curve:
    """Load the checkpoint of a folder; returns the learning curve so far, empty without a checkpoint."""
    from safetensors import SafetensorError, safe_open

    path = folder / CHECKPOINT
    if not path.exists():
        return []
    try:
        with safe_open(path, framework="pt") as file:
            note = file.metadata() or {}
            if note.get("of") != of:
                raise ProbandError("contains a checkpoint of other settings; choose another folder", file=folder)
            with torch.no_grad():
                _copy(file, steps, best)
    except (SafetensorError, RuntimeError) as error:
        raise ProbandError(f"is not a checkpoint of this net: {error}", file=path) from error
    curve: Curve = json.loads(note["curve"])
    return curve


def _copy(file: Any, steps: Steps, best: Mapping[str, Tensor]) -> None:
    for prefix, tensors in (("weight", steps.weights | steps.buffers), ("mean", steps.mean), ("best", best)):
        for name, tensor in tensors.items():
            tensor.copy_(file.get_tensor(f"{prefix}.{name}"))
    names = set(file.keys())
    for name, p in steps.weights.items():
        keys = [key for key in ("step", "exp_avg", "exp_avg_sq") if f"adam.{key}.{name}" in names]
        if keys:
            where = p.device if steps.graphs or p.is_cuda else "cpu"
            steps.optimiser.state[p] = {key: file.get_tensor(f"adam.{key}.{name}").to(where) for key in keys}
