"""Does a method know the arguments? Average precision where the rarer argument is rare, and where it is frequent."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from proband.core.metrics import AVERAGE_PRECISION
from proband.core.suite import Analysis, Results, Sheet
from proband.core.types import Item
from proband.suites.inference.curves.scored import Cells, control_of, grouped, rounded, systems_of
from proband.suites.inference.methods.baselines import zipf

HALVES = ("rarer half", "more frequent half")


def rarity(item: Item) -> float:
    """That of the rarer of the two arguments."""
    return min(zipf(item.facts["hypothesis"][place]) for place in (0, 2))


def analysis(results: Results, seed: int) -> Sequence[Sheet]:
    if control_of(results) == "all":
        return ()
    often = {item.id: rarity(item) for item in results.items()}
    middle = float(np.median(list(often.values()))) if often else 0.0

    def half_of(item: Item) -> tuple[str]:
        return (HALVES[often[item.id] >= middle],)

    lines: list[Cells] = []
    for system in systems_of(results):
        halves = grouped(results, system, half_of)
        for name, half in ((name, halves[name]) for name in HALVES if name in halves):
            value, band = half.interval(AVERAGE_PRECISION)
            cells = rounded((half.share, value, band.low, band.high))
            lines.append((system.method.name, name, len(half.ids), *cells))
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
