"""Models one can see through: they implement the protocols and know the answers, or know nothing."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from proband.core.plugins import read_options
from proband.core.protocols import Floats32, Score, Text
from proband.core.types import Answer, Item, Run
from proband.suites.analogy import SUITE, sources
from proband.suites.analogy.relations import Relation


def noise(*words: object) -> float:
    """A number in [0, 1) that depends on the words alone."""
    return int.from_bytes(hashlib.sha256(repr(words).encode()).digest()[:6], "big") / 2**48


class Oracle:
    """Scores a sentence 0 if its second pair belongs to the same relation as its first, else -1: a planted answer."""

    name = "fake:oracle"
    methods = ("pll",)

    def __init__(self, relations: Sequence[Relation], pattern: str) -> None:
        self.relations = relations
        self.pattern = re.compile(re.sub(r"\\\{([ht][12])\\\}", r"(?P<\1>.+)", re.escape(pattern)))
        self.asked: list[Text] = []

    def identity(self) -> Mapping[str, str]:
        return {"kind": "fake", "name": self.name}

    def score(self, texts: Sequence[Text], *, method: str) -> list[Score]:
        self.asked += texts
        return [Score(self._value(text.text), len(text.text.split()), len(text.text.split())) for text in texts]

    def _value(self, text: str) -> float:
        found = self.pattern.fullmatch(text)
        assert found
        query, option = (found["h1"], found["t1"]), (found["h2"], found["t2"])
        true = any(r.holds(query) and r.holds(option) and option[::-1] != query for r in self.relations)
        return 0.0 if true else -1.0


class Coin(Oracle):
    """A score from the sentence's bytes: knows nothing, and always says the same."""

    name = "fake:coin"

    def _value(self, text: str) -> float:
        return noise(text)


class Planes:
    """Static vectors in which every relation is one offset: v(tail) = v(head) + r. `unknown` words are missing."""

    name = "fake:planes"

    def __init__(self, relations: Sequence[Relation], *, unknown: Sequence[str] = (), size: int = 24) -> None:
        table: dict[str, NDArray[np.float32]] = {}
        for number, relation in enumerate(relations):
            rng = np.random.default_rng(number)
            offset = rng.normal(size=size) * 3
            for t in relation.tuples:
                head = table.setdefault(t.head.lower(), rng.normal(size=size).astype(np.float32))
                for tail in t.tails[:1]:
                    table.setdefault(tail.lower(), (head + offset).astype(np.float32))
        for word in unknown:
            table.pop(word.lower())
        self.words = list(table)
        self.table = np.stack(list(table.values())).astype(np.float32)
        self.row = {word: at for at, word in enumerate(self.words)}

    def identity(self) -> Mapping[str, str]:
        return {"kind": "fake", "name": self.name}

    def vectors(self, words: Sequence[str]) -> tuple[Floats32, NDArray[np.bool_]]:
        known = np.array([word.lower() in self.row for word in words], dtype=np.bool_)
        rows = np.zeros((len(words), self.table.shape[1]), dtype=np.float32)
        for at, word in enumerate(words):
            if known[at]:
                rows[at] = self.table[self.row[word.lower()]]
        return rows, known

    @property
    def vocabulary(self) -> Sequence[str]:
        return self.words

    @property
    def matrix(self) -> Floats32:
        return self.table


def items_of(*, seed: int = 0, **options: object) -> list[Item]:
    plan = SUITE.build(read_options(SUITE.options, options, of="build analogy"), seed=seed)
    return [item for item in plan.items if isinstance(item, Item)]


def solved(name: str, items: Sequence[Item], model: Any, *, seed: int = 0, **options: object) -> list[Answer]:
    solver = next(solver for solver in SUITE.solvers if solver.name == name)
    return list(solver.solve(items, model, seed=seed, options=read_options(solver.options, options, of=name)))


@pytest.fixture(scope="session", name="items_of")
def _items_of() -> Callable[..., list[Item]]:
    return items_of


@pytest.fixture(scope="session")
def built() -> Callable[..., list[Item]]:
    """`built(seed=0, per_relation=10, ...)`: the items of a build, which is made once (`items_of` makes it anew)."""
    made: dict[str, list[Item]] = {}

    def build(**options: object) -> list[Item]:
        key = repr(sorted(options.items()))
        if key not in made or "data" in options:
            made[key] = items_of(**options)  # type: ignore[arg-type]
        return list(made[key])

    return build


@pytest.fixture(scope="session")
def solve() -> Callable[..., list[Answer]]:
    """`solve("pppl", items, model, seed=0, norm="token", ...)`: the answers of one of the suite's solvers."""
    return solved


@pytest.fixture(scope="session")
def own() -> list[Relation]:
    return sources.built_in()


@pytest.fixture(scope="session")
def oracle() -> type[Oracle]:
    return Oracle


@pytest.fixture(scope="session")
def coin() -> type[Coin]:
    return Coin


@pytest.fixture(scope="session")
def planes() -> type[Planes]:
    return Planes


@dataclass
class Two:
    """Two runs on one item set."""

    pairs: Sequence[list[tuple[Item, Answer]]]
    labels: Sequence[str] = ("planted", "perfect")
    runs: Sequence[Run] = ()
    manifest: Mapping[str, Any] = field(default_factory=dict)

    def items(self) -> Iterator[Item]:
        return (item for item, _ in self.pairs[0])

    def answers(self, run: int) -> Iterator[tuple[Item, Answer]]:
        return iter(self.pairs[run])

    scored = answers
