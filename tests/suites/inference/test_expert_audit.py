"""The crowd's labels against an expert's."""

from __future__ import annotations

import pytest

from proband.suites.inference.expert_audit import audit


def test_audit_counts_what_the_crowd_and_the_expert_say() -> None:
    crowd_says = {"a": "y", "b": "y", "c": "n", "d": None, "e": "y"}
    found = audit(crowd_says, {"a": "y", "b": "n", "c": "y", "d": "y"}, positive="y")
    assert (found.items, found.agreed, found.precision) == (4, 3, 0.5)
    assert found.recall_of_all == pytest.approx(1 / 3)
    assert found.recall_of_agreed == 0.5


def test_pairs_without_agreement_are_not_left_out_of_the_recall() -> None:
    """Four of five expert positives: 80 %, though the crowd has all on which it agreed."""
    crowd_says: dict[str, str | None] = {**dict.fromkeys("abcd", "y"), "e": None}
    found = audit(crowd_says, dict.fromkeys("abcde", "y"), positive="y")
    assert (found.recall_of_all, found.recall_of_agreed) == (0.8, 1.0)
    assert found.recall_of_all_interval is not None
    assert found.recall_of_all_interval[1] < 1
