"""Tests that are more than a contrast: is GAT near-perfect at k = 3, and does it gain most by longer training stories?

A story's accuracy is its mean over training seeds; stories of one clause are one observation.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

import numpy as np

from proband.core.metrics import accuracy_of
from proband.core.suite import Analysis, Outcome, Results, Sheet

GAT_PERFECT, GAT_GAINS = "gat-near-perfect", "gat-gains-most"
NEAR = 0.95
Scores = Mapping[str, float]  # of stories, by id


def comparisons(results: Results, seed: int) -> Sequence[Sheet]:
    """Accuracy of every net at k = 3, and what it gains from k = 2, 3 to k = 2, 3, 4."""
    found, clauses = by_model(results)
    perfect = {name: _near_perfect(scores, clauses) for name, scores in found.items() if name.endswith("-gat")}
    gains = dict(_gains(found))
    outcomes = {GAT_PERFECT: {k: v for k, v in perfect.items() if v}, GAT_GAINS: {}}
    if "gat" in gains:
        for net, gain in gains.items():
            if net != "gat":
                shared = sorted(gains["gat"].keys() & gain.keys())
                ahead = {story: gains["gat"][story] - gain[story] for story in shared}
                outcomes[GAT_GAINS][f"gat / {net}"] = _tested(ahead, clauses, "gain of GAT minus gain of the other net")
    if not outcomes[GAT_PERFECT] and not outcomes[GAT_GAINS]:
        return ()
    rows = tuple((net, len(gain), round(100 * float(np.mean(list(gain.values()))), 1)) for net, gain in gains.items())
    return (
        Sheet(
            name="gains",
            title="What training on k = 2, 3, 4 instead of k = 2, 3 gains, in points",
            header=("net", "test stories", "gain"),
            rows=rows,
            outcomes={name: {k: v for k, v in each.items() if v} for name, each in outcomes.items()},
        ),
    )


def by_model(results: Results) -> tuple[dict[str, Scores], dict[str, str]]:
    """Mean accuracy over training seeds of every test story, by model; and each story's clause and k."""
    sums: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    clauses: dict[str, str] = {}
    for at, run in enumerate(results.runs):
        for item, answer in results.answers(at) if run.net else ():
            score = accuracy_of(item, answer)
            if item.split == "test" and score is not None:
                sums[run.model][item.id].append(score)
                clauses[item.id] = f"{item.tags.get('k')} {item.facts.get('clause', item.id)}"
    return {name: {i: float(np.mean(v)) for i, v in each.items()} for name, each in sums.items()}, clauses


def _near_perfect(scores: Scores, clauses: Mapping[str, str]) -> Outcome | None:
    at_three = {story: value - NEAR for story, value in scores.items() if clauses[story].startswith("3 ")}
    return _tested(at_three, clauses, f"accuracy at k = 3 minus {NEAR:.0%}") if at_three else None


def _gains(found: Mapping[str, Scores]) -> list[tuple[str, Scores]]:
    gains: list[tuple[str, Scores]] = []
    for name, longer in found.items():
        shorter = found.get(name.replace("net:k234-", "net:k23-"))
        if name.startswith("net:k234-") and shorter is not None:
            shared = longer.keys() & shorter.keys()
            gains.append((name.removeprefix("net:k234-"), {s: longer[s] - shorter[s] for s in sorted(shared)}))
    return gains


def _tested(values: Scores, clauses: Mapping[str, str], what: str) -> Outcome:
    """Is the mean above zero? The stories' sum within a clause is one observation."""
    from scipy import stats

    each = np.array(list(values.values()))
    mean = float(each.mean())
    groups: dict[str, float] = defaultdict(float)
    for story, value in values.items():
        groups[clauses[story]] += value - mean
    error = float(np.sqrt(sum(total**2 for total in groups.values()))) / len(each)
    if len(groups) < 2 or (error == 0 and mean == 0):
        return Outcome(difference=mean, p=None, evidence=what)
    p = 0.0 if error == 0 else float(2 * stats.t.sf(abs(mean) / error, len(groups) - 1))
    return Outcome(difference=mean, p=p, evidence=f"{what}, {len(each)} stories of {len(groups)} clauses")


COMPARISONS = Analysis(name="gains", help="Near-perfect at k = 3, and gains by longer stories", of=comparisons)
