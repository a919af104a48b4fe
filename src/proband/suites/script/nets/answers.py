"""A trained net as a model: cloze answers and alignments."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from proband.core.errors import ProbandError
from proband.core.files import read_json
from proband.core.types import Answer, Item
from proband.suites.script.corpus import facts_of
from proband.suites.script.filling import generator_of
from proband.suites.script.nets import slot_filling
from proband.suites.script.nets.batches import ScriptBatch, pad
from proband.suites.script.nets.layers import NetShape
from proband.suites.script.nets.options import FILLING_OPTIONS
from proband.suites.script.nets.slot_filling import Blanks, Filling, all_of, beam_search, best_of, fill, gold, greedy
from proband.suites.script.nets.task import KINDS
from proband.training.folder import NOTE
from proband.training.task import with_weights
from proband.training.vocabulary import PADDING, START, Vocabulary

Alignment = tuple[list[int], list[list[float]]]  # of each concrete word: its position, and p(a_j = i | x, y)


@dataclass(kw_only=True)
class TrainedScriptNet:
    """Answers script items (core.protocols.AnswersItems). `restricted`: only words of the whitelist fill slots; how the
    blanks are filled is stated in `solvers.AnswerOptions`."""

    net: Any
    kind: str
    vocabulary: Vocabulary
    whitelist: Sequence[str] | None
    name: str
    sha: str
    device: str = "cpu"
    restricted: bool = True
    draws: int = 5
    temperature: float = 0.1
    pick: str = "likeliest"
    beam: int = 0
    ends: str = "read"
    aligned: str = "prefix"
    longest: int = 0
    seed: int = 0
    size: int = 128

    def identity(self) -> Mapping[str, str]:
        return {
            "kind": f"script net {self.kind}",
            "name": self.name,
            "weights": self.sha,
            "restricted": str(self.restricted),
            "draws": str(self.draws),
            "seed": str(self.seed),
            **{
                name: str(getattr(self, name))
                for name in FILLING_OPTIONS
                if getattr(self, name) != getattr(TrainedScriptNet, name)
            },
        }

    @property
    def aligns(self) -> bool:
        return bool(self.net.latent)

    @property
    def attends(self) -> bool:
        """Whether the net has attention weights over the abstract line instead of an alignment."""
        return not self.aligns and hasattr(self.net, "alignments")

    def with_options(self, **options: Any) -> TrainedScriptNet:
        return replace(self, **options)

    def answer(self, items: Sequence[Item]) -> list[Answer]:
        """One record per blank, oracle and greedy; items without blanks get an answer without records."""
        answers: dict[str, Answer] = {}
        allowed = torch.from_numpy(self.vocabulary.allowed(self.whitelist if self.restricted else None)).to(self.device)
        with_blanks = [item for item in items if facts_of(item).blanks]
        for group in _groups(with_blanks, self.size):
            batch = self._batch(group)
            blank = slot_filling.blank_mask(
                [self._blanks(item) for item in group], batch.y.shape[1], device=self.device
            )
            oracle, *own = (filled.each(Tensor.cpu) for filled in self._fill(group, batch, blank, allowed))
            for row, item in enumerate(group):
                answers[item.id] = self._records(item, row, oracle, own)
        return [answers.get(item.id, Answer(item_id=item.id)) for item in items]

    def _fill(self, group: Sequence[Item], batch: ScriptBatch, blank: Tensor, allowed: Tensor) -> Iterator[Filling]:
        """The oracle's filling, then the net's own: one, or every draw."""
        options: dict[str, Any] = {"ends_unread": self.ends == "unread"}
        fixed: dict[str, Any] = {"allowed": allowed, **options}
        drawing: dict[str, Any] = {**fixed, "temperature": self.temperature}
        if self.beam:
            oracle = fill(self.net, batch, blank, choose=gold, **fixed)
            own = [beam_search(Blanks(self.net, batch, blank, greedy, allowed, **options), width=self.beam)]
        elif not self.draws:
            oracle = fill(self.net, batch, blank, choose=gold, **fixed)
            own = [fill(self.net, batch, blank, choose=greedy, **fixed)]
        elif self.pick == "likeliest":
            oracle, best = best_of(self.net, batch, blank, uniforms=self._uniforms(group, batch), **drawing)
            own = [best]
        else:
            oracle, own = all_of(self.net, batch, blank, uniforms=self._uniforms(group, batch, each=2), **drawing)
        if self.aligned == "whole" and self.aligns:
            filled = fill(self.net, batch, blank, choose=gold, whole=self.net.ends(batch), **fixed)
            oracle = replace(filled, first=oracle.first, drawn=oracle.drawn)
        yield oracle
        yield from own

    def _blanks(self, item: Item) -> list[tuple[int, int]]:
        """The blanks in the part of the text that the net reads."""
        end = self.longest or len(facts_of(item).concrete)
        return [(start, min(stop, end)) for start, stop in facts_of(item).blanks if start < end]

    def _uniforms(self, group: Sequence[Item], batch: ScriptBatch, *, each: int = 1) -> Tensor:
        """Random numbers from the seed and each item's name, so that no answer depends on the other items."""
        width = batch.y.shape[1]
        noise = np.zeros((len(group), each * self.draws, width), dtype=np.float32)
        for row, item in enumerate(group):
            n = len(facts_of(item).concrete)
            drawn = generator_of(item, self.seed).random((each * self.draws, n), dtype=np.float32)
            noise[row, :, :n] = drawn[:, :width]
        return torch.from_numpy(noise).to(self.device)

    def _batch(self, items: Sequence[Item]) -> ScriptBatch:
        numbers = self.vocabulary.numbers
        end = self.longest or None
        pairs = [(numbers(facts_of(item).abstract), numbers(facts_of(item).concrete[:end])) for item in items]
        return pad(pairs, start=START, padding=PADDING, device=self.device)

    def _words(self, numbers: Tensor) -> list[str]:
        return [self.vocabulary.words[i] for i in numbers.tolist()]

    def _records(self, item: Item, row: int, oracle: Filling, own: Sequence[Filling]) -> Answer:
        blanks = []
        for start, end in self._blanks(item):
            at = (row, slice(start, end))
            right = list(facts_of(item).concrete[start:end])
            first, guess = self._words(oracle.first[at]), self._words(own[0].words[at])
            top5, own_top5 = ([self._words(five) for five in each.five[at]] for each in (oracle, own[0]))
            blanks.append(
                {
                    "gold": right,
                    "oracle": first,
                    "guess": guess,
                    "ranks": oracle.rank[at].tolist(),
                    "top5": top5,
                    "surprisals": [round(s, 6) for s in oracle.surprisal[at].tolist()],
                    "moves": [round(s, 6) for s in oracle.moves[at].tolist()],
                    "known": [word in self.vocabulary.number for word in right],
                    "greedy_top5": own_top5,
                    **(self._draws(at, oracle, own) if len(own) > 1 else {}),
                }
            )
        return Answer(item_id=item.id, blanks=tuple(blanks))

    def _draws(self, at: Any, oracle: Filling, own: Sequence[Filling]) -> dict[str, list[list[str]] | list[float]]:
        """The words of every draw in both modes, and the share of draws with each right word in the top five."""
        hits = torch.stack([(each.rank[at] <= 5).double() for each in own]).mean(0)
        return {
            "oracles": [self._words(words) for words in oracle.drawn[at].T],
            "guesses": [self._words(each.words[at]) for each in own],
            "greedy_top5_share": [round(share, 4) for share in hits.tolist()],
        }

    def align(self, items: Sequence[Item]) -> list[Alignment]:
        """Viterbi alignments and posteriors of the texts; for attention, positions of the largest weights, and all."""
        alignments: dict[str, Alignment] = {}
        for group in _groups(items, self.size):
            paths, posteriors = (each.cpu() for each in self.net.alignments(self._batch(group)))
            for row, item in enumerate(group):
                n, m = len(facts_of(item).concrete[: self.longest or None]), len(facts_of(item).abstract)
                alignments[item.id] = paths[row, :n].tolist(), posteriors[row, :n, :m].tolist()
        return [alignments[item.id] for item in items]


def load(folder: Path) -> TrainedScriptNet:
    """The net of a folder, ready to answer items."""
    note = read_json(folder / NOTE)
    try:
        shape = NetShape(**note["shape"])
        net = KINDS[note["net"]](shape, torch.zeros(shape.vocabulary, shape.dimension))
        vocabulary = Vocabulary(tuple(note["words"]))
    except (KeyError, TypeError) as error:
        raise ProbandError(f"is not the folder of a script net: {error}", file=folder) from error
    return TrainedScriptNet(
        kind=note["net"], vocabulary=vocabulary, whitelist=note.get("whitelist"), **with_weights(net, folder)
    )


def _groups(items: Sequence[Item], size: int) -> Iterator[list[Item]]:
    order = sorted(items, key=lambda item: (len(facts_of(item).concrete), item.id))
    for at in range(0, len(order), size):
        yield order[at : at + size]
