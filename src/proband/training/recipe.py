"""Hyperparameters of training, as plain numbers that can be compared, stored and read without torch."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

Better = Literal["low", "high"]
LEAST_RATE = 0.02  # of the highest, where a cosine ends (eta_min of Loshchilov and Hutter 2017; not tuned)
Line = Mapping[str, float]  # a line of a learning curve: epoch, loss, valid (if examples are held out), seconds


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """AdamW on shuffled batches, with a schedule of the rate, clipping, averaged weights and early stopping."""

    epochs: int = 20
    steps: int | None = None  # instead of epochs; may end within an epoch
    batch: int = 32
    rate: float = 1e-3  # the highest
    schedule: Literal["cosine", "linear", "constant"] = "cosine"
    warmup: int = 0  # steps over which the rate rises from zero, before its schedule
    decay: float = 0.0  # weight decay
    decay_vectors: bool = True  # whether it also applies to biases and gains
    clip: float = 5.0  # greatest length of the gradient; 0: any
    average: float = 0.0  # decay of the running mean of the weights; the mean is scored and kept; 0: no mean
    patience: int = 0  # epochs without a better held-out score before stopping; 0: never
    patience_from: int = 0  # epochs before this one do not count
    better_than: Literal["best", "previous"] = "best"  # the score that an epoch must beat
    margin: float = 0.0  # the least improvement on the previous score
    keep: Literal["best", "last"] = "best"  # the epoch whose weights are kept

    def length(self, size: int) -> tuple[int, int]:
        """Epochs and steps on `size` examples.

        >>> Recipe(epochs=5, batch=8).length(50), Recipe(steps=17, batch=8).length(50)
        ((5, 35), (3, 17))
        """
        per_epoch = math.ceil(size / self.batch)
        if self.steps is not None:
            return math.ceil(self.steps / per_epoch), self.steps
        return self.epochs, self.epochs * per_epoch

    def rate_at(self, step: int, steps: int) -> float:
        """The rate of a step: along a half cosine down to a fiftieth, along a line to zero, or always the same.

        >>> recipe = Recipe(rate=1.0)
        >>> [round(recipe.rate_at(step, 100), 3) for step in (0, 50, 100)]
        [1.0, 0.51, 0.02]
        >>> recipe = Recipe(rate=1.0, schedule="linear", warmup=20)
        >>> [recipe.rate_at(step, 100) for step in (0, 10, 20, 60, 100)]
        [0.0, 0.5, 1.0, 0.5, 0.0]
        """
        if step < self.warmup:
            return self.rate * step / self.warmup
        step, steps = step - self.warmup, steps - self.warmup
        if self.schedule == "constant":
            return self.rate
        if self.schedule == "linear":
            return self.rate * max(0.0, 1 - step / steps)
        return self.rate * (LEAST_RATE + (1 - LEAST_RATE) * 0.5 * (1 + math.cos(math.pi * step / steps)))

    def share_at(self, step: int) -> float:
        """The share of the new weights in their running mean; larger in the first steps, to forget the random start:
        1 - (1 + n)/(10 + n) after n steps, as in TensorFlow's `ExponentialMovingAverage`.

        >>> round(Recipe(average=0.99).share_at(0), 2), round(Recipe(average=0.99).share_at(10**6), 2)
        (0.82, 0.01)
        """
        return 1 - min(self.average, (2 + step) / (11 + step))

    def finished(self, curve: Sequence[Line], better: Better) -> bool:
        """Whether the last `patience` epochs brought no better score.

        >>> curve = [{"valid": 3.0}, {"valid": 1.0}, {"valid": 2.0}, {"valid": 1.5}]
        >>> Recipe(patience=2).finished(curve, "low"), Recipe(patience=3).finished(curve, "low")
        (True, False)
        """
        if not self.patience or len(curve) < 2 or "valid" not in curve[-1]:
            return False
        values = [line["valid"] for line in curve]
        if self.better_than == "previous":
            return self._stalled(values, better)
        if len(curve) <= self.patience_from + self.patience:
            return False
        return best(values, better) == best(values[: -self.patience], better)

    def _stalled(self, values: Sequence[float], better: Better) -> bool:
        """Whether `patience` epochs were no better than the one before them: in a row, or after a first stage
        (`patience_from`) in all.

        >>> recipe = Recipe(patience=2, better_than="previous")
        >>> recipe._stalled([3, 4, 2, 3], "low"), recipe._stalled([3, 4, 2, 3, 4], "low")
        (False, True)
        >>> Recipe(patience=2, better_than="previous", patience_from=1)._stalled([3, 4, 2, 3], "low")
        True
        """
        sign = 1 if better == "low" else -1
        worse = [now == before or sign * (now - before) > -self.margin for before, now in pairwise(values)]
        if self.patience_from:
            return len(values) > self.patience_from and sum(worse[self.patience_from - 1 :]) >= self.patience
        return len(worse) >= self.patience and all(worse[-self.patience :])

    def kept(self, curve: Sequence[Line], better: Better) -> int:
        """The epoch whose weights are kept: the first of the best, or the last; also where nothing was held out.

        >>> curve = [{"valid": 0.5}, {"valid": 0.7}, {"valid": 0.7}]
        >>> Recipe().kept(curve, "high"), Recipe(keep="last").kept(curve, "high"), Recipe().kept([{"loss": 1.0}], "low")
        (1, 2, 0)
        """
        if self.keep == "last" or not curve or "valid" not in curve[-1]:
            return max(len(curve) - 1, 0)
        values = [line["valid"] for line in curve]
        return values.index(best(values, better))


def best(values: Sequence[float], better: Better) -> float:
    return min(values) if better == "low" else max(values)
