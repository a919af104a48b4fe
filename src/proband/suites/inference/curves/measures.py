r"""Measures of a precision-recall curve. With the distinct scores in falling order, P_k and R_k are precision and
recall of all pairs that score at least the k-th, and dR_k = R_k - R_{k-1}:

    recall at precision p   max { R_k : P_k >= p }
    area above half         \sum_k dR_k P_k [P_k >= 1/2]                     the part of average precision that counts
    normalised              \sum_k dR_k max(P_k - 1/2, 0) / (1/2)            0: never above one half; 1: perfect

The sums are steps, as scikit-learn's average precision is. A method that gives many pairs one score has few points, and
straight lines between them would promise precision at recalls that no threshold reaches. The literature draws such
lines; its areas stand beside ours under its names, and only they may be compared with its figures:

    Hosseini's AUC   trapezoids over the points with P_k >= 1/2, from the first of them to the last, whatever lies
                     between (Hosseini et al. 2018; on a balanced set, where all points qualify, it is near 1/2 for any
                     score)
    AUC_norm         trapezoids over max(P_k - b, 0), beginning at precision 1 and recall 0, divided by 1 - b, where b
                     is the share of positives (McKenna et al. 2023; 0: no better than chance)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from proband.core.metrics import ACCURACY, AUC, AVERAGE_PRECISION, F1, Floats, Metric, accuracy_of, score_and_truth
from proband.core.suite import Table
from proband.core.types import WRONG, Answer, Item

HALF = 0.5


class Distinct:
    """The distinct scores of the records that were asked last, and where each record stands among them: intervals ask
    for the same records hundreds of times, with other weights."""

    def __init__(self) -> None:
        self.records: Floats | None = None

    def of(self, records: Floats) -> tuple[Floats, NDArray[np.int64], Floats]:
        if self.records is not records:
            values, place = np.unique(-records[:, 0], return_inverse=True)
            self.known = values, place, (records[:, 1] > 0.5).astype(np.float64)
            self.records = records
        return self.known


DISTINCT = Distinct()


def points(records: Floats, weights: Floats) -> tuple[Floats, Floats, Floats]:
    """Score, precision and recall at every distinct score, the highest first.

    >>> [each.tolist() for each in points(np.array([[3.0, 1], [2.0, 0], [1.0, 1]]), np.ones(3))]
    [[3.0, 2.0, 1.0], [1.0, 0.5, 0.666...], [0.5, 0.5, 1.0]]
    """
    values, place, truth = DISTINCT.of(records)
    true = np.cumsum(np.bincount(place, weights=weights * truth, minlength=len(values)))
    result = np.cumsum(np.bincount(place, weights=weights, minlength=len(values)))
    there = result > 0
    total = max(float(true[-1]) if len(true) else 0.0, 1e-12)
    return -values[there], true[there] / result[there], true[there] / total


def recall_at(records: Floats, weights: Floats, *, precision: float) -> float:
    _, reached, recall = points(records, weights)
    return float(recall[reached >= precision].max(initial=0.0))


def area_above_half(records: Floats, weights: Floats) -> float:
    _, precision, recall = points(records, weights)
    return float((np.diff(recall, prepend=0.0) * precision * (precision >= HALF)).sum())


def normalised_area(records: Floats, weights: Floats) -> float:
    """
    >>> [normalised_area(np.array([[score, 1.0], [0.0, 0.0]]), np.ones(2)) for score in (1.0, 0.0)]
    [1.0, 0.0]
    """
    _, precision, recall = points(records, weights)
    return float((np.diff(recall, prepend=0.0) * np.maximum(precision - HALF, 0.0)).sum() / (1 - HALF))


def hosseini_auc(records: Floats, weights: Floats) -> float:
    """Of points with the same recall the line arrives at the lowest and leaves from the highest, as `metrics.auc` of
    scikit-learn with `reorder=True` did, which the authors' program calls.

    >>> hosseini_auc(np.array([[3.0, 1], [2.0, 0], [1.0, 1], [0.0, 0]]), np.ones(4)).__round__(4)
    0.375
    """
    _, precision, recall = points(records, weights)
    kept = precision >= HALF
    order = np.lexsort((precision[kept], recall[kept]))
    return _trapezoids(precision[kept][order], recall[kept][order])


def auc_norm(records: Floats, weights: Floats) -> float:
    """
    >>> [auc_norm(np.array([[score, 1.0], [0.0, 0.0]]), np.ones(2)) for score in (1.0, 0.0)]
    [1.0, 0.5]
    """
    _, precision, recall = points(records, weights)
    total = float(weights.sum())
    share = float((weights * (records[:, 1] > 0.5)).sum()) / total if total else 0.0
    if not 0.0 < share < 1.0:
        return 0.0
    above = np.maximum(np.concatenate([[1.0], precision]) - share, 0.0)
    return _trapezoids(above, np.concatenate([[0.0], recall])) / (1 - share)


def _trapezoids(y: Floats, x: Floats) -> float:
    return float(((y[1:] + y[:-1]) / 2 * np.diff(x)).sum())


def _over(name: str, of: object, title: str) -> Metric:
    return Metric(name=name, of=of, over="set", each=score_and_truth, title=title, jumps=True)  # type: ignore[arg-type]


RECALL_AT_80 = _over("recall_at_80", partial(recall_at, precision=0.8), "recall at 80 % precision")
AREA = _over("area", area_above_half, "area under the precision-recall curve, precision at least 0.5")
NORMALISED = _over("normalised_area", normalised_area, "area above precision 0.5, normalised")
HOSSEINI = _over("hosseini_auc", hosseini_auc, "Hosseini's AUC (trapezoids, precision at least 0.5)")
AUC_NORM = _over("auc_norm", auc_norm, "AUC_norm (trapezoids, minus the share of positives)")


def if_decided(of: Callable[[Item, Answer], Any]) -> Callable[[Item, Answer], Any]:
    """A metric of answers that are yes or no, not of scores whose zero means nothing: these decide at a threshold
    learnt on the validation split (the table `decisions`)."""

    def of_decision(item: Item, answer: Answer) -> Any:
        decides = answer.text or answer.status in WRONG or set(answer.scores) <= {0.0, 1.0}
        return of(item, answer) if decides else None

    return of_decision


METRICS = (
    *(AVERAGE_PRECISION, RECALL_AT_80, AREA, NORMALISED, HOSSEINI, AUC_NORM, AUC),
    replace(F1, each=if_decided(score_and_truth)),
    replace(ACCURACY, of=if_decided(accuracy_of)),
)

# ---- tables ----------------------------------------------------------------------------------------------------------

ORDER = {"split": ("test", "valid", "train"), "lemma": ("none shared", "shared")}


def _table(name: str, title: str, metric: str, columns: tuple[str, ...] = ("split",), note: str = "") -> Table:
    return Table(
        name=name, title=title, rows=("source", "control"), columns=columns, metric=metric, order=ORDER, note=note
    )


CONTROL = (
    "A control keeps the labels and takes away what should decide: a score above the share of entailed pairs there is "
    "an artefact. hypothesis-words, trained on hypotheses alone, and direction show how far artefacts reach."
)
TABLES = (
    _table("average-precision", "Average precision", "average_precision", note=CONTROL),
    _table("recall-at-80", "Recall at 80 % precision", "recall_at_80"),
    _table("normalised-area", "Area above precision one half, normalised", "normalised_area"),
    _table("lemmas", "Average precision with and without pairs that share a lemma", "average_precision", ("lemma",)),
    _table(
        "directional", "Average precision of pairs that hold in one direction", "average_precision", ("directional",)
    ),
    _table("direction", "Average precision by direction", "average_precision", ("direction",)),
)
