"""One step of training: the gradient of the loss, clipped; AdamW; the running mean of the weights.

A batch that does not fit into memory is accumulated from smaller parts. On a CUDA device a step is recorded and
replayed (`cuda_graphs`), so it changes only tensors at fixed addresses.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Hashable, Sequence
from functools import cache
from typing import Any

import torch
from torch import Tensor

from proband.core.errors import out_of_memory
from proband.training.batches import mapped, shape, tensors, to_device
from proband.training.task import Loss, Task

# ---- work on a CUDA device that is recorded once for each shape of batch and then replayed (CUDA graphs) -----------
#
# A step of a small net is hundreds of kernels of a few microseconds, which a processor starts more slowly than the
# device runs them; a recording is started as a whole. It reads its data only from tensors at fixed addresses:
# batches are copied there, and numbers that change (rate, weights of a mean) are read from the device. Each
# replay takes up the state of the device's generator, so a run is as repeatable as one that is not recorded.


Numbers = Sequence[float] | Tensor
Work = Callable[[Any, Numbers], None]  # changes tensors in place, and always the same ones


class CudaGraphs:
    """Records work on a stream and replays it. `changed`: the tensors that the work changes; it takes at most three
    numbers."""

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
        """Run the work once, so that libraries are loaded; then record it, and restore everything that it changed."""
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


class Steps:
    """A net and all that training changes: `weights`, their `mean`, the optimiser's state, sums of losses."""

    def __init__(self, task: Task, net: Any, *, device: str, stream: Any = None) -> None:
        self.task, self.net, self.device = task, net.to(device), device
        self.weights: dict[str, Tensor] = {name: p for name, p in net.named_parameters() if p.requires_grad}
        self.buffers: dict[str, Tensor] = dict(net.named_buffers())
        self.mean: dict[str, Tensor] = {}
        if task.recipe.average:
            self.mean = {name: p.detach().clone() for name, p in self.weights.items()}
        self.lost, self.score_sum, self.score_count = (
            torch.zeros((), device=device, dtype=torch.float64) for _ in range(3)
        )
        self.seen = 0.0  # the total weight of the terms in the sum of losses
        self.part = task.recipe.batch  # examples that fit into memory
        recorded = stream is not None and task.recordable
        self.optimiser = optimiser(task, self.weights.values(), recorded=recorded, device=device)
        self.graphs = CudaGraphs(device, stream, self._changed) if recorded else None
        self.lesson = cache(self._lesson)  # the same work for the same loss, as recordings are known by it

    def _changed(self) -> list[Tensor]:
        state = [x for p in self.weights.values() for x in self.optimiser.state[p].values()]
        sums = self.lost, self.score_sum, self.score_count
        return [*self.weights.values(), *self.buffers.values(), *self.mean.values(), *state, *sums]

    # ---- learning ---------------------------------------------------------------------------------------------------

    def learn(self, objective: Loss, indices: Sequence[int], *, rate: float, share: float) -> None:
        """A step on a batch, with a learning rate and the share of the new weights in their mean."""
        weight = self.task.weight(indices)
        self.seen += weight
        if self.graphs is not None:
            self.graphs(self.lesson(objective), self.task.batch(indices), (rate, share, weight))
            return
        for loss in self._accumulate(objective, indices, weight):
            self.lost.add_(loss, alpha=weight)
        self._update(rate, share)

    def _accumulate(self, objective: Loss, indices: Sequence[int], weight: float) -> list[Tensor]:
        """Accumulate the gradient of a batch in parts that fit into memory; returns their shares of the loss."""
        while True:
            try:
                return [
                    self._gradient(
                        objective, to_device(self.task.batch(part), self.device), self.task.weight(part) / weight
                    )
                    for part in (indices[at : at + self.part] for at in range(0, len(indices), self.part))
                ]
            except Exception as error:
                if not out_of_memory(error) or min(self.part, len(indices)) == 1:
                    raise
                self.part = min(self.part, len(indices)) // 2
                self.optimiser.zero_grad(set_to_none=True)

    def _lesson(self, objective: Loss) -> Work:
        def work(batch: Any, numbers: Numbers) -> None:
            rate, share, weight = numbers
            self.lost.add_(self._gradient(objective, batch, 1.0).double() * weight)
            self._update(rate, share)

        return work

    def _gradient(self, objective: Loss, batch: Any, part: float) -> Tensor:
        """Add the gradient of a part of a batch; returns its share of the loss."""
        loss = objective(self.net, batch)
        if part != 1.0:
            loss = loss * part
        loss.backward()  # type: ignore[no-untyped-call]
        return loss.detach()

    def _update(self, rate: float | Tensor, share: float | Tensor) -> None:
        for group in self.optimiser.param_groups:
            if isinstance(rate, Tensor):
                group["lr"].copy_(rate)
            else:
                group["lr"] = rate
        if self.task.recipe.clip:
            torch.nn.utils.clip_grad_norm_(self.weights.values(), self.task.recipe.clip)
        self.optimiser.step()
        self.optimiser.zero_grad(set_to_none=True)
        with torch.no_grad():
            for name, mean in self.mean.items():
                mean.lerp_(self.weights[name], share)

    def loss(self) -> float:
        """Mean loss since the last call."""
        mean = float(self.lost / max(self.seen, 1e-9))
        self.lost.zero_()
        self.seen = 0.0
        return mean

    # ---- held-out examples ------------------------------------------------------------------------------------------

    def add_held_out_score(self, batch: Any) -> None:
        """Add the score of a held-out batch to the sums."""
        if self.graphs is not None:
            self.graphs(self._add_score, batch, ())
        else:
            self._add_score(to_device(batch, self.device), ())

    @torch.no_grad()
    def _add_score(self, batch: Any, numbers: Numbers) -> None:
        total, count = self.task.score(self.net, batch)
        self.score_sum += total
        self.score_count += count

    def score(self) -> float:
        """Mean held-out score since the last call."""
        mean = float(self.score_sum / self.score_count)
        self.score_sum.zero_()
        self.score_count.zero_()
        return mean


def optimiser(task: Task, weights: Any, *, recorded: bool, device: str) -> torch.optim.AdamW:
    """AdamW; if steps are recorded, its rate and state are on the device."""
    recipe, every = task.recipe, list(weights)
    groups = [{"params": every, "weight_decay": recipe.decay}]
    if not recipe.decay_vectors:
        parts = [p for p in every if p.ndim > 1], [p for p in every if p.ndim <= 1]
        groups = [{"params": p, "weight_decay": d} for p, d in zip(parts, (recipe.decay, 0.0), strict=True) if p]
    for group in groups:
        group["lr"] = torch.tensor(recipe.rate, device=device) if recorded else recipe.rate
    made = torch.optim.AdamW(groups, fused=True, capturable=recorded)
    if recorded:  # otherwise the first step makes the state
        for p in every:
            zeros = {name: torch.zeros_like(p) for name in ("exp_avg", "exp_avg_sq")}
            made.state[p] = {"step": torch.zeros((), device=device), **zeros}
    return made
