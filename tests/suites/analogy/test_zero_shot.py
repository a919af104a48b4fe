"""Scores against sums by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np
import pytest

from proband.core.errors import ProbandError
from proband.core.protocols import Choice, Floats, Question, Score, Text
from proband.core.types import Item
from proband.suites.analogy import SUITE, cosine, zero_shot

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


def scores(solve: str, **options: str) -> tuple[float, ...]:
    solver = next(s for s in SUITE.solvers if s.name == solve)
    return tuple(solver.solve([ITEM], Lengths(), seed=0, **options)[0].scores)


def test_sum_token_word_option_and_method() -> None:
    italy, spain = "Rome is to Italy.", "Rome is to Spain."
    assert scores("pppl") == (-len(BEFORE + italy), -len(BEFORE + spain))
    assert scores("pppl", norm="token") == (-1.0, -1.0)
    assert scores("pppl", norm="word") == (-len(BEFORE + italy) / 9, -len(BEFORE + spain) / 9)
    assert scores("pppl", span="option") == (-len(italy), -len(spain))
    assert scores("pppl", method="ll") == (len(BEFORE + italy), len(BEFORE + spain))
    assert scores("pppl", template="{h1} {t1} {h2} {t2}")[0] == -len("Paris France Rome Italy")


def test_pmi_is_the_joint_less_the_sentence_about_something() -> None:
    assert scores("pmi") == tuple(
        -len("What Paris is to France,") + len("What something is to something,") for _ in range(2)
    )


@pytest.mark.parametrize("options", [{"norm": "max"}, {"method": "pll-word-l2r"}, {"span": "word"}, {"template": "no"}])
def test_unknown_settings_are_refused(options: dict[str, str]) -> None:
    with pytest.raises(ProbandError):
        scores("pppl", **options)


def test_choose_passes_the_question_on() -> None:
    class Chooser:
        def choose(self, questions: Sequence[Question]) -> list[Choice]:
            assert questions == [Question(ITEM.prompt, ITEM.choices)]
            return [Choice((0.25, 0.75), "B")]

    (answer,) = zero_shot.choose([ITEM], Chooser(), seed=0)
    assert (answer.scores, answer.text) == ((0.25, 0.75), "B")


class Plane:
    """A plane in which France, Italy lie right of Paris, Rome; Spain elsewhere."""

    table: ClassVar = {"paris": (0, 1), "france": (1, 1), "rome": (0, 2), "italy": (1, 2), "spain": (-1, 3)}
    vocabulary: ClassVar = tuple(table)

    def vectors(self, words: Sequence[str]) -> tuple[Floats, np.ndarray[tuple[int], np.dtype[np.bool_]]]:
        rows = np.array([self.table.get(w, (0, 0)) for w in words], dtype=np.float32)
        return rows, np.array([w in self.table for w in words])

    @property
    def matrix(self) -> Floats:
        return self.vectors(self.vocabulary)[0]


def test_vector_methods_by_hand() -> None:
    (answer,) = cosine.by_vectors(cosine.difference)([ITEM], Plane(), seed=0)
    assert answer.scores[0] == pytest.approx(1.0)
    assert answer.scores[1] == pytest.approx(-1 / np.sqrt(2))
    v = {w: np.array(x, dtype=float) for w, x in Plane.table.items()}
    u = {w: x / np.linalg.norm(x) for w, x in v.items()}
    words = ("paris", "france", "rome", "italy")
    target = u["france"] - u["paris"] + u["rome"]
    assert cosine.cos_add(*(v[w][None] for w in words))[0] == pytest.approx(
        u["italy"] @ target / np.linalg.norm(target)
    )
    near = {w: (u["italy"] @ u[w] + 1) / 2 for w in words}
    expected = near["france"] * near["rome"] / (near["paris"] + 1e-3)
    assert cosine.cos_mul(*(v[w][None] for w in words))[0] == pytest.approx(expected)
    assert cosine.similar_to_b(*(v[w][None] for w in words))[0] == pytest.approx(u["italy"] @ u["rome"])


def test_several_words_are_the_mean_and_an_unknown_word_scores_zero() -> None:
    found = cosine.lookup(Plane(), ["Paris France", "Atlantis", "ROME"])
    assert found["Paris France"].tolist() == [0.5, 1.0]
    assert found["Atlantis"].tolist() == [0.0, 0.0]
    assert found["ROME"].tolist() == [0.0, 2.0]
    assert cosine.cosine(found["Atlantis"][None], found["ROME"][None]).tolist() == [0.0]


def test_a_solver_says_when_items_are_of_another_setting() -> None:
    supervised = next(iter(SUITE.build(setting="supervised", relations="capital").items))
    assert isinstance(supervised, Item)
    with pytest.raises(ProbandError, match="supervised"):
        zero_shot.pppl([supervised], Lengths(), seed=0)
