"""Checks of the training loop on a CUDA device, with times; exits with 1 if one fails.

    python benchmarks/training_gpu.py [--device cuda]

For a small classification net and three script nets, the greatest difference of a weight or of an epoch's loss:
1. recorded steps end where plain ones do (no dropout, TF32 off)
2. a fit that is killed and started again ends with the weights of one that was not (with dropout)

All by PyTorch's deterministic algorithms, and so are the times: otherwise the backward pass of a gather (Viterbi EM)
adds in any order, and Adam makes much of the rounding of gradients that are almost nothing.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from proband.suites.script.nets.layers import NetShape
from proband.suites.script.nets.task import ScriptTask
from proband.training.fit import Fitted, fit
from proband.training.recipe import Recipe
from proband.training.task import Task

WORDS = 2005
ALLOWED = 1e-6


class Digits(Task):
    """Which of ten prototypes a noisy point belongs to; points are already on the device."""

    better = "high"

    def __init__(self, device: str, *, drop: float, epochs: int) -> None:
        self.recipe = Recipe(epochs=epochs, batch=100, rate=2e-3, average=0.99, decay=0.01)
        self.device, self.size, self.drop = device, 5000, drop
        g = torch.Generator().manual_seed(0)
        self.y = torch.randint(0, 10, (6000,), generator=g)
        points = torch.randn(10, 64, generator=g)[self.y] + 1.5 * torch.randn(6000, 64, generator=g)
        self.x = points

    def network(self) -> nn.Module:
        return nn.Sequential(nn.Linear(64, 256), nn.ReLU(), nn.Dropout(self.drop), nn.Linear(256, 10))

    def batch(self, indices: Sequence[int]) -> Any:
        return self.x[indices], self.y[indices]

    def loss(self, net: Any, batch: tuple[Tensor, Tensor]) -> Tensor:
        return nn.functional.cross_entropy(net(batch[0]), batch[1])

    def held_out(self) -> Iterator[Any]:
        for at in range(5000, 6000, 500):
            yield self.batch(range(at, at + 500))

    def score(self, net: Any, batch: tuple[Tensor, Tensor]) -> tuple[Any, Any]:
        return (net(batch[0]).argmax(1) == batch[1]).sum(), len(batch[1])


def script(kind: str, device: str, *, drop: float, epochs: int, viterbi: bool = False) -> Task:
    """1,280 pairs of the lengths of KidsCook; the net is trained by Viterbi EM or by its likelihood."""
    rng = np.random.default_rng(0)
    pairs = [
        (rng.integers(5, WORDS, rng.integers(6, 13)).tolist(), rng.integers(5, WORDS, rng.integers(25, 50)).tolist())
        for _ in range(1440)
    ]
    shape = NetShape(vocabulary=WORDS, hidden=128, dropout=drop, state_dropout=drop, shift=-1.4)
    recipe = Recipe(epochs=epochs, batch=32, rate=1e-3, average=0.998)
    stages = (0, epochs) if viterbi else (epochs, 0)
    table = torch.randn(WORDS, 100, generator=torch.Generator().manual_seed(0))
    return ScriptTask(kind, shape, table, pairs[:1280], pairs[1280:], recipe=recipe, stages=stages, device=device)


TASKS: dict[str, Callable[..., Task]] = {
    "classification": Digits,
    "attention": partial(script, "attention"),
    "transducer": partial(script, "transducer"),
    "transducer, Viterbi EM": partial(script, "transducer", viterbi=True),
}


class Killed(Exception):
    pass


def timed(work: Callable[[], Any]) -> tuple[Any, float]:
    began = time.perf_counter()
    found = work()
    if torch.cuda.is_available():
        torch.cuda.synchronize()
    return found, time.perf_counter() - began


def apart(one: Fitted, other: Fitted) -> float:
    """The greatest difference of a weight or of an epoch's loss: weights alone may be those of a first epoch."""
    pairs = zip(one.net.parameters(), other.net.parameters(), strict=True)
    losses = (abs(p["loss"] - q["loss"]) for p, q in zip(one.curve, other.curve, strict=True))
    return max(*(float((p - q).detach().abs().max()) for p, q in pairs), *losses)


def recorded_and_plain(make: Callable[..., Task]) -> tuple[float, float, float]:
    fit(make(drop=0.0, epochs=1), seed=0)  # libraries loaded
    recorded, quick = timed(lambda: fit(make(drop=0.0, epochs=1), seed=0))
    plain, slow = timed(lambda: fit(make(drop=0.0, epochs=1), seed=0, recorded=False))
    return apart(recorded, plain), quick, slow


def killed_and_whole(make: Callable[..., Task], whole: Fitted) -> float:
    def stop(line: Mapping[str, float]) -> None:
        if line["epoch"] == 1:
            raise Killed

    with tempfile.TemporaryDirectory() as folder:
        with contextlib.suppress(Killed):
            fit(make(drop=0.3, epochs=3), seed=0, folder=Path(folder), on_epoch=stop)
        return apart(whole, fit(make(drop=0.3, epochs=3), seed=0, folder=Path(folder)))


def checks(make: Callable[..., Task]) -> Iterator[tuple[str, float, float, float]]:
    """Name, difference, seconds, seconds to compare with."""
    yield "recorded = plain, 1 epoch", *recorded_and_plain(make)
    whole, first = timed(lambda: fit(make(drop=0.3, epochs=3), seed=0))
    again, second = timed(lambda: fit(make(drop=0.3, epochs=3), seed=0))
    yield "the same twice", apart(whole, again), first, second
    yield "killed = whole", killed_and_whole(make, whole), 0.0, 0.0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cuda")
    args = parser.parse_args()
    if args.device != "cpu" and not torch.cuda.is_available():
        print("no CUDA device")
        return 1
    torch.backends.cudnn.allow_tf32 = False
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")  # what these algorithms need
    torch.use_deterministic_algorithms(True)
    failed = 0
    print("| net | check | apart | s | s, plain or again |")
    print("|---|---|---:|---:|---:|")
    for name, make in TASKS.items():
        for check, difference, first, second in checks(partial(make, device=args.device)):
            failed += not difference <= ALLOWED
            times = f"{first:.2f} | {second:.2f}" if first else " | "
            print(f"| {name} | {check} | {difference:.1e} | {times} |", flush=True)
    print("failed:", failed)
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
