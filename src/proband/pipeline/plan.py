"""`proband plan`: how many items, clusters or relations are needed to detect a difference. From one or two pilot runs,
which show variance and correlation; or from a built folder, whose clusters are known and whose variance is assumed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from proband.core.errors import ProbandError
from proband.core.files import read_items
from proband.core.metrics import scored_splits
from proband.pipeline.logs import one_set
from proband.reporting.numbers.study import Study
from proband.stats import on_common_items
from proband.stats.clusters import GrowingClusters, clusters_of
from proband.stats.planning import Pilot, PlannedDesign, check, required


def plan(
    source: str | Path,
    second: str | Path | None = None,
    *,
    difference: float = 0.05,
    power: float = 0.8,
    by: str | None = None,
    metric: str | None = None,
    tests: int = 1,
    accuracy: float = 0.7,
    agreement: float = 0.5,
    within: float = 0.1,
) -> dict[str, Any]:
    """Plan a comparison: the number of items and clusters needed to detect a difference between two systems.

    With pilot runs, every number has a 95 % interval. A dash (None in JSON) means that no number of items is enough.

    Example: proband plan items -d 0.05

    :param source: A pilot run, or a folder of items.
    :param second: A second pilot run on the same items.
    :param difference: True difference to detect.
    :param power: Probability of detecting it, at p < 0.05.
    :param by: Also plan by the values of this tag, such as relation.
    :param tests: Comparisons that will be corrected together (columns, pairs of models).
    :param accuracy: Without pilot runs: accuracy of the two systems.
    :param agreement: Without pilot runs: correlation of two systems' answers to the same item.
    :param within: Without pilot runs: correlation of the differences on two items that share a cluster.
    """
    check(difference, power=power, accuracy=accuracy, agreement=agreement, within=within, tests=tests, option="--")
    path = Path(source)
    below = not (path / "items.jsonl").exists() and any(path.glob("**/run.json"))
    if second is not None or (path / "run.json").exists() or below or path.suffix in (".csv", ".tsv", ".eval", ".json"):
        pilots, measured = [source, *([second] if second is not None else [])], True
        pilot, values, basis = _from_runs(pilots, metric=metric, by=by, agreement=agreement)
    elif metric is not None:
        raise ProbandError(f"--metric {metric} needs a pilot run; without one, accuracy is planned")
    else:
        measured, square = False, 2 * (1 - agreement) * accuracy * (1 - accuracy)
        pilot, values = _from_items(source, by=by, square=square, within=within)
        of = f"correlation of two systems {agreement:g}, of items that share a cluster {within:g}"
        basis = f"assumed: accuracy {accuracy:g}, {of}"
    pilot = replace(pilot, tests=tests)
    now = PlannedDesign(pilot=pilot, scale=pilot.variances())
    sizes = {"items": pilot.items, "clusters": pilot.clusters, **({by: values} if by else {})}
    clusters, fuller = (required(pilot, difference, power=power, by=way) for way in ("clusters", "within"))
    both = {"more_clusters": clusters[1], "more_items_per_cluster": fuller[1]}
    ends = [PlannedDesign(pilot=pilot, scale=(each,)).detectable for each in pilot.extremes()] if measured else [None]
    shown = None if None in ends else ends
    sure = {name: [_sizes_of(end, sizes) for end in ends_of] for name, ends_of in both.items()}
    return {
        "basis": basis,
        "design": {**sizes, "effective_clusters": round(pilot.freedom + 1, 1)},
        "difference": difference,
        "power": power,
        "correlation": pilot.correlation,
        "sd": float(np.sqrt(pilot.square)),
        "now": {"power": now.power(difference), "detectable": now.detectable, "interval": shown},
        "more_clusters": _sizes_of(clusters[0], sizes),
        "more_items_per_cluster": _sizes_of(fuller[0], sizes),
        "interval": sure if measured else None,
    }


def _sizes_of(result: PlannedDesign | None, sizes: dict[str, int]) -> dict[str, Any] | None:
    """A plan in numbers; items that are added to the same clusters leave the other counts as they are."""
    if result is None:
        return None
    times = {"items": result.clusters * result.within}
    return {name: int(np.ceil(count * times.get(name, result.clusters) - 1e-9)) for name, count in sizes.items()}


def _from_runs(
    runs: Sequence[str | Path], *, metric: str | None, by: str | None, agreement: float
) -> tuple[Pilot, int, str]:
    items, _ = one_set(list(map(Path, runs)), metric=metric or "")
    chosen = items.suite.metric(metric or "")
    study = Study(items, [chosen], pool=len(items.answered) > len(runs))
    if len(study.systems) > 2:
        raise ProbandError(f"{' and '.join(map(str, runs))} contain {len(study.systems)} systems: name one or two")
    scores = list(study.scores(chosen, {}).values())
    scores = on_common_items(*scores) if scores else []  # one may know nothing of some items
    if len(scores) != len(study.systems) or not all(map(len, scores)):
        raise ProbandError(f"the runs share no item that {chosen.name!r} applies to")
    basis = f"pilot runs {' and '.join(study.system_labels)}"
    if len(scores) == 1:
        basis = f"pilot run {study.system_labels[0]}; answers of two systems assumed to correlate by {agreement:g}"
    pilot = Pilot.of(scores, agreement=agreement)
    tag = study.tags.get(by or "")
    if by and tag is None:
        raise ProbandError(f"the items have no tag {by!r}")
    return pilot, len(np.unique(tag.codes[scores[0].items])) if tag else 0, basis


def _from_items(source: str | Path, *, by: str | None, square: float, within: float) -> tuple[Pilot, int]:
    growing, splits, of_split = GrowingClusters(), list[str](), defaultdict[str, set[Any]](set)
    for item in read_items(Path(source)):
        growing.add(clusters_of(item))
        splits.append(item.split)
        of_split[item.split].add(item.tags.get(by or ""))
    scored = scored_splits(of_split)
    rows = np.flatnonzero(np.isin(splits, scored))
    values = set().union(*(of_split[split] for split in scored)) if by else set()
    if by and not values - {None}:
        raise ProbandError(f"the items have no tag {by!r}")
    return Pilot.assumed(growing.done().design(rows), square=square, correlation=within), len(values)
