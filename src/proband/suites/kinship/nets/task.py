"""Training a net on the stories of a built folder: cross-entropy over the 22 relations, accuracy on held-out ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
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
from proband.suites.kinship.nets.graph.edge_transformer import EdgeTransformer, SmallEdgeTransformer
from proband.suites.kinship.nets.graph.gat import Gat
from proband.suites.kinship.nets.options import EdgeTransformerOptions, NetOptions, RmcOptions
from proband.suites.kinship.nets.reasoning_nets import Mac, RelationNetwork, Rmc
from proband.suites.kinship.nets.sequence_nets import Bert, BertLstm, BiLstmAttention, BiLstmMean
from proband.suites.kinship.nets.stories import Story, read_stories
from proband.training.batches import of_similar_length
from proband.training.fit import device_of
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
    "edge-transformer-small": SmallEdgeTransformer,
    "composer": Composer,
}


def recipe_of(options: NetOptions) -> Recipe:
    """Adam at a constant rate, or (the Edge Transformer, RMC if asked) at one that rises and falls along lines."""
    warmup = options.warmup if isinstance(options, (EdgeTransformerOptions, RmcOptions)) else 0
    return Recipe(
        epochs=options.epochs, batch=options.batch, rate=options.rate, schedule="linear" if warmup else "constant",
        warmup=warmup, clip=options.clip, patience=options.patience,
    )  # fmt: skip


class KinshipTask(Task):
    """Stories, and which of them to learn from and to hold out. A net says how it reads: `by_sentence`, as a `graph`,
    as `encoded` states; and whether the epoch is chosen by accuracy or, `kept_by`, by loss."""

    def __init__(
        self, kind: str, options: NetOptions, corpus: Corpus, train: Sequence[int], valid: Sequence[int]
    ) -> None:
        self.kind, self.options, self.corpus, self.reads = kind, options, corpus, corpus.reads
        self.vocabulary, self.learned, self.held = corpus.vocabulary, train, valid
        self.recipe, self.device, self.size = recipe_of(options), options.device, len(train)
        self.better = "low" if self.reads.kept_by == "loss" else "high"
        self.recordable = kind != "rmc"  # which by itself takes as many steps as its stories have words

    @property
    def train(self) -> list[Numbers]:
        return [self.corpus.stories[n] for n in self.learned]

    @property
    def valid(self) -> list[Numbers]:
        return [self.corpus.stories[n] for n in self.held]

    def network(self) -> nn.Module:
        net: nn.Module = KINDS[self.kind](self.options, len(self.vocabulary))
        return net

    @cached_property
    def lengths(self) -> list[int]:
        return [self.corpus.lengths[n] for n in self.learned]

    def order(self, *, epoch: int, seed: int) -> Iterator[Sequence[int]]:
        """The order of short and long batches is that of the epoch, for all seeds."""
        own, shared = np.random.default_rng([seed, epoch]), np.random.default_rng(epoch)
        return of_similar_length(self.lengths, size=self.recipe.batch, generator=own, places=shared)

    def batch(self, indices: Sequence[int]) -> Batch:
        return self._pad([self.learned[i] for i in indices])

    def _pad(self, numbers: Sequence[int]) -> Batch:
        rounded = device_of(self.device).startswith("cuda")
        return self.reads.padded([self.corpus.stories[n] for n in numbers], rounded=rounded)

    def loss(self, net: Any, batch: Batch) -> Tensor:
        return F.cross_entropy(net(batch), batch.target)

    @cached_property
    def _held(self) -> list[Batch]:
        """The held-out stories, by length, a batch at a time."""
        valid, size = sorted(self.held, key=lambda n: self.corpus.lengths[n]), self.recipe.batch
        return [self._pad(valid[at : at + size]) for at in range(0, len(valid), size)]

    def held_out(self) -> Sequence[Batch]:
        return self._held

    def score(self, net: Any, batch: Batch) -> tuple[Tensor, int]:
        logits = net(batch)
        if self.better == "low":
            return F.cross_entropy(logits, batch.target, reduction="sum"), len(logits)
        return (logits.argmax(-1) == batch.target).sum(), len(logits)

    def note(self) -> Mapping[str, Any]:
        return {"words": self.vocabulary.words, "width": self.options.width}


@dataclass(frozen=True)
class Reads:
    """How a net reads a story."""

    by_sentence: bool = False
    graph: bool = False
    encoded: bool = False
    kept_by: str = "accuracy"

    @classmethod
    def of(cls, kind: str) -> Reads:
        flags: dict[str, Any] = {each.name: getattr(KINDS[kind], each.name, each.default) for each in fields(cls)}
        return cls(**flags)

    def numbers(
        self, stories: Sequence[Story], vocabulary: Vocabulary, *, pool: int, model: Any = None
    ) -> list[Numbers]:
        """The stories ready for the net; `model` is the frozen encoder, for nets that need one."""
        states = encoded_states(model, stories, pool=pool) if self.encoded else {}
        return [
            numbered(each, vocabulary, pool=pool, by_sentence=self.by_sentence, states=states.get(each.id))
            for each in stories
        ]

    def padded(self, stories: Sequence[Numbers], *, rounded: bool) -> Batch:
        return pad(stories, by_sentence=self.by_sentence, text=not self.graph, rounded=rounded)

    def length(self, story: Numbers) -> int:
        """Stories of nearly one length make a batch; of as many sentences, where a net reads them one by one."""
        return len(story.slots) if self.graph else 1000 * len(story.rows) + max(len(row) for row in story.rows)


@dataclass(frozen=True, eq=False)
class Corpus:
    """The stories of a built folder as a net reads them, the same for all seeds: their words are the vocabulary."""

    reads: Reads
    vocabulary: Vocabulary
    stories: list[Numbers]
    lengths: list[int]
    train: Sequence[int]
    valid: Sequence[int]


def task(items: Path, *, kind: str, options: NetOptions, seed: int, model: Any = None) -> KinshipTask:
    """The task of a built folder. `model`: the encoder of the BERT nets, whose width is theirs."""
    path = items_path(items)
    now = path.stat()
    key = path.resolve(), now.st_mtime_ns, now.st_size, kind, options, id(model)
    if _LAST.get("key") != key:
        _LAST.clear()
        parts = stories_of(path, options, graph=Reads.of(kind).graph)
        _LAST.update(key=key, model=model, corpus=corpus_of(*parts, kind=kind, options=options, model=model))
    corpus: Corpus = _LAST["corpus"]
    if (states := corpus.stories[0].states) is not None:
        options = replace(options, width=int(states.shape[1]))
    learned, held = corpus.train, corpus.valid
    if not held:
        learned, held = held_out(len(learned), options, seed=seed)
    return KinshipTask(kind, options, corpus, learned, held)


_LAST: dict[str, Any] = {}  # the corpus that was read last: the seeds of a net come one after the other


def corpus_of(
    train: Sequence[Story], valid: Sequence[Story], *, kind: str, options: NetOptions, model: Any = None
) -> Corpus:
    reads = Reads.of(kind)
    vocabulary = Vocabulary.of(([w for w in story.words if isinstance(w, str)] for story in train), least=1)
    stories = reads.numbers([*train, *valid], vocabulary, pool=options.pool, model=model)
    return Corpus(
        reads=reads,
        vocabulary=vocabulary,
        stories=stories,
        lengths=[reads.length(story) for story in stories],
        train=range(len(train)),
        valid=range(len(train), len(stories)),
    )


def held_out(stories: int, options: NetOptions, *, seed: int) -> tuple[Sequence[int], Sequence[int]]:
    """Which training stories to learn from, and which to choose the epoch by."""
    order = np.random.default_rng([seed, stories]).permutation(stories).tolist()
    held = int(stories * options.held_out)
    return order[held:], order[:held]


def split(items: Path, options: NetOptions, *, graph: bool, seed: int) -> tuple[list[Story], list[Story]]:
    """Stories to learn from and to hold out: those of the split valid, else a random share of the training stories."""
    train, valid = stories_of(items, options, graph=graph)
    if not valid:
        learned, held = held_out(len(train), options, seed=seed)
        train, valid = [train[n] for n in learned], [train[n] for n in held]
    return train, valid


def stories_of(items: Path, options: NetOptions, *, graph: bool) -> tuple[list[Story], list[Story]]:
    """The stories of the splits train and valid."""
    parts: dict[str, list[Story]] = {"train": [], "valid": [], "test": []}
    for story in read_stories(items, options, graph=graph):
        if story.target is None and story.split != "test":
            raise ProbandError(f"item {story.id!r} has no 'target' to learn", file=items_path(items))
        parts[story.split].append(story)
    if not parts["train"]:
        raise ProbandError("no items of the split train to learn from", file=items_path(items))
    return parts["train"], parts["valid"]
