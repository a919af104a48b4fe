"""Several seeds of one net as one computation: their weights, batches and scores have a leading dimension, S.

A small net leaves most of a device idle, and S of them take hardly longer than one if each kernel does the work of all.
The net is written for one story as ever; `torch.func.vmap` runs it for S sets of weights and S batches. AdamW and the
mean of the weights go number by number and clipping goes net by net (`steps.clip_each`), so each net ends where it
would end alone, up to rounding. Only dropout draws other numbers: one draw for all nets.

A module that has a quicker way for S nets (`suites/kinship/nets/layers.Lstm`) is told by the attribute `side_by_side`.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from proband.training.batches import mapped, tensors

Work = Callable[[Any, Any], Any]  # of a net and a batch


class Nets:
    """S nets of one kind. `named_parameters` and the like are those of a module, with the leading dimension."""

    def __init__(self, nets: Sequence[nn.Module]) -> None:
        self.each = list(nets)
        self.one = copy.deepcopy(nets[0])  # its weights are never used
        for module in self.one.modules():
            module.side_by_side = True  # type: ignore[assignment]
        self.parameters, self.buffers = torch.func.stack_module_state(self.each)

    def __len__(self) -> int:
        return len(self.each)

    def to(self, device: str) -> Nets:
        self.one.to(device)
        self.parameters = {
            name: value.detach().to(device).requires_grad_(value.requires_grad)
            for name, value in self.parameters.items()
        }
        self.buffers = {name: value.to(device) for name, value in self.buffers.items()}
        return self

    def named_parameters(self) -> Iterator[tuple[str, Tensor]]:
        yield from self.parameters.items()

    def named_buffers(self) -> Iterator[tuple[str, Tensor]]:
        yield from self.buffers.items()

    def train(self) -> Nets:
        self.one.train()
        return self

    def eval(self) -> Nets:
        self.one.eval()
        return self

    def each_on(self, work: Work, batch: Any) -> Any:
        """What `work` finds for every net on its part of the batch, stacked."""

        def of_one(parameters: Any, buffers: Any, parts: Sequence[Tensor]) -> Any:
            given = iter(parts)
            return work(Bound(self.one, {**parameters, **buffers}), mapped(batch, lambda _: next(given)))

        vectorised = torch.func.vmap(of_one, randomness="different")
        return vectorised(self.parameters, self.buffers, tuple(tensors(batch)))

    @torch.no_grad()
    def apart(self, values: Mapping[str, Tensor]) -> list[nn.Module]:
        """The nets one by one, with these stacked weights and buffers."""
        for number, net in enumerate(self.each):
            net.load_state_dict({name: value[number].cpu() for name, value in values.items()}, strict=False)
        return self.each


class Bound:
    """A net with weights of its own."""

    def __init__(self, net: nn.Module, weights: Mapping[str, Tensor]) -> None:
        self.net, self.weights = net, weights

    def __call__(self, *given: Any) -> Any:
        return torch.func.functional_call(self.net, dict(self.weights), given)
