"""Every net with each of its training seeds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from proband.core.metrics import Metric
from proband.core.suite import Results, Sheet, Table
from proband.stats import Scores
from proband.suites.script.metrics import METRICS

SHOWN = ("whole_oracle", "top5_word_oracle", "whole_greedy", "top5_word_greedy", "surprisal", "surprisal_released")


def metrics(names: Sequence[str]) -> list[Metric]:
    return [metric for name in names for metric in METRICS if metric.name == name]


def rounded(metric: Metric, value: float) -> float:
    return round(100 * value, 2) if metric.percent else round(value, 3)


def per_seed(results: Results, seed: int) -> Sequence[Sheet]:
    """A line per training seed of every net."""
    rows: list[tuple[Any, ...]] = []
    for at, run in enumerate(results.runs):
        if not run.net or run.solver != "answer":
            continue
        answers = [(item, answer) for item, answer in results.answers(at) if answer.blanks]
        for split in sorted({item.split for item, _ in answers}):
            part = [pair for pair in answers if pair[0].split == split]
            values = [(metric, Scores.of_runs([part], metric)) for metric in metrics(SHOWN)]
            cells = [rounded(metric, each.value) if each else None for metric, each in values]
            rows.append((results.labels[at], run.net.get("seed"), split, *cells))
    header = ("net", "training seed", "split", *(metric.title for metric in metrics(SHOWN)))
    title = "Every training seed: percent, surprisal in nats"
    return (Sheet(name="seeds", title=title, header=header, rows=tuple(rows)),) if rows else ()


SEEDS = Table(name="seeds", title="every net with each of its training seeds", of=per_seed, always=False)
