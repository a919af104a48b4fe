"""What seeds and settings are worth: every net with each of its training seeds, and nets that differ in one setting."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from proband.core.files import dumps, group_by_key
from proband.core.metrics import Metric
from proband.core.suite import Analysis, Results, Sheet
from proband.core.types import Answer, Item, Run
from proband.stats import Scores
from proband.suites.script.metrics import METRICS

SHOWN = ("whole_oracle", "top5_word_oracle", "whole_greedy", "top5_word_greedy", "surprisal", "surprisal_released")
COMPARED = ("whole_greedy", "top5_word_oracle", "surprisal_released")


def metrics(names: Sequence[str]) -> list[Metric]:
    return [metric for name in names for metric in METRICS if metric.name == name]


def rounded(metric: Metric, value: float) -> float:
    return round(100 * value, 2) if metric.percent else round(value, 3)


def runs_of_nets(results: Results) -> list[int]:
    return [at for at, run in enumerate(results.runs) if run.net and run.solver == "answer"]


# ---- seeds ---------------------------------------------------------------------------------------------------------


def per_seed(results: Results, seed: int) -> Sequence[Sheet]:
    """A line per training seed of every net."""
    rows: list[tuple[Any, ...]] = []
    for at in runs_of_nets(results):
        run, answers = results.runs[at], answers_with_blanks(results, at)
        for split in sorted({item.split for item, _ in answers}):
            part = [pair for pair in answers if pair[0].split == split]
            values = [(metric, Scores.of_runs([part], metric)) for metric in metrics(SHOWN)]
            cells = [rounded(metric, each.value) if each else None for metric, each in values]
            rows.append((results.labels[at], run.net.get("seed"), split, *cells))
    header = ("net", "training seed", "split", *(metric.title for metric in metrics(SHOWN)))
    title = "Every training seed: percent, surprisal in nats"
    return (Sheet(name="seeds", title=title, header=header, rows=tuple(rows)),) if rows else ()


def answers_with_blanks(results: Results, at: int) -> list[tuple[Item, Answer]]:
    return [(item, answer) for item, answer in results.answers(at) if answer.blanks]


# ---- differences ---------------------------------------------------------------------------------------------------


def settings_of(run: Run) -> dict[str, Any]:
    """All that decides a run of a net, but for the seed it was trained with."""
    return {**{f"net {k}": v for k, v in run.net.get("options", {}).items()}, **run.settings}


def different_settings(run: Run, base: Run) -> str:
    """The settings of a run that are not those of another."""
    own, other = settings_of(run), settings_of(base)
    names = [name for name in own if own[name] != other.get(name)]
    return ", ".join(dict.fromkeys(f"{name.removeprefix('net ')}={own[name]}" for name in names))


def differences(results: Results, seed: int) -> Sequence[Sheet]:
    """Each net with one other setting beside the net that comes first, on the blanks that both fill."""
    groups = group_by_key(
        (dumps([run.net["net"], settings_of(run)]), at) for at in runs_of_nets(results) for run in [results.runs[at]]
    )
    bases: dict[str, list[int]] = {}
    rows: list[tuple[Any, ...]] = []
    for members in groups.values():
        run = results.runs[members[0]]
        base = bases.setdefault(run.net["net"], members)
        if base is not members:
            setting = different_settings(run, results.runs[base[0]])
            rows.append((run.net["net"], setting, len(members), *compare_runs(results, members, base)))
    rows.sort(key=lambda row: row[1])
    header = ("net", "setting", "seeds", *(metric.title for metric in metrics(COMPARED)))
    note = (
        "The net with this setting minus the net without it, on the blanks (words) both fill, with a 95 % interval "
        "over clusters of texts and training seeds; percentage points, surprisal in nats."
    )
    sheet = Sheet(name="differences", title="What each setting is worth", header=header, rows=tuple(rows), note=note)
    return (sheet,) if rows else ()


def compare_runs(results: Results, members: Sequence[int], base: Sequence[int]) -> list[str]:
    """A cell per measure; seeds that only one side has are left out."""
    trained = [{int(results.runs[at].net.get("seed", 0)): at for at in side} for side in (members, base)]
    both = sorted(set(trained[0]) & set(trained[1]))
    answers = [[answers_with_blanks(results, side[n]) for n in both] for side in trained]
    return [_difference(metric, *(Scores.of_runs(side, metric) for side in answers)) for metric in metrics(COMPARED)]


def _difference(metric: Metric, own: Scores | None, other: Scores | None) -> str:
    if own is None or other is None or not np.isin(own.items, other.items).any():
        return "–"
    found = own.minus(other)
    low, value, high = (rounded(metric, x) for x in (found.low, found.value, found.high))
    return f"{value:+g} [{low:+g}, {high:+g}]"


SEEDS = Analysis(name="seeds", help="every net with each of its training seeds", of=per_seed)
DIFFERENCES = Analysis(name="differences", help="nets that differ in one setting", of=differences)
