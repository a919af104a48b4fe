"""One step of training: the gradient of an objective, clipped; AdamW; the running mean of the weights.

On a CUDA device a step is recorded and replayed (`graphs`), so all that it changes is in tensors that stay in place.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from proband.suites.script.nets.batches import Batch, Pair
from proband.suites.script.nets.graphs import Numbers, Recorded, Work, plain, suits

Objective = Callable[[Any, Batch], Tensor]  # one log-likelihood per pair, to be made larger


class Steps:
    """A net and all that its training changes: `weights`, their `mean`, the optimiser's state, what was lost."""

    def __init__(
        self, net: Any, *, rate: float, decay: float, clip: float, device: str, recorded: bool = True
    ) -> None:  # fmt: skip
        self.net = net.to(device)
        self.clip = clip
        self.weights: dict[str, Tensor] = dict(net.named_parameters())
        self.mean = {name: p.detach().clone() for name, p in self.weights.items()}
        self.lost = torch.zeros((), device=device, dtype=torch.float64)
        recorded = recorded and suits(net, device)
        self.optimiser = torch.optim.AdamW(
            self.weights.values(),
            lr=torch.tensor(rate, device=device) if recorded else rate,
            weight_decay=decay,
            fused=device.startswith("cuda"),
            capturable=recorded,
        )
        if recorded:  # otherwise the first step makes the state
            for p in self.weights.values():
                zeros = {name: torch.zeros_like(p) for name in ("exp_avg", "exp_avg_sq")}
                self.optimiser.state[p] = {"step": torch.zeros((), device=device), **zeros}
        self.run = Recorded(device, self._changed) if recorded else plain(device)
        self.lessons: dict[Objective, Work] = {}

    def _changed(self) -> list[Tensor]:
        state = [x for p in self.weights.values() for x in self.optimiser.state[p].values()]
        return [*self.weights.values(), *self.mean.values(), *state, self.lost]

    def learn(self, objective: Objective, pairs: Sequence[Pair], rate: float, share: float) -> None:
        """A step on a batch: a rate of learning, and the share of the new weights in their mean."""
        if objective not in self.lessons:
            self.lessons[objective] = self._lesson(objective)
        self.run(self.lessons[objective], pairs, (rate, share, sum(len(y) for _, y in pairs)))

    def _lesson(self, objective: Objective) -> Work:
        def work(batch: Batch, numbers: Numbers) -> None:
            rate, share, words = numbers
            for group in self.optimiser.param_groups:
                if isinstance(rate, Tensor):
                    group["lr"].copy_(rate)
                else:
                    group["lr"] = rate
            loss = -objective(self.net, batch).sum()
            (loss / words).backward()  # type: ignore[no-untyped-call]
            torch.nn.utils.clip_grad_norm_(self.weights.values(), self.clip)
            self.optimiser.step()
            self.optimiser.zero_grad(set_to_none=True)
            with torch.no_grad():
                for name, p in self.weights.items():
                    self.mean[name].lerp_(p, share)
                self.lost.add_(loss)

        return work

    def ask(self, pairs: Sequence[Pair]) -> None:
        """Adds -log p(y | x) of a batch to what was lost."""
        self.run(self._asked, pairs, ())

    @torch.no_grad()
    def _asked(self, batch: Batch, numbers: Numbers) -> None:
        self.lost.sub_(self.net.log_likelihood(batch).sum())

    def lost_since(self) -> float:
        """What was lost since this was last asked, in nats."""
        lost = float(self.lost)
        self.lost.zero_()
        return lost
