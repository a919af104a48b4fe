"""Every method beside its controls: average precision on the pairs as they are, without those that share a lemma, and
where what should decide was taken away. For items built with `--control all`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from proband.core.metrics import AVERAGE_PRECISION
from proband.core.suite import Analysis, Results, Sheet
from proband.core.types import Item
from proband.suites.inference.curves.method import method_of
from proband.suites.inference.curves.scored import PLAIN, control_of, grouped

NEW = "no shared lemma"
ROWS = ("as they are", NEW, "hypothesis-only", "random-premise", "swapped-entities")


def rows_of(item: Item) -> Iterator[str]:
    if item.tags["control"] != PLAIN:
        yield str(item.tags["control"])
        return
    yield "as they are"
    if item.tags["lemma"] == "none shared":
        yield NEW


def analysis(results: Results, seed: int) -> Sequence[Sheet]:
    if control_of(results) != "all":
        return ()
    lines: list[tuple[str | float | int | None, ...]] = []
    for run, label in enumerate(results.labels):
        method = method_of(results.runs[run], label)
        groups = grouped(results.scored(run), rows_of)
        for name, found in ((name, groups[name]) for name in ROWS if name in groups):
            value, band = found.interval(AVERAGE_PRECISION)
            entailed = float(found.records[:, 1].mean())
            cells = (entailed, value, band.low, band.high, value - entailed)
            lines.append((method.name, name, len(found.ids), *(round(cell, 4) for cell in cells)))
    return (
        Sheet(
            name="controls",
            title="Every method beside its controls: average precision",
            header=("method", "pairs", "number", "share entailed", "average precision", "low", "high", "above chance"),
            rows=tuple(lines),
            note="Chance is the share of entailed pairs. Above chance without the premise, or with that of another "
            "question, a score is an artefact of the hypotheses; what it loses with other arguments was memory of "
            "them. Intervals at 95 %, by question. A run on a sample has other pairs under each control.",
        ),
    )


CONTROL_SCORES = Analysis(name="controls", help="every method beside its controls (build --control all)", of=analysis)
