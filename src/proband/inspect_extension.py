"""Proband's statistics inside inspect_ai: `pip install "proband[inspect]"` registers the metrics, by its entry point.

    from proband.inspect_extension import calibrated_ci, minimum_detectable_difference

    Task(dataset=..., scorer=match(), metrics=[accuracy(), calibrated_ci(cluster="document")])

Where a task names them as text, they are `proband/calibrated_ci` and `proband/minimum_detectable_difference`. `cluster`
is the field of the samples' metadata that says what they share (several: "document;paragraph"); without it, `clusters`
or `cluster` is used where there is one, as in logs of exported items.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from inspect_ai.scorer import Metric, SampleScore, metric, value_to_float

from proband import stats

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
    `agreement` is the correlation of the two models' answers to one sample, which a single log does not tell."""
    read = to_float or value_to_float()

    def compute(scores: list[SampleScore]) -> float:
        values, clusters = _values(scores, cluster, read)
        if len(set(values)) < 2:
            return math.nan
        return stats.plan(0.05, a=values, clusters=clusters, agreement=agreement).detectable

    return compute


def _values(scores: Sequence[SampleScore], cluster: str, read: ToFloat) -> tuple[list[float], list[tuple[str, ...]]]:
    from proband.pipeline.logs.record import clusters_in

    named = [clusters_in(score.sample_metadata or {}, cluster, file=Path("log"), line=None) for score in scores]
    own = [each or (f"sample {score.sample_id}",) for score, each in zip(scores, named)]
    return [read(score.score.value) for score in scores], own
