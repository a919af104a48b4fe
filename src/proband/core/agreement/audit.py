"""The aggregated labels against an expert's, as in section 3.3 of Levy & Dagan."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from statistics import NormalDist


def wilson(hits: int, n: int) -> tuple[float, float]:
    """Wilson's 95 % interval of a share.

    >>> [round(end, 4) for end in wilson(10, 10)]
    [0.7225, 1.0]
    """
    z2 = NormalDist().inv_cdf(0.975) ** 2  # by hand: scipy.stats costs a server 75 MB
    middle = hits + z2 / 2
    half = math.sqrt(z2 * (hits * (n - hits) / n + z2 / 4))
    return max(0.0, (middle - half) / (n + z2)), min(1.0, (middle + half) / (n + z2))


@dataclass(frozen=True, kw_only=True)
class Audit:
    """`precision`: of the crowd's positives, how many the expert calls positive (91.3 % in the paper); `recall`: of the
    expert's positives that the rule retained or dropped, how many the crowd has (86.2 %). Intervals are Wilson's."""

    items: int  # judged by both
    precision: float | None
    precision_interval: tuple[float, float] | None
    recall: float | None
    recall_interval: tuple[float, float] | None


def audit(labels: Mapping[str, str | None], expert: Mapping[str, str], *, positive: str) -> Audit:
    """
    >>> found = audit({"a": "yes", "b": "no", "c": "yes"}, {"a": "yes", "b": "yes", "c": "yes"}, positive="yes")
    >>> found.precision, round(found.recall, 3)
    (1.0, 0.667)
    """
    both = [name for name in expert if name in labels and labels[name] is not None]
    said = [name for name in both if labels[name] == positive]
    true = [name for name in both if expert[name] == positive]
    hits = sum(expert[name] == positive for name in said)
    return Audit(
        items=len(both),
        precision=hits / len(said) if said else None,
        precision_interval=wilson(hits, len(said)) if said else None,
        recall=hits / len(true) if true else None,
        recall_interval=wilson(hits, len(true)) if true else None,
    )
