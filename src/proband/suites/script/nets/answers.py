"""A trained net at work: cloze answers and alignments."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from proband.core.errors import ProbandError
from proband.core.files import read_json, sha256_file
from proband.core.types import Answer, Item
from proband.suites.script.cloze.word_scores import generator_of
from proband.suites.script.nets.batches import Batch, pad
from proband.suites.script.nets.layers import Shape
from proband.suites.script.nets.slot_filling import Filled, best_of, blank_mask, fill, gold, greedy
from proband.suites.script.nets.task import KINDS
from proband.training.fit import placed
from proband.training.folder import NOTE
from proband.training.vocabulary import PADDING, START, Vocabulary
from proband.training.weights import WEIGHTS, load_weights

Alignment = tuple[list[int], list[list[float]]]  # of each concrete word: its position, and p(a_j = i | x, y)


@dataclass(kw_only=True)
class Trained:
    """Answers script items (core.protocols.AnswersItems). `restricted`: only words of the whitelist fill slots;
    `draws` texts are sampled at temperature 0.1 for the greedy mode and the best one kept (0: the likeliest word)."""

    net: Any
    kind: str
    vocabulary: Vocabulary
    whitelist: Sequence[str] | None
    name: str
    sha: str
    device: str = "cpu"
    restricted: bool = True
    draws: int = 5
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
        }

    @property
    def aligns(self) -> bool:
        return bool(self.net.latent)

    def with_options(self, **options: Any) -> Trained:
        return replace(self, **options)

    def answer(self, items: Sequence[Item]) -> list[Answer]:
        """One record per blank, oracle and greedy; items without blanks get an answer without records."""
        answers: dict[str, Answer] = {}
        allowed = torch.from_numpy(self.vocabulary.allowed(self.whitelist if self.restricted else None)).to(self.device)
        with_blanks = [item for item in items if item.facts.get("blanks")]
        for group in _groups(with_blanks, self.size):
            batch = self._batch(group)
            blank = blank_mask([item.facts["blanks"] for item in group], batch.y.shape[1], device=self.device)
            if self.draws:
                both = best_of(self.net, batch, blank, uniforms=self._uniforms(group, batch), allowed=allowed)
            else:
                oracle = fill(self.net, batch, blank, choose=gold, allowed=allowed)
                both = oracle, fill(self.net, batch, blank, choose=greedy, allowed=allowed)
            oracle, own = (filled.each(Tensor.cpu) for filled in both)
            for row, item in enumerate(group):
                answers[item.id] = self._records(item, row, oracle, own)
        return [answers.get(item.id, Answer(item_id=item.id)) for item in items]

    def _uniforms(self, group: Sequence[Item], batch: Batch) -> Tensor:
        """Random numbers from the seed and each item's name, so that no answer depends on what else was asked."""
        noise = np.zeros((len(group), self.draws, batch.y.shape[1]), dtype=np.float32)
        for row, item in enumerate(group):
            n = len(item.facts["concrete"])
            noise[row, :, :n] = generator_of(item, self.seed).random((self.draws, n), dtype=np.float32)
        return torch.from_numpy(noise).to(self.device)

    def _batch(self, items: Sequence[Item]) -> Batch:
        numbers = self.vocabulary.numbers
        pairs = [(numbers(item.facts["abstract"]), numbers(item.facts["concrete"])) for item in items]
        return pad(pairs, start=START, padding=PADDING, device=self.device)

    def _words(self, numbers: Tensor) -> list[str]:
        return [self.vocabulary.words[i] for i in numbers.tolist()]

    def _records(self, item: Item, row: int, oracle: Filled, own: Filled) -> Answer:
        blanks = []
        for start, end in item.facts["blanks"]:
            at = (row, slice(start, end))
            right = list(item.facts["concrete"][start:end])
            first, guess = self._words(oracle.first[at]), self._words(own.words[at])
            top5, own_top5 = ([self._words(five) for five in each.five[at]] for each in (oracle, own))
            blanks.append(
                {
                    "gold": right,
                    "oracle": first,
                    "guess": guess,
                    "ranks": oracle.rank[at].tolist(),
                    "rank": float(oracle.rank[at].double().mean()),
                    "top5": top5,
                    "surprisals": [round(s, 6) for s in oracle.surprisal[at].tolist()],
                    "moves": [round(s, 6) for s in oracle.moves[at].tolist()],
                    "surprisal": round(float(oracle.surprisal[at].double().mean()), 6),
                    "match": first == right,
                    "top5_hit": all(word in five for word, five in zip(right, top5)),
                    "greedy_match": guess == right,
                    "greedy_top5": own_top5,
                    "greedy_top5_hit": all(word in five for word, five in zip(right, own_top5)),
                    "greedy_ranks": own.rank[at].tolist(),
                }
            )
        return Answer(item_id=item.id, blanks=tuple(blanks))

    def align(self, items: Sequence[Item]) -> list[Alignment]:
        """Viterbi alignments and posteriors of the items' texts (transducers only)."""
        found: dict[str, Alignment] = {}
        for group in _groups(items, self.size):
            paths, posteriors = (each.cpu() for each in self.net.alignments(self._batch(group)))
            for row, item in enumerate(group):
                n, m = len(item.facts["concrete"]), len(item.facts["abstract"])
                found[item.id] = paths[row, :n].tolist(), posteriors[row, :n, :m].tolist()
        return [found[item.id] for item in items]


def load(folder: Path) -> Trained:
    """The net of a folder, ready to answer items."""
    note = read_json(folder / NOTE)
    try:
        shape = Shape(**note["shape"])
        net = KINDS[note["net"]](shape, torch.zeros(shape.vocabulary, shape.dimension))
        vocabulary = Vocabulary(tuple(note["words"]))
    except (KeyError, TypeError) as error:
        raise ProbandError(f"is not the folder of a script net: {error}", file=folder) from error
    device = placed("auto")
    return Trained(
        net=load_weights(net, folder).to(device),
        kind=note["net"],
        vocabulary=vocabulary,
        whitelist=note.get("whitelist"),
        name=f"net:{folder}",
        sha=sha256_file(folder / WEIGHTS),
        device=device,
    )


def _groups(items: Sequence[Item], size: int) -> Iterator[list[Item]]:
    order = sorted(items, key=lambda item: (len(item.facts["concrete"]), item.id))
    for at in range(0, len(order), size):
        yield order[at : at + size]
