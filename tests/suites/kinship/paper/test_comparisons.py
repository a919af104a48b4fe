"""Comparisons of nets, against answers whose outcome is known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from proband.core.suite import Outcome
from proband.core.types import Answer, Item, Run
from proband.stats import Scores
from proband.suites.kinship.paper.comparisons import GAT_GAINS, GAT_PERFECT, ONLY_GAT, comparisons, near_perfect, noise


class Planted:
    """Four nets on 60 test stories: GAT is right once trained on k = 2, 3, 4, the other net is right half the time."""

    manifest: Mapping[str, Any]
    runs: Sequence[Run]
    labels: Sequence[str]

    def __init__(self, near: float, seeds: int = 1) -> None:
        right = {"net:k234-gat": 1.0, "net:k23-gat": near, "net:k234-mac": 0.5, "net:k23-mac": 0.5}
        self.manifest, self.right = {}, list(right.values()) * seeds
        self.labels = list(right) * seeds
        self.runs = [
            Run(suite="kinship", solver="direct", model=m, seed=0, items_sha="", net={"net": m.rsplit("-", 1)[1]})
            for m in self.labels
        ]

    def items(self) -> Any:
        for n in range(60):
            yield Item(
                id=str(n), suite="kinship", prompt="?", choices=("a", "b"), gold=0, tags={"k": 3},
                facts={"clusters": [str(n % 20)]}, split="test",
            )  # fmt: skip

    def answers(self, run: int) -> Any:
        for n, item in enumerate(self.items()):
            score = float((n * 7) % 60 < self.right[run] * 60)
            yield item, Answer(item_id=item.id, scores=(score, 1 - score))

    def scored(self, run: int) -> Any:
        return self.answers(run)


def test_what_gat_gains_is_tested_against_the_other_nets() -> None:
    once = comparisons(Planted(near=0.3), 0)[1].outcomes[GAT_GAINS]["gat / mac"]
    assert once.p is None  # what other seeds would give is unknown
    assert once.evidence.endswith("one seed: training chance unknown")
    at_three, gained = comparisons(Planted(near=0.3, seeds=2), 0)
    gains = {row[0]: row[2] for row in gained.rows}
    assert gains == {"gat": 70.0, "mac": 0.0}
    outcome = gained.outcomes[GAT_GAINS]["gat / mac"]
    assert outcome.difference == pytest.approx(0.7)
    assert outcome.p is not None
    assert outcome.p < 0.001
    assert {row[0]: row[2] for row in at_three.rows} == {"net:k234-gat": 100.0, "net:k23-gat": 30.0}
    perfect = at_three.outcomes[GAT_PERFECT]
    assert perfect["net:k234-gat"].difference == pytest.approx(0.05)
    assert perfect["net:k23-gat"].difference == pytest.approx(-0.65)


def test_runs_that_differ_by_their_seed_make_near_perfect_less_certain() -> None:
    clauses = [str(n % 50) for n in range(200)]

    def outcome(*wrong: int) -> Outcome:
        runs = [[float(n >= few) for n in range(len(clauses))] for few in wrong]
        return near_perfect(Scores.of(runs, clusters=clauses, trained=True))

    alike, apart, few = outcome(3, 3, 3), outcome(0, 0, 9), outcome(3)
    assert alike.difference == apart.difference == pytest.approx(0.035)
    assert None not in (alike.p, apart.p, few.p)
    assert few.p == pytest.approx(alike.p)
    assert float(alike.p or 0) < float(apart.p or 0)
    assert near_perfect(Scores.of([1.0, 1.0], trained=True)).p is None  # too few to tell


class Noisy(Planted):
    """GAT is helped by noise in training on each kind, MAC on two of three."""

    KINDS = ("clean", "supporting", "irrelevant", "disconnected")

    def __init__(self) -> None:
        self.manifest, self.labels = {}, [f"net:{kind}-{net}" for net in ("gat", "mac") for kind in self.KINDS] * 3
        self.runs = [
            Run(suite="kinship", solver="direct", model=m, seed=0, items_sha="", net={"net": m.rsplit("-", 1)[1]})
            for m in self.labels
        ]

    def items(self) -> Any:
        for n in range(400):
            yield Item(
                id=str(n), suite="kinship", prompt="?", choices=("a", "b"), gold=0, split="test",
                tags={"k": 3, "task": self.KINDS[n % 4]}, facts={"clusters": [str(n // 4)]},
            )  # fmt: skip

    def answers(self, run: int) -> Any:
        _, trained, net = self.labels[run].replace(":", "-").split("-")
        for n, item in enumerate(self.items()):
            kind = item.tags["task"]
            helped = trained == kind and (net == "gat" or kind != "irrelevant")
            right = 0.9 if helped else 0.4 if trained == kind == "irrelevant" else 0.6
            score = float(((n // 4) * 37 + run // 8) % 100 < 100 * right)
            yield item, Answer(item_id=item.id, scores=(score, 1 - score))


def test_table_3_8_has_its_average_and_who_alone_improves_is_tested() -> None:
    printed, gains = noise(Noisy(), 0)
    rows = {row[0]: row[1:] for row in printed.rows}
    assert rows["gat"] == (90.0, 60.0, 60.0, 60.0, 90.0, 90.0, 90.0, 77.1)
    assert rows["GAT (thesis)"][0] == "100 ± 0"
    assert rows["GAT (thesis)"][-1] == "77 ± 9"
    assert rows["MAC (thesis)"][-2:] == ("40 ± 10", "61 ± 6")
    assert {row[0]: row[1:] for row in gains.rows} == {"gat": (30.0, 30.0, 30.0), "mac": (30.0, -20.0, 30.0)}
    outcome = gains.outcomes[ONLY_GAT]
    assert list(outcome) == ["mac"]  # GAT itself is not asked
    assert outcome["mac"].difference == pytest.approx(0.2)
    assert outcome["mac"].p is not None
    assert outcome["mac"].p < 0.01
    assert "irrelevant" in outcome["mac"].evidence
