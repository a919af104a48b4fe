"""Seeds of one net trained as one computation (`training.side_by_side`): all stories lie on the device, and a batch is
S × B of their numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from proband.suites.kinship.nets.batches import ROUNDED, Batch, Numbers, pad, sizes
from proband.training.batches import mapped
from proband.training.fit import placed
from proband.training.side_by_side import Nets
from proband.training.task import Task

Indices = NDArray[np.int64]  # B × S: B first, so that a part of a batch is a slice


class SideBySide(Task):
    """`tasks` are KinshipTasks that differ in what they learn from and hold out."""

    def __init__(self, tasks: Sequence[Any], seeds: Sequence[int]) -> None:
        first = tasks[0]
        self.tasks, self.seeds, self.nets = tasks, seeds, len(tasks)
        self.recipe, self.better, self.size, self.device = first.recipe, first.better, first.size, first.device
        reads = first.reads
        self.stories = Stories(
            first.corpus.stories, by_sentence=reads.by_sentence, text=not reads.graph, device=placed(first.device)
        )
        self.learned = np.array([task.learned for task in tasks])

    def network(self) -> nn.Module:
        net: nn.Module = self.tasks[0].network()
        return net

    def order(self, *, epoch: int, seed: int) -> Iterator[Any]:
        """B × S: each net's own."""
        each = [task.order(epoch=epoch, seed=own) for task, own in zip(self.tasks, self.seeds, strict=True)]
        for parts in zip(*each, strict=True):
            yield np.array(parts).T

    def batch(self, indices: Any) -> Batch:
        own = np.arange(len(self.tasks))
        return self.stories.batch(self.learned[own, np.asarray(indices)].T)

    def loss(self, net: Nets, batch: Batch) -> Tensor:
        found: Tensor = net.each_on(self.tasks[0].loss, batch)
        return found

    def held_out(self) -> Iterator[Batch]:
        for parts in zip(*(task.held_parts for task in self.tasks), strict=True):
            yield self.stories.batch(np.array(parts))

    def score(self, net: Nets, batch: Batch) -> tuple[Tensor, int]:
        found: Tensor = net.each_on(lambda one, part: self.tasks[0].score(one, part)[0], batch)
        return found, batch.target.shape[1]


class Stories:
    """All stories of a corpus, padded, on a device."""

    def __init__(self, stories: Sequence[Numbers], *, by_sentence: bool, text: bool, device: str) -> None:
        self.stories, self.by_sentence, self.text, self.device = stories, by_sentence, text, device
        whole = pad(stories, by_sentence=by_sentence, text=text)
        if whole.states is not None:
            whole = replace(whole, states=whole.states.half())
        self.whole = mapped(whole, lambda tensor: tensor.to(device))
        if device.startswith("cuda"):
            torch.cuda.synchronize()  # they are read on other streams

    @cached_property
    def sizes(self) -> Indices:
        """Of every story: sentences, words, people, facts."""
        return np.array([sizes([story], text=self.text) for story in self.stories])

    def batch(self, numbers: Indices) -> Batch:
        """Of any shape: S × B stories, cut to the longest of them."""
        rows, words, people, facts = self.sizes[numbers.reshape(-1)].max(0).tolist()
        whole = self.whole
        if self.text:  # no net that reads text looks at the facts: few shapes, few recordings
            people, facts = whole.slots.shape[1], 1
        words = min(-(-words // ROUNDED) * ROUNDED, whole.tokens.shape[-1])  # few lengths, few recordings
        at = torch.from_numpy(numbers)
        at = at.pin_memory().to(self.device, non_blocking=True) if self.device.startswith("cuda") else at
        tokens, lengths, states = whole.tokens[..., :words], whole.lengths, whole.states
        if self.by_sentence:
            tokens, lengths = tokens[:, :rows], lengths[:, :rows]
        return Batch(
            tokens=tokens[at],
            lengths=lengths[at],
            slots=whole.slots[:, :people][at],
            people=whole.people[at],
            edges=whole.edges[:, :facts][at],
            query=whole.query[at],
            target=whole.target[at],
            states=None if states is None else states[:, :words][at].float(),
        )
