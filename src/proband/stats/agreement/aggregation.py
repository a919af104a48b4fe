r"""The likeliest labels and the quality of each worker, by two models of annotators' errors.

Dawid & Skene 1979: worker w says l of an item whose true label is k with probability pi_w[k, l].

    E:  T_ik  ~  p_k \prod_{(i,w,l)} pi_w[k, l]
    M:  pi_w[k, l] = \sum_{(i,w,l)} T_ik / \sum_{(i,w,.)} T_ik,     p_k = mean_i T_ik

from the shares of the votes, until T moves by less than TOLERANCE: the maximum-likelihood estimate.

MACE (Hovy et al. 2013): worker w copies the true label with probability theta_w, and otherwise draws a label from
xi_w, whatever the truth is. The truth is uniform over labels.

    P(w says l | true k) = theta_w [k = l] + (1 - theta_w) xi_w[l]

Fitted by variational Bayes with theta_w ~ Beta(1/2, 1/2) and xi_w ~ Dirichlet(10), the priors of the paper, from
several starts; the one with the highest likelihood after a few rounds is fitted to the end.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from proband.stats.agreement.coefficients import Aggregate, Votes
from proband.stats.clusters import Floats

TINY = 1e-300  # replaces 0 before a logarithm
TOLERANCE = 1e-6


@dataclass(frozen=True)
class DawidSkene(Aggregate):
    """With a confusion matrix per worker (workers x true label x given label) and the share of each label."""

    confusion: Floats | None = None
    share: Floats | None = None

    def accuracy(self) -> Floats:
        """Of each worker: how often they are right, over labels as they occur."""
        assert self.confusion is not None
        assert self.share is not None
        return np.asarray(np.einsum("wkk,k->w", self.confusion, self.share))


def dawid_skene(votes: Votes) -> DawidSkene:
    """The likeliest label of every item, after 200 rounds at most."""
    truth = votes.count / votes.count.sum(axis=1, keepdims=True)
    confusion, share = maximised(votes, truth)
    for _ in range(200):
        before = truth
        truth = expected(votes, confusion, share)
        confusion, share = maximised(votes, truth)
        if np.abs(truth - before).max(initial=0.0) < TOLERANCE:
            break
    return DawidSkene(votes.named(truth.argmax(axis=1)), confusion, share)


def maximised(votes: Votes, truth: Floats) -> tuple[Floats, Floats]:
    given = [votes.sum_by_worker(column[votes.item]) for column in truth.T]  # of every true label: workers x labels
    counts = np.stack(given, axis=1)
    return counts / np.maximum(counts.sum(axis=2, keepdims=True), TINY), truth.mean(axis=0)


def expected(votes: Votes, confusion: Floats, share: Floats) -> Floats:
    """P(true label | judgments) of every item."""
    logs, count = np.log(np.maximum(confusion, TINY)), len(votes.items)  # workers x true label x given label
    given = [logs[:, k].ravel()[votes.worker_label] for k in range(len(votes.labels))]  # of every judgment
    log = np.log(np.maximum(share, TINY)) + np.stack([np.bincount(votes.item, each, count) for each in given]).T
    log -= log.max(axis=1, keepdims=True)
    likely = np.exp(log)
    return np.asarray(likely / likely.sum(axis=1, keepdims=True))


# ---- MACE ------------------------------------------------------------------------------------------------------------


ALPHA, STRATEGY = 0.5, 10.0
STARTS, ROUNDS = 10, 50
FIRST = 5  # rounds per start; starts only decide which local maximum is found


@dataclass(frozen=True)
class Mace(Aggregate):
    """With the competence theta of each worker."""

    competence: Floats | None = None


def mace(votes: Votes, *, seed: int = 0) -> Mace:
    """The likeliest label of every item. Each start runs for a few rounds; the likeliest continues until it converges,
    after ROUNDS at most."""
    rng, best = np.random.default_rng(seed), None
    for start in range(STARTS):
        theta = rng.uniform(0.5, 0.9, len(votes.workers)) if start else np.full(len(votes.workers), 0.7)
        xi = rng.dirichlet(np.full(len(votes.labels), STRATEGY), len(votes.workers))
        fit = run_rounds(votes, AggregationFit.start(votes, theta, (1 - theta)[:, None] * xi), rounds=FIRST)
        if best is None or fit.likelihood > best.likelihood:
            best = fit
    assert best is not None
    best = run_rounds(votes, best, rounds=ROUNDS - FIRST)
    return Mace(votes.named(best.truth.argmax(axis=1)), best.theta)


@dataclass(frozen=True, kw_only=True)
class AggregationFit:
    """The state after a round: `knows[w]` and `guesses[w, l]` are the weights of copying and of guessing l."""

    theta: Floats
    knows: Floats
    guesses: Floats
    likelihood: float
    truth: Floats

    @classmethod
    def start(cls, votes: Votes, theta: Floats, guesses: Floats) -> AggregationFit:
        likelihood, truth = expected_labels(votes, theta, guesses)
        return cls(theta=theta, knows=theta, guesses=guesses, likelihood=likelihood, truth=truth)


def run_rounds(votes: Votes, fit: AggregationFit, *, rounds: int) -> AggregationFit:
    """After some rounds more, fewer if no competence moves by TOLERANCE.

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
        likelihood, truth = expected_labels(votes, knows, guesses)
        still = bool(np.abs(theta - fit.theta).max(initial=0.0) < TOLERANCE)
        fit = AggregationFit(theta=theta, knows=knows, guesses=guesses, likelihood=likelihood, truth=truth)
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


def expected_labels(votes: Votes, knows: Floats, guesses: Floats) -> tuple[float, Floats]:
    """The log-likelihood of all judgments, and P(true label | judgments) of every item."""
    guess = np.log(np.maximum(guesses, TINY))
    right = np.log(np.maximum(knows[:, None] + guesses, TINY))
    log = votes.sum_by_item((right - guess).ravel()[votes.worker_label])
    top = log.max(axis=1)
    likely = np.exp(log - top[:, None])
    total = likely.sum(axis=1)
    likelihood = (votes.count_by_worker * guess).sum() + (top + np.log(total / len(votes.labels))).sum()
    return float(likelihood), likely / total[:, None]


def agreement_with_others(votes: Votes) -> list[float | None]:
    """Of each worker: the share of the worker's judgments that equal the majority of the other people's."""
    count, label = votes.count.astype(np.int16)[votes.item], votes.label  # judgments x labels
    others = count - (np.arange(count.shape[1]) == label[:, None])
    top = others.max(axis=1)
    decided = ((others == top[:, None]).sum(axis=1) == 1) & (top > 0)
    agrees = decided & (others.argmax(axis=1) == label)
    size = len(votes.workers)
    compared = np.bincount(votes.worker, weights=decided, minlength=size)
    same = np.bincount(votes.worker, weights=agrees, minlength=size)
    return [float(a / n) if n else None for a, n in zip(same, compared, strict=True)]
