"""The committed answers as numbers, pooled over sets of stories (of CLUTRR's releases there is one set of each).

A set of stories (other families, held-out clauses and phrases, training and test stories) is tested with nets that were
trained on it alone. The test stories of all sets stand in one table, clustered by clause within a set; the run number n of
a net is made of its nth training on each set. So the package's own statistics apply (stats): intervals and tests
count stories that share a clause, and training seeds. What seeds add to the variance is taken within each set, where only
the seed differs, and has as many degrees of freedom as all sets give together: 3 × (seeds - 1). Sets are too few for an
interval of their own: their means are shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from proband.stats import ONE_SEED, Difference, Estimate, Scores
from proband.stats.clusters import Clusters

KS = tuple(range(2, 11))
KINDS = ("clean", "supporting", "irrelevant", "disconnected")
BY_KIND = ("noise-test", "ten-noise-test", *(f"released-{kind}" for kind in KINDS))  # test stories of all four kinds
WRONG = 128  # from here on an answer to a row of CLUTRR is not its label (collect.py)


@dataclass
class Test:
    """The test stories of all sets. A column of a table is a k, or a kind of noise."""

    name: str
    sets: np.ndarray[Any, Any]  # of each story
    columns: np.ndarray[Any, Any]
    clusters: Clusters
    verdicts: np.ndarray[Any, Any] | None = None  # of CLUTRR's rows: audit verdict on the label

    @property
    def order(self) -> Sequence[Any]:
        return KINDS if self.name in BY_KIND else KS

    def rows(self, column: object = None, sets: Sequence[int] | None = None) -> np.ndarray[Any, Any]:
        """Stories of a column (or of several, or all) and of some sets."""
        wanted = np.ones(len(self.sets), dtype=bool)
        if column is not None:
            wanted &= np.isin(self.columns, column if isinstance(column, tuple) else [column])
        return np.flatnonzero(wanted & np.isin(self.sets, self.sets if sets is None else sets))


@dataclass
class System:
    """A net trained on some stories, or a baseline, on the test stories: right or wrong, by set and training seed."""

    test: Test
    trained_on: str
    model: str
    runs: dict[int, dict[int, np.ndarray[Any, Any]]]  # set -> seed -> of each story

    @property
    def trained(self) -> bool:
        return bool(self.trained_on)

    @cached_property
    def sets(self) -> tuple[int, ...]:
        return tuple(sorted(self.runs))

    @cached_property
    def seeds(self) -> int:
        """Trainings that every set has."""
        return min(map(len, self.runs.values()))

    @property
    def surplus(self) -> int:
        """Trainings beyond these, which are left out: the nth of each set make one run."""
        return sum(map(len, self.runs.values())) - self.seeds * len(self.runs)

    @cached_property
    def right(self) -> np.ndarray[Any, Any]:
        """Pooled runs × stories, nothing for those of other sets."""
        table = np.full((self.seeds, len(self.test.sets)), np.nan)
        for number, runs in self.runs.items():
            for at, seed in zip(range(self.seeds), sorted(runs)):
                table[at, self.test.sets == number] = runs[seed]
        return table

    def scores(self, rows: np.ndarray[Any, Any]) -> Scores:
        return Scores(
            numbers=self.right[:, rows],
            items=rows,
            clusters=self.test.clusters,
            places=rows,
            trained=self.trained,
            sets=self.test.sets[rows],
        )

    def rows(self, column: object = None) -> np.ndarray[Any, Any]:
        return self.test.rows(column, self.sets)

    def value(self, column: object = None) -> float:
        return self.scores(self.rows(column)).value

    def interval(self, column: object = None) -> Estimate:
        return self.scores(self.rows(column)).interval()

    def by_set(self, column: object = None) -> list[float]:
        return [self.scores(self.test.rows(column, [number])).value for number in self.sets]


def figure(system: System, column: object = None) -> str:
    """Mean and interval, in percent."""
    band, mean = system.interval(column), f"{100 * system.value(column):.1f}"
    once = "¹" if system.trained and system.seeds < 2 else ""
    return f"{mean}{once}" if band.few else f"{mean}{once} [{100 * band.low:.1f}, {100 * band.high:.1f}]"


def paired(one: System, other: System, column: object = None, margin: float = 0.0) -> Difference:
    """Two systems on the same stories."""
    rows = one.test.rows(column, sorted(set(one.sets) & set(other.sets)))
    return one.scores(rows).minus(other.scores(rows), margin=margin)


def within(system: System, above: object, below: object, margin: float = 0.0) -> Difference:
    """One system on two selections of stories."""
    a, b = (system.scores(system.rows(column)) for column in (above, below))
    return a.minus_selection(b, margin=margin, same_runs=True)


def decided(found: Difference) -> bool:
    return found.p is not None and found.note != ONE_SEED


Systems = Mapping[tuple[str, str, str], System]  # test, trained on, model


def read(folder: Path) -> Systems:
    parts: dict[str, list[dict[str, Any]]] = {}
    for row in pl.read_parquet(folder / "tests.parquet").sort("test", "data_seed").iter_rows(named=True):
        parts.setdefault(row["test"], []).append(row)
    tests = {name: _test(name, rows) for name, rows in parts.items()}
    labels = {(row["test"], row["data_seed"]): row["labels"] for rows in parts.values() for row in rows}
    systems: dict[tuple[str, str, str], System] = {}
    for row in pl.read_parquet(folder / "answers.parquet").iter_rows(named=True):
        key = row["test"], row["trained_on"], row["model"]
        system = systems.setdefault(key, System(tests[row["test"]], row["trained_on"], row["model"], {}))
        answers, own = np.frombuffer(row["predictions"], dtype=np.uint8), labels[row["test"], row["data_seed"]]
        right = answers < WRONG if own is None else answers == np.frombuffer(own, dtype=np.uint8)
        share = 1 / np.frombuffer(row["ties"], dtype=np.uint8) if row["ties"] else 1.0
        system.runs.setdefault(row["data_seed"], {})[row["seed"]] = right * share
    return systems


def _test(name: str, parts: Sequence[Mapping[str, Any]]) -> Test:
    """The sets one after the other."""
    column = "tasks" if name in BY_KIND else "k"
    clusters = [(f"{part['data_seed']} {clause}",) for part in parts for clause in part["clauses"]]
    return Test(
        name=name,
        sets=np.concatenate([np.full(len(part["k"]), part["data_seed"]) for part in parts]),
        columns=np.concatenate([np.array(part[column]) for part in parts]),
        clusters=Clusters.of(clusters),
        verdicts=np.concatenate([part["verdicts"] for part in parts]) if parts[0].get("verdicts") else None,
    )


def of(systems: Systems, test: str, trained_on: str) -> Iterator[System]:
    """The nets of a training on a test, the best first."""
    found = [system for (name, on, _), system in systems.items() if (name, on) == (test, trained_on)]
    yield from sorted(found, key=lambda system: -system.value())
