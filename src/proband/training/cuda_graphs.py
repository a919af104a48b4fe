"""Work on a CUDA device that is recorded once for each shape of batch and then replayed (CUDA graphs).

A training step of a small net is hundreds of kernels of a few microseconds, and a processor takes longer to start them
one by one than the device to run them. A recording is started as a whole. What it needs is that nothing in it depends
on the data but through tensors that stay in their place: batches are copied into tensors of their own, and numbers that
change (rate, weights of a mean) are read from the device. Dropout draws from the device's generator, whose state each
replay takes up and moves on, so a run is as repeatable as one that is not recorded.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Hashable, Sequence
from typing import Any

import torch
from torch import Tensor

from proband.training.batches import mapped, shape, tensors

Numbers = Sequence[float] | Tensor
Work = Callable[[Any, Numbers], None]  # changes tensors in place, and always the same ones


class CudaGraphs:
    """Does work by replaying it on a stream. `changed` are the tensors that work changes; it takes three numbers at
    most."""

    def __init__(self, device: str, stream: torch.cuda.Stream, changed: Callable[[], Sequence[Tensor]]) -> None:
        self.device, self.stream, self.changed = torch.device(device), stream, changed
        self.numbers = torch.ones(3, device=device)
        self.pool = torch.cuda.graph_pool_handle()
        self.graphs: dict[Hashable, tuple[torch.cuda.CUDAGraph, list[Tensor]]] = {}

    def __call__(self, work: Work, batch: Any, numbers: Sequence[float]) -> None:
        key = work, shape(batch)
        if key not in self.graphs:
            self.graphs[key] = self._record(work, batch)
        graph, places = self.graphs[key]
        for place, given in zip(places, tensors(batch), strict=True):
            place.copy_(given if given.is_cuda else given.pin_memory(), non_blocking=True)
        self.numbers[: len(numbers)].copy_(torch.tensor(numbers).pin_memory(), non_blocking=True)
        graph.replay()

    def _record(self, work: Work, batch: Any) -> tuple[torch.cuda.CUDAGraph, list[Tensor]]:
        """The work is done once beforehand, for libraries to load what they need; then all it changed is put back."""
        placed = mapped(batch, lambda tensor: tensor.to(self.device, copy=True))
        before = [x.detach().clone() for x in self.changed()]
        graph = torch.cuda.CUDAGraph()
        with torch.random.fork_rng(devices=[self.device]):
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", message=".*capturable.*")  # the optimiser expects to be recorded
                work(placed, self.numbers)
            with torch.cuda.graph(graph, pool=self.pool, stream=self.stream):
                work(placed, self.numbers)
        with torch.no_grad():
            for x, old in zip(self.changed(), before, strict=True):
                x.copy_(old)
        return graph, tensors(placed)
