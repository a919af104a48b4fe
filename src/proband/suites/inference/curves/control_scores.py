"""Every method next to its controls, for items built with `--control all`: average precision on the unchanged pairs,
without those that share a lemma, and under each control that removes evidence.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from proband.core.suite import Results, Sheet, Table
from proband.core.types import Item
from proband.stats.ranking import AVERAGE_PRECISION
from proband.suites.inference.controls import CONTROLS
from proband.suites.inference.curves import measures
from proband.suites.inference.curves.measures import Cells, Named, difference, rounded, rounded_p
from proband.suites.inference.items import PLAIN

AS_IS, NEW = "as they are", "no shared lemma"
ROWS = (AS_IS, NEW, *CONTROLS[1:])
SCORES = ("average precision", "low", "high", "AUC_norm")


def rows_of(item: Item) -> Iterator[str]:
    if item.tags["control"] != PLAIN:
        yield str(item.tags["control"])
        return
    yield AS_IS
    if item.tags["lemma"] == "none shared":
        yield NEW


def control_tables(results: Results, seed: int) -> Sequence[Sheet]:
    lines: list[Cells] = []
    for system in measures.systems_of(results):
        groups = measures.grouped(results, system, rows_of)
        if AS_IS in groups:
            lines += control_lines(system, groups)
    return (
        Sheet(
            name="controls",
            title="Methods and their controls: average precision",
            header=("method", "pairs", "number", "share entailed", *SCORES, "change", "low ", "high ", "p"),
            rows=tuple(lines),
            note="Chance is the share of entailed pairs; AUC_norm is 0 there. Every control has the same pairs: the "
            "change is against the pairs as they are, paired, with intervals at 95 % by question. Without the "
            "premise, or with that of another question, what is left above chance are artefacts of the hypotheses. A "
            "method that says the same of every hypothesis alone has `constant` there, which proves nothing about the "
            "pairs. What a score loses with other arguments of the same types was memory of them.",
        ),
    )


def control_lines(system: measures.ScoredSystem, groups: Named) -> Iterator[Cells]:
    plain = groups[AS_IS]
    for name in (name for name in ROWS if name in groups):
        scored = groups[name]
        head = (system.method.name, name, len(scored), round(float(scored.numbers[0, :, 1].mean()), 4))
        if measures.is_constant(scored):
            yield (*head, "constant", *(None,) * 7)
            continue
        band = scored.under(AVERAGE_PRECISION).interval()
        cells = rounded((band.mean, band.low, band.high, scored.under(measures.AUC_NORM).value))
        change = None if name in (AS_IS, NEW) else difference(AVERAGE_PRECISION, scored, plain)
        after = (*rounded((change.value, change.low, change.high)), rounded_p(change)) if change else (None,) * 4
        yield (*head, *cells, *after)


CONTROL_SCORES = Table(
    name="controls",
    title="every method and its controls (build --control all)",
    of=control_tables,
    built_with={"control": "all"},
)
