"""Several tests at once: Holm's correction, and a score that must beat several levels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from proband.stats.scores import Difference, Scores


def holm(p: Sequence[float]) -> list[float]:
    """Holm's step-down adjustment (1979).

    >>> [round(x, 3) for x in holm([0.01, 0.04, 0.03])]
    [0.03, 0.06, 0.06]
    """
    order = np.argsort(np.asarray(p), kind="stable")
    out, running = [0.0] * len(p), 0.0
    for rank, at in enumerate(order):
        running = max(running, min(1.0, (len(p) - rank) * p[at]))
        out[at] = running
    return out


def holm_where_tested(p: Sequence[float | None]) -> list[float | None]:
    """The same over the tests that there are; a comparison without a p-value enters no family.

    >>> holm_where_tested([0.01, None, 0.04])
    [0.02, None, 0.04]
    """
    corrected = iter(holm([each for each in p if each is not None]))
    return [None if each is None else next(corrected) for each in p]


def beats_all(scores: Scores, levels: Sequence[float | Scores]) -> Difference:
    """Whether a score is above every level: constants, and systems on the same items. To beat all of them every single
    test must reject, so the p-value is the largest of theirs, without a correction (the intersection-union test, Berger
    1982); a level that the score does not exceed has p = 1. The difference is that from the level which decides.

    >>> ten = Scores.of([1.0] * 30 + [0.0] * 10)
    >>> beats_all(ten, [0.25, 0.5]).mean_b, beats_all(ten, [0.25, Scores.of([1.0] * 40)]).p
    (0.5, 1.0)
    """
    results = [scores.minus(each) if isinstance(each, Scores) else scores.against(each) for each in levels]
    results = [each if each.value > 0 or each.p is None else replace(each, p=1.0) for each in results]
    untested = [each for each in results if each.p is None]
    return (untested or [max(results, key=lambda each: (each.p or 0.0, -each.value))])[0]
