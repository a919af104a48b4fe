"""Assertions whose relations share their arguments by group."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

GROUPS = {"eat": ("eats", "devours"), "rule": ("rules", "governs"), "write": ("writes", "was written by")}


@pytest.fixture(scope="module")
def assertions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two relations per group share their arguments; `was written by` has them swapped."""
    rng, lines = np.random.default_rng(0), []
    for group, relations in GROUPS.items():
        for relation in relations:
            for _ in range(400):
                a, b = (f"{group}{side}{rng.integers(20)}" for side in "sd")
                a, b = (b, a) if relation == "was written by" else (a, b)
                lines.append(f"{a}\t{relation}\t{b}\t{rng.integers(1, 4)}\n")
    path = tmp_path_factory.mktemp("assertions") / "triples.tsv"
    path.write_text("".join(lines), encoding="utf-8")
    return path
