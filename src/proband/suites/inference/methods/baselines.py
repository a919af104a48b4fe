r"""Baselines that any method must beat: scores that ignore the evidence.

hypothesis-words   a bag of words of the hypothesis alone, by logistic regression: with x_w = 1 where the word w is in
                   it, minimise  C \sum_i log(1 + exp(-y_i (b + w.x_i))) + |w|^2 / 2;  C is chosen by folds of questions
direction          the share of entailed pairs among those of the same direction (question to answer, answer to
                   question), less that of all: 0 for every pair of a set that has one direction

Both learn from the unchanged items (no control) of the train split, else of the valid split, else of the whole set. The
items that they learnt from are cross-fitted in ten parts: each part is scored by a model of the questions of the
others.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from proband.core.errors import ProbandError
from proband.core.protocols import Floats32
from proband.core.types import Answer, Item
from proband.stats.ranking import average_precision
from proband.suites.inference.items import PLAIN, facts_of, words

FOLDS = 10
STRENGTHS = (0.03, 0.1, 0.3, 1.0, 3.0)


def fold_of(item: Item) -> int:
    """The same for all items of a question, under every control."""
    return hashlib.sha256(facts_of(item).question.encode()).digest()[0] % FOLDS


Scorer = Callable[[Item], float]


class CrossFittedBaseline:
    """A baseline that learns from labels (protocol LearnsFromItems). It scores an item of its training split with a
    model of other questions of that split."""

    name: str

    def identity(self) -> Mapping[str, str]:
        return {"kind": "inference", "name": self.name.removeprefix("solver:")}

    def fit(self, items: Sequence[Item]) -> Scorer:
        raise NotImplementedError

    def learn(self, items: Iterable[Item]) -> Self:
        labelled = [item for item in items if item.gold is not None and item.tags["control"] == PLAIN]
        splits = {item.split for item in labelled}
        self.split = next((split for split in ("train", "valid", "test") if split in splits), "")
        chosen = [item for item in labelled if item.split == self.split]
        if len({fold_of(item) for item in chosen}) < 2:
            raise ProbandError(
                f"{self.name} learns from labels, of train, valid or else all items, of several questions"
            )
        self.prepare(chosen)
        self.whole = self.fit(chosen)
        folds = range(FOLDS)
        self.parts = [self.fit([item for item in chosen if fold_of(item) != fold]) for fold in folds]
        return self

    def prepare(self, items: Sequence[Item]) -> None:
        """Decide settings that all folds share."""

    def answer(self, items: Sequence[Item]) -> list[Answer]:
        scorers = [self.parts[fold_of(item)] if item.split == self.split else self.whole for item in items]
        scores = [scorer(item) for scorer, item in zip(scorers, items, strict=True)]
        return [Answer(item_id=item.id, scores=(score, 0.0)) for item, score in zip(items, scores, strict=True)]


class HypothesisWords(CrossFittedBaseline):
    """`solver:hypothesis-words`."""

    name = "solver:hypothesis-words"

    def prepare(self, items: Sequence[Item]) -> None:
        """The C with the highest average precision on folds of questions."""
        rows, truth, _ = matrix(items)
        fold = np.array([fold_of(item) % 5 for item in items])
        quality = []
        for strength in STRENGTHS:
            score = np.zeros(len(items))
            for held in sorted(set(fold.tolist())):
                weights = logistic_regression(rows[fold != held], truth[fold != held], strength)
                score[fold == held] = rows[fold == held] @ weights[1:] + weights[0]
            quality.append((average_precision(np.column_stack([score, truth]), np.ones(len(items))), strength))
        self.strength = max(quality)[1]

    def fit(self, items: Sequence[Item]) -> Scorer:
        rows, truth, vocabulary = matrix(items)
        weights = logistic_regression(rows, truth, self.strength)
        weight_of = {word: float(weights[n + 1]) for word, n in vocabulary.items()}
        return lambda item: float(weights[0]) + sum(weight_of.get(word, 0.0) for word in hypothesis_words(item))


def matrix(items: Sequence[Item]) -> tuple[Any, NDArray[np.bool_], Mapping[str, int]]:
    """Hypotheses x words, which of them are entailed, and the columns of the words."""
    texts = [hypothesis_words(item) for item in items]
    vocabulary = {word: n for n, word in enumerate(sorted({word for text in texts for word in text}))}
    return bag_of_words(texts, vocabulary), np.array([item.gold == 0 for item in items]), vocabulary


def hypothesis_words(item: Item) -> list[str]:
    """The distinct words, sorted: the order decides the rounding of a sum."""
    return sorted({*words(facts_of(item).hypothesis.text)})


def bag_of_words(texts: Sequence[Iterable[str]], vocabulary: Mapping[str, int]) -> Any:
    from scipy.sparse import csr_array

    places = [(row, vocabulary[word]) for row, text in enumerate(texts) for word in text]
    row, column = zip(*places, strict=True) if places else ((), ())
    return csr_array((np.ones(len(row)), (row, column)), shape=(len(texts), len(vocabulary)))


def logistic_regression(rows: Any, truth: Any, strength: float) -> Floats32:
    """The intercept, then a weight per column."""
    from scipy.optimize import minimize
    from scipy.special import expit

    sign = np.where(truth, 1.0, -1.0)

    def loss(weights: Floats32) -> tuple[float, Floats32]:
        margin = sign * (rows @ weights[1:] + weights[0])
        pull = -strength * sign * expit(-margin)
        value = strength * np.logaddexp(0.0, -margin).sum() + weights[1:] @ weights[1:] / 2
        return float(value), np.concatenate([[pull.sum()], rows.T @ pull + weights[1:]])

    optimum = minimize(loss, np.zeros(rows.shape[1] + 1), jac=True, method="L-BFGS-B", options={"maxiter": 500})
    return np.asarray(optimum.x)


class Direction(CrossFittedBaseline):
    """`solver:direction`."""

    name = "solver:direction"

    def fit(self, items: Sequence[Item]) -> Scorer:
        truth = np.array([item.gold == 0 for item in items], dtype=float)
        of = np.array([str(item.tags["direction"]) for item in items])
        share = {name: float(truth[of == name].mean()) for name in sorted(set(of))}
        whole = float(truth.mean())
        return lambda item: share.get(str(item.tags["direction"]), whole) - whole
