"""Models that sample, asked several times (`run --repeat N`): how steady they are.

    same every time  share of items that got one and the same answer in all repeats
    pass^k           right in k repeats out of k: for an item with c right ones among n, C(c, k) / C(n, k)
    by vote          score of the answer that most repeats gave (self-consistency); of equally many, the one given first

The unit of all intervals is the item, with what items share.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import comb

import numpy as np

from proband.core.files import dumps, figure, group_by_key
from proband.core.metrics import ACCURACY
from proband.core.suite import Results, Sheet
from proband.core.types import LEFT_OUT, Answer, Item
from proband.reporting.numbers.cells import Study
from proband.reporting.numbers.formatting import shared_labels
from proband.reporting.variations import Cell, in_words, share_cells
from proband.stats.clusters import Clusters, clusters_of


def repeat_sheets(study: Study, results: Results) -> list[Sheet]:
    """One line per model that was asked several times."""
    groups = group_by_key(
        (dumps({name: value for name, value in system.tags.items() if name != "run.seed"}), system.runs[0])
        for system in study.systems
        if len(system.runs) == 1 and not system.tags.get("run.net")
    )
    several = [runs for runs in groups.values() if len(runs) > 1]
    labels = shared_labels([results.runs[runs[0]] for runs in several], without=["run.seed"])
    rows = [_row(label, results, runs) for label, runs in zip(labels, several, strict=True)]
    if not rows:
        return []
    shares = ("same every time", "95 %", "pass^k, k = repeats", "95 %", "by vote", "95 %")
    header = ("model", "repeats", "items", "score", *shares)
    note = "pass^k: right every time. By vote: the answer that most repeats gave."
    return [Sheet(name="repeats", title="Asked several times", header=header, rows=tuple(rows), note=note)]


def _row(label: str, results: Results, runs: Sequence[int]) -> tuple[Cell, ...]:
    given: dict[str, tuple[Item, list[Answer]]] = {}
    for run in runs:
        for item, answer in results.scored(run):
            if answer.status not in LEFT_OUT and item.gold is not None:
                given.setdefault(item.id, (item, []))[1].append(answer)
    whole = [(item, answers) for item, answers in given.values() if len(answers) == len(runs)]
    if not whole:
        return (label, len(runs), 0, *[None] * 7)
    clusters = Clusters.of([clusters_of(item) for item, _ in whole])
    right = np.array([[ACCURACY.value(item, answer) or 0.0 for answer in answers] for item, answers in whole])
    given_answers = [[in_words(item, answer) for answer in answers] for item, answers in whole]
    same = [float(len(set(each)) == 1) for each in given_answers]
    always = [passed(round(sum(line)), len(runs), len(runs)) for line in right.tolist()]
    vote = [line[each.index(Counter(each).most_common(1)[0][0])] for line, each in zip(right.tolist(), given_answers)]
    cells = [cell for values in (same, always, vote) for cell in share_cells(values, clusters)]
    return (label, len(runs), len(whole), figure(float(right.mean())), *cells)


def passed(right: int, repeats: int, k: int) -> float:
    """The chance that k repeats, drawn from those there are, are all right.

    >>> passed(3, 4, 1), passed(3, 4, 2), passed(3, 4, 4)
    (0.75, 0.5, 0.0)
    """
    return comb(right, k) / comb(repeats, k)
