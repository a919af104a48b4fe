"""The extractor at work: facts from the text, and what follows from them under a rule base.

The probabilities of the pair classifier are the told facts of the composer (graph/composer.py), whose table is that of
the rule base: an entry is 1 where two relations compose to a single one. So a doubtful fact counts as much as it is
sure, and every bracketing of every path is tried.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from proband.core.errors import ProbandError
from proband.core.files import read_json, sha256_file
from proband.core.options import read_options
from proband.core.types import Answer, Item
from proband.suites.kinship.nets.answers import choice_scores
from proband.suites.kinship.nets.extraction.batches import NONE, pad_mentions
from proband.suites.kinship.nets.extraction.pair_classifier import PairClassifier
from proband.suites.kinship.nets.graph.composer import LEAST, R, compose
from proband.suites.kinship.nets.options import ExtractorOptions
from proband.suites.kinship.nets.stories import NUMBER, Story, check, story_of_item
from proband.suites.kinship.world.relations import GENDER, NEUTRAL, RELATIONS, word
from proband.suites.kinship.world.rules import OTHER
from proband.suites.kinship.world.rules import load as load_rules
from proband.training.batches import to_device
from proband.training.fit import placed
from proband.training.folder import NOTE
from proband.training.vocabulary import Vocabulary
from proband.training.weights import WEIGHTS, load_weights

TOGETHER = 50  # stories in a batch
DOUBT = 0.05  # less than this is nothing


@dataclass(kw_only=True)
class Extractor:
    """Answers kinship items (core.protocols.AnswersItems) from their text alone: names, story and question."""

    net: Any
    options: ExtractorOptions
    vocabulary: Vocabulary
    name: str
    sha: str
    device: str = "cpu"

    def identity(self) -> Mapping[str, str]:
        return {"kind": "kinship net extractor", "name": self.name, "weights": self.sha, "rules": self.options.rules}

    def answer(self, items: Sequence[Item]) -> list[Answer]:
        stories = [story_of_item(item, file=self.name) for item in items]
        for story in stories:
            check(story, graph=False, window=self.options.window, pool=self.options.pool, file=self.name)
        order = sorted(range(len(items)), key=lambda n: (len(stories[n].words), stories[n].id))
        found: dict[int, tuple[list[float], str]] = {}
        for at in range(0, len(order), TOGETHER):
            part = order[at : at + TOGETHER]
            found.update(zip(part, self._solve([stories[n] for n in part])))
        return [
            Answer(item_id=item.id, scores=choice_scores(item, found[n][0]), text=found[n][1])
            for n, item in enumerate(items)
        ]

    @torch.no_grad()
    def _solve(self, stories: Sequence[Story]) -> list[tuple[list[float], str]]:
        """Log-probabilities of the relations, and the facts that were read."""
        batch = to_device(pad_mentions(stories, self.vocabulary, pool=self.options.pool), self.device)
        read = self.net(batch).softmax(-1)[..., :NONE]
        facts = torch.where(read.sum(-1, keepdim=True) > DOUBT, read, 0.0)
        closed = compose(facts, table(self.options.rules).to(self.device))
        answers = []
        for b, story in enumerate(stories):
            i, j = story.query
            scores = (closed[b, i, j] + LEAST).log().log_softmax(-1)
            answers.append((scores.tolist(), in_words(facts[b].cpu(), story)))
        return answers


def in_words(facts: Tensor, story: Story) -> str:
    """The facts that are surer than not, as `i relation j`.

    >>> facts = torch.zeros(2, 2, R)
    >>> facts[0, 1, NUMBER["aunt"]] = 0.9
    >>> in_words(facts, Story("a", (), 2, (), (0, 1), None, "test"))
    '0 aunt 1'
    """
    found = (facts[: story.people, : story.people] > 0.5).nonzero().tolist()
    return "; ".join(f"{i} {RELATIONS[r]} {j}" for i, j, r in found)


@cache
def table(rules: str) -> Tensor:
    """R × R × R: 1 where the composition of two words is a single one. z has the gender that the second word tells.

    >>> table("sound")[NUMBER["mother"], NUMBER["brother"], NUMBER["uncle"]].item()
    1.0
    """
    base, found = load_rules(rules), torch.zeros(R, R, R)
    for a in RELATIONS:
        for b in RELATIONS:
            outcomes = base.compose(NEUTRAL[a], NEUTRAL[b])
            if len(outcomes) == 1 and OTHER not in outcomes:
                found[NUMBER[a], NUMBER[b], NUMBER[word(next(iter(outcomes)), GENDER[b])]] = 1
    return found


def load(folder: Path) -> Extractor:
    """The extractor of a folder, ready to answer items."""
    note = read_json(folder / NOTE)
    try:
        options = read_options(ExtractorOptions, note["options"], of="net extractor")
        vocabulary = Vocabulary(tuple(note["words"]))
    except (KeyError, TypeError) as error:
        raise ProbandError(f"is not the folder of an extractor: {error}", file=folder) from error
    device = placed("auto")
    return Extractor(
        net=load_weights(PairClassifier(options, len(vocabulary)), folder).to(device),
        options=options,
        vocabulary=vocabulary,
        name=f"net:{folder}",
        sha=sha256_file(folder / WEIGHTS),
        device=device,
    )
