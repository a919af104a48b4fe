"""Does a method know the arguments? Average precision where the rarer argument is rare, and where it is frequent."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from proband.core.errors import ProbandError
from proband.core.metrics import AVERAGE_PRECISION, score_and_truth
from proband.core.statistics.clusters import Clusters, Neighbours, clusters_of
from proband.core.suite import Analysis, Results, Sheet
from proband.core.types import Item
from proband.suites.inference.curves.figure import Scored, method_name
from proband.suites.inference.words import words

HALVES = ("rarer half", "more frequent half")


@lru_cache(maxsize=100_000)
def zipf(argument: str) -> float:
    """Of the rarest word: the logarithm of how often it occurs in a billion words (wordfreq)."""
    try:
        from wordfreq import zipf_frequency
    except ImportError:
        raise ProbandError("the split by frequency needs wordfreq: pip install 'proband[words]'") from None
    return min((float(zipf_frequency(word, "en")) for word in words(argument)), default=0.0)


def rarity(item: Item) -> float:
    """That of the rarer of the two arguments."""
    return min(zipf(item.facts["hypothesis"][place]) for place in (0, 2))


def analysis(results: Results, seed: int) -> Sequence[Sheet]:
    lines: list[tuple[str | float | int | None, ...]] = []
    for run in range(len(results.runs)):
        rows = [(item, record) for item, a in results.answers(run) if (record := score_and_truth(item, a)) is not None]
        if not rows:
            continue
        often = np.array([rarity(item) for item, _ in rows])
        middle = float(np.median(often))
        for name, chosen in zip(HALVES, (often < middle, often >= middle), strict=True):
            half = [rows[n] for n in np.flatnonzero(chosen)]
            if not half:
                continue
            clusters = Clusters.of([clusters_of(item) for item, _ in half])
            shared = Neighbours.of(clusters, np.arange(len(half)))
            records = np.array([record for _, record in half])
            value, band = Scored(records, shared).interval(AVERAGE_PRECISION)
            cells = (round(float(records[:, 1].mean()), 4), round(value, 4), round(band.low, 4), round(band.high, 4))
            lines.append((method_name(results.runs[run], results.labels[run]), name, len(half), *cells))
    return (
        Sheet(
            name="frequency",
            title="Average precision by the frequency of the rarer argument",
            header=("method", "arguments", "pairs", "share entailed", "average precision", "low", "high"),
            rows=tuple(lines),
            note="Halves at the median of wordfreq's Zipf value of the rarest word of the two arguments.",
        ),
    )


FREQUENCY = Analysis(name="frequency", help="average precision by the frequency of the arguments", of=analysis)
