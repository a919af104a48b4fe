"""Training a net on built stories: cross-entropy over the 22 relations, accuracy on held-out stories."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import torch.nn.functional as F
from torch import Tensor, nn

from proband.core.errors import ProbandError
from proband.core.files import items_path, read_items
from proband.suites.kinship.nets.batches import Batch, Numbers, encoded_states, numbered, pad
from proband.suites.kinship.nets.graph_nets import Composer, EdgeTransformer, Gat
from proband.suites.kinship.nets.options import EdgeTransformerOptions, NetOptions, RmcOptions
from proband.suites.kinship.nets.reasoning_nets import Mac, RelationNetwork, Rmc
from proband.suites.kinship.nets.sequence_nets import Bert, BertLstm, BiLstmAttention, BiLstmMean
from proband.suites.kinship.nets.stories import NetStory, readable_story
from proband.training.recipe import Recipe
from proband.training.task import PaddedTask
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
    """Adam at a constant rate; for the Edge Transformer (and RMC with `warmup`) it rises and falls linearly."""
    warmup = options.warmup if isinstance(options, (EdgeTransformerOptions, RmcOptions)) else 0
    return Recipe(
        epochs=options.epochs, batch=options.batch, rate=options.rate, schedule="linear" if warmup else "constant",
        warmup=warmup, clip=options.clip, patience=options.patience,
    )  # fmt: skip


class KinshipTask(PaddedTask):
    """Training and held-out stories. A net declares how it reads them (`by_sentence`, as a `graph`, as `encoded`
    states), and whether the epoch is chosen by accuracy or by loss (`kept_by`)."""

    def __init__(
        self, kind: str, options: NetOptions, vocabulary: Vocabulary, train: Sequence[Numbers], valid: Sequence[Numbers]
    ) -> None:
        self.kind, self.options, self.vocabulary, self.reads = kind, options, vocabulary, Reads.of(kind)
        self.train, self.valid, self.size = train, valid, len(train)
        self.recipe, self.device = recipe_of(options), options.device
        self.better = "low" if self.reads.kept_by == "loss" else "high"

    def network(self) -> nn.Module:
        net: nn.Module = KINDS[self.kind](self.options, len(self.vocabulary))
        return net

    def length(self, story: Numbers) -> int:
        return self.reads.length(story)

    def places(self, epoch: int) -> np.random.Generator:
        return np.random.default_rng(epoch)

    def pad(self, stories: Sequence[Numbers]) -> Batch:
        return self.reads.padded(stories, rounded=self.on_cuda)

    def loss(self, net: Any, batch: Batch) -> Tensor:
        return F.cross_entropy(net(batch), batch.target)

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
        self, stories: Sequence[NetStory], vocabulary: Vocabulary, *, pool: int, model: Any = None
    ) -> list[Numbers]:
        """The stories as input of the net; `model` is the frozen encoder of nets that need one."""
        states = encoded_states(model, stories, pool=pool) if self.encoded else {}
        return [
            numbered(each, vocabulary, pool=pool, by_sentence=self.by_sentence, states=states.get(each.id))
            for each in stories
        ]

    def padded(self, stories: Sequence[Numbers], *, rounded: bool) -> Batch:
        return pad(stories, by_sentence=self.by_sentence, text=not self.graph, rounded=rounded)

    def length(self, story: Numbers) -> int:
        """Key for batches of similar stories: the number of people, or of sentences and words."""
        return len(story.slots) if self.graph else 1000 * len(story.rows) + max(len(row) for row in story.rows)


def task(items: Path, *, kind: str, options: NetOptions, seed: int, model: Any = None) -> KinshipTask:
    """The task of a built folder. `model`: the encoder of the BERT nets, which sets their width."""
    path = items_path(items)
    changed = path.stat()
    vocabulary, train, valid = numbered_stories(path, changed.st_mtime_ns, changed.st_size, kind, options, model)
    if (states := train[0].states) is not None:
        options = replace(options, width=int(states.shape[1]))
    return KinshipTask(kind, options, vocabulary, *_with_held_out(train, valid, options, seed=seed))


@lru_cache(maxsize=1)  # the seeds of a net are trained one after the other
def numbered_stories(
    items: Path, changed: int, size: int, kind: str, options: NetOptions, model: Any
) -> tuple[Vocabulary, list[Numbers], list[Numbers]]:
    """The training and valid stories as a net reads them, and the words of the training stories; the same for all
    seeds."""
    reads = Reads.of(kind)
    train, valid = stories_of(items, options, graph=reads.graph)
    vocabulary = Vocabulary.of(([w for w in story.words if isinstance(w, str)] for story in train), least=1)
    stories = reads.numbers([*train, *valid], vocabulary, pool=options.pool, model=model)
    return vocabulary, stories[: len(train)], stories[len(train) :]


def _with_held_out(
    train: list[Numbers], valid: list[Numbers], options: NetOptions, *, seed: int
) -> tuple[list[Numbers], list[Numbers]]:
    """The training and valid stories. Without a valid split, a random share of the training stories is held out to
    choose the epoch."""
    if valid:
        return train, valid
    order = np.random.default_rng([seed, len(train)]).permutation(len(train)).tolist()
    held = int(len(train) * options.held_out)
    return [train[n] for n in order[held:]], [train[n] for n in order[:held]]


def stories_of(items: Path, options: NetOptions, *, graph: bool) -> tuple[list[NetStory], list[NetStory]]:
    """The training and valid stories. Test items may be of other worlds and are not read."""
    parts: dict[str, list[NetStory]] = {"train": [], "valid": []}
    path = items_path(items)
    for line, item in enumerate(read_items(items), start=1):
        if item.split not in parts:
            continue
        story = readable_story(item, options, graph=graph, file=path, line=line)
        if story.target is None:
            raise ProbandError(f"item {story.id!r} has no 'target' to learn", file=path)
        parts[story.split].append(story)
    if not parts["train"]:
        raise ProbandError("no items of the split train to learn from", file=path)
    return parts["train"], parts["valid"]
