"""The extractor at work: facts from the text, and what follows from them under a rule base.

The facts that are surer than not go to the closure, which the solvers use too; where they contradict each other or
leave several relations possible, the best derivation from all facts decides (reasoning.py).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from proband.core.errors import ProbandError
from proband.core.files import read_json
from proband.core.options import read_options
from proband.core.types import Answer, Item
from proband.suites.kinship.logic.closure import close
from proband.suites.kinship.nets.answers import Trained, choice_scores, with_weights
from proband.suites.kinship.nets.encoding import read_states
from proband.suites.kinship.nets.extraction.batches import NONE, pad_mentions
from proband.suites.kinship.nets.extraction.pair_classifier import FAR, PairClassifier
from proband.suites.kinship.nets.extraction.reasoning import answers
from proband.suites.kinship.nets.graph.composer import LEAST
from proband.suites.kinship.nets.options import ExtractorOptions
from proband.suites.kinship.nets.stories import GENDERS, NUMBER, Story, readable_story
from proband.suites.kinship.world.relations import FEMALE, MALE, NEUTRALS, RELATIONS, word
from proband.suites.kinship.world.rules import load as load_rules
from proband.training.batches import to_device
from proband.training.folder import NOTE
from proband.training.vocabulary import Vocabulary

Edge = tuple[int, str, int]
TOGETHER = 50  # stories in a batch
SURE = 9.0  # log-odds of a gender that is given


@dataclass(kw_only=True)
class Extractor(Trained):
    """Answers kinship items from their text alone: names, story and question."""

    kind: str = "extractor"

    def identity(self) -> Mapping[str, str]:
        return {**super().identity(), "rules": self.options.rules}

    def answer(self, items: Sequence[Item]) -> list[Answer]:
        stories = [readable_story(item, self.options, file=self.name) for item in items]
        states = read_states(self.encoder, stories, self.options) if self.needs_model else None
        order = sorted(range(len(items)), key=lambda n: (len(stories[n].words), stories[n].id))
        solved: dict[int, tuple[list[float], str]] = {}
        for at in range(0, len(order), TOGETHER):
            part = order[at : at + TOGETHER]
            solved.update(zip(part, self._solve([stories[n] for n in part], states)))
        return [
            Answer(item_id=item.id, scores=choice_scores(item, solved[n][0]), text=solved[n][1])
            for n, item in enumerate(items)
        ]

    @torch.no_grad()
    def _solve(self, stories: Sequence[Story], states: Mapping[str, Any] | None) -> list[tuple[list[float], str]]:
        """Log-probabilities of the relations, and the facts that were read."""
        batch = pad_mentions(stories, self.vocabulary, pool=self.options.pool, states=states)
        logits, female = (output.cpu() for output in self.net(to_device(batch, self.device)))
        facts = logits.log_softmax(-1)[..., :NONE]
        derived = answers(facts, self.options.rules)
        solved = []
        for b, story in enumerate(stories):
            i, j = story.query
            if story.genders:
                female[b, : story.people] = torch.where(torch.tensor(story.genders) == GENDERS["female"], SURE, -SURE)
            edges = likely_facts(facts[b].exp(), female[b], story)
            likely = torch.outer(derived[b, i, j].softmax(-1), torch.stack([-female[b, j], female[b, j]]).sigmoid())
            words = likely.flatten()  # the order of RELATIONS: of each neutral relation the man, then the woman
            only = self._only_answer(edges, female[b], story)
            if only is not None:
                words = (words + torch.nn.functional.one_hot(torch.tensor(NUMBER[only]), len(RELATIONS))) / 2
            in_words = "; ".join(f"{i} {relation} {j}" for i, relation, j in edges)
            solved.append(((words + LEAST).log().log_softmax(-1).tolist(), in_words))
        return solved

    def _only_answer(self, edges: Sequence[Edge], female: Tensor, story: Story) -> str | None:
        """What all likely facts together leave as the only possibility, if they do not contradict each other."""
        genders = [FEMALE if logit > 0 else MALE for logit in female[: story.people].tolist()]
        closed = close(load_rules(self.options.rules), genders, edges)
        possible = closed.answers(*story.query) if closed.consistent else []
        return possible[0] if len(possible) == 1 and possible[0] in NUMBER else None  # not "some other relation"


def likely_facts(facts: Tensor, female: Tensor, story: Story) -> list[Edge]:
    """The facts that are surer than not, each once, in the words for whoever is named last.

    >>> facts = torch.zeros(2, 2, NONE)
    >>> facts[0, 1, NEUTRALS.index("pibling")] = facts[1, 0, NEUTRALS.index("nibling")] = 0.9
    >>> likely_facts(facts, torch.tensor([-1.0, 1.0]), Story("a", (), 2, (), (0, 1), None, "test"))
    [(0, 'aunt', 1)]
    """
    likely = (facts[: story.people, : story.people] > 0.5).nonzero().tolist()
    return [(i, word(NEUTRALS[r], FEMALE if female[j] > 0 else MALE), j) for i, j, r in likely if i < j]


def load(folder: Path) -> Extractor:
    """The extractor of a folder, ready to answer items; one older than `near` reads within forty words."""
    note = read_json(folder / NOTE)
    try:
        options = read_options(ExtractorOptions, note["options"], of="net extractor")
        options = replace(options, near=int(note.get("near", FAR)))
        vocabulary, encoder = Vocabulary(tuple(note["words"])), int(note["encoder"])
    except KeyError as error:
        raise ProbandError(f"is not the folder of an extractor: {NOTE} has no {error}", file=folder) from error
    except (TypeError, ValueError) as error:
        raise ProbandError(f"is not the folder of an extractor: {error}", file=folder) from error
    net = PairClassifier(options, len(vocabulary), encoder)
    return Extractor(options=options, vocabulary=vocabulary, needs_model=encoder > 0, **with_weights(net, folder))
