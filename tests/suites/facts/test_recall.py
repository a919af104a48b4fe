"""Recall of facts by a model that knows some pairs, so that every score is known beforehand."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import pytest
from tests.suites.facts.conftest import capitals, items_of

from proband.core.protocols import Score, Text
from proband.solvers.likelihood import LikelihoodOptions
from proband.suites.facts.recall import (
    consistent,
    known,
    offset,
    prior,
    read_reply,
    recall,
    recalled,
)


class Knows:
    """Finds sentences with these pairs likely, unless they are in a wording that it does not understand; prefers one
    answer whatever is asked."""

    name = "knows"
    methods: tuple[str, ...] = ("ll",)

    def __init__(self, pairs: set[tuple[str, str]], *, deaf_to: str = "\0", prefers: str = "\0") -> None:
        self.pairs, self.deaf_to, self.prefers = pairs, deaf_to, prefers

    def identity(self) -> dict[str, str]:
        return {"kind": "knows"}

    def score(self, texts: Sequence[Text], *, method: str) -> list[Score]:
        return [Score(self._total(text.text), 4, 3) for text in texts]

    def _total(self, text: str) -> float:
        known_pair = any(_named(x, text) and _named(y, text) for x, y in self.pairs) and self.deaf_to not in text
        return -10.0 + 5.0 * known_pair + 2.0 * (self.prefers in text)


def _named(name: str, text: str) -> bool:
    return re.search(rf"\b{re.escape(name)}\b", text) is not None


def test_a_model_that_knows_everything_is_right_in_every_wording_and_a_prior_is_at_chance() -> None:
    items = capitals()
    model = Knows({(item.facts["subject"], item.facts["object"]) for item in items})
    answers = recall(items, model, seed=0, options=LikelihoodOptions())
    assert [recalled(i, a) for i, a in zip(items, answers)] == [1.0] * len(items)
    assert {known(i, a) for i, a in zip(items, answers)} == {1.0}
    without = prior(items, model, seed=0, options=LikelihoodOptions())
    chance = np.mean([recalled(i, a) or 0.0 for i, a in zip(items, without)])
    assert chance == pytest.approx(1 / len(items[0].choices))


def test_a_wording_that_is_not_understood_costs_a_third_and_is_inconsistent() -> None:
    items = capitals()
    pairs = {(item.facts["subject"], item.facts["object"]) for item in items}
    model = Knows(pairs, deaf_to="capital city", prefers="Zagreb")
    answers = recall(items, model, seed=0, options=LikelihoodOptions())
    assert recalled(items[0], answers[0]) == pytest.approx((2 + 1 / 44) / 3)
    assert known(items[0], answers[0]) == 0.0
    moved = next(at for at, item in enumerate(items) if item.gold)  # ties take the first: those beyond it differ
    assert consistent(items[moved], answers[moved]) == pytest.approx(1 / 3)


def test_a_model_that_prefers_one_answer_is_right_about_one_fact() -> None:
    items = capitals()
    pairs = {(item.facts["subject"], item.facts["object"]) for item in items}
    favours = Knows(pairs, prefers="Lisbon")
    favours.pairs = set()
    plain = recall(items, favours, seed=0, options=LikelihoodOptions())
    assert all(int(np.argmax(answer.scores)) == item.choices.index("Lisbon") for item, answer in zip(items, plain))
    assert np.mean([recalled(i, a) or 0.0 for i, a in zip(items, plain)]) == pytest.approx(1 / len(items))


def test_word_vectors_with_one_step_for_all_pairs_are_right_and_unknown_names_are_not_covered() -> None:
    items = capitals()
    rng = np.random.default_rng(0)
    step, table = rng.normal(size=16), dict[str, np.ndarray]()
    for item in items:
        if item.facts["subject"] == "Peru":
            continue
        table[item.facts["subject"]] = rng.normal(size=16)
        table[item.facts["object"]] = table[item.facts["subject"]] + step

    class Vectors:
        vocabulary: Sequence[str] = ()
        matrix = np.zeros((0, 16), dtype=np.float32)

        def vectors(self, words: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
            known_words = np.array([word in table for word in words])
            return np.array([table.get(word, np.zeros(16)) for word in words]), known_words

    answers = offset(items, Vectors(), seed=0, options=None)
    covered = [(i, a) for i, a in zip(items, answers) if not a.status]
    assert len(covered) > 30
    assert all(recalled(i, a) == 1.0 for i, a in covered)
    assert [i.facts["subject"] for i, a in zip(items, answers) if a.status == "not covered"] == ["Peru"]


@pytest.mark.parametrize(
    ("reply", "score"),
    [
        ("Czechia's capital is Prague.", 1.0),
        ("prague", 1.0),
        ("Vienna", 0.0),
        ("", 0.0),
        ("Zagreb", 0.0),
        ("Prague or Riga", 0.0),
        ("Prague is wrong.", 0.0),
    ],
)
def test_replies_are_read_by_name_and_a_name_outside_the_answers_is_wrong(reply: str, score: float) -> None:
    item = next(item for item in capitals() if item.facts["object"] == "Prague")
    assert recalled(item, read_reply(item, reply, "")) == score


def test_another_name_of_the_right_answer_is_accepted() -> None:
    item = next(item for item in items_of(relations="currency") if item.facts["subject"] == "China")
    assert item.facts["accepted"][:2] == ["yuan", "renminbi"]
    assert recalled(item, read_reply(item, "the renminbi", "")) == 1.0
