r"""Many small classifiers at once (section 2.4: "a simple multi-layer perceptron binary classifier").

M probes over the same embedded sentences are trained together as one net, one batched product per layer:

    logit_m(x) = w2_m . relu(W1_m x + b1_m) + b2_m         (linear: w_m . x + b_m)

on features scaled to mean 0 and variance 1 over the training sentences of each. Adam with weight decay, a fixed number
of steps, the same order of sentences for all; nothing is tuned on the test half.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from proband.core.protocols import Floats32
from proband.training.recipe import Recipe
from proband.training.task import Task

Ints = NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class Settings:
    """How a classifier is trained; `hidden` 0 is the linear probe."""

    hidden: int = 100
    steps: int = 300
    batch: int = 128
    rate: float = 1e-3
    decay: float = 1e-4


@dataclass(frozen=True)
class ProbeSplit:
    """One probe's training and test sentences, as rows of the shared table."""

    train: Ints
    labels: Floats32  # 1 or 0 per training row
    test: Ints


def train_and_score(
    table: Floats32, splits: Sequence[ProbeSplit], settings: Settings, *, seed: int, device: str = "auto"
) -> list[Floats32]:
    """Logits (positive: true) of each split's `test` rows."""
    from proband.training.fit import fit

    task = Classifiers(table, splits, settings, seed=seed, device=device)
    net = fit(task, seed=seed).net
    return [task.test_logits(net, m) for m in range(len(splits))]


class Classifiers(Task):
    """All classifiers, trained together. Padding rows of a shorter split have weight 0."""

    recordable = False  # three hundred short steps take less time than recording a CUDA graph would save

    def __init__(
        self, table: Floats32, splits: Sequence[ProbeSplit], settings: Settings, *, seed: int, device: str = "auto"
    ) -> None:
        import torch

        from proband.training.batches import device_of

        self.splits, self.settings, self.seed, self.device = splits, settings, seed, device_of(device)
        self.size = longest = max(len(split.train) for split in splits)
        self.recipe = Recipe(
            steps=settings.steps, batch=settings.batch, rate=settings.rate, decay=settings.decay,
            schedule="constant", clip=0.0,
        )  # fmt: skip
        self.shuffle, self.orders = np.random.default_rng(seed), list[Ints]()
        self.data = torch.from_numpy(np.ascontiguousarray(table, dtype=np.float32)).to(self.device)
        shape = len(splits), longest
        index, label, weight = np.zeros(shape, np.int64), np.zeros(shape, np.float32), np.zeros(shape, np.float32)
        for m, split in enumerate(splits):
            n = len(split.train)
            index[m, :n], label[m, :n], weight[m, :n] = split.train, split.labels, 1.0
        self.index, self.label, self.weights = (torch.from_numpy(x).to(self.device) for x in (index, label, weight))
        own = [self.data[self.index[m, : len(split.train)]] for m, split in enumerate(splits)]
        self.mean = torch.stack([rows.mean(0) for rows in own])[:, None]
        self.spread = torch.stack([rows.std(0) for rows in own])[:, None] + 1e-5

    def network(self) -> Any:
        """Parameters in pairs of weights and biases, M × in × out: one draw for all classifiers, so that a
        classifier does not depend on those trained with it."""
        import torch

        rng, width, h = torch.Generator().manual_seed(self.seed), self.data.shape[1], self.settings.hidden

        def uniform(*shape: int, fan: int) -> Any:
            drawn = (torch.rand(*shape, generator=rng) * 2 - 1) / fan**0.5
            return torch.nn.Parameter(drawn.expand(len(self.splits), *shape).clone())

        layers = [(width, h), (h, 1)] if h else [(width, 1)]
        drawn = [uniform(rows, out, fan=ins) for ins, out in layers for rows in (ins, 1)]
        return torch.nn.ParameterList(drawn)

    def order(self, *, epoch: int, seed: int) -> Iterator[Ints]:
        """Shuffled passes over the rows, all from one generator."""
        while len(self.orders) <= epoch:
            self.orders.append(self.shuffle.permutation(self.size))
        for at in range(0, self.size, self.recipe.batch):
            yield self.orders[epoch][at : at + self.recipe.batch]

    def batch(self, indices: Any) -> Any:
        import torch

        return torch.from_numpy(indices)

    def loss(self, net: Any, at: Any) -> Any:
        """Each classifier's mean over its own rows, summed over classifiers."""
        from torch.nn.functional import binary_cross_entropy_with_logits

        x, weight = (self.data[self.index[:, at]] - self.mean) / self.spread, self.weights[:, at]
        weight = weight / weight.sum(1, keepdim=True).clamp(min=1)
        return binary_cross_entropy_with_logits(logits(net, x), self.label[:, at], weight=weight, reduction="sum")

    def test_logits(self, net: Any, m: int) -> Floats32:
        """The logits of one split's `test` rows."""
        import torch

        rows = torch.from_numpy(self.splits[m].test).to(self.device)
        with torch.inference_mode():
            x = (self.data[rows] - self.mean[m]) / self.spread[m]
            out: Floats32 = logits([p[m : m + 1] for p in net], x[None])[0].float().cpu().numpy()
        return out


def logits(parameters: Any, x: Any) -> Any:
    """M × rows × width -> M × rows."""
    import torch

    pairs = list(parameters)
    for k in range(0, len(pairs), 2):
        x = torch.baddbmm(pairs[k + 1], x, pairs[k])
        x = x.relu() if k + 2 < len(pairs) else x
    return x[..., 0]
