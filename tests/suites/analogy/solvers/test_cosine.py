"""Vector methods against sums by hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import pytest

from proband.core.protocols import Floats32
from proband.core.types import Item
from proband.suites.analogy.solvers import cosine

ITEM = Item(
    id="x",
    suite="analogy",
    prompt="Which?",
    choices=("Rome : Italy", "Rome : Spain"),
    gold=0,
    tags={"relation": "r", "group": "ES", "probe": "random-tail", "setting": "zero-shot"},
    facts={"query": ["Paris", "France"], "options": [["Rome", "Italy"], ["Rome", "Spain"]]},
)


class Plane:
    """A plane in which France, Italy lie right of Paris, Rome; Spain elsewhere."""

    table: ClassVar = {"paris": (0, 1), "france": (1, 1), "rome": (0, 2), "italy": (1, 2), "spain": (-1, 3)}
    vocabulary: ClassVar = tuple(table)

    def vectors(self, words: Sequence[str]) -> tuple[Floats32, np.ndarray[tuple[int], np.dtype[np.bool_]]]:
        rows = np.array([self.table.get(w.lower(), (0, 0)) for w in words], dtype=np.float32)
        return rows, np.array([w.lower() in self.table for w in words])

    @property
    def matrix(self) -> Floats32:
        return self.vectors(self.vocabulary)[0]


def test_vector_methods_by_hand(solve: Any) -> None:
    (answer,) = solve("difference", [ITEM], Plane())
    assert answer.scores[0] == pytest.approx(1.0)
    assert answer.scores[1] == pytest.approx(-1 / np.sqrt(2))
    v = {w: np.array(x, dtype=float) for w, x in Plane.table.items()}
    u = {w: x / np.linalg.norm(x) for w, x in v.items()}
    words = ("paris", "france", "rome", "italy")
    target = u["france"] - u["paris"] + u["rome"]
    assert cosine.cos_add(*(v[w][None] for w in words))[0] == pytest.approx(
        u["italy"] @ target / np.linalg.norm(target)
    )


def test_several_words_are_the_mean_and_an_unknown_word_scores_zero() -> None:
    found = cosine.lookup(Plane(), ["Paris France", "Atlantis", "ROME"])
    assert found["Paris France"].tolist() == [0.5, 1.0]
    assert found["Atlantis"].tolist() == [0.0, 0.0]
    assert found["ROME"].tolist() == [0.0, 2.0]
    assert cosine.cosine(found["Atlantis"][None], found["ROME"][None]).tolist() == [0.0]


@pytest.mark.parametrize("gap", "_-")
def test_a_model_may_join_the_words_of_a_phrase(gap: str) -> None:
    class Joined(Plane):
        table: ClassVar = {**Plane.table, f"new{gap}york": (7, 7)}

    assert cosine.lookup(Joined(), ["New York"])["New York"].tolist() == [7.0, 7.0]


def test_phrases_none_leaves_a_phrase_unknown() -> None:
    class Strict(Plane):
        phrases = "none"

    found = cosine.lookup(Strict(), ["Paris France", "ROME"])
    assert found["Paris France"].tolist() == [0.0, 0.0]
    assert found["ROME"].tolist() == [0.0, 2.0]
