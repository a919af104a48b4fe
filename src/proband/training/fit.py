r"""The loop: epochs of steps, a held-out score after each, the best weights kept.

Every epoch draws from random numbers of its own, made of seed and epoch, and leaves a checkpoint: a fit that was killed
and started again ends with the same weights as one that was not. Several fits run in turn (`fit_many`): each has
random numbers of its own and, on a CUDA device, a stream and recorded steps of its own, so that small nets share the
device and none changes another.
"""

from __future__ import annotations

import itertools
import json
import math
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from proband.core.errors import ProbandError
from proband.training.batches import device_of
from proband.training.steps import Steps
from proband.training.task import CHECKPOINT, Task

Line = Mapping[str, float]  # of a learning curve
Curve = list[dict[str, float]]
OnEpoch = Callable[[int, Line], None]  # number of the fit, line of its learning curve


@dataclass(frozen=True)
class Fitted:
    """A net with its best weights, and its learning curve: a line per epoch with `loss`, `valid` and `seconds`."""

    net: Any
    curve: list[dict[str, float]]
    kept: int  # the epoch of the weights

    @property
    def valid(self) -> float | None:
        """The held-out score of these weights."""
        return self.curve[self.kept].get("valid")


def fit(task: Task, *, seed: int, **settings: Any) -> Fitted:
    """Fit one net; `settings` as in `fit_many`, with `folder` and `of` of this one."""
    folder, of = settings.pop("folder", None), settings.pop("of", "")
    return fit_many([task], seeds=[seed], folders=[folder], of=[of], **settings)[0]


def fit_many(
    tasks: Sequence[Task],
    *,
    seeds: Sequence[int],
    folders: Sequence[Path | None] | None = None,
    of: Sequence[str] | None = None,
    on_epoch: OnEpoch = lambda number, line: None,
    progress: Callable[..., Any] | None = None,
    recorded: bool = True,
) -> list[Fitted]:
    """Fit nets in turn, one per task and seed. A fit with a folder leaves checkpoints there and goes on from them if
    they are its own (`of` is the same text); `recorded=False` forbids CUDA graphs."""
    folders, of = folders or [None] * len(tasks), of or [""] * len(tasks)
    epochs = sum(task.recipe.length(task.size)[0] for task in tasks)
    with nullcontext() if progress is None else progress("training, epochs", total=epochs) as bar:
        fits = [
            Fit(task, seed=seed, device=device_of(task.device), folder=folder, of=name, recorded=recorded)
            for task, seed, folder, name in zip(tasks, seeds, folders, of, strict=True)
        ]
        for number, line in in_turn(fits):
            on_epoch(number, line)
            if bar is not None:
                bar.advance()
    return [each.result() for each in fits]


def in_turn(fits: Sequence[Fit]) -> Iterator[tuple[int, Line]]:
    """The lines of all learning curves as they come: a step of each fit in turn, the last one without interruption."""
    turns = {at: each.turns() for at, each in enumerate(fits)}
    while turns:
        for at in list(turns):
            with fits[at].turn():
                line = next(turns[at], None)
                while len(turns) == 1 and line == {}:
                    line = next(turns[at], None)
            if line is None:
                del turns[at]
            elif line:
                yield at, line


class Fit:
    """One net on its way. `turns` yields after every step, and with each epoch's line of the learning curve."""

    def __init__(
        self, task: Task, *, seed: int, device: str, folder: Path | None, of: str, recorded: bool = True
    ) -> None:
        self.task, self.recipe, self.seed, self.folder, self.of = task, task.recipe, seed, folder, of
        cuda = device.startswith("cuda")
        self.stream = torch.cuda.Stream(torch.device(device)) if cuda else None  # type: ignore[no-untyped-call]
        self.random = Randomness(device if cuda else None)
        self.curve: list[dict[str, float]] = []
        with self.turn():
            torch.manual_seed(seed)
            self.net: Any = task.network()
            self.steps = Steps(task, self.net, device=device, stream=self.stream if recorded else None)
            self.best = {k: v.detach().clone() for k, v in (self.steps.weights | self.steps.buffers).items()}
            if folder is not None:
                self.curve = resume(folder, self.steps, self.best, of=of)

    def turn(self) -> ExitStack:
        """Within this block torch's random numbers and the current stream are those of this fit; on a CUDA device its
        products are TF32."""
        stack = ExitStack()
        stack.enter_context(self.random)
        if self.stream is not None:
            stack.enter_context(torch.cuda.stream(self.stream))
            stack.enter_context(products_in_tf32())
        return stack

    def _open(self) -> bool:
        epochs, _ = self.recipe.length(self.task.size)
        return len(self.curve) < epochs and not self.recipe.finished(self.curve, self.task.better)

    def turns(self) -> Iterator[Line]:
        began, per_epoch = time.monotonic(), math.ceil(self.task.size / self.recipe.batch)
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
                yield {}
            scored = yield from self._held_out()
            yield from self._done()
            line = {"epoch": epoch, "loss": self.steps.loss(), **({"valid": self.steps.score()} if scored else {})}
            self.curve.append(line | {"seconds": time.monotonic() - began})
            if scored and self.recipe.kept(self.curve, self.task.better) == epoch:
                self._keep()
            if self.folder is not None and self._open():
                save_checkpoint(self.folder, self.steps, best=self.best, curve=self.curve, of=self.of)
            yield self.curve[-1]

    def _held_out(self) -> Generator[Line, None, bool]:
        """Score the mean of the weights, or the weights themselves; whether there was something to score."""
        self.net.eval()
        scored = False
        with swap_weights(self.steps.weights, self.steps.mean):
            for batch in self.task.held_out():
                self.steps.ask(batch)
                scored = True
                yield {}
        return scored

    def _done(self) -> Iterator[Line]:
        """Until the device has done all that it was given: meanwhile the others have their turns."""
        if self.stream is not None:
            event = torch.cuda.Event()  # type: ignore[no-untyped-call]
            event.record(self.stream)
            while not event.query():  # type: ignore[no-untyped-call]
                yield {}

    def _keep(self) -> None:
        """The weights as the best so far."""
        assign(self.best, self.steps.weights | self.steps.buffers | self.steps.mean)

    def result(self) -> Fitted:
        with self.turn():
            if self.curve and "valid" not in self.curve[-1]:
                self._keep()
            assign(self.steps.weights | self.steps.buffers, self.best)
            if self.stream is not None:
                self.stream.synchronize()
        return Fitted(self.net.eval(), self.curve, self.recipe.kept(self.curve, self.task.better) if self.curve else 0)


@contextmanager
def products_in_tf32() -> Iterator[None]:
    """Within this block products of float32 keep ten bits of their factors' mantissas: half the time on a device."""
    flags = torch.backends.cuda.matmul
    before, flags.allow_tf32 = flags.allow_tf32, True
    try:
        yield
    finally:
        flags.allow_tf32 = before


@contextmanager
def swap_weights(parameters: Mapping[str, Tensor], other: Mapping[str, Tensor]) -> Iterator[None]:
    """Within this block parameters have other values."""
    own = {name: parameters[name].detach().clone() for name in other}
    try:
        assign(parameters, other)
        yield
    finally:
        assign(parameters, own)


@torch.no_grad()
def assign(tensors: Mapping[str, Tensor], values: Mapping[str, Tensor]) -> None:
    """Give tensors their values, in place."""
    for name, value in values.items():
        tensors[name].copy_(value)


class Randomness:
    """Generators of one's own behind torch's global ones: taken up on entering, laid aside on leaving.

    On a device it is the generator's state object that changes hands, not its numbers, because recordings draw from the
    object that was there when they were made.
    """

    def __init__(self, device: str | None) -> None:
        self.host = torch.get_rng_state()
        self.default: Any = None
        if device is not None:
            torch.cuda.init()  # type: ignore[no-untyped-call]
            index = torch.device(device).index
            self.default = torch.cuda.default_generators[torch.cuda.current_device() if index is None else index]
            self.device = self.default.clone_state()

    def __enter__(self) -> None:
        self.host_before = torch.get_rng_state()
        torch.set_rng_state(self.host)
        if self.default is not None:
            self.device_before = self.default.graphsafe_get_state()
            self.default.graphsafe_set_state(self.device)

    def __exit__(self, *_: object) -> None:
        self.host = torch.get_rng_state()
        torch.set_rng_state(self.host_before)
        if self.default is not None:
            self.default.graphsafe_set_state(self.device_before)


# ---- checkpoints: all that training has changed, after an epoch, in one file without pickles -------------------------


def save_checkpoint(folder: Path, steps: Steps, *, best: Mapping[str, Tensor], curve: Curve, of: str) -> None:
    """Whole or not at all. `of` says which fit this is."""
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
    """Take up what the folder has; returns the learning curve so far, empty if there is no checkpoint."""
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
    curve: Curve = json.loads(note["curve"]) if "curve" in note else json.loads(note["curves"])[0]
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
