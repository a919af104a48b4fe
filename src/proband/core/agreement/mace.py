r"""MACE (Hovy et al. 2013): worker w copies the true label with probability theta_w, and otherwise draws a label from
xi_w, whatever the truth is. The truth is uniform over labels.

    P(w says l | true k) = theta_w [k = l] + (1 - theta_w) xi_w[l]

Fitted by variational Bayes with theta_w ~ Beta(1/2, 1/2) and xi_w ~ Dirichlet(10), the priors of the paper, from
several starts; the one with the highest likelihood after a few rounds is fitted to the end.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from proband.core.agreement.votes import Aggregate, Floats, Votes

ALPHA, STRATEGY = 0.5, 10.0
FIRST = 5  # rounds of every start
TINY = 1e-300


@dataclass(frozen=True)
class Mace(Aggregate):
    """With the competence theta of each worker and the entropy of each item's label (in nats)."""

    competence: Floats | None = None
    entropy: Floats | None = None


def mace(votes: Votes, *, seed: int = 0, starts: int = 10, rounds: int = 50) -> Mace:
    """The likeliest label of every item. Each start runs for a few rounds; the likeliest goes on until it stands still,
    after `rounds` at most."""
    rng, best = np.random.default_rng(seed), None
    for start in range(starts):
        theta = rng.uniform(0.5, 0.9, len(votes.workers)) if start else np.full(len(votes.workers), 0.7)
        xi = rng.dirichlet(np.full(len(votes.labels), STRATEGY), len(votes.workers))
        fit = fitted(votes, Fit.start(votes, theta, (1 - theta)[:, None] * xi), rounds=FIRST)
        if best is None or fit.likelihood > best.likelihood:
            best = fit
    assert best is not None
    best = fitted(votes, best, rounds=max(0, rounds - FIRST))
    entropy = -(best.truth * np.log(np.maximum(best.truth, TINY))).sum(axis=1)
    return Mace(votes.named(best.truth.argmax(axis=1)), best.truth, best.theta, entropy)


@dataclass(frozen=True, kw_only=True)
class Fit:
    """The state after a round: `knows[w]` and `guesses[w, l]` are the weights of copying and of guessing l."""

    theta: Floats
    knows: Floats
    guesses: Floats
    likelihood: float
    truth: Floats

    @classmethod
    def start(cls, votes: Votes, theta: Floats, guesses: Floats) -> Fit:
        likelihood, truth = expected(votes, theta, guesses)
        return cls(theta=theta, knows=theta, guesses=guesses, likelihood=likelihood, truth=truth)


def fitted(votes: Votes, fit: Fit, *, rounds: int, tolerance: float = 1e-6) -> Fit:
    """After some rounds more, fewer if no competence moves by `tolerance`.

    All that a round needs of the judgments are sums over those of one worker and label, since the chance that one was
    copied is P(it is the truth) times a factor of worker and label."""
    size = len(votes.labels)
    given = votes.count_by_worker.astype(np.float64)
    for _ in range(rounds):
        true = votes.sum_by_worker(fit.truth.T.ravel()[votes.item_label])  # expected number of true ones
        copied = true * (fit.knows[:, None] / np.maximum(fit.knows[:, None] + fit.guesses, TINY))
        copies, strategy = copied.sum(axis=1), given - copied
        guessed = strategy.sum(axis=1)
        total = digamma(copies + guessed + 2 * ALPHA)
        knows = np.exp(digamma(copies + ALPHA) - total)
        spam = np.exp(digamma(guessed + ALPHA) - total)
        draws = np.exp(digamma(strategy + STRATEGY) - digamma(guessed + STRATEGY * size)[:, None])
        guesses = spam[:, None] * draws
        theta = (copies + ALPHA) / (copies + guessed + 2 * ALPHA)
        likelihood, truth = expected(votes, knows, guesses)
        still = bool(np.abs(theta - fit.theta).max(initial=0.0) < tolerance)
        fit = Fit(theta=theta, knows=knows, guesses=guesses, likelihood=likelihood, truth=truth)
        if still:
            break
    return fit


def digamma(x: Floats) -> Floats:
    """The derivative of log gamma at x > 0, by its series beyond six: scipy.special costs a server 15 MB.

    >>> digamma(np.array([0.5, 1.0, 30.0])).round(8).tolist()
    [-1.96351003, -0.57721566, 3.38443813]
    """
    below = sum(1 / (x + step) for step in range(6))
    y = x + 6.0
    s = 1 / y**2
    series = s * (1 / 12 - s * (1 / 120 - s * (1 / 252 - s * (1 / 240 - s / 132))))
    return np.asarray(np.log(y) - 0.5 / y - series - below)


def expected(votes: Votes, knows: Floats, guesses: Floats) -> tuple[float, Floats]:
    """The log-likelihood of all judgments, and P(true label | judgments) of every item."""
    guess = np.log(np.maximum(guesses, TINY))
    right = np.log(np.maximum(knows[:, None] + guesses, TINY))
    log = votes.sum_by_item((right - guess).ravel()[votes.worker_label])
    top = log.max(axis=1)
    likely = np.exp(log - top[:, None])
    total = likely.sum(axis=1)
    likelihood = (votes.count_by_worker * guess).sum() + (top + np.log(total / len(votes.labels))).sum()
    return float(likelihood), likely / total[:, None]
