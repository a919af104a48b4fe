"""The quality of each worker, in four ways."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from proband.core.agreement.dawid_skene import dawid_skene
from proband.core.agreement.mace import mace
from proband.core.agreement.votes import Votes


@dataclass(frozen=True, kw_only=True)
class Worker:
    """`agreement`: the share of his judgments that equal the majority of the other people's (None where there is
    none); `accuracy` by Dawid & Skene; `competence` by MACE; `commonest`: the share of his most frequent label."""

    name: str
    judgments: int
    agreement: float | None
    accuracy: float
    competence: float
    commonest: float


def worker_quality(votes: Votes, *, seed: int = 0) -> list[Worker]:
    """In order of appearance."""
    accuracy, competence = dawid_skene(votes).accuracy(), mace(votes, seed=seed).competence
    assert competence is not None
    agreement, given = agreement_with_others(votes), votes.count_by_worker
    return [
        Worker(
            name=name,
            judgments=int(given[n].sum()),
            agreement=agreement[n],
            accuracy=float(accuracy[n]),
            competence=float(competence[n]),
            commonest=float(given[n].max() / given[n].sum()),
        )
        for n, name in enumerate(votes.workers)
    ]


def agreement_with_others(votes: Votes) -> list[float | None]:
    """Of each worker: the share of his judgments that equal the majority of the other people's."""
    count, label = votes.count.astype(np.int16)[votes.item], votes.label  # judgments x labels
    others = count - (np.arange(count.shape[1]) == label[:, None])
    top = others.max(axis=1)
    decided = ((others == top[:, None]).sum(axis=1) == 1) & (top > 0)
    agrees = decided & (others.argmax(axis=1) == label)
    size = len(votes.workers)
    compared = np.bincount(votes.worker, weights=decided, minlength=size)
    same = np.bincount(votes.worker, weights=agrees, minlength=size)
    return [float(a / n) if n else None for a, n in zip(same, compared, strict=True)]
