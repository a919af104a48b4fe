"""Training a net on the stories of a built folder: cross-entropy over the 22 relations, accuracy on held-out ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import torch.nn.functional as F
from torch import Tensor, nn

from proband.core.errors import ProbandError
from proband.core.files import items_path
from proband.suites.kinship.nets.batches import Batch, Numbers, numbered, pad
from proband.suites.kinship.nets.encoding import encoded_states
from proband.suites.kinship.nets.graph.composer import Composer
from proband.suites.kinship.nets.graph.edge_transformer import EdgeTransformer
from proband.suites.kinship.nets.graph.gat import Gat
from proband.suites.kinship.nets.options import NetOptions
from proband.suites.kinship.nets.stories import Story, read_stories
from proband.suites.kinship.nets.text.bert import Bert
from proband.suites.kinship.nets.text.bert_lstm import BertLstm
from proband.suites.kinship.nets.text.bilstm_attention import BiLstmAttention
from proband.suites.kinship.nets.text.bilstm_mean import BiLstmMean
from proband.suites.kinship.nets.text.mac import Mac
from proband.suites.kinship.nets.text.relation_network import RelationNetwork
from proband.suites.kinship.nets.text.rmc import Rmc
from proband.training.batches import of_similar_length
from proband.training.fit import placed
from proband.training.recipe import Recipe
from proband.training.task import Task
from proband.training.vocabulary import Vocabulary

KINDS: Mapping[str, type[Any]] = {
    "bilstm-mean": BiLstmMean,
    "bilstm-attention": BiLstmAttention,
    "relation-network": RelationNetwork,
    "rmc": Rmc,
    "mac": Mac,
    "bert": Bert,
    "bert-lstm": BertLstm,
    "gat": Gat,
    "edge-transformer": EdgeTransformer,
    "composer": Composer,
}


def recipe_of(options: NetOptions) -> Recipe:
    """Adam at a constant rate."""
    return Recipe(
        epochs=options.epochs, batch=options.batch, rate=options.rate, schedule="constant", clip=options.clip,
        patience=options.patience,
    )  # fmt: skip


class KinshipTask(Task):
    """Stories to learn from and to hold out. A net says how it reads: `by_sentence`, as a `graph`, as `encoded` states;
    and whether the epoch is chosen by accuracy or, `kept_by`, by loss."""

    def __init__(
        self, kind: str, options: NetOptions, vocabulary: Vocabulary, train: Sequence[Numbers], valid: Sequence[Numbers]
    ) -> None:
        self.kind, self.options, self.vocabulary, self.train, self.valid = kind, options, vocabulary, train, valid
        self.reads = Reads.of(kind)
        self.recipe, self.device, self.size = recipe_of(options), options.device, len(train)
        self.better = "low" if self.reads.kept_by == "loss" else "high"
        self.lengths = [self.reads.length(story) for story in train]

    def network(self) -> nn.Module:
        net: nn.Module = KINDS[self.kind](self.options, len(self.vocabulary))
        return net

    def order(self, *, epoch: int, seed: int) -> Iterator[Sequence[int]]:
        return of_similar_length(self.lengths, size=self.recipe.batch, generator=np.random.default_rng([seed, epoch]))

    def batch(self, indices: Sequence[int]) -> Batch:
        return self._pad([self.train[i] for i in indices])

    def _pad(self, stories: Sequence[Numbers]) -> Batch:
        return self.reads.padded(stories, rounded=placed(self.device).startswith("cuda"))

    def loss(self, net: Any, batch: Batch) -> Tensor:
        return F.cross_entropy(net(batch), batch.target)

    @cached_property
    def _held(self) -> list[Batch]:
        valid = sorted(self.valid, key=self.reads.length)
        return [self._pad(valid[at : at + self.recipe.batch]) for at in range(0, len(valid), self.recipe.batch)]

    def held_out(self) -> Sequence[Batch]:
        return self._held

    def score(self, net: Any, batch: Batch) -> tuple[Tensor, int]:
        logits = net(batch)
        if self.better == "low":
            return F.cross_entropy(logits, batch.target, reduction="sum"), len(logits)
        return (logits.argmax(-1) == batch.target).sum(), len(logits)

    def note(self) -> Mapping[str, Any]:
        return {"words": self.vocabulary.words, "width": self.options.width}


class Reads:
    """How a net reads a story."""

    def __init__(self, *, by_sentence: bool, graph: bool, encoded: bool, kept_by: str) -> None:
        self.by_sentence, self.graph, self.encoded, self.kept_by = by_sentence, graph, encoded, kept_by

    @classmethod
    def of(cls, kind: str) -> Reads:
        net = KINDS[kind]
        flags = {name: bool(getattr(net, name, False)) for name in ("by_sentence", "graph", "encoded")}
        return cls(kept_by=str(getattr(net, "kept_by", "accuracy")), **flags)

    def numbered(self, story: Story, vocabulary: Vocabulary, *, pool: int, states: Any = None) -> Numbers:
        return numbered(story, vocabulary, pool=pool, by_sentence=self.by_sentence, states=states)

    def padded(self, stories: Sequence[Numbers], *, rounded: bool) -> Batch:
        return pad(stories, by_sentence=self.by_sentence, text=not self.graph, rounded=rounded)

    def length(self, story: Numbers) -> int:
        """Stories of nearly one length make a batch."""
        return len(story.slots) if self.graph else max(len(row) for row in story.rows)


def task(items: Path, *, kind: str, options: NetOptions, seed: int, model: Any = None) -> KinshipTask:
    """The task of a built folder. `model`: the encoder of the BERT nets, whose width is theirs."""
    reads = Reads.of(kind)
    train, valid = split(items, options, graph=reads.graph, seed=seed)
    vocabulary = Vocabulary.of(([w for w in story.words if isinstance(w, str)] for story in train), least=1)
    states: Mapping[str, Any] = {}
    if reads.encoded:
        states = encoded_states(model, [*train, *valid], pool=options.pool)
        options = replace(options, width=next(iter(states.values())).shape[1])
    parts = [
        [reads.numbered(story, vocabulary, pool=options.pool, states=states.get(story.id)) for story in part]
        for part in (train, valid)
    ]
    return KinshipTask(kind, options, vocabulary, *parts)


def split(items: Path, options: NetOptions, *, graph: bool, seed: int) -> tuple[list[Story], list[Story]]:
    """Stories to learn from and to hold out: those of the split valid, else a random share of the training stories."""
    parts: dict[str, list[Story]] = {"train": [], "valid": [], "test": []}
    for story in read_stories(items, graph=graph, window=options.window, pool=options.pool):
        if story.split != "test" and story.target is None:
            raise ProbandError(f"item {story.id!r} has no 'target' to learn", file=items_path(items))
        parts[story.split].append(story)
    train, valid = parts["train"], parts["valid"]
    if not train:
        raise ProbandError("no items of the split train to learn from", file=items_path(items))
    if not valid and options.held_out:
        order = np.random.default_rng([seed, len(train)]).permutation(len(train)).tolist()
        held = int(len(train) * options.held_out)
        valid, train = [train[i] for i in order[:held]], [train[i] for i in order[held:]]
    return train, valid
