"""Proband's statistics inside inspect_ai: `pip install "proband[inspect]"` registers the metrics, by its entry point.

    from proband.inspect_extension import calibrated_ci, minimum_detectable_difference

    Task(dataset=..., scorer=match(), metrics=[accuracy(), calibrated_ci(cluster="document")])

Where a task names them as text, they are `proband/calibrated_ci` and `proband/minimum_detectable_difference`. `cluster`
is the field of the samples' metadata that says what they share (several: "document;paragraph"); without it, `clusters`
or `cluster` is used where there is one, as in logs of exported items.

`StopWhenNarrow` stops a task once its interval is narrow enough, as `proband run --until` does (docs/compare.md).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from itertools import takewhile
from pathlib import Path
from typing import Any

import numpy as np
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.scorer import Metric, SampleScore, metric, value_to_float
from inspect_ai.util import EarlyStop

from proband import stats
from proband.core.errors import ProbandError
from proband.stats.clusters import Ints
from proband.stats.sequential import Look, confidence_sequence, order_of, units_of

ToFloat = Callable[[Any], float]


@metric  # type: ignore[untyped-decorator]
def calibrated_ci(cluster: str = "", to_float: ToFloat | None = None) -> Metric:
    """The mean with its 95 % interval, clustered: `mean`, `ci_low`, `ci_high` (no ends where there are fewer than six
    effective clusters, too few for any interval)."""
    read = to_float or value_to_float()

    def compute(scores: list[SampleScore]) -> dict[str, float]:
        if not scores:  # the tool asks before the first sample is done
            return {"mean": math.nan, "clusters": 0.0}
        values, clusters = _values(scores, cluster, read)
        result = stats.mean(values, clusters=clusters)
        ends = {} if result.few else {"ci_low": result.low, "ci_high": result.high}
        return {"mean": result.mean, **ends, "clusters": float(result.clusters)}

    return compute


@metric  # type: ignore[untyped-decorator]
def minimum_detectable_difference(cluster: str = "", agreement: float = 0.5, to_float: ToFloat | None = None) -> Metric:
    """The smallest true difference to another model on these samples that a paired test finds with a power of 80 %.
    `agreement` is the correlation of the two models' answers to one sample, which a single log cannot show."""
    read = to_float or value_to_float()

    def compute(scores: list[SampleScore]) -> float:
        values, clusters = _values(scores, cluster, read)
        try:
            return stats.plan(0.05, a=values, clusters=clusters, agreement=agreement).detectable or math.nan
        except ProbandError:  # the answers do not vary, or each cluster has as many right as the next
            return math.nan

    return compute


class StopWhenNarrow:
    """Stops a task when the half-width of the interval is so many points. `scorer` is the score that is read, by
    default the first.

    Looks are taken after every cluster, in the order of `ordered`: samples that finish early (short replies) do not
    count before their turn. The interval covers at every look (stats/sequential.py) and is in the log under
    `results.early_stopping.metadata`. Samples that are running when it stops are still scored.
    """

    def __init__(
        self, points: float, *, cluster: str = "", seed: int = 0, scorer: str = "", to_float: ToFloat | None = None
    ) -> None:
        if not 0 < points < 50:
            raise ProbandError(f"StopWhenNarrow({points}): the half-width must lie between 0 and 50 points")
        self.target, self.cluster, self.seed, self.scorer, self.to_float = points / 100, cluster, seed, scorer, to_float
        self.looks: list[Look] = []

    def ordered(self, dataset: Sequence[Sample]) -> MemoryDataset:
        """The dataset with whole clusters in the random order of the seed."""
        samples = list(dataset)
        for at, sample in enumerate(samples, start=1):
            sample.id = at if sample.id is None else sample.id
        ranks = order_of(self._units(samples), self.seed)[self._units(samples)]
        return MemoryDataset([samples[at] for at in np.argsort(ranks, kind="stable")], shuffled=True)

    def _units(self, samples: Sequence[Sample]) -> Ints:
        return units_of(_clusters(((each.id, each.metadata) for each in samples), self.cluster))

    @property
    def narrow(self) -> bool:
        return bool(self.looks) and self.looks[-1].half_width <= self.target

    async def start_task(self, task: Any, samples: list[Sample], epochs: int) -> str:
        units = self._units(samples)
        if (np.diff(units) < 0).any() or not getattr(task.dataset, "shuffled", False):
            raise ProbandError("StopWhenNarrow: the samples are not in its order; write dataset=stop.ordered(dataset)")
        self.unit = {sample.id: int(unit) for sample, unit in zip(samples, units)}
        self.sizes, self.epochs = np.bincount(units), epochs
        self.sums, self.done = np.zeros(len(self.sizes)), np.zeros(len(self.sizes), dtype=np.int64)
        self.looks = []
        return f"proband: until ±{self.target * 100:g} points"

    async def schedule_sample(self, id: str | int, epoch: int) -> EarlyStop | None:
        return EarlyStop(id=id, epoch=epoch, reason="the interval is narrow enough") if self.narrow else None

    async def complete_sample(self, id: str | int, epoch: int, scores: dict[str, SampleScore]) -> None:
        if self.scorer and self.scorer not in scores:
            raise ProbandError(f"StopWhenNarrow: no score {self.scorer!r}; there are {', '.join(scores)}")
        found = scores[self.scorer] if self.scorer else next(iter(scores.values()), None)
        if found is not None:
            self.sums[self.unit[id]] += (self.to_float or value_to_float())(found.score.value) / self.epochs
        self.done[self.unit[id]] += 1
        whole = len(list(takewhile(bool, self.done == self.sizes * self.epochs)))
        if whole > len(self.looks) and not self.narrow:
            looks = confidence_sequence(
                self.sums[:whole], self.sizes[:whole], largest=int(self.sizes.max()), aim=self.target
            )
            first = sum(look.half_width > self.target for look in looks)  # widths never grow
            self.looks = looks[: first + 1]

    async def complete_task(self) -> dict[str, Any]:
        last = self.looks[-1] if self.looks else None
        names = ("mean", "low", "high", "clusters", "items")
        return {name: getattr(last, name) for name in names if last} | {"half_width_asked": self.target}


def _values(scores: Sequence[SampleScore], cluster: str, read: ToFloat) -> tuple[list[float], list[tuple[str, ...]]]:
    clusters = _clusters(((score.sample_id, score.sample_metadata) for score in scores), cluster)
    return [read(score.score.value) for score in scores], clusters


def _clusters(samples: Iterable[tuple[Any, dict[str, Any] | None]], cluster: str) -> list[tuple[str, ...]]:
    """Of each sample, from its id and metadata; one that shares nothing is a cluster of its own."""
    from proband.pipeline.logs import clusters_in

    named = ((id, clusters_in(metadata or {}, cluster, file=Path("log"), line=None)) for id, metadata in samples)
    return [each or (f"sample {id}",) for id, each in named]
