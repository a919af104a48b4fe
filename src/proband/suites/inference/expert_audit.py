"""The aggregated labels against an expert's, as in section 3.3 of Levy & Dagan."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from proband.stats.estimators.share import wilson


@dataclass(frozen=True, kw_only=True)
class ExpertAudit:
    """`precision`: of the crowd's positives, how many the expert calls positive (91.3 % in the paper).
    `recall_of_all`: of all the expert's positives, how many the crowd has, pairs without agreement counted as missed;
    `recall_of_agreed`: of those on which the crowd agreed. The paper's 86.2 % of "expert-annotated positives" may be
    either. Intervals are Wilson's."""

    items: int  # judged by both
    agreed: int  # of these: the crowd agreed on a label
    precision: float | None
    precision_interval: tuple[float, float] | None
    recall_of_all: float | None
    recall_of_all_interval: tuple[float, float] | None
    recall_of_agreed: float | None
    recall_of_agreed_interval: tuple[float, float] | None


def audit(labels: Mapping[str, str | None], expert: Mapping[str, str], *, positive: str) -> ExpertAudit:
    """
    >>> crowd = {"a": "yes", "b": "no", "c": "yes", "d": None}  # no agreement on d
    >>> result = audit(crowd, dict.fromkeys("abcd", "yes"), positive="yes")
    >>> result.precision, result.recall_of_all, round(result.recall_of_agreed, 3)
    (1.0, 0.5, 0.667)
    """
    both = [name for name in expert if name in labels]
    agreed = [name for name in both if labels[name] is not None]
    hits = sum(labels[name] == expert[name] == positive for name in both)

    def share(total: int) -> tuple[float | None, tuple[float, float] | None]:
        if not total:
            return None, None
        low, high = wilson(np.array(hits / total), np.array(float(total)), math.inf)
        return hits / total, (float(low), float(high))

    precision, of_all, of_agreed = (
        share(sum(of[name] == positive for name in names))
        for of, names in ((labels, both), (expert, both), (expert, agreed))
    )
    return ExpertAudit(
        items=len(both),
        agreed=len(agreed),
        precision=precision[0],
        precision_interval=precision[1],
        recall_of_all=of_all[0],
        recall_of_all_interval=of_all[1],
        recall_of_agreed=of_agreed[0],
        recall_of_agreed_interval=of_agreed[1],
    )
