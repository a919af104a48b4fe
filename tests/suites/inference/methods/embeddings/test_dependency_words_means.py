"""Means of word vectors by hand."""

from __future__ import annotations

import numpy as np
import pytest

from proband.core.protocols import Floats32
from proband.suites.inference.datasets.triples import answered
from proband.suites.inference.items import Triple, items
from proband.suites.inference.methods.embeddings.dependency_words import solve
from proband.suites.inference.methods.prompts import RuleOptions

TABLE = {"eliminates": (1.0, 0.0), "treats": (1.0, 1.0), "quickly": (0.0, 1.0)}


class Three:
    """Three words in the plane."""

    name = "three"

    def identity(self) -> dict[str, str]:
        return {"name": self.name}

    def vectors(self, words: list[str]) -> tuple[Floats32, np.ndarray]:
        known = np.array([word in TABLE for word in words])
        return np.array([TABLE.get(word, (0.0, 0.0)) for word in words], np.float32), known


def test_cosine_of_means() -> None:
    question = Triple("drug", "treats", "pain")
    premises = ("eliminates", "quickly eliminates", "would eliminates", "frobs")
    made = list(
        items([answered(question, Triple("x", p, "pain"), entailed=True, source="x") for p in premises], control="none")
    )
    scores = [answer.scores[0] for answer in solve(made, Three(), seed=0, options=RuleOptions())]  # type: ignore[arg-type]
    assert scores == pytest.approx([0.5**0.5, 1.0, 0.5**0.5, -1.0], abs=1e-6)
