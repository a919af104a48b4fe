r"""The extractor: a pair classifier reads facts from the text, and what follows from them under a rule base is the
answer.

The facts that are surer than not go to the closure, which the solvers use too; where they contradict each other or
leave several relations possible, the best derivation from all facts decides.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from proband.core.errors import ProbandError
from proband.core.files import items_path, read_json
from proband.core.plugins import read_options
from proband.core.protocols import EmbedsWords
from proband.core.types import Answer, Item
from proband.suites.kinship.logic.closure import close
from proband.suites.kinship.nets.answers import NEVER_SAID, Trained, choice_scores
from proband.suites.kinship.nets.batches import NEVER
from proband.suites.kinship.nets.encoding import read_states
from proband.suites.kinship.nets.graph_nets import LEAST, compose
from proband.suites.kinship.nets.options import ExtractorOptions
from proband.suites.kinship.nets.pair_classifier import (
    FAR,
    NEUTRAL_NUMBER,
    NONE,
    MentionPairClassifier,
    Mentions,
    pad_mentions,
    sentences_apart,
)
from proband.suites.kinship.nets.stories import GENDERS, NUMBER, NetStory, readable_story
from proband.suites.kinship.nets.task import recipe_of, split
from proband.suites.kinship.world.relations import FEMALE, MALE, NEUTRALS, RELATIONS, word
from proband.suites.kinship.world.rules import OTHER
from proband.suites.kinship.world.rules import load as load_rules
from proband.training.batches import to_device
from proband.training.folder import NOTE
from proband.training.task import PaddedTask, with_weights
from proband.training.vocabulary import Vocabulary

# ---- training the pair classifier on the facts of the training stories ----------------------------------------------
#
# Placeholders are drawn anew in every batch, and words are hidden now and then, so that unknown ones are not new to it.


NEARLY_ALL = 0.99
MIN_COUNT = 2  # words seen less often in training are unknown


class ExtractionTask(PaddedTask):
    better = "high"

    def __init__(
        self, options: ExtractorOptions, vocabulary: Vocabulary, train: Sequence[NetStory],
        valid: Sequence[NetStory], *, seed: int, states: Mapping[str, Any] | None = None,
    ) -> None:  # fmt: skip
        """`states`: those of a frozen encoder, by a story's id."""
        self.options = options if options.near >= 0 else replace(options, near=nearness(train))
        self.vocabulary, self.train, self.valid = vocabulary, train, valid
        self.recipe = replace(recipe_of(options), schedule="cosine", decay=options.decay)
        self.device, self.size = options.device, len(train)
        self.seed, self.draw, self.states = seed, random.Random(seed), states
        self.encoder = next(iter(states.values())).shape[1] if states else 0

    def network(self) -> nn.Module:
        return MentionPairClassifier(self.options, len(self.vocabulary), self.encoder)

    def length(self, story: NetStory) -> int:
        return len(story.words)

    def order(self, *, epoch: int, seed: int) -> Iterator[Sequence[int]]:
        self.draw = random.Random(f"{seed} {epoch}")  # an epoch's placeholders are its own, also after a restart
        return super().order(epoch=epoch, seed=seed)

    def batch(self, indices: Sequence[int]) -> Mentions:
        return self.pad([self.train[i] for i in indices], self.draw)

    def pad(self, stories: Sequence[NetStory], draw: random.Random | None = None) -> Mentions:
        pool = self.options.pool
        return pad_mentions(stories, self.vocabulary, pool=pool, draw=draw, rounded=self.on_cuda, states=self.states)

    def loss(self, net: Any, batch: Mentions) -> Tensor:
        """Cross-entropy per fact, and per person of known gender."""
        facts, female = net(batch)
        stated = ((batch.stated >= 0) & (batch.stated < NONE)).sum().clamp(min=1)
        wrong = F.cross_entropy(facts.flatten(0, 2), batch.stated.flatten(), ignore_index=NEVER, reduction="sum")
        logits = torch.stack([torch.zeros_like(female), female], -1).flatten(0, 1)
        known = (batch.female >= 0).sum().clamp(min=1)
        misgendered = F.cross_entropy(logits, batch.female.flatten(), ignore_index=NEVER, reduction="sum")
        return wrong / stated + misgendered / known

    def score(self, net: Any, batch: Mentions) -> tuple[Tensor, Tensor]:
        """Stories whose facts are all read right."""
        wrong = (net(batch)[0].argmax(-1) != batch.stated) & (batch.stated != NEVER)
        right = ~wrong.flatten(1).any(1)
        return right.sum(), torch.ones_like(right).sum()

    def note(self) -> Mapping[str, Any]:
        return {"words": self.vocabulary.words, "encoder": self.encoder, "near": self.options.near}


def nearness(stories: Sequence[NetStory]) -> int:
    """As many sentences apart as the people of nearly all facts are at most."""
    apart = sorted(gap for story in stories for gap in sentences_apart(story))
    return apart[int(NEARLY_ALL * (len(apart) - 1))] if apart else 0


def task(
    items: Path, *, options: ExtractorOptions, seed: int, model: EmbedsWords | None = None, kind: str = "extractor"
) -> ExtractionTask:
    """`model`: the encoder whose states stand for the words."""
    load_rules(options.rules)
    train, valid = split(items, options, graph=False, seed=seed)
    for story in train:
        if not story.edges:
            raise ProbandError(f"item {story.id!r} has no facts ('edges') to learn to read", file=items_path(items))
    vocabulary = Vocabulary.of(([w for w in story.words if isinstance(w, str)] for story in train), least=MIN_COUNT)
    states = None if model is None else read_states(model, [*train, *valid], options)
    return ExtractionTask(options, vocabulary, train, valid, seed=seed, states=states)


# ---- from doubtful facts to the answer: the most probable derivation ------------------------------------------------
#
# P_ij(r): how surely the text states that j is the (neutral) r of i. Under a rule base with compositions a b -> c
#
#     V_ij(c) = max( P_ij(c), max over l and a b -> c of V_il(a) V_lj(b) )
#
# is the probability of the best derivation of c, a product of the facts it uses, each counted as often as it is used. A
# fact that was misread and leads nowhere costs nothing; of two readings the one wins from which something follows.
# Where a rule base is not sound, derivations of different relations may use the same facts; the sum over all of them,
# which is the closure of the composer (graph_nets.py), then decides.


R = len(NEUTRALS)
IMPOSSIBLE = -1e6  # logarithm of no chance at all
DOUBLINGS = 5  # derivations of up to 32 facts
TIE = 0.02  # weight of the logarithm of that sum
DOUBT = 0.05  # a pair of people of whom less is stated does not count in it


@cache
def triples(rules: str) -> tuple[tuple[int, int, int], ...]:
    """Compositions with a single outcome.

    >>> tuple(map(NEUTRAL_NUMBER.get, ("parent", "sibling", "pibling"))) in triples("sound")
    True
    """
    base = load_rules(rules)
    single = []
    for a, b in product(NEUTRALS, repeat=2):
        outcomes = base.compose(a, b)
        if len(outcomes) == 1 and OTHER not in outcomes:
            single.append((NEUTRAL_NUMBER[a], NEUTRAL_NUMBER[b], NEUTRAL_NUMBER[next(iter(outcomes))]))
    return tuple(single)


def best_derivation(facts: Tensor, rules: str) -> Tensor:
    """B × N × N × R: log V, from the logarithms of P.

    >>> facts = torch.full((1, 3, 3, R), -9.0)
    >>> facts[0, 0, 1, NEUTRAL_NUMBER["parent"]] = facts[0, 1, 2, NEUTRAL_NUMBER["sibling"]] = -0.5
    >>> best_derivation(facts, "sound")[0, 0, 2, NEUTRAL_NUMBER["pibling"]].item()
    -1.0
    """
    alone = torch.eye(facts.shape[1], dtype=torch.bool, device=facts.device)[..., None]
    known = facts.masked_fill(alone, IMPOSSIBLE)
    for _ in range(DOUBLINGS):
        best = [known[..., c] for c in range(R)]
        for a, b, c in triples(rules):
            through = (known[:, :, :, None, a] + known[:, None, :, :, b]).amax(2)
            best[c] = torch.maximum(best[c], through)
        known = torch.stack(best, -1).masked_fill(alone, IMPOSSIBLE)
    return known


def answers(facts: Tensor, rules: str) -> Tensor:
    """B × N × N × R: the best derivation, and where several are as sure the sum over all."""
    stated = facts.exp()
    stated = torch.where(stated.sum(-1, keepdim=True) > DOUBT, stated, 0.0)
    return best_derivation(facts, rules) + TIE * (compose(stated, table(rules).to(facts.device)) + LEAST).log()


@cache
def table(rules: str) -> Tensor:
    """R × R × R: 1 where two relations compose to a single one."""
    ones = torch.zeros(R, R, R)
    for a, b, c in triples(rules):
        ones[a, b, c] = 1
    return ones


# ---- answering ------------------------------------------------------------------------------------------------------


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
        solved: dict[int, tuple[list[float], float, str]] = {}
        for at in range(0, len(order), TOGETHER):
            part = order[at : at + TOGETHER]
            solved.update(zip(part, self._solve([stories[n] for n in part], states)))
        return [
            Answer(item_id=item.id, scores=choice_scores(item, logprobs, untold=untold), text=facts)
            for item, (logprobs, untold, facts) in ((item, solved[n]) for n, item in enumerate(items))
        ]

    @torch.no_grad()
    def _solve(
        self, stories: Sequence[NetStory], states: Mapping[str, Any] | None
    ) -> list[tuple[list[float], float, str]]:
        """Log-probabilities of the relations, the score of "cannot be told", and the facts that were read."""
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
            possible = self._possible(edges, female[b], story)
            if len(possible) == 1 and possible[0] in NUMBER:  # not "some other relation"
                words = (words + torch.nn.functional.one_hot(torch.tensor(NUMBER[possible[0]]), len(RELATIONS))) / 2
            in_words = "; ".join(f"{i} {relation} {j}" for i, relation, j in edges)
            untold = 0.0 if len(possible) > 1 else NEVER_SAID
            solved.append(((words + LEAST).log().log_softmax(-1).tolist(), untold, in_words))
        return solved

    def _possible(self, edges: Sequence[Edge], female: Tensor, story: NetStory) -> Sequence[str]:
        """What all likely facts together leave possible, if they do not contradict each other."""
        genders = [FEMALE if logit > 0 else MALE for logit in female[: story.people].tolist()]
        closed = close(load_rules(self.options.rules), genders, edges)
        return closed.answers(*story.query) if closed.consistent else []


def likely_facts(facts: Tensor, female: Tensor, story: NetStory) -> list[Edge]:
    """The facts that are surer than not, each once, in the words for whoever is named last.

    >>> facts = torch.zeros(2, 2, NONE)
    >>> facts[0, 1, NEUTRALS.index("pibling")] = facts[1, 0, NEUTRALS.index("nibling")] = 0.9
    >>> likely_facts(facts, torch.tensor([-1.0, 1.0]), NetStory("a", (), 2, (), (0, 1), None, "test"))
    [(0, 'aunt', 1)]
    """
    likely = (facts[: story.people, : story.people] > 0.5).nonzero().tolist()
    return [(i, word(NEUTRALS[r], FEMALE if female[j] > 0 else MALE), j) for i, j, r in likely if i < j]


def load(folder: Path, *, options: type[ExtractorOptions] = ExtractorOptions) -> Extractor:
    """The extractor of a folder, ready to answer items; one older than `near` reads within forty words."""
    note = read_json(folder / NOTE)
    try:
        settled = read_options(options, note["options"], of="net extractor")
        settled = replace(settled, near=int(note.get("near", FAR)))
        vocabulary, encoder = Vocabulary(tuple(note["words"])), int(note["encoder"])
    except KeyError as error:
        raise ProbandError(f"is not the folder of an extractor: {NOTE} has no {error}", file=folder) from error
    except (TypeError, ValueError) as error:
        raise ProbandError(f"is not the folder of an extractor: {error}", file=folder) from error
    net = MentionPairClassifier(settled, len(vocabulary), encoder)
    return Extractor(options=settled, vocabulary=vocabulary, needs_model=encoder > 0, **with_weights(net, folder))
