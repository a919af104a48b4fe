"""Checks of the training loop on a CUDA device, with times; exits with 1 if one fails.

    python benchmarks/training_gpu.py [--device cuda] [--seeds 4]

For two script nets and a small classification net:
1. recorded steps end where plain ones do (no dropout, TF32 off): greatest difference of a weight
2. a fit that is killed and started again ends with the weights of one that was not (with dropout)
3. several seeds at once end where each ends alone (with dropout); the time of all at once, and of one after the other
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from proband.suites.script.nets.layers import Shape
from proband.suites.script.nets.task import ScriptTask
from proband.training.fit import Fitted, fit, fit_many
from proband.training.recipe import Recipe
from proband.training.task import Task

WORDS = 2005


class Digits(Task):
    """Which of ten prototypes a noisy point belongs to; points are already on the device."""

    better = "high"

    def __init__(self, device: str, *, drop: float) -> None:
        self.recipe = Recipe(epochs=6, batch=100, rate=2e-3, average=0.99, decay=0.01)
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


def script(kind: str, device: str, *, drop: float) -> Task:
    """1,280 pairs of the lengths of KidsCook."""
    rng = np.random.default_rng(0)
    pairs = [
        (rng.integers(5, WORDS, rng.integers(6, 13)).tolist(), rng.integers(5, WORDS, rng.integers(25, 50)).tolist())
        for _ in range(1440)
    ]
    shape = Shape(vocabulary=WORDS, hidden=128, dropout=drop, state_dropout=drop, shift=-1.4)
    recipe = Recipe(epochs=4, batch=32, rate=1e-3, average=0.998)
    stages = (2, 2) if kind.startswith("transducer") else None
    table = torch.randn(WORDS, 100, generator=torch.Generator().manual_seed(0))
    return ScriptTask(kind, shape, table, pairs[:1280], pairs[1280:], recipe=recipe, stages=stages, device=device)


TASKS: dict[str, Callable[..., Task]] = {
    "classification": Digits,
    "script attention": lambda device, drop: script("attention", device, drop=drop),
    "script transducer": lambda device, drop: script("transducer", device, drop=drop),
}


class Killed(Exception):
    pass


def timed(work: Callable[[], Any]) -> tuple[Any, float]:
    torch.cuda.synchronize()
    began = time.perf_counter()
    found = work()
    torch.cuda.synchronize()
    return found, time.perf_counter() - began


def apart(one: Fitted, other: Fitted) -> float:
    return max(float((p - q).abs().max()) for p, q in zip(one.net.parameters(), other.net.parameters(), strict=True))


def recorded_and_plain(make: Callable[..., Task], device: str) -> tuple[float, float, float]:
    fit(make(device, drop=0.0), seed=0)  # libraries loaded
    recorded, quick = timed(lambda: fit(make(device, drop=0.0), seed=0))
    plain, slow = timed(lambda: fit(make(device, drop=0.0), seed=0, recorded=False))
    return apart(recorded, plain), quick, slow


def killed_and_whole(make: Callable[..., Task], device: str) -> float:
    def stop(number: int, line: Mapping[str, float]) -> None:
        if line["epoch"] == 1:
            raise Killed

    with tempfile.TemporaryDirectory() as folder:
        try:
            fit(make(device, drop=0.3), seed=1, folder=Path(folder), told=stop)
        except Killed:
            pass
        again = fit(make(device, drop=0.3), seed=1, folder=Path(folder))
    return apart(again, fit(make(device, drop=0.3), seed=1))


def together_and_alone(make: Callable[..., Task], device: str, seeds: int) -> tuple[float, float, float]:
    alone, one_by_one = timed(lambda: [fit(make(device, drop=0.3), seed=seed) for seed in range(seeds)])
    tasks = [make(device, drop=0.3) for _ in range(seeds)]
    together, at_once = timed(lambda: fit_many(tasks, seeds=range(seeds)))
    if apart(together[0], together[1]) < 1e-3:
        return float("inf"), at_once, one_by_one  # seeds must differ
    return max(apart(a, b) for a, b in zip(alone, together, strict=True)), at_once, one_by_one


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--seeds", type=int, default=4)
    args = parser.parse_args()
    if not torch.cuda.is_available():
        print("no CUDA device")
        return 1
    torch.backends.cudnn.allow_tf32 = False
    failed = 0
    print("| net | check | apart | allowed | s | s, plain or one by one |")
    print("|---|---|---:|---:|---:|---:|")
    for name, make in TASKS.items():
        difference, quick, slow = recorded_and_plain(make, args.device)
        rows = [("recorded = plain", difference, 2e-3, quick, slow)]
        rows.append(("killed = whole", killed_and_whole(make, args.device), 1e-5, 0.0, 0.0))
        difference, at_once, one_by_one = together_and_alone(make, args.device, args.seeds)
        rows.append((f"{args.seeds} at once = alone", difference, 1e-5, at_once, one_by_one))
        for check, value, allowed, first, second in rows:
            failed += not value <= allowed
            times = f"{first:.2f} | {second:.2f}" if first else " | "
            print(f"| {name} | {check} | {value:.1e} | {allowed:.0e} | {times} |", flush=True)
    print("failed:", failed)
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
