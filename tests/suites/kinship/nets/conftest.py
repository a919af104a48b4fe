"""Small stories to train on."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import proband
from proband.core.plugins import read_options
from proband.suites.kinship import SUITE

# Small enough for a few CPU-seconds, large enough to learn fifty stories by heart
SMALL: dict[str, dict[str, Any]] = {
    "bilstm-mean": {"hidden": 24, "layers": 1},
    "bilstm-attention": {"hidden": 24, "layers": 1},
    "relation-network": {"hidden": 24, "layers": 1, "g": 32, "f1": 32, "f2": 32},
    "rmc": {"heads": 2, "head": 16, "key": 8},
    "mac": {"hidden": 24, "layers": 1, "steps": 2, "dropout": 0.0},
    "bert": {},
    "bert-lstm": {"hidden": 24, "layers": 1},
    "gat": {"dropout": 0.0},
    "edge-transformer": {"heads": 2, "dropout": 0.0, "rounds": 3, "warmup": 0, "rate": 0.003},
    "composer": {},
}


def _small(kind: str, **given: Any) -> Any:
    settings: dict[str, Any] = {
        "width": 24,
        "classifier": 48,
        "batch": 25,
        "rate": 0.3 if kind == "composer" else 0.01,
        "clip": 0.0,
    }
    settings |= {"held_out": 0.0, "device": "cpu"} | SMALL.get(kind, {}) | given
    return read_options(SUITE.net(kind).options, settings, of=kind)


@pytest.fixture
def small() -> Callable[..., Any]:
    """The options of a net, small."""
    return _small


class Hashed:
    """An encoder whose states are a fixed random vector per word."""

    name, layers = "hashed", 1

    def identity(self) -> dict[str, str]:
        return {"name": "hashed"}

    def embed(
        self, texts: Sequence[str], spans: Sequence[Sequence[tuple[int, int]]], *, layers: Sequence[int]
    ) -> NDArray[np.float32]:
        rows = [[self.vector(text[a:b]) for a, b in row] for text, row in zip(texts, spans)]
        return np.array(rows, dtype=np.float32)[:, :, None]

    def vector(self, word: str) -> NDArray[np.float64]:
        return np.random.default_rng(zlib.crc32(word.encode())).normal(size=24)


@pytest.fixture
def encoder() -> Hashed:
    return Hashed()


@pytest.fixture(scope="session")
def fifty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Fifty training stories and some to test on."""
    folder = tmp_path_factory.mktemp("fifty") / "items"
    proband.build("kinship", out=folder, seed=3, k="2", per_k=50, hold_out="paraphrases", test_per_k=10, test_k="2,3")
    return folder
