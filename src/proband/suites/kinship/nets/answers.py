"""A trained net as a model: scores of the choices of items."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch

from proband.core.errors import ProbandError
from proband.core.files import read_json
from proband.core.plugins import read_options
from proband.core.types import Answer, Item
from proband.suites.kinship.nets.options import NetOptions
from proband.suites.kinship.nets.stories import NUMBER, readable_story
from proband.suites.kinship.nets.task import KINDS, Reads
from proband.suites.kinship.world.relations import UNDETERMINED
from proband.suites.kinship.world.rules import YES_NO, asked_relation
from proband.training.batches import to_device
from proband.training.folder import NOTE
from proband.training.task import with_weights
from proband.training.vocabulary import Vocabulary

TOGETHER = 100  # stories in a batch
NEVER_SAID = -1e6  # a score below that of any relation


@dataclass(kw_only=True)
class Trained:
    """Answers kinship items (core.protocols.AnswersItems). `encoder` is the frozen model of nets that need one; the
    caller sets it."""

    net: Any
    kind: str
    options: Any
    vocabulary: Vocabulary
    name: str
    sha: str
    device: str = "cpu"
    needs_model: bool = False
    encoder: Any = None

    def identity(self) -> Mapping[str, str]:
        own = {"kind": f"kinship net {self.kind}", "name": self.name, "weights": self.sha}
        return own | ({"encoder": str(sorted(self.encoder.identity().items()))} if self.encoder is not None else {})

    @torch.no_grad()
    def answer(self, items: Sequence[Item]) -> list[Answer]:
        reads = Reads.of(self.kind)
        stories = [readable_story(item, self.options, graph=reads.graph, file=self.name) for item in items]
        ready = reads.numbers(stories, self.vocabulary, pool=self.options.pool, model=self.encoder)
        order = sorted(range(len(ready)), key=lambda n: (reads.length(ready[n]), stories[n].id))
        scores: dict[int, list[float]] = {}
        for at in range(0, len(order), TOGETHER):
            part = order[at : at + TOGETHER]
            batch = reads.padded([ready[n] for n in part], rounded=False)
            logprobs = self.net(to_device(batch, self.device)).log_softmax(-1)
            scores.update(zip(part, logprobs.double().cpu().tolist()))
        return [Answer(item_id=item.id, scores=choice_scores(item, scores[n])) for n, item in enumerate(items)]


def choice_scores(item: Item, logprobs: Sequence[float]) -> tuple[float, ...]:
    """Scores of the choices; for yes and no, of the relation asked about and of any other. Nets do not learn "cannot be
    determined": its score is constant, so its distance to the best relation shows how certain the net is.

    >>> item = Item(id="a", suite="kinship", prompt="...", choices=("yes", "no"), facts={"asked": "mother"})
    >>> choice_scores(item, [-9.0, -0.1, *[-9.0] * 20])[0]
    -0.1
    >>> item = Item(id="a", suite="kinship", prompt="...", choices=("mother", "cannot be determined"))
    >>> choice_scores(item, [-9.0, -0.1, *[-9.0] * 20])
    (-0.1, -1000000.0)
    """
    if item.choices == YES_NO:
        number = NUMBER.get(asked_relation(item))
        if number is None:
            raise ProbandError(f"item {item.id!r} asks about none of the 22 relations")
        yes = torch.tensor(logprobs[number], dtype=torch.float64).clamp(max=-1e-12)
        return float(yes), float(torch.log(-torch.expm1(yes)))
    unknown = next((word for word in item.choices if word not in NUMBER and word != UNDETERMINED), None)
    if unknown is not None:
        raise ProbandError(f"item {item.id!r}: choice {unknown!r} is none of the 22 relations")
    return tuple(NEVER_SAID if word == UNDETERMINED else round(logprobs[NUMBER[word]], 6) for word in item.choices)


def load(folder: Path, *, options: type[NetOptions]) -> Trained:
    """The net of a folder."""
    note = read_json(folder / NOTE)
    try:
        settled = replace(read_options(options, note["options"], of=f"net {note['net']}"), width=note["width"])
        vocabulary = Vocabulary(tuple(note["words"]))
        net = KINDS[note["net"]](settled, len(vocabulary))
    except (KeyError, TypeError) as error:
        raise ProbandError(f"is not the folder of a kinship net: {error}", file=folder) from error
    return Trained(
        kind=note["net"],
        options=settled,
        vocabulary=vocabulary,
        needs_model=Reads.of(note["net"]).encoded,
        **with_weights(net, folder),
    )
