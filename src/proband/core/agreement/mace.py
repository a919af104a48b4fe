r"""MACE (Hovy et al. 2013): worker w copies the true label with probability theta_w, and otherwise draws a label from
xi_w, whatever the truth is. The truth is uniform over labels.

    P(w says l | true k) = theta_w [k = l] + (1 - theta_w) xi_w[l]

Fitted by variational Bayes with theta_w ~ Beta(1/2, 1/2) and xi_w ~ Dirichlet(10), the priors of the paper, from
several starts; the start with the highest likelihood is kept.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from proband.core.agreement.votes import Aggregate, Floats, Votes

ALPHA, STRATEGY = 0.5, 10.0
TINY = 1e-300


@dataclass(frozen=True)
class Mace(Aggregate):
    """With the competence theta of each worker and the entropy of each item's label (in nats)."""

    competence: Floats | None = None
    entropy: Floats | None = None


def mace(votes: Votes, *, seed: int = 0, starts: int = 10, rounds: int = 50) -> Mace:
    """The likeliest label of every item."""
    rng, best = np.random.default_rng(seed), None
    for start in range(starts):
        theta = rng.uniform(0.5, 0.9, len(votes.workers)) if start else np.full(len(votes.workers), 0.7)
        xi = rng.dirichlet(np.full(len(votes.labels), STRATEGY), len(votes.workers))
        found = fitted(votes, theta, xi, rounds=rounds)
        if best is None or found[0] > best[0]:
            best = found
    assert best is not None
    _, truth, theta = best
    entropy = -(truth * np.log(np.maximum(truth, TINY))).sum(axis=1)
    return Mace(votes.named(truth.argmax(axis=1)), truth, theta, entropy)


def fitted(votes: Votes, theta: Floats, xi: Floats, *, rounds: int) -> tuple[float, Floats, Floats]:
    """Log-likelihood, P(true label) and competence after some rounds from one start."""
    from scipy.special import digamma

    workers, size = len(votes.workers), len(votes.labels)
    knows, guesses = theta, (1 - theta)[:, None] * xi
    likelihood, truth = expected(votes, knows, guesses)
    for _ in range(rounds):
        said = truth[votes.item, votes.label]  # P(the judgment is the truth)
        copied = knows[votes.worker] / np.maximum(knows[votes.worker] + guesses[votes.worker, votes.label], TINY)
        copied = said * copied  # P(he copied | judgment)
        copies = np.bincount(votes.worker, weights=copied, minlength=workers)
        where = votes.worker * size + votes.label
        strategy = np.bincount(where, weights=1 - copied, minlength=workers * size).reshape(workers, size)
        guessed = strategy.sum(axis=1)
        total = digamma(copies + guessed + 2 * ALPHA)
        knows = np.exp(digamma(copies + ALPHA) - total)
        spam = np.exp(digamma(guessed + ALPHA) - total)
        draws = np.exp(digamma(strategy + STRATEGY) - digamma(guessed + STRATEGY * size)[:, None])
        guesses = spam[:, None] * draws
        theta = (copies + ALPHA) / (copies + guessed + 2 * ALPHA)
        likelihood, truth = expected(votes, knows, guesses)
    return likelihood, truth, theta


def expected(votes: Votes, knows: Floats, guesses: Floats) -> tuple[float, Floats]:
    """The log-likelihood of all judgments, and P(true label | judgments) of every item."""
    guess = np.log(np.maximum(guesses[votes.worker, votes.label], TINY))
    right = np.log(np.maximum(knows[votes.worker] + guesses[votes.worker, votes.label], TINY))
    items, size = len(votes.items), len(votes.labels)
    log = np.bincount(votes.item, weights=guess, minlength=items)[:, None] + np.bincount(
        votes.item * size + votes.label, weights=right - guess, minlength=items * size
    ).reshape(items, size)
    top = log.max(axis=1, keepdims=True)
    likely = np.exp(log - top)
    total = likely.sum(axis=1, keepdims=True)
    return float((top + np.log(total / size)).sum()), likely / total
