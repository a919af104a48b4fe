"""Work on a CUDA device that is recorded once for each shape of batch and then replayed (CUDA graphs).

A training step of these nets is hundreds of kernels of a few microseconds, and a processor takes longer to start them
one by one than the device to run them. A recording is started as a whole. What it needs is that nothing in it depends
on the data but through tensors that stay in their place: batches are copied into a table of their own, padded up to a
few shapes (an epoch of KidsCook has 41); numbers that change (rate, weights of a mean) are read from the device; every
row of a batch is computed and masked (`Batch` without lengths). Dropout draws from the device's generator, whose state
each replay takes up and moves on, so a run is as repeatable as one that is not recorded.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from proband.suites.script.nets.batches import Batch, Pair, laid_out, measured, pad, view
from proband.suites.script.nets.vocabulary import PADDING, START

Numbers = Sequence[float] | Tensor
Work = Callable[[Batch, Numbers], None]  # changes tensors in place, and always the same ones
ROUNDED = 4, 8  # lengths of abstract and of concrete texts are padded up to multiples of these


def suits(net: Any, device: str) -> bool:
    """One layer read from the left; more are packed by lengths, which a recording cannot follow."""
    return device.startswith("cuda") and net.shape.layers == 1 and not net.shape.bidirectional


def plain(device: str) -> Callable[[Work, Sequence[Pair], Sequence[float]], None]:
    """Does work as it comes."""

    def run(work: Work, pairs: Sequence[Pair], numbers: Sequence[float]) -> None:
        work(pad(pairs, start=START, padding=PADDING, device=device), numbers)

    return run


class Recorded:
    """Does work by replaying it. `changed` are the tensors that work changes, `room` the most numbers it takes."""

    def __init__(self, device: str, changed: Callable[[], Sequence[Tensor]], *, room: int = 3) -> None:
        self.device, self.changed = torch.device(device), changed
        self.numbers = torch.ones(room, device=device)
        self.pool = torch.cuda.graph_pool_handle()
        self.stream = torch.cuda.Stream(self.device)  # type: ignore[no-untyped-call]
        self.tapes: dict[tuple[Work, int, int, int], tuple[torch.cuda.CUDAGraph, Tensor]] = {}

    def __call__(self, work: Work, pairs: Sequence[Pair], numbers: Sequence[float]) -> None:
        m, n = (-(-int(length.max()) // to) * to for length, to in zip(measured(pairs), ROUNDED))
        table = torch.from_numpy(laid_out(pairs, m=m, n=n, start=START, padding=PADDING)).pin_memory()
        key = work, len(pairs), m, n
        if key not in self.tapes:
            self.tapes[key] = self._record(work, table, m)
        tape, place = self.tapes[key]
        place.copy_(table, non_blocking=True)
        self.numbers[: len(numbers)].copy_(torch.tensor(numbers).pin_memory(), non_blocking=True)
        tape.replay()

    def _record(self, work: Work, table: Tensor, m: int) -> tuple[torch.cuda.CUDAGraph, Tensor]:
        """The work is done once beforehand, for libraries to load what they need; then all it changed is put back."""
        place = table.to(self.device)
        batch, before = view(place, m=m), [x.detach().clone() for x in self.changed()]
        tape, here = torch.cuda.CUDAGraph(), torch.cuda.current_stream(self.device)
        with torch.random.fork_rng(devices=[here.device]):
            self.stream.wait_stream(here)
            with torch.cuda.stream(self.stream), warnings.catch_warnings():
                warnings.filterwarnings("ignore", message=".*capturable.*")  # the optimiser expects to be recorded
                work(batch, self.numbers)
            here.wait_stream(self.stream)
            with torch.cuda.graph(tape, pool=self.pool, stream=self.stream):
                work(batch, self.numbers)
        with torch.no_grad():
            for x, old in zip(self.changed(), before, strict=True):
                x.copy_(old)
        return tape, place
