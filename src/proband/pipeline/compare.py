"""`proband compare`: runs or logs on the same items, by the same paired tests as the report's."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import combinations
from pathlib import Path
from typing import Any, Literal

import numpy as np

from proband.core.errors import ProbandError, did_you_mean
from proband.core.files import figure
from proband.core.metrics import Metric, splits_in_words
from proband.pipeline.logs import is_log, one_set
from proband.pipeline.report import legend
from proband.reporting.findings import constant_answers
from proband.reporting.numbers import formatting
from proband.reporting.numbers.comparisons import ComparedRuns, comparisons, holm_corrected
from proband.reporting.numbers.study import ItemSet, Study
from proband.stats import on_common_items
from proband.stats.sequential import confidence_sequence, of_difference, order_of, units_of

FALSE_ALARM = 0.025  # of a one-sided test at the end of a 95 % interval


def compare(
    *runs: str | Path,
    items: str | Path | None = None,
    by: str | None = None,
    metric: str | None = None,
    cluster: str | None = None,
    split: str = "",
    seed: int = 0,
    equal_within: float | None = None,
    until: Literal["decided"] | None = None,
    fail_if_worse: float | None = None,
) -> ComparedRuns:
    """Compare runs by paired, clustered significance tests.

    All items are tested first, then (of two runs) the columns of the suite's first table, with Holm's correction; no
    corrected p-value is smaller than that of all items. A folder may hold several runs of one network (training seeds).
    Logs: samples_*.jsonl of lm-eval, .eval and .json of inspect_ai, CSV or JSON lines of item, correct, cluster.

    Example: proband compare runs/mlm runs/smollm2

    :param runs: Folders of runs on the same items, or logs of another tool; of more than two, all pairs are compared.
    :param by: One test for each value of this tag, with Holm's correction.
    :param equal_within: Test whether the runs differ by less than X points in either direction (equivalence test).
    :param until: decided: test after every cluster whether two runs differ, valid at every look.
    :param fail_if_worse: Exit with code 3 if the second run is significantly more than X points worse than the first.
    """
    paths = [Path(run) for run in runs]
    if len(paths) < 2:
        raise ProbandError("name two runs or logs, or more")
    of, logs = one_set(paths, metric=metric or "", cluster=cluster or "", items=items, apart=True)
    study, chosen = _study(of, paths, "" if logs else metric or "", split=split, seed=seed)
    by = by or next((log.by for log in logs if log.by), "")
    if by and by not in study.tags:
        known = f"{did_you_mean(by, study.tags)}; there are {', '.join(sorted(study.tags)) or 'none'}"
        raise ProbandError(f"--by {by}: the items have no tag {by!r}{known}")
    tested = comparisons(study, chosen, by=by, every=True)
    if len(paths) > 2:
        tested = holm_corrected([each for each in tested if by or not each.group], together=True)
    if not tested:
        raise ProbandError(f"the runs share no {splits_in_words(study.splits, 'item')} that {chosen.name!r} applies to")
    whole, groups = "all items" if all(map(is_log, paths)) else study.scope, list[dict[str, Any]]()
    for a, b in combinations(study.system_labels, 2):  # pair by pair, the systems as they were named
        turned = (each if each.a == a else each.turned() for each in tested if {each.a, each.b} == {a, b})
        groups += [each.record() | {"group": formatting.group(each.group) if each.group else whole} for each in turned]
    shared = {item.id for item in study.items()} if logs else set()
    missing = {run.model: len(log.entries.keys() - shared) for run, log in zip(study.runs, logs)}
    answered_twice = np.flatnonzero(study.mask({}) & (study.answered_by() > 1))
    equal = None
    if equal_within is not None:  # two one-sided tests over all items of each pair
        if not 0 < equal_within < math.inf:
            raise ProbandError(f"--equal-within is {equal_within:g}; it must be a number of points above 0")
        margin, pairs = equal_within / (100 if chosen.percent else 1), [pair for pair in tested if not pair.group]
        equal = [{"a": p.a, "b": p.b, "points": equal_within, "p": p.equal_within(margin)} for p in pairs]
    result: ComparedRuns = {
        "a": study.system_labels[0],
        "b": study.system_labels[1],
        "systems": list(study.system_labels),
        "asked": study.how_asked,
        "suite": study.suite.name,
        "metric": chosen.name,
        "unit": chosen.unit,
        "better": chosen.better,
        "split": list(study.splits),
        "left_out": {label: count for label, count in missing.items() if count},
        "unread": {label: study.unread(at, answered_twice) for at, label in enumerate(study.system_labels)},
        "by": by,
        "tags": len(study.written),
        "constant": list(constant_answers(study).values()),
        "groups": groups,
        "equal": equal,
        "until": _looks(study, chosen) if until else None,
        "legend": legend(study.suite, [each["group"] for each in groups]),
    }
    if fail_if_worse is not None:
        result["check"] = check = worse(result, fail_if_worse)
        result |= {"check failed": check["message"]} if check["failed"] else {}
    return result


def _looks(study: Study, metric: Metric) -> dict[str, Any]:
    """The difference after every cluster in the order of the runs' seed, with an interval that is valid at each."""
    scores = on_common_items(*study.scores(metric, {}).values())
    if len(scores) != 2 or metric.over == "set" or not metric.percent:
        raise ProbandError("--until decided compares two runs of items that are right or wrong")
    counted = np.flatnonzero(study.mask({}))
    known = study.clusters
    units = units_of([[name for name in row if name >= 0] for row in known.member[known.code[counted]].tolist()])
    rank = dict(zip(counted.tolist(), order_of(units, study.runs[0].seed)[units].tolist()))
    of = np.array([rank[row] for row in scores[0].items.tolist()])
    d = (scores[0].numbers.mean(axis=0) - scores[1].numbers.mean(axis=0) + 1) / 2
    sums, sizes = np.bincount(of, weights=d).astype(np.float64), np.bincount(of)
    there, whole = np.flatnonzero(sizes), len(np.unique(units))
    largest = int(np.bincount(units).max())
    looks = of_difference(confidence_sequence(sums[there], sizes[there], largest=largest, planned=whole))
    last = next((look for look in looks if look.decided), looks[-1])
    return {"decided": last.decided, "items": last.items, "clusters": last.clusters, "of_clusters": whole,
            "difference": last.mean, "low": last.low, "high": last.high}  # fmt: skip


def _study(items: ItemSet, paths: list[Path], name: str, *, split: str, seed: int) -> tuple[Study, Metric]:
    """The systems on the items that they share, and the metric."""
    metric, pool = items.suite.metric(name), len(items.answered) > len(paths)
    study = Study(items, [metric], seed=seed, pool=pool, split=split, shared=True)
    if not name and not _applies(study, metric):  # retrieval has no accuracy
        study = Study(items, items.suite.metrics, seed=seed, pool=pool, split=split, shared=True)
        metric = next((each for each in items.suite.metrics if _applies(study, each)), metric)
    if len(study.systems) != len(paths):
        raise ProbandError(f"{', '.join(map(str, paths))} contain {len(study.systems)} systems: name them separately")
    return study, metric


def _applies(study: Study, metric: Metric) -> bool:
    """Whether two systems have numbers of this metric."""
    return sum(len(study.whole(system, metric)) > 0 for system in study.systems) > 1


def worse(result: Mapping[str, Any], points: float) -> dict[str, Any]:
    """Whether the second of two systems is worse than the first by more than `points` over all items: the whole 95 %
    interval of the drop lies above. `detectable` is the true drop that is found with 80 % power, if that is known."""
    if len(result["systems"]) != 2:
        raise ProbandError("a check for a regression needs two runs or logs: the base and the new one")
    if not 0 <= points < math.inf:
        raise ProbandError(f"--fail-if-worse is {points:g}; it must be a number of points, 0 or more")
    group = result["groups"][0]
    if group["undecided"]:
        raise ProbandError(f"nothing can be checked: {group['verdict']} ({group['n']} items)")
    limit = points / 100 if result["unit"] == "share" else points
    drop, low, high = (group[name] for name in ("difference", "low", "high"))
    if result["better"] == "low":
        drop, low, high = -drop, -high, -low
    failed, detectable = low > limit, None if group["detectable"] is None else limit + group["detectable"]
    ends = {"drop": drop, "low": low, "high": high, "limit": limit}
    by, low, high, most = (figure(each, result["unit"]) for each in ends.values())
    what = f"{result['b']} is worse than {result['a']} by"
    size = f"{by} {'points' if result['unit'] == 'share' else result['unit']} [{low}, {high}]"
    seen = "" if detectable is None else f"; 80 % power for {figure(detectable, result['unit'])}"
    message = f"not shown that {what} more than {most}: {size}{seen}"
    if failed:
        message = f"{what} {size}, more than {most} (chance of a false alarm: at most {100 * FALSE_ALARM:.1f} %)"
    of = {"base": result["a"], "new": result["b"], "failed": failed, "message": message, "false_alarm": FALSE_ALARM}
    return {**of, **ends, "detectable": detectable}
