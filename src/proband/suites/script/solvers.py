"""The solvers of cloze items, and two baselines that do not read the text.

solver:frequent   P(w) = (count of w in the blanks of the training items + 1) / (all of them + |C|)
solver:chance     a word of the whitelist, drawn with the seed from the item's name
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from msgspec.structs import replace

from proband.core.errors import ProbandError
from proband.core.plugins import Meta
from proband.core.protocols import AnswersItems, PredictsWords
from proband.core.suite import Solver
from proband.core.types import Answer, Item
from proband.suites.script import filling
from proband.suites.script.corpus import facts_of
from proband.suites.script.filling import TOP, Prediction, candidates_of, generator_of, is_question, records
from proband.suites.script.nets.options import FILLING_OPTIONS
from proband.suites.script.replies import GENERATE

Longest = Annotated[int, Meta(description="cut texts after this many words and leave out later blanks; 0: whole", ge=0)]


@dataclass(frozen=True, kw_only=True)
class AnswerOptions:
    """How a net fills the blanks."""

    draws: Annotated[int, Meta(description="texts sampled for the greedy mode (0: the likeliest word)", ge=0)] = 5
    temperature: Annotated[float, Meta(description="temperature of the draws", gt=0)] = 0.1
    pick: Annotated[
        Literal["likeliest", "all"],
        Meta(description="draws that count: the likeliest text, or the mean of all (the oracle samples too)"),
    ] = "likeliest"
    beam: Annotated[int, Meta(description="width of a beam search instead of draws (0: none)", ge=0)] = 0
    ends: Annotated[
        Literal["read", "unread"],
        Meta(description="whether the decoder that fills slots reads the last word of each slot"),
    ] = "read"
    aligned: Annotated[
        Literal["prefix", "whole"],
        Meta(
            description="how a transducer places a slot for top-5 and surprisal: prefix: by the text before it;"
            " whole: by the end of the whole gold text, as the released program"
        ),
    ] = "prefix"
    longest: Longest = 0
    unrestricted: Annotated[bool, Meta(description="any word may fill a blank")] = False


@dataclass(frozen=True, kw_only=True)
class AlignOptions:
    """Options of the alignments of a transducer, or of attention."""

    posteriors: Annotated[bool, Meta(description="also p(a_j = i | x, y), for valid and test texts")] = False
    longest: Longest = 0


def answer(items: Sequence[Item], model: AnswersItems, *, seed: int, options: AnswerOptions) -> list[Answer]:
    """Nets take items as they are; texts to train on are not asked. A transducer's answer also has the alignment of
    each whole text, in the record of its first blank (`path`)."""
    net: Any = model
    if hasattr(model, "with_options"):
        manner = {name: getattr(options, name) for name in FILLING_OPTIONS}
        net = model.with_options(seed=seed, draws=options.draws, restricted=not options.unrestricted, **manner)
    questions = [item for item in items if is_question(item, longest=options.longest)]
    answers: list[Answer] = list(net.answer(questions)) if questions else []
    if any(not (each.blanks or each.status) for each in answers):
        raise ProbandError(f"{net.name} fills no blanks; solver:frequent and solver:chance are baselines that do")
    if questions and getattr(net, "aligns", False):
        for at, (path, _) in enumerate(net.align(questions)):
            first, *others = answers[at].blanks
            answers[at] = replace(answers[at], blanks=({**first, "path": path}, *others))
    known = {each.item_id: each for each in answers}
    return [known.get(item.id, Answer(item_id=item.id)) for item in items]


def align(items: Sequence[Item], model: Any, *, seed: int, options: AlignOptions) -> list[Answer]:
    """The Viterbi alignment of every text, training texts included: one record with `path` (the position in the
    abstract line of each concrete word; for attention, that of the largest weight), and nothing filled in."""
    if not getattr(model, "attends", False) and not getattr(model, "aligns", False):
        raise ProbandError(f"{model.name} has no alignments; train a transducer, or attention")
    model = model.with_options(longest=options.longest) if hasattr(model, "with_options") else model
    answers = []
    for item, (path, posteriors) in zip(items, model.align(items), strict=True):
        record: dict[str, Any] = {"path": path}
        if options.posteriors and item.split != "train":
            record["posteriors"] = [[round(p, 4) for p in row] for row in posteriors]
        answers.append(Answer(item_id=item.id, blanks=(record,)))
    return answers


SOLVERS = (
    Solver(
        name="answer",
        help="nets and baselines read items directly",
        needs=AnswersItems,
        solve=answer,
        options=AnswerOptions,
    ),
    Solver(
        name="align",
        help="the alignment of each text by a transducer, or by attention's largest weights, training texts included",
        needs=AnswersItems,
        solve=align,
        options=AlignOptions,
        split="all",
    ),
    Solver(
        name="cloze",
        help="language models fill the blanks from left to right",
        needs=PredictsWords,
        solve=filling.solve,
        options=filling.ClozeOptions,
    ),
    GENERATE,
)


# ---- baselines -----------------------------------------------------------------------------------------------------


def _answer_all(items: Iterable[Item], predict: Callable[[Item, list[str]], Iterable[Prediction]]) -> list[Answer]:
    answers = []
    for item in items:
        predictions = list(predict(item, candidates_of(item).split()))
        words = [each.top[0] for each in predictions]
        answers.append(Answer(item_id=item.id, blanks=tuple(records(item, predictions, predictions, words))))
    return answers


def _gold_words(item: Item) -> list[str]:
    return [word for words in facts_of(item).gold for word in words]


@dataclass(frozen=True)
class Frequent:
    """The most frequent words of the training blanks, without reading the text."""

    name: str = "solver:frequent"
    counts: Mapping[str, int] = field(default_factory=Counter)

    def identity(self) -> Mapping[str, str]:
        return {"kind": "solver", "name": self.name}

    def learn(self, items: Iterable[Item]) -> Frequent:
        seen = Counter(word for item in items if item.split == "train" for word in _gold_words(item))
        if not seen:
            raise ProbandError(f"{self.name} needs training items, and there are none")
        return Frequent(self.name, seen)

    def answer(self, items: Sequence[Item]) -> list[Answer]:
        return _answer_all(items, self._predict)

    def _predict(self, item: Item, candidates: list[str]) -> Iterable[Prediction]:
        place = {word: i for i, word in enumerate(sorted(candidates, key=lambda w: (-self.counts[w], w)))}
        total = sum(self.counts[word] for word in candidates) + len(candidates)
        for gold in _gold_words(item):
            surprisal = math.log(total / (self.counts[gold] + 1))
            yield Prediction(tuple(place)[:TOP], place.get(gold, len(candidates)) + 1, surprisal, surprisal)


@dataclass(frozen=True)
class Chance:
    """Draws words of the whitelist."""

    name: str = "solver:chance"
    seed: int = 0

    def identity(self) -> Mapping[str, str]:
        return {"kind": "solver", "name": self.name, "seed": str(self.seed)}

    def answer(self, items: Sequence[Item]) -> list[Answer]:
        return _answer_all(items, self._predict)

    def _predict(self, item: Item, candidates: list[str]) -> Iterable[Prediction]:
        generator = generator_of(item, self.seed)
        for gold in _gold_words(item):
            order = [candidates[i] for i in generator.permutation(len(candidates))]
            rank = order.index(gold) + 1 if gold in order else len(candidates) + 1
            yield Prediction(tuple(order[:TOP]), rank, math.log(len(candidates)), math.log(len(candidates)))
