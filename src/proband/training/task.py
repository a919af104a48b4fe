"""A training task: the examples, the loss, and the score on held-out examples.

>>> import torch
>>> class Above(Task):
...     "Is the first of two numbers greater than the second?"
...     recipe = Recipe(epochs=8, rate=0.05, batch=8)
...     better, size, device = "high", 64, "cpu"
...     def __init__(self):
...         self.x = torch.randn(80, 2, generator=torch.Generator().manual_seed(0))
...         self.y = (self.x[:, 0] > self.x[:, 1]).long()
...     def network(self):
...         return torch.nn.Linear(2, 2)
...     def batch(self, indices):
...         return self.x[indices], self.y[indices]
...     def loss(self, net, batch):
...         x, y = batch
...         return torch.nn.functional.cross_entropy(net(x), y)
...     def held_out(self):
...         yield self.batch(range(64, 80))
...     def score(self, net, batch):
...         x, y = batch
...         return (net(x).argmax(1) == y).sum(), len(y)
>>> from proband.training.fit import fit
>>> fitted = fit(Above(), seed=0)
>>> fitted.valid > 0.9, len(fitted.curve)
(True, 8)
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from proband.core.errors import ProbandError
from proband.core.files import sha256_file
from proband.training.recipe import Better, Recipe

if TYPE_CHECKING:
    from torch import Tensor, nn

Loss = Callable[[Any, Any], "Tensor"]  # of net and batch


class Task(ABC):
    """A network, its examples and its recipe.

    On a CUDA device a step is recorded once for every shape of batch and replayed (`cuda_graphs`). So a loss must not
    look at numbers on the device, and batches should have few shapes; other tasks set `recordable = False`.
    """

    recipe: Recipe
    size: int  # number of training examples
    better: Better = "low"  # which held-out scores are better
    device: str = "auto"  # cpu, cuda or auto
    recordable: bool = True

    @abstractmethod
    def network(self) -> nn.Module:
        """A new net; random numbers come from torch's generator, which is seeded for it."""

    @abstractmethod
    def batch(self, indices: Sequence[int]) -> Any:
        """Some training examples, on the host or already on the device (see `batches` for what a batch may be)."""

    @abstractmethod
    def loss(self, net: Any, batch: Any) -> Tensor:
        """The loss to minimise: a mean over the batch, or over the terms that `weight` counts."""

    def weight(self, indices: Sequence[int]) -> float:
        """The number of terms in the mean loss of a batch: examples, unless it is words or tokens."""
        return len(indices)

    def objective(self, epoch: int) -> Loss:
        """The loss of an epoch, for nets that are trained in stages."""
        return self.loss

    def order(self, *, epoch: int, seed: int) -> Iterator[Any]:
        """The batches of an epoch: every example once, in random order."""
        shuffled, size = np.random.default_rng([seed, epoch]).permutation(self.size).tolist(), self.recipe.batch
        return (shuffled[at : at + size] for at in range(0, self.size, size))

    def held_out(self) -> Iterable[Any]:
        """Batches of held-out examples; without any, the last weights are kept."""
        return ()

    def score(self, net: Any, batch: Any) -> tuple[Any, Any]:
        """The sum of the held-out score over a batch, and its number of terms; the score is the mean over all terms."""
        raise NotImplementedError

    # ---- saving the net ---------------------------------------------------------------------------------------------

    def note(self) -> Mapping[str, Any]:
        """Entries for net.json: the values that `load` needs in addition to the weights, and other information."""
        return {}

    def save(self, net: Any, folder: Path) -> None:
        save_weights(net, folder)


class PaddedTask(Task):
    """Examples of different lengths, in batches of similar length to keep padding low; held-out ones are sorted by
    length."""

    train: Sequence[Any]
    valid: Sequence[Any]
    held_together: int = 0  # held-out examples in a batch; 0: as many as are learned from

    @abstractmethod
    def length(self, example: Any) -> int: ...

    @abstractmethod
    def pad(self, examples: Sequence[Any]) -> Any:
        """A batch of examples."""

    @property
    def on_cuda(self) -> bool:
        """If steps are recorded, pad lengths up to a few values, because each shape needs its own recording."""
        from proband.training.batches import device_of

        return device_of(self.device).startswith("cuda")

    @cached_property
    def lengths(self) -> list[int]:
        return [self.length(example) for example in self.train]

    def order(self, *, epoch: int, seed: int) -> Iterator[Sequence[int]]:
        from proband.training.batches import of_similar_length

        own = np.random.default_rng([seed, epoch])
        return of_similar_length(self.lengths, size=self.recipe.batch, generator=own, places=self.places(epoch))

    def places(self, epoch: int) -> np.random.Generator | None:
        """The generator of the order of short and long batches, if it is the same for all seeds."""
        return None

    def batch(self, indices: Sequence[int]) -> Any:
        return self.pad([self.train[i] for i in indices])

    @cached_property
    def _held_out(self) -> list[Any]:
        valid, size = sorted(self.valid, key=self.length), self.held_together or self.recipe.batch
        return [self.pad(valid[at : at + size]) for at in range(0, len(valid), size)]

    def held_out(self) -> Sequence[Any]:
        return self._held_out


class SelfFitting(ABC):
    """A net with its own way of fitting, without torch; after an interruption it starts again."""

    @abstractmethod
    def fit(self, *, seed: int) -> None: ...

    @abstractmethod
    def save_into(self, folder: Path) -> None: ...

    def note(self) -> Mapping[str, Any]:
        """For net.json."""
        return {}


# ---- the weights of a net in its folder, stored without pickles ----------------------------------------------------


WEIGHTS, CHECKPOINT = "model.safetensors", "checkpoint.safetensors"  # of a net, and of a fit that is not finished


def save_weights(net: Any, folder: Path) -> None:
    from safetensors.torch import save_file

    folder.mkdir(parents=True, exist_ok=True)
    save_file({name: value.contiguous().cpu() for name, value in net.state_dict().items()}, folder / WEIGHTS)


def with_weights(net: Any, folder: Path) -> dict[str, Any]:
    """The net with the weights of a folder, on a device, with its name and hash: fields of a class that answers
    items."""
    from proband.training.batches import device_of

    device, sha = device_of("auto"), sha256_file(folder / WEIGHTS)
    return {"net": load_weights(net, folder).to(device), "device": device, "name": f"net:{folder}", "sha": sha}


def load_weights(net: Any, folder: Path) -> Any:
    """The net with the weights of the folder, for answering."""
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    try:
        net.load_state_dict(load_file(folder / WEIGHTS))
    except (SafetensorError, RuntimeError, OSError) as error:
        raise ProbandError(f"has no weights of this net: {error}", file=folder) from error
    return net.eval()
