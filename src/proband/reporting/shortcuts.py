"""Where the best shortcut is wrong: the items that a suite's own shortcuts do not give away, a column of every report.

A system that composes is as good there as anywhere; one that does what the shortcut does falls to chance. The best
shortcut is the one that is right most often on the items that are scored.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from proband.core.shortcuts import answered_rightly
from proband.core.suite import Table, Where
from proband.reporting.numbers import words
from proband.reporting.numbers.cells import Cell, Study
from proband.reporting.numbers.item_sets import Codes
from proband.reporting.numbers.systems import ALPHA

TAG = "best shortcut"
WRONG, RIGHT = "where the best shortcut is wrong", "where it is right"


@dataclass(frozen=True, kw_only=True)
class BestShortcut:
    name: str
    share: float  # of the scored items, that it answers rightly
    items: int  # where it is wrong

    @property
    def in_words(self) -> str:
        return f"baseline:{self.name}, right on {100 * self.share:.1f}%"

    def table(self, where: Where, metric: str) -> Table:
        return Table(
            name="shortcut",
            title=f"Where the best shortcut is wrong ({self.in_words})",
            rows=(),
            columns=(TAG,),
            order={TAG: (WRONG, RIGHT)},
            where=where,
            metric=metric,
            note="A shortcut needs nothing of what the suite asks for; a model that does what it does is wrong here.",
        )


def mark_items(study: Study) -> BestShortcut | None:
    """Tag the items of a study with whether the best shortcut is right; None for a suite without shortcuts, or where
    they are right or wrong everywhere."""
    suite, known_as = study.items.suite, study.items.runs[0].items_sha
    right = answered_rightly(suite.baselines, study.items.raw_items, known_as=known_as)
    if study.main.name != "accuracy" or not right:
        return None
    scored = study.mask({})
    shares = {
        name: float(own[asked].mean()) if (asked := scored & (own >= 0)).any() else 0.0 for name, own in right.items()
    }
    best = max(shares, key=lambda name: shares[name])
    codes = right[best].astype(np.int32)
    wrong = int((codes[scored] == 0).sum())
    if not 0 < wrong < int(scored.sum()):
        return None
    study.arrays = replace(study.arrays, tags={**study.arrays.tags, TAG: Codes(values=(WRONG, RIGHT), codes=codes)})
    return BestShortcut(name=best, share=shares[best], items=wrong)


def headline(study: Study, best: BestShortcut, where: Where) -> str:
    """Who is ahead there, and who falls most, where that is significant (Bonferroni over the systems); else nothing."""
    metric, on_wrong, on_right = study.main, {**where, TAG: WRONG}, {**where, TAG: RIGHT}
    everything, there = study.cell(metric, where), study.cell(metric, on_wrong)
    cells = {
        at: (whole, cell)
        for at, (whole, cell) in enumerate(zip(everything, there))
        if whole and cell and not cell.estimate.few and not study.labels[at].startswith("baseline:")
    }
    falls = {
        at: whole.estimate.mean - cell.estimate.mean
        for at, (whole, cell) in cells.items()
        if (other := study.cell(metric, on_right)[at]) is not None
        and not other.estimate.few
        and len(cells) * study.between(metric, at, on_wrong, on_right).p < ALPHA
    }
    most = max(falls, key=lambda at: falls[at], default=None)
    if most is None or falls[most] <= 0:
        return ""
    whole, cell = cells[most]
    text = (
        f"Where the best shortcut ({best.in_words}) is wrong, {words.count(best.items, 'item')}, {study.labels[most]} "
        f"falls from {words.value(whole.estimate.mean, metric)} to {_with_interval(study, cell)}"
    )
    first = max(cells, key=lambda at: cells[at][1].estimate.mean)
    if first != most:
        text += f"; the highest {words.metric(metric)} there has {study.labels[first]}, "
        text += _with_interval(study, cells[first][1])
    return f"{text}."


def _with_interval(study: Study, cell: Cell) -> str:
    return f"{words.value(cell.estimate.mean, study.main)} {words.span(cell.estimate, study.main)}"
