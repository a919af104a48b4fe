"""Training the pair classifier on the facts of the training stories; placeholders are drawn anew in every batch, and
words are hidden now and then, so that unknown ones are not new to it."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from proband.core.errors import ProbandError
from proband.core.files import items_path
from proband.core.protocols import EmbedsWords
from proband.suites.kinship.nets.batches import NEVER
from proband.suites.kinship.nets.encoding import read_states
from proband.suites.kinship.nets.extraction.batches import NONE, Mentions, pad_mentions, sentences_apart
from proband.suites.kinship.nets.extraction.pair_classifier import PairClassifier
from proband.suites.kinship.nets.options import ExtractorOptions
from proband.suites.kinship.nets.stories import Story
from proband.suites.kinship.nets.task import recipe_of, split
from proband.suites.kinship.world.rules import load
from proband.training.batches import of_similar_length
from proband.training.fit import device_of
from proband.training.task import Task
from proband.training.vocabulary import Vocabulary

NEARLY_ALL = 0.99
LEAST = 2  # words seen less often in training are unknown


class ExtractionTask(Task):
    better = "high"

    def __init__(
        self, options: ExtractorOptions, vocabulary: Vocabulary, train: Sequence[Story], valid: Sequence[Story], *,
        seed: int, states: Mapping[str, Any] | None = None,
    ) -> None:  # fmt: skip
        """`states`: those of a frozen encoder, by a story's id."""
        self.options = options if options.near >= 0 else replace(options, near=nearness(train))
        self.vocabulary, self.train, self.valid = vocabulary, train, valid
        self.recipe = replace(recipe_of(options), schedule="cosine", decay=options.decay)
        self.device, self.size = options.device, len(train)
        self.seed, self.draw, self.states = seed, random.Random(seed), states
        self.encoder = next(iter(states.values())).shape[1] if states else 0

    def network(self) -> nn.Module:
        return PairClassifier(self.options, len(self.vocabulary), self.encoder)

    def order(self, *, epoch: int, seed: int) -> Iterator[Sequence[int]]:
        self.draw = random.Random(f"{seed} {epoch}")  # an epoch's placeholders are its own, also after a restart
        lengths = [len(story.words) for story in self.train]
        return of_similar_length(lengths, size=self.recipe.batch, generator=np.random.default_rng([seed, epoch]))

    def batch(self, indices: Sequence[int]) -> Mentions:
        return self._pad([self.train[i] for i in indices], self.draw)

    def _pad(self, stories: Sequence[Story], draw: random.Random | None) -> Mentions:
        rounded = device_of(self.device).startswith("cuda")
        return pad_mentions(
            stories, self.vocabulary, pool=self.options.pool, draw=draw, rounded=rounded, states=self.states
        )

    def loss(self, net: Any, batch: Mentions) -> Tensor:
        """Cross-entropy per fact, and per person of known gender."""
        facts, female = net(batch)
        told = ((batch.stated >= 0) & (batch.stated < NONE)).sum().clamp(min=1)
        wrong = F.cross_entropy(facts.flatten(0, 2), batch.stated.flatten(), ignore_index=NEVER, reduction="sum")
        logits = torch.stack([torch.zeros_like(female), female], -1).flatten(0, 1)
        known = (batch.female >= 0).sum().clamp(min=1)
        misgendered = F.cross_entropy(logits, batch.female.flatten(), ignore_index=NEVER, reduction="sum")
        return wrong / told + misgendered / known

    @cached_property
    def _held(self) -> list[Mentions]:
        valid, size = sorted(self.valid, key=lambda story: len(story.words)), self.recipe.batch
        return [self._pad(valid[at : at + size], None) for at in range(0, len(valid), size)]

    def held_out(self) -> Sequence[Mentions]:
        return self._held

    def score(self, net: Any, batch: Mentions) -> tuple[Tensor, Tensor]:
        """Stories whose facts are all read right."""
        wrong = (net(batch)[0].argmax(-1) != batch.stated) & (batch.stated != NEVER)
        right = ~wrong.flatten(1).any(1)
        return right.sum(), torch.ones_like(right).sum()

    def note(self) -> Mapping[str, Any]:
        return {"words": self.vocabulary.words, "encoder": self.encoder, "near": self.options.near}


def nearness(stories: Sequence[Story]) -> int:
    """As many sentences apart as the people of nearly all facts are at most."""
    apart = sorted(gap for story in stories for gap in sentences_apart(story))
    return apart[int(NEARLY_ALL * (len(apart) - 1))] if apart else 0


def task(items: Path, *, options: ExtractorOptions, seed: int, model: EmbedsWords | None = None) -> ExtractionTask:
    """`model`: the encoder whose states stand for the words."""
    load(options.rules)
    train, valid = split(items, options, graph=False, seed=seed)
    for story in train:
        if not story.edges:
            raise ProbandError(f"item {story.id!r} has no facts ('edges') to learn to read", file=items_path(items))
    vocabulary = Vocabulary.of(([w for w in story.words if isinstance(w, str)] for story in train), least=LEAST)
    states = None if model is None else read_states(model, [*train, *valid], options)
    return ExtractionTask(options, vocabulary, train, valid, seed=seed, states=states)
