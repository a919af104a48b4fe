r"""Metrics over a set of items with two choices: how well their scores rank or decide what is true.

A record is (score, truth): how far the first choice is preferred to the second, and whether it is right. `weights` are
counts: a record that weighs 2 is two records, one that weighs 0 is none.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from proband.core.files import LARGEST_NUMBER as LARGEST_NUMBER
from proband.core.metrics import Floats, Metric
from proband.core.types import WRONG, Answer, Item


def score_and_truth(item: Item, answer: Answer) -> tuple[float, float] | None:
    """Of an item with two choices: how far the first is preferred to the second, and whether it is right. An unread
    answer prefers the wrong one more than any other answer does.

    >>> item = Item(id="a", suite="s", prompt="?", choices=("x", "y"), gold=0)
    >>> score_and_truth(item, Answer(item_id="a", scores=(1.0, 0.5)))
    (0.5, 1.0)
    >>> score_and_truth(item, Answer(item_id="a", status="unread"))
    (-1e+300, 1.0)
    """
    if item.gold is not None and answer.status in WRONG and len(item.choices) == 2:
        return (-LARGEST_NUMBER if item.gold == 0 else LARGEST_NUMBER), float(item.gold == 0)
    if item.gold is None or len(answer.scores) != 2:
        return None
    return answer.scores[0] - answer.scores[1], float(item.gold == 0)


def area_under_roc(records: Floats, weights: Floats) -> float:
    """P(a true item's score > a false item's) + P(equal)/2; 0.5 where one kind is missing.

    >>> area_under_roc(np.array([[2.0, 1], [1.0, 0], [0.0, 1]]), np.ones(3))
    0.5
    """
    score, truth = records[:, 0], records[:, 1] > 0.5
    values, place = np.unique(score, return_inverse=True)
    true = np.bincount(place, weights=weights * truth, minlength=len(values))
    false = np.bincount(place, weights=weights * ~truth, minlength=len(values))
    total = true.sum() * false.sum()
    if not total:
        return 0.5
    below = np.cumsum(false) - false
    return float((true * (below + false / 2)).sum() / total)


def average_precision(records: Floats, weights: Floats) -> float:
    """sum over scores of precision x gain in recall, the highest scores first (scikit-learn's definition).

    >>> average_precision(np.array([[3.0, 1], [2.0, 0], [1.0, 1]]), np.ones(3)).__round__(4)
    0.8333
    """
    score, truth = records[:, 0], records[:, 1] > 0.5
    values, place = np.unique(-score, return_inverse=True)
    true = np.cumsum(np.bincount(place, weights=weights * truth, minlength=len(values)))
    result = np.cumsum(np.bincount(place, weights=weights, minlength=len(values)))
    if not len(true) or not true[-1]:
        return 0.0
    gained = np.diff(true, prepend=0.0)
    return float((gained * true / np.maximum(result, 1e-12)).sum() / true[-1])


def f1(records: Floats, weights: Floats) -> float:
    """2 TP / (2 TP + FP + FN), where an item with a score above 0 counts as predicted true.

    >>> f1(np.array([[1.0, 1], [1.0, 0], [-1.0, 0]]), np.ones(3)).__round__(4)
    0.6667
    """
    positive, truth = records[:, 0] > 0, records[:, 1] > 0.5
    hits = float((weights * (positive & truth)).sum())
    wrong = float((weights * (positive != truth)).sum())
    return 2 * hits / (2 * hits + wrong) if hits or wrong else 0.0


def best_threshold(scores: Floats, truth: Floats) -> float:
    """The score from which on items are called true, such that most are right; of several, the highest.

    >>> best_threshold(np.array([0.9, 0.8, 0.7, 0.1]), np.array([1.0, 0.0, 1.0, 0.0]))
    0.9
    """
    levels = np.append(np.unique(scores), np.inf)[::-1]  # the first takes none
    order = np.argsort(-scores, kind="stable")
    taken = np.searchsorted(-scores[order], -levels, side="right")
    gained = np.append(0.0, np.cumsum(2 * truth[order] - 1))[taken]  # true ones less false ones among those taken
    return float(levels[int(np.argmax(gained))])


def accuracy_of_decisions(records: Floats, weights: Floats) -> float:
    """The share of items whose score has the sign of the truth; a score of 0 counts one half.

    >>> accuracy_of_decisions(np.array([[1.0, 1], [0.0, 0], [2.0, 0]]), np.ones(3))
    0.5
    """
    score, truth = records[:, 0], records[:, 1] > 0.5
    right = np.where(score == 0, 0.5, (score > 0) == truth)
    return float((weights * right).sum() / weights.sum()) if weights.sum() else 0.0


def share_of_true(records: Floats) -> float:
    """What average precision is at chance."""
    return float((records[:, 1] > 0.5).mean())


def always_yes(records: Floats) -> float:
    """The F1 of calling every item true: 2 p / (1 + p).

    >>> always_yes(np.array([[0.0, 1], [0.0, 0], [0.0, 0]]))
    0.5
    """
    share = share_of_true(records)
    return 2 * share / (1 + share)


def one_answer(records: Floats) -> float:
    """The accuracy of the more frequent answer."""
    return max(share_of_true(records), 1 - share_of_true(records))


_ranking = partial(Metric, over="set", each=score_and_truth)
AUC = _ranking(name="auc", of=area_under_roc, title="area under the ROC curve", chance=lambda records: 0.5)
AVERAGE_PRECISION = _ranking(name="average_precision", of=average_precision, chance=share_of_true)
F1 = _ranking(name="f1", of=f1, title="F1", chance=always_yes)
YES_NO_ACCURACY = _ranking(name="accuracy", of=accuracy_of_decisions, chance=one_answer)
