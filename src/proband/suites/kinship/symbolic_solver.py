"""Ways to answer kinship items: `solver:symbolic` on the fact graph, and the solvers that put stories to models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from proband.core.errors import ProbandError
from proband.core.protocols import AnswersItems, Chooses, Question, Score, ScoresText, Text
from proband.core.types import Answer, Item
from proband.suites.kinship.logic.closure import close
from proband.suites.kinship.world.rules import load


class Symbolic:
    """Closes the told facts of an item under its rule base; every relation still possible scores 1, the others 0.

    It sees the facts, never the text: what a perfect reader would score. An item without facts cannot be solved.
    """

    name = "solver:symbolic"

    def identity(self) -> Mapping[str, str]:
        return {"kind": "solver", "name": "symbolic", "method": "forward closure"}

    def answer(self, items: Sequence[Item]) -> list[Answer]:
        return [self._solve(item) for item in items]

    def _solve(self, item: Item) -> Answer:
        facts = item.facts
        if "edges" not in facts or "query" not in facts:
            raise ProbandError(f"item {item.id!r} has no fact graph: 'edges' and 'query' are missing")
        rules = load(str(facts.get("rules", "sound")))
        i, j = facts["query"]
        words = close(rules, facts["genders"], facts["edges"]).answers(i, j)
        return Answer(item_id=item.id, scores=scores(item, words), text="|".join(words))


def scores(item: Item, words: Sequence[str]) -> tuple[float, ...]:
    """The possible relations as scores of the item's choices; for yes/no, how far they speak for the asked one.

    >>> item = Item(id="a", suite="kinship", prompt="...\\nIs Sharon the aunt of Arthur?", choices=("yes", "no"))
    >>> scores(item, ["aunt"]), scores(item, ["mother"])
    ((1.0, 0.0), (0.0, 1.0))
    """
    if item.choices == ("yes", "no"):
        asked = item.prompt.rsplit("\n", 1)[-1]
        true = [w for w in words if f" the {w} of " in asked or f" {w} of " in asked]
        yes = len(true) / len(words) if words else 0.0
        return (yes, 1.0 - yes)
    return tuple(1.0 if choice in words else 0.0 for choice in item.choices)


def answer(items: Sequence[Item], model: AnswersItems, *, seed: int) -> Sequence[Answer]:
    """Models that take items as they are: baselines, solvers, the suite's own networks."""
    return model.answer(items)


def texts(item: Item) -> list[Text]:
    """The item completed with each choice; what stands before the choice is context.

    >>> item = Item(id="a", suite="kinship", prompt="Story.\\nSharon is the ___ of Arthur.", choices=("aunt", "niece"))
    >>> texts(item)[1]
    Text(text='Story.\\nSharon is the niece of Arthur.', start=20)
    """
    before, blank, after = item.prompt.rpartition("___")
    if not blank:
        before, after = f"{item.prompt}\nAnswer: ", ""
    return [Text(before + choice + after, start=len(before.rstrip())) for choice in item.choices]


def likelihood(
    items: Sequence[Item], model: ScoresText, *, seed: int, method: str = "", norm: str = "sum"
) -> Sequence[Answer]:
    """log P(choice and what follows it | story), the sum over its tokens or the mean per token or word."""
    how = method or model.methods[0]
    if how not in model.methods:
        raise ProbandError(f"the model has no method {how!r}; it has {', '.join(model.methods)}")
    batch = [texts(item) for item in items]
    scored = iter(model.score([text for each in batch for text in each], method=how))
    return [
        Answer(item_id=item.id, scores=tuple(_worth(next(scored), norm) for _ in each))
        for item, each in zip(items, batch)
    ]


def _worth(score: Score, norm: str) -> float:
    return score.total / {"sum": 1, "token": max(score.tokens, 1), "word": max(score.words, 1)}[norm]


def choose(items: Sequence[Item], model: Chooses, *, seed: int) -> Sequence[Answer]:
    """The question put in words to a model that answers outright."""
    asked = [Question(prompt=item.prompt, choices=item.choices) for item in items]
    return [
        Answer(item_id=item.id, scores=choice.scores, text=choice.text)
        for item, choice in zip(items, model.choose(asked), strict=True)
    ]
