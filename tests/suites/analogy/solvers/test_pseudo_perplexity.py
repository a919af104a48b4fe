"""Scores against sums by hand."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest

from proband.core.errors import ProbandError
from proband.core.protocols import Score, Text
from proband.core.types import Item

ITEM = Item(
    id="x",
    suite="analogy",
    prompt="Which?",
    choices=("Rome : Italy", "Rome : Spain"),
    gold=0,
    tags={"relation": "r", "group": "ES", "probe": "random-tail", "setting": "zero-shot"},
    facts={"query": ["Paris", "France"], "options": [["Rome", "Italy"], ["Rome", "Spain"]]},
)
BEFORE = "What Paris is to France, "


class Lengths:
    """The log-probability of a text is minus its counted letters; a token is a letter."""

    name = "fake:lengths"
    methods: tuple[str, ...] = ("pll", "ll")

    def identity(self) -> Mapping[str, str]:
        return {}

    def score(self, texts: Sequence[Text], *, method: str) -> list[Score]:
        sign = 1.0 if method == "ll" else -1.0
        counted = [text.text[text.start :] for text in texts]
        return [Score(sign * len(part), len(part), len(part.split())) for part in counted]


@pytest.fixture
def scores(solve: Any) -> Callable[..., tuple[float, ...]]:
    """The scores of a solver's answer to ITEM."""
    return lambda name, **options: solve(name, [ITEM], Lengths(), **options)[0].scores


def test_sum_token_word_option_and_method(scores: Any) -> None:
    italy, spain = "Rome is to Italy.", "Rome is to Spain."
    assert scores("pppl") == (-len(BEFORE + italy), -len(BEFORE + spain))
    assert scores("pppl", norm="token") == (-1.0, -1.0)
    assert scores("pppl", norm="word") == (-len(BEFORE + italy) / 9, -len(BEFORE + spain) / 9)
    assert scores("pppl", span="option") == (-len(italy), -len(spain))
    assert scores("pppl", method="ll") == (len(BEFORE + italy), len(BEFORE + spain))
    assert scores("pppl", template="{h1} {t1} {h2} {t2}")[0] == -len("Paris France Rome Italy")


def test_pmi_is_the_joint_minus_the_sentence_about_something(scores: Any) -> None:
    assert scores("pmi") == tuple(
        -len("What Paris is to France,") + len("What something is to something,") for _ in range(2)
    )


@pytest.mark.parametrize("options", [{"norm": "max"}, {"method": "pll-word-l2r"}, {"span": "word"}, {"template": "no"}])
def test_unknown_settings_are_refused(options: dict[str, str], scores: Any) -> None:
    with pytest.raises(ProbandError):
        scores("pppl", **options)


def test_choose_asks_in_every_order(solve: Any) -> None:
    class Chooser:
        def generate(self, prompts: Sequence[str], **settings: Any) -> list[str]:
            assert all(prompt.startswith(ITEM.prompt) for prompt in prompts)
            return [f"B. {ITEM.choices[1]}" if "B. " + ITEM.choices[1] in prompt else "A" for prompt in prompts]

    (answer,) = solve("choose", [ITEM], Chooser())
    assert (answer.scores, answer.letters) == ((0.0, 1.0), "BA")


def test_a_solver_says_when_items_are_of_another_setting(built: Any, solve: Any) -> None:
    items = built(setting="supervised", relations="capital", per_relation=2)
    with pytest.raises(ProbandError, match="supervised"):
        solve("pppl", items, Lengths())
