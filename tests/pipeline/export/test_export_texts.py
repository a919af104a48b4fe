"""The texts an export asks for are those that the suite's own solver has a model score."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from proband.core.errors import ProbandError
from proband.core.plugins import NoOptions
from proband.core.protocols import ScoresText, Text
from proband.core.suite import Solver
from proband.core.types import Answer, Item
from proband.pipeline.export import scored_texts, solver_of, with_texts
from proband.pipeline.export.source import survey

Make = Callable[..., Item]
Folder = Callable[..., Path]


def test_a_blank_and_what_follows_it(folder: Folder, story: Make) -> None:
    source = survey(folder([story(i) for i in range(600)]))  # more than two chunks
    solver = solver_of(source)
    assert solver.name == "likelihood"
    found = list(with_texts(source, solver))
    assert [item.id for item, _ in found] == [f"test-{i}" for i in range(600)]
    _, texts = found[-1]
    assert texts.context == "Story 599, in Zürich.\nAnn is the"
    assert texts.continuations == (" father of Ben.", " mother of Ben.", " aunt of Ben.")


def test_sentences_scored_whole(folder: Folder, story: Make) -> None:
    pair = ["Paris is to France.", "France is to Paris."]
    facts = [{"sentences": pair}, {"sentences": pair[::-1]}]  # shared by both items, in another order
    items = [story(i, suite="word-pairs", choices=("a", "b"), gold=0, facts=each) for i, each in enumerate(facts)]
    source = survey(folder(items))
    found = [texts for _, texts in with_texts(source, solver_of(source))]
    assert [texts.context for texts in found] == ["", ""]
    assert [list(texts.continuations) for texts in found] == [pair, pair[::-1]]


def test_items_that_the_suites_solver_cannot_ask(folder: Folder, story: Make) -> None:
    source = survey(folder([story(0, suite="word-pairs", prompt="Rome is to Italy.", facts={"sentences": ["one"]})]))
    with pytest.raises(ProbandError, match="do not all follow the same text"):
        list(with_texts(source, Solver(name="whole", help="", needs=ScoresText, solve=one_text)))
    assert solver_of(source).name == "likelihood"  # the shared way: the prompt, then "Answer: choice"
    ((_, texts),) = with_texts(source, solver_of(source))
    assert texts.context + texts.continuations[2] == "Rome is to Italy.\nAnswer: aunt"


def one_text(items: Sequence[Item], model: ScoresText, *, seed: int, options: NoOptions) -> list[Answer]:
    return [Answer(item_id=item.id, scores=(model.score([Text("a")], method="ll")[0].total,)) for item in items]


def test_contexts_must_agree(story: Make) -> None:
    def solve(items: Sequence[Item], model: ScoresText, *, seed: int, options: NoOptions) -> list[Answer]:
        scores = model.score([Text("one two", 3), Text("three two", 5), Text("one two", 3)], method="ll")
        return [Answer(item_id=item.id, scores=tuple(score.total for score in scores)) for item in items]

    with pytest.raises(ProbandError, match="do not all follow the same text"):
        scored_texts([story(0)], Solver(name="two", help="", needs=ScoresText, solve=solve))
