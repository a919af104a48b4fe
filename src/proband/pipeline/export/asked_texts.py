"""The texts that a suite's own solver would have a language model score, found by running it on a recorder.

A format that asks a model for log-likelihoods (lm-eval) so scores what `proband run` scores, for every suite.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from proband import suites
from proband.core.errors import ProbandError
from proband.core.protocols import Score, Text
from proband.core.suite import Solver
from proband.core.types import Item
from proband.pipeline.asking.setup import choose_solver
from proband.pipeline.export.source import Source
from proband.solvers import LIKELIHOOD

CHUNK = 256  # items given to the solver at a time


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What is likelihood-scored for one item: log P(continuations[i] | context) is the score of choice i."""

    context: str
    continuations: tuple[str, ...]


class Recorder:
    """A model that keeps the texts it is asked to score. A text's score is its number, so that the solver's answer
    tells which text each choice got."""

    name = "recorder"
    methods = ("ll",)

    def __init__(self) -> None:
        self.texts: list[Text] = []

    def identity(self) -> dict[str, str]:
        return {"kind": "recorder"}

    def score(self, texts: Sequence[Text], *, method: str) -> list[Score]:
        first = len(self.texts)
        self.texts += texts
        return [Score(float(first + i), 1, 1) for i in range(len(texts))]


def asked(items: Sequence[Item], solver: Solver) -> list[Asked]:
    """
    >>> story = Item(id="a", suite="kinship", prompt="Ann is the ___ of Ben.", choices=("aunt", "niece"), gold=0)
    >>> asked([story], LIKELIHOOD)
    [Asked(context='Ann is the', continuations=(' aunt of Ben.', ' niece of Ben.'))]
    """
    recorder = Recorder()
    answers = solver.solve(items, recorder, seed=0, options=solver.options())
    return [
        split_text(item, [recorder.texts[int(score)] for score in answer.scores])
        for item, answer in zip(items, answers, strict=True)
    ]


def split_text(item: Item, texts: Sequence[Text]) -> Asked:
    contexts = {text.text[: text.start] for text in texts}
    if len(contexts) != 1 or len(texts) != len(item.choices):
        raise ProbandError(f"item {item.id!r}: its choices are not scored after one and the same text")
    return Asked(context=contexts.pop(), continuations=tuple(text.text[text.start :] for text in texts))


def solver_of(source: Source) -> Solver:
    """The suite's first solver that scores text, where it can answer these items; otherwise the shared one."""
    first = list(islice(source.questions(), 1))
    try:
        solver = choose_solver(suites.suite(source.suite), Recorder(), None, setting=source.setting)
        asked(first, solver)
    except ProbandError:
        return LIKELIHOOD
    return solver


def with_texts(source: Source, solver: Solver) -> Iterator[tuple[Item, Asked]]:
    """Every question of the source with its texts, as a stream."""
    questions = source.questions()
    while chunk := list(islice(questions, CHUNK)):
        yield from zip(chunk, asked(chunk, solver), strict=True)
