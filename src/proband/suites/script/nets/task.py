r"""Training the nets: marginal likelihood, then Viterbi EM (A.3), scored on held-out text in nats per word."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from proband.core.errors import ProbandError
from proband.core.files import items_path, read_items
from proband.suites.script.corpus import facts_of
from proband.suites.script.nets.batches import Pair, ScriptBatch, pad
from proband.suites.script.nets.layers import NetShape
from proband.suites.script.nets.options import FixedOptions, ScriptNetOptions, TransducerOptions
from proband.suites.script.nets.sequence_nets import Attention, LanguageModel, Seq2Seq
from proband.suites.script.nets.transducer import ShiftingTransducer, Transducer
from proband.training.recipe import Recipe
from proband.training.task import Loss, PaddedTask
from proband.training.vocabulary import PADDING, START, Vocabulary, random_vectors, vectors_for

KINDS: Mapping[str, type[LanguageModel]] = {
    "lm": LanguageModel,
    "seq2seq": Seq2Seq,
    "attention": Attention,
    "transducer": Transducer,
    "transducer-param": ShiftingTransducer,
}
SIZES = ("hidden", "width", "dropout", "input_dropout", "state_dropout")
ROUNDED = 4, 8  # for recorded steps, lengths of abstract and concrete texts are padded up to multiples of these
MARGIN = 0.01 / 37  # nats per word: the released program wants 0.01 per text, of 37 words on average
Text = tuple[list[str], list[str]]  # abstract, concrete


def marginal(net: Any, batch: ScriptBatch) -> Tensor:
    """Equation 7, summed over all alignments (nets without alignments: the likelihood), in nats per word."""
    loss: Tensor = -net.log_likelihood(batch).sum() / batch.words.sum()
    return loss


def viterbi_em(net: Any, batch: ScriptBatch) -> Tensor:
    """A.3: the most likely alignments of the batch under the current net, then their joint likelihood."""
    loss: Tensor = -net.joint_log_likelihood(batch, net.align(batch)).sum() / batch.words.sum()
    return loss


class ScriptTask(PaddedTask):
    """Pairs of token numbers to learn from and to hold out, and the net's shape and word vectors.

    `stages`: epochs of the marginal likelihood, then of Viterbi EM. On a CUDA device steps are recorded.
    """

    held_together = 64

    def __init__(
        self, kind: str, shape: NetShape, table: Tensor, train: Sequence[Pair], valid: Sequence[Pair], *,
        recipe: Recipe, stages: tuple[int, int] | None = None, device: str = "cpu",
    ) -> None:  # fmt: skip
        self.kind, self.shape, self.table, self.train, self.valid = kind, shape, table, train, valid
        self.stages = stages or (recipe.epochs, 0)
        # a stage is never cut off before it began
        self.recipe = dataclasses.replace(recipe, patience_from=self.stages[0] if self.stages[1] else 0)
        self.device, self.size = device, len(train)
        self.about: dict[str, Any] = {}  # for net.json

    def network(self) -> nn.Module:
        return KINDS[self.kind](self.shape, self.table)

    def length(self, pair: Pair) -> int:
        return len(pair[1])

    def pad(self, pairs: Sequence[Pair]) -> ScriptBatch:
        return pad(pairs, start=START, padding=PADDING, rounded=ROUNDED if self.on_cuda else None)

    def weight(self, indices: Sequence[int]) -> float:
        return sum(len(self.train[i][1]) for i in indices)

    def loss(self, net: Any, batch: ScriptBatch) -> Tensor:
        return marginal(net, batch)

    def objective(self, epoch: int) -> Loss:
        return marginal if epoch < self.stages[0] else viterbi_em

    def score(self, net: Any, batch: ScriptBatch) -> tuple[Tensor, Tensor]:
        return -net.log_likelihood(batch).sum(), batch.words.sum()

    def note(self) -> Mapping[str, Any]:
        return {"shape": dataclasses.asdict(self.shape), **self.about}


def task(items: Path, *, kind: str, options: ScriptNetOptions, seed: int = 0, model: None = None) -> ScriptTask:
    """The task of a built folder: it learns from training items and holds out valid items, for any seed."""
    training, held_out = texts_of(items)
    vocabulary = Vocabulary.of((text for pair in training for text in pair), least=options.min_count)
    table, origin = _vectors(vocabulary, options.vectors, learned=options.vectors is None or options.tune_vectors)
    shape = NetShape(
        learned=bool(origin["learned"]),
        vocabulary=len(vocabulary),
        dimension=table.shape[1],
        shift=_shift(training, options),
        anywhere=isinstance(options, TransducerOptions) and options.start == "any",
        lag=isinstance(options, TransducerOptions) and options.lag,
        **{name: getattr(options, name) for name in SIZES},
    )
    recipe = Recipe(
        epochs=options.epochs, batch=options.batch, rate=options.rate, decay=options.decay,
        patience=options.patience, average=options.average, clip=options.clip, schedule=options.rates,
        better_than=options.better_than, margin=MARGIN, keep=options.keep,
    )  # fmt: skip
    end = options.longest or None
    pairs, valid = (
        [(vocabulary.numbers(x), vocabulary.numbers(y[:end])) for x, y in part] for part in (training, held_out)
    )
    stages = options.stages if isinstance(options, TransducerOptions) else None
    planned = ScriptTask(kind, shape, table, pairs, valid, recipe=recipe, stages=stages, device=options.device)
    listed = items_path(items).parent / "whitelist.txt"
    whitelist = listed.read_text(encoding="utf-8").split() if listed.exists() else None
    planned.about = {"vectors": origin, "words": vocabulary.words, "whitelist": whitelist}
    return planned


def _shift(training: Sequence[Text], options: ScriptNetOptions) -> float:
    """The log-odds of a shift: from the given probability, or from the lengths of the texts."""
    if isinstance(options, FixedOptions) and options.shift is not None:
        return math.log(options.shift / (1 - options.shift))
    return math.log(sum(len(x) for x, _ in training) / sum(len(y) for _, y in training))


def texts_of(items: Path) -> tuple[list[Text], list[Text]]:
    """The texts to train on and those to hold out."""
    texts: dict[str, list[Text]] = {"train": [], "valid": [], "test": []}
    for item in read_items(items):
        if facts_of(item).abstract and facts_of(item).concrete:
            texts[item.split].append((list(facts_of(item).abstract), list(facts_of(item).concrete)))
    for split in ("train", "valid"):
        if not texts[split]:
            raise ProbandError(f"no items of the split {split}; a net needs train and valid items", file=items)
    return texts["train"], texts["valid"]


def _vectors(vocabulary: Vocabulary, source: Path | None, *, learned: bool) -> tuple[Tensor, Mapping[str, Any]]:
    """The table of word vectors and, for net.json, its source."""
    if source is None:
        return torch.from_numpy(random_vectors(len(vocabulary), 100)), {"learned": True}
    table, known = vectors_for(vocabulary, source)
    return torch.from_numpy(table), {"learned": learned, "from": source.name, "found": known, "of": len(vocabulary)}
