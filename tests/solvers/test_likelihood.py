"""The choice that makes the completed prompt likeliest."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from proband.core.protocols import Norm, Score, Text
from proband.core.types import Item
from proband.solvers.likelihood import LikelihoodOptions, completions, sends, solve


def test_the_choice_stands_in_the_last_blank_or_behind_the_prompt() -> None:
    blank = completions("A ___ is a word. A ___ barks.", ["dog", "cat"])
    assert [text.text for text in blank] == ["A ___ is a word. A dog barks.", "A ___ is a word. A cat barks."]
    assert [text.text[: text.start] for text in blank] == ["A ___ is a word. A"] * 2
    assert completions("The capital of France is _____.", ["Paris"])[0] == Text(
        "The capital of France is Paris.", start=24
    )
    plain = completions("Who barks?", ["dog"])
    assert (plain[0].text, plain[0].text[plain[0].start :]) == ("Who barks?\nAnswer: dog", " dog")


class Letters:
    """A token per letter behind the context, with a log-probability of -1; a word per space."""

    name = "letters"
    methods: tuple[str, ...] = ("ll",)

    def identity(self) -> dict[str, str]:
        return {}

    def score(self, texts: Sequence[Text], *, method: str) -> list[Score]:
        ends = [text.text[text.start :] for text in texts]
        return [Score(-float(len(end.replace(" ", ""))), len(end.replace(" ", "")), end.count(" ")) for end in ends]


@pytest.mark.parametrize(("norm", "scores"), [("sum", (-3.0, -8.0)), ("token", (-1.0, -1.0)), ("word", (-3.0, -4.0))])
def test_scores_are_sums_or_means(norm: Norm, scores: tuple[float, ...]) -> None:
    items = [Item(id=name, suite="toy", prompt=f"{name}?", choices=("dog", "wild wolf")) for name in "ab"]
    answers = solve(items, Letters(), seed=0, options=LikelihoodOptions(norm=norm))
    assert [(answer.item_id, answer.scores) for answer in answers] == [("a", scores), ("b", scores)]
    assert sends(items, Letters(), seed=0, options=LikelihoodOptions()) == [
        [f"{name}?\nAnswer: dog", f"{name}?\nAnswer: wild wolf"] for name in "ab"
    ]
