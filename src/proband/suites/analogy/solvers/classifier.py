r"""Many small classifiers at once (section 2.4: "a simple multi-layer perceptron binary classifier").

M probes over the same embedded sentences are trained together, one batched product per layer:

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

from proband.core.protocols import Floats

Ints = NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """How a classifier is trained; `hidden` 0 is the linear probe."""

    hidden: int = 100
    steps: int = 300
    batch: int = 128
    rate: float = 1e-3
    decay: float = 1e-4


MLP, LINEAR = Recipe(), Recipe(hidden=0)


@dataclass(frozen=True)
class Task:
    """One classifier's sentences, as rows of the shared table: what it learns from, and what it is asked."""

    train: Ints
    labels: Floats  # 1 or 0 per training row
    ask: Ints


def fit_and_ask(table: Floats, tasks: Sequence[Task], recipe: Recipe, *, seed: int, device: str = "") -> list[Floats]:
    """Logits (positive: true) of each task's `ask` rows."""
    import torch

    where = device or ("cuda" if torch.cuda.is_available() else "cpu")
    data = torch.from_numpy(np.ascontiguousarray(table, dtype=np.float32)).to(where)
    longest = max(len(task.train) for task in tasks)
    index = torch.zeros(len(tasks), longest, dtype=torch.long, device=where)
    label = torch.zeros(len(tasks), longest, device=where)
    weight = torch.zeros(len(tasks), longest, device=where)
    for m, task in enumerate(tasks):
        n = len(task.train)
        index[m, :n] = torch.from_numpy(task.train).to(where)
        label[m, :n] = torch.from_numpy(np.asarray(task.labels, dtype=np.float32)).to(where)
        weight[m, :n] = 1.0
    mean = torch.stack([data[index[m, : len(t.train)]].mean(0) for m, t in enumerate(tasks)])[:, None]
    spread = torch.stack([data[index[m, : len(t.train)]].std(0) for m, t in enumerate(tasks)])[:, None] + 1e-5
    nets = _Nets(len(tasks), table.shape[1], recipe, seed=seed, device=where)
    for rows in batches(longest, recipe, seed=seed):
        at = torch.from_numpy(rows).to(where)
        nets.step((data[index[:, at]] - mean) / spread, label[:, at], weight[:, at])
    return [
        nets.ask((data[torch.from_numpy(task.ask).to(where)] - mean[m]) / spread[m], m) for m, task in enumerate(tasks)
    ]


def batches(count: int, recipe: Recipe, *, seed: int) -> Iterator[Ints]:
    """`steps` batches out of shuffled passes over `count` rows.

    >>> [len(rows) for rows in batches(5, Recipe(steps=4, batch=3), seed=0)]
    [3, 2, 3, 2]
    """
    orders, left = np.random.default_rng(seed), recipe.steps
    while left > 0:
        order = orders.permutation(count)
        for at in range(0, count, recipe.batch)[:left]:
            yield order[at : at + recipe.batch]
            left -= 1


class _Nets:
    """The parameters of M classifiers side by side, and their Adam state.

    Adam is written out: on tensors this small a general optimizer's bookkeeping would cost more than the arithmetic.
    """

    def __init__(self, count: int, width: int, recipe: Recipe, *, seed: int, device: str) -> None:
        import torch

        rng = torch.Generator().manual_seed(seed)

        def uniform(*shape: int, fan: int) -> Any:
            # one draw for all classifiers: which probe is trained beside which does not change it
            return ((torch.rand(*shape, generator=rng) * 2 - 1) / fan**0.5).expand(count, *shape).clone().to(device)

        self.recipe, self.steps = recipe, 0
        if recipe.hidden:
            h = recipe.hidden
            self.parameters = [
                uniform(width, h, fan=width),
                uniform(1, h, fan=width),
                uniform(h, 1, fan=h),
                uniform(1, 1, fan=h),
            ]
        else:
            self.parameters = [uniform(width, 1, fan=width), uniform(1, 1, fan=width)]
        self.first = [torch.zeros_like(p) for p in self.parameters]
        self.second = [torch.zeros_like(p) for p in self.parameters]

    def step(self, x: Any, label: Any, weight: Any) -> None:
        """One batch of logistic loss, gradients by hand."""
        import torch

        with torch.inference_mode():
            if self.recipe.hidden:
                w1, b1, w2, b2 = self.parameters
                inner = torch.baddbmm(b1, x, w1).relu_()
                logit = torch.baddbmm(b2, inner, w2)[..., 0]
            else:
                w, b = self.parameters
                logit = torch.baddbmm(b, x, w)[..., 0]
            # each classifier's mean over its own rows; d loss / d logit = sigmoid - label
            slope = ((torch.sigmoid(logit) - label) * weight / weight.sum(1, keepdim=True).clamp(min=1))[..., None]
            if self.recipe.hidden:
                back = torch.bmm(slope, w2.transpose(1, 2)) * (inner > 0)
                gradients = [
                    torch.bmm(x.transpose(1, 2), back),
                    back.sum(1, keepdim=True),
                    torch.bmm(inner.transpose(1, 2), slope),
                    slope.sum(1, keepdim=True),
                ]
            else:
                gradients = [torch.bmm(x.transpose(1, 2), slope), slope.sum(1, keepdim=True)]
            self._adam(gradients)

    def _adam(self, gradients: Sequence[Any]) -> None:
        self.steps += 1
        rate, scale = self.recipe.rate / (1 - 0.9**self.steps), (1 - 0.999**self.steps) ** 0.5
        for p, g, m, v in zip(self.parameters, gradients, self.first, self.second, strict=True):
            m.mul_(0.9).add_(g, alpha=0.1)
            v.mul_(0.999).addcmul_(g, g, value=0.001)
            p.mul_(1 - self.recipe.rate * self.recipe.decay).addcdiv_(m, (v.sqrt() / scale).add_(1e-8), value=-rate)

    def ask(self, x: Any, m: int) -> Floats:
        import torch

        with torch.inference_mode():
            own = [p[m] for p in self.parameters]
            for k in range(0, len(own), 2):
                x = x @ own[k] + own[k + 1]
                x = x.relu() if k + 2 < len(own) else x
        out: Floats = x[..., 0].float().cpu().numpy()
        return out
