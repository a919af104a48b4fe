"""A trained net at work: scores of the choices of items."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch

from proband.core.errors import ProbandError
from proband.core.files import read_json, sha256_file
from proband.core.options import read_options
from proband.core.types import Answer, Item
from proband.suites.kinship.nets.encoding import encoded_states
from proband.suites.kinship.nets.options import NetOptions, SmallEdgeTransformerOptions
from proband.suites.kinship.nets.stories import NUMBER, check, story_of_item
from proband.suites.kinship.nets.task import KINDS, Reads
from proband.training.fit import device_of
from proband.training.folder import NOTE
from proband.training.task import WEIGHTS, load_weights
from proband.training.vocabulary import Vocabulary

TOGETHER = 100  # stories in a batch


@dataclass(kw_only=True)
class Trained:
    """Answers kinship items (core.protocols.AnswersItems). `encoder` is the frozen model of the BERT nets, which
    whoever loads the net gives it."""

    net: Any
    kind: str
    options: NetOptions
    vocabulary: Vocabulary
    name: str
    sha: str
    device: str = "cpu"
    encoder: Any = None

    def identity(self) -> Mapping[str, str]:
        own = {"kind": f"kinship net {self.kind}", "name": self.name, "weights": self.sha}
        return own | ({"encoder": str(sorted(self.encoder.identity().items()))} if self.encoder is not None else {})

    @property
    def needs_model(self) -> bool:
        return Reads.of(self.kind).encoded

    def answer(self, items: Sequence[Item]) -> list[Answer]:
        reads, options = Reads.of(self.kind), self.options
        stories = [story_of_item(item, genders=options.genders, file=self.name) for item in items]
        for story in stories:
            check(story, graph=reads.graph, window=options.window, pool=options.pool, file=self.name)
        states = encoded_states(self.encoder, stories, pool=options.pool) if reads.encoded else {}
        ready = [
            reads.numbered(story, self.vocabulary, pool=options.pool, states=states.get(story.id)) for story in stories
        ]
        order = sorted(range(len(ready)), key=lambda n: (reads.length(ready[n]), stories[n].id))
        scores: dict[int, list[float]] = {}
        for at in range(0, len(order), TOGETHER):
            part = order[at : at + TOGETHER]
            batch = reads.padded([ready[n] for n in part], rounded=False)
            scores.update(zip(part, relation_scores(self.net, batch, self.device)))
        return [Answer(item_id=item.id, scores=choice_scores(item, scores[n])) for n, item in enumerate(items)]


@torch.no_grad()
def relation_scores(net: Any, batch: Any, device: str) -> list[list[float]]:
    """Log-probabilities of the 22 relations."""
    from proband.training.batches import to_device

    found: list[list[float]] = net(to_device(batch, device)).log_softmax(-1).double().cpu().tolist()
    return found


def choice_scores(item: Item, logprobs: Sequence[float]) -> tuple[float, ...]:
    """Of the choices, in their order; for yes and no, of the relation that is asked about, and of any other.

    >>> item = Item(id="a", suite="kinship", prompt="...\\nIs Ann the mother of Bo?", choices=("yes", "no"))
    >>> choice_scores(item, [-9.0, -0.1, *[-9.0] * 20])[0]
    -0.1
    """
    if item.choices == ("yes", "no"):
        asked = item.prompt.rsplit("\n", 1)[-1]
        number = next((n for word, n in NUMBER.items() if f" the {word} of " in asked), None)
        if number is None:
            raise ProbandError(f"item {item.id!r} asks about none of the 22 relations")
        yes = torch.tensor(logprobs[number], dtype=torch.float64).clamp(max=-1e-12)
        return float(yes), float(torch.log(-torch.expm1(yes)))
    unknown = next((word for word in item.choices if word not in NUMBER), None)
    if unknown is not None:
        raise ProbandError(f"item {item.id!r}: choice {unknown!r} is none of the 22 relations")
    return tuple(round(logprobs[NUMBER[word]], 6) for word in item.choices)


def load(folder: Path, *, options: type[NetOptions]) -> Trained:
    """The net of a folder, ready to answer items."""
    note = read_json(folder / NOTE)
    if note.get("net") == "edge-transformer" and "rounds" not in note.get("options", {}):
        note, options = {**note, "net": "edge-transformer-small"}, SmallEdgeTransformerOptions  # its name until 0.2
    try:
        settled = replace(read_options(options, note["options"], of=f"net {note['net']}"), width=note["width"])
        vocabulary = Vocabulary(tuple(note["words"]))
        net = KINDS[note["net"]](settled, len(vocabulary))
    except (KeyError, TypeError) as error:
        raise ProbandError(f"is not the folder of a kinship net: {error}", file=folder) from error
    device = device_of("auto")
    return Trained(
        net=load_weights(net, folder).to(device),
        kind=note["net"],
        options=settled,
        vocabulary=vocabulary,
        name=f"net:{folder}",
        sha=sha256_file(folder / WEIGHTS),
        device=device,
    )
