r"""The loop: epochs of steps, a held-out score after each, the best weights kept.

Every epoch draws from random numbers of its own, made of seed and epoch, and leaves a checkpoint: a fit that was killed
and started again ends with the same weights as one that was not. Several fits run in turn (`fit_many`): each has
random numbers of its own and, on a CUDA device, a stream and recorded steps of its own, so that small nets share the
device and none changes another. Seeds of one net can be one computation (`side_by_side`).
"""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from proband.training import checkpoint
from proband.training.recipe import kept
from proband.training.side_by_side import Nets
from proband.training.steps import Steps
from proband.training.task import Task

SECONDS = 60  # between checkpoints of nets side by side
Told = Callable[[int, Mapping[str, float]], None]  # number of the fit, line of its learning curve


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
    told: Told = lambda number, line: None,
    progress: Callable[..., Any] | None = None,
    recorded: bool = True,
    side_by_side: bool | None = None,
) -> list[Fitted]:
    """Fit nets side by side, one per task and seed. A fit with a folder leaves checkpoints there and goes on from them
    if they are its own (`of` is the same text); `recorded=False` forbids CUDA graphs. `side_by_side`: nets of one kind
    are one computation where their tasks can be (by default on a CUDA device)."""
    folders, of = folders or [None] * len(tasks), of or [""] * len(tasks)
    epochs = sum(task.recipe.length(task.size)[0] for task in tasks)
    with nullcontext() if progress is None else progress("training, epochs", total=epochs) as bar:
        fits = [
            Fit(
                task, numbers=group, seeds=[seeds[n] for n in group], device=placed(task.device),
                folder=folders[group[0]], of="\n".join(of[n] for n in group), recorded=recorded,
            )
            for task, group in grouped(tasks, seeds, side_by_side)
        ]  # fmt: skip
        for number, line in in_turn(fits):
            told(number, line)
            if bar is not None:
                bar.advance()
    found = {number: fitted for each in fits for number, fitted in zip(each.numbers, each.result(), strict=True)}
    return [found[number] for number in range(len(tasks))]


def grouped(
    tasks: Sequence[Task], seeds: Sequence[int], side_by_side: bool | None
) -> Iterator[tuple[Task, Sequence[int]]]:
    """The tasks, those of one kind of net as one where they can be; and the numbers of each."""
    left = list(range(len(tasks)))
    while left:
        first = tasks[left[0]]
        wanted = placed(first.device).startswith("cuda") if side_by_side is None else side_by_side
        group = [n for n in left if type(tasks[n]) is type(first)] if wanted else left[:1]
        both = first.together([tasks[n] for n in group], [seeds[n] for n in group]) if wanted else None
        if both is None:
            group = left[:1]
        yield both or first, group
        left = [n for n in left if n not in group]


def in_turn(fits: Sequence[Fit]) -> Iterator[tuple[int, Mapping[str, float]]]:
    """The lines of all learning curves as they come: a step of each fit in turn, the last one without interruption."""
    turns = {at: each.turns() for at, each in enumerate(fits)}
    while turns:
        for at in list(turns):
            with fits[at].turn():
                lines = next(turns[at], None)
                while len(turns) == 1 and lines == {}:
                    lines = next(turns[at], None)
            if lines is None:
                del turns[at]
            else:
                yield from lines.items()


def placed(device: str) -> str:
    if device != "auto":
        return device
    return "cuda" if torch.cuda.is_available() else "cpu"


Lines = Mapping[int, Mapping[str, float]]  # number of a fit -> a line of its learning curve


class Fit:
    """One net on its way, or several side by side (`task.nets`), which have `numbers`. `turns` yields after every step,
    and with each epoch's lines of the learning curves."""

    def __init__(
        self, task: Task, *, numbers: Sequence[int], seeds: Sequence[int], device: str, folder: Path | None, of: str,
        recorded: bool = True,
    ) -> None:  # fmt: skip
        self.task, self.recipe, self.numbers, self.seeds = task, task.recipe, numbers, seeds
        self.folder, self.of, self.saved = folder, of, time.monotonic()
        self.place = checkpoint.NAME if task.nets is None else checkpoint.TOGETHER
        cuda = device.startswith("cuda")
        self.stream = torch.cuda.Stream(torch.device(device)) if cuda else None  # type: ignore[no-untyped-call]
        self.random = Randomness(device if cuda else None)
        self.curves: checkpoint.Curves = [[] for _ in seeds]
        with self.turn():
            nets = self._nets()
            self.net: Any = nets[0] if task.nets is None else Nets(nets)
            self.steps = Steps(task, self.net, device=device, stream=self.stream if recorded else None)
            self.best = {k: v.detach().clone() for k, v in (self.steps.weights | self.steps.buffers).items()}
            if folder is not None:
                kept = checkpoint.resume(folder, self.steps, self.best, of=of, name=self.place)
                self.curves = kept or self.curves

    def turn(self) -> ExitStack:
        """Within this block torch's random numbers and the current stream are those of this fit; on a CUDA device its
        products are TF32."""
        stack = ExitStack()
        stack.enter_context(self.random)
        if self.stream is not None:
            stack.enter_context(torch.cuda.stream(self.stream))
            stack.enter_context(products_in_tf32())
        return stack

    def _open(self) -> list[int]:
        """Which of its nets are still to be trained."""
        epochs, _ = self.recipe.length(self.task.size)
        return [
            n
            for n, curve in enumerate(self.curves)
            if len(curve) < epochs and not self.recipe.finished(curve, self.task.better)
        ]

    def turns(self) -> Iterator[Lines]:
        began, per_epoch = time.monotonic(), math.ceil(self.task.size / self.recipe.batch)
        _, steps = self.recipe.length(self.task.size)
        while open_ := self._open():
            epoch = len(self.curves[open_[0]])
            torch.manual_seed(self.seeds[0] * 1_000_003 + epoch)
            self.net.train()
            objective, first = self.task.objective(epoch), epoch * per_epoch
            order = itertools.islice(self.task.order(epoch=epoch, seed=self.seeds[0]), max(0, steps - first))
            for step, indices in enumerate(order, start=first):
                rate, share = self.recipe.rate_at(step, steps), self.recipe.share_at(step)
                self.steps.learn(objective, indices, rate=rate, share=share)
                yield {}
            asked = yield from self._held_out()
            yield from self._done()
            losses, scores = self.steps.loss(), self.steps.score() if asked else []
            for n in open_:
                line = {"epoch": epoch, "loss": losses[n], **({"valid": scores[n]} if asked else {})}
                self.curves[n].append(line | {"seconds": time.monotonic() - began})
                if asked and kept(self.curves[n], self.task.better) == epoch:
                    self._keep(n)
            self._save()
            yield {self.numbers[n]: self.curves[n][-1] for n in open_}

    def _held_out(self) -> Generator[Lines, None, bool]:
        """Score the mean of the weights, or the weights themselves; whether there was something to score."""
        self.net.eval()
        asked = False
        with swapped(self.steps.weights, self.steps.mean):
            for batch in self.task.held_out():
                self.steps.ask(batch)
                asked = True
                yield {}
        return asked

    def _done(self) -> Iterator[Lines]:
        """Until the device has done all that it was given: meanwhile the others have their turns."""
        if self.stream is not None:
            event = torch.cuda.Event()  # type: ignore[no-untyped-call]
            event.record(self.stream)
            while not event.query():  # type: ignore[no-untyped-call]
                yield {}

    def _keep(self, number: int) -> None:
        """The weights of a net, or of one of several, as the best so far."""
        now = self.steps.weights | self.steps.buffers | self.steps.mean
        if self.task.nets is None:
            assign(self.best, now)
        else:
            assign({k: v[number] for k, v in self.best.items()}, {k: v[number] for k, v in now.items()})

    def _save(self) -> None:
        """A checkpoint after every epoch; of many nets, which are large, now and then."""
        soon = self.task.nets is not None and time.monotonic() - self.saved < SECONDS
        if self.folder is None or soon or not self._open():
            return
        checkpoint.save(self.folder, self.steps, best=self.best, curves=self.curves, of=self.of, name=self.place)
        self.saved = time.monotonic()

    def result(self) -> list[Fitted]:
        with self.turn():
            for n, curve in enumerate(self.curves):
                if curve and "valid" not in curve[-1]:
                    self._keep(n)
            assign(self.steps.weights | self.steps.buffers, self.best)
            if self.stream is not None:
                self.stream.synchronize()
        nets = [self.net] if self.task.nets is None else self.net.apart(self.best)
        return [
            Fitted(net.eval(), curve, kept(curve, self.task.better) if curve else 0)
            for net, curve in zip(nets, self.curves, strict=True)
        ]

    def _nets(self) -> list[Any]:
        """Each with the weights that it would begin with by itself."""
        made = []
        for seed in self.seeds:
            torch.manual_seed(seed)
            made.append(self.task.network())
        return made


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
def swapped(parameters: Mapping[str, Tensor], other: Mapping[str, Tensor]) -> Iterator[None]:
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
