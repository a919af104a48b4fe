"""Annotators with known error rates: what aggregation must recover."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from proband.core.agreement.coefficients import Floats, Ints
from proband.core.types import Judgment


@dataclass(frozen=True)
class Simulated:
    """Judgments and the truth behind them."""

    judgments: tuple[Judgment, ...]
    truth: dict[str, str]
    confusion: Floats  # workers x true label x given label


def confusions(rng: np.random.Generator, *, workers: int, labels: int, accuracy: tuple[float, float]) -> Floats:
    """Workers whose accuracy is uniform between two bounds, their errors spread over the other labels at random."""
    right = rng.uniform(*accuracy, size=(workers, labels))
    wrong = rng.dirichlet(np.ones(labels - 1), size=(workers, labels))
    matrix = np.zeros((workers, labels, labels))
    for k in range(labels):
        others = [l for l in range(labels) if l != k]
        matrix[:, k, others] = (1 - right[:, k])[:, None] * wrong[:, k]
        matrix[:, k, k] = right[:, k]
    return matrix


def simulate(
    truth: Sequence[str],
    *,
    labels: Sequence[str],
    confusion: Floats,
    per_item: int = 5,
    seed: int = 0,
    names: Sequence[str] = (),
    groups: Ints | None = None,
) -> Simulated:
    """`per_item` different workers judge every item, the same ones all items of a group (a questionnaire)."""
    rng, at = np.random.default_rng(seed), {label: n for n, label in enumerate(labels)}
    names = names or [f"item-{n}" for n in range(len(truth))]
    groups = np.arange(len(truth)) if groups is None else groups
    people = {int(group): rng.permutation(len(confusion))[:per_item] for group in np.unique(groups)}
    worker = np.concatenate([people[int(group)] for group in groups])
    item = np.repeat(np.arange(len(truth)), [len(people[int(group)]) for group in groups])
    true = np.array([at[label] for label in truth])[item]
    reached = np.cumsum(confusion[worker, true], axis=1)
    given = (rng.random(len(worker))[:, None] > reached[:, :-1]).sum(axis=1)
    seconds = np.round(rng.lognormal(1.5, 0.5, len(worker)), 2)
    judgments = tuple(
        Judgment(item_id=names[int(i)], worker=f"worker-{w}", value=labels[int(l)], seconds=float(s))
        for i, w, l, s in zip(item, worker, given, seconds, strict=True)
    )
    return Simulated(judgments, dict(zip(names, truth, strict=True)), confusion)
