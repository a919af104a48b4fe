"""`run --until`: runs whole clusters, in an order fixed by the seed, until the interval is narrow enough.

The interval is a confidence sequence (stats/sequential.py): it covers at every look. The folder records the looks
(`looks` in run.json, and until.json with the interval of each look).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from msgspec import structs

from proband.core.errors import ProbandError
from proband.core.files import read_answers, read_items, read_run, write_json
from proband.core.types import Run
from proband.pipeline.asking.items_and_answers import ANSWERS, Outline, cluster_ranks, select_items
from proband.pipeline.asking.setup import PlannedRun, suite_of
from proband.stats.sequential import Look, confidence_sequence

FILE = "until.json"
FIRST, GROWTH = 10, 1.15  # clusters at the first look, and how many times as many at the next


def target_of(until: str) -> float:
    """The half-width that is asked for.

    >>> target_of("±3"), target_of("2.5")
    (0.03, 0.025)
    """
    try:
        points = float(until.strip().lstrip("±+-"))
    except ValueError:
        raise ProbandError(f"--until {until}: write the half-width in points, such as ±3") from None
    if not 0 < points < 50:
        raise ProbandError(f"--until {until}: the half-width must lie between 0 and 50 points")
    return points / 100


def run_until(planned: PlannedRun, *, ask: Callable[[PlannedRun], Run]) -> Run:
    """`ask` makes a run."""
    items, out, options = planned.items, planned.folder, planned.options
    target, suite = target_of(options.until), suite_of(items)
    metric = suite.metric()
    several = options.repeat > 1 or len(options.prompt) > 1 or options.limit
    if metric.over == "set" or not metric.percent or several:
        raise ProbandError("--until is for one run of items that are right or wrong, without --limit and --repeat")
    chosen = select_items(items, suite=suite, split=options.split, where=options.where)
    ranks = cluster_ranks(list(chosen.of(read_items(items, Outline))), options.seed)
    sizes, looks, count = np.bincount(ranks), list[Look](), FIRST
    if (out / "run.json").exists():  # goes on from there
        before = int(read_run(out / "run.json").settings.get("limit", 0))
        count = max(count, int(np.searchsorted(np.cumsum(sizes), before)) + 1)
    while True:
        count = min(count, len(sizes))
        made = ask(structs.replace(planned, options=replace(options, limit=int(sizes[:count].sum()))))
        answers = {answer.item_id: answer for answer in read_answers(out / ANSWERS)}
        sums, asked = np.zeros(count), np.zeros(count, dtype=np.int64)
        for item, rank in zip(chosen.of(read_items(items)), ranks.tolist(), strict=True):
            value = metric.value(item, answers[item.id]) if rank < count and item.id in answers else None
            if value is not None:
                sums[rank], asked[rank] = sums[rank] + value, asked[rank] + 1
        there = asked > 0
        looks.append(confidence_sequence(sums[there], asked[there], largest=int(sizes.max()), aim=target)[-1])
        done = looks[-1].half_width <= target
        write_json(out / FILE, {"until": options.until, "reached": done, "looks": looks})
        if done or count == len(sizes):
            return made
        count = max(count + 1, round(count * GROWTH))
