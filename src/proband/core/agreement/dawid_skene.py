r"""Dawid & Skene 1979: worker w says l of an item whose true label is k with probability pi_w[k, l].

    E:  T_ik  ~  p_k \prod_{(i,w,l)} pi_w[k, l]
    M:  pi_w[k, l] = \sum_{(i,w,l)} T_ik / \sum_{(i,w,.)} T_ik,     p_k = mean_i T_ik

from the shares of the votes, until T moves by less than `tolerance`. `smoothing` is added to every count of the M step
(0: the maximum-likelihood estimate).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from proband.core.agreement.votes import Aggregate, Floats, Votes

TINY = 1e-300


@dataclass(frozen=True)
class DawidSkene(Aggregate):
    """With a confusion matrix per worker (workers x true label x said label) and the share of each label."""

    confusion: Floats | None = None
    share: Floats | None = None

    def accuracy(self) -> Floats:
        """Of each worker: how often he is right, over labels as they occur."""
        assert self.confusion is not None
        assert self.share is not None
        return np.asarray(np.einsum("wkk,k->w", self.confusion, self.share))


def dawid_skene(votes: Votes, *, rounds: int = 200, tolerance: float = 1e-6, smoothing: float = 0.01) -> DawidSkene:
    """The likeliest label of every item."""
    truth = votes.count / votes.count.sum(axis=1, keepdims=True)
    confusion, share = maximised(votes, truth, smoothing)
    for _ in range(rounds):
        before = truth
        truth = expected(votes, confusion, share)
        confusion, share = maximised(votes, truth, smoothing)
        if np.abs(truth - before).max(initial=0.0) < tolerance:
            break
    return DawidSkene(votes.named(truth.argmax(axis=1)), truth, confusion, share)


def maximised(votes: Votes, truth: Floats, smoothing: float) -> tuple[Floats, Floats]:
    said = [votes.sum_by_worker(column[votes.item]) for column in truth.T]  # of every true label: workers x said
    counts = np.stack(said, axis=1) + smoothing
    rows = counts.sum(axis=2, keepdims=True)
    return counts / np.maximum(rows, TINY), truth.mean(axis=0)


def expected(votes: Votes, confusion: Floats, share: Floats) -> Floats:
    """P(true label | judgments) of every item."""
    said = np.log(np.maximum(confusion, TINY))  # workers x true label x said label
    log = (
        np.log(np.maximum(share, TINY))
        + np.stack(
            [
                np.bincount(votes.item, weights=said[:, k].ravel()[votes.worker_label], minlength=len(votes.items))
                for k in range(len(votes.labels))
            ]
        ).T
    )
    log -= log.max(axis=1, keepdims=True)
    likely = np.exp(log)
    return np.asarray(likely / likely.sum(axis=1, keepdims=True))
