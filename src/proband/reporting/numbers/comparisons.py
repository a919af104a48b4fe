"""Tests between systems: the comparisons of an item set, and the contrasts that claims are made of.

Two systems are compared on the items both answered, overall and in each column of the suite's first table with the
main metric. These questions about *one pair* are the family that Holm's correction counts, so that a p-value depends
on the two systems and the items alone, not on who else is in the report. A contrast has two selections, and the test
that suits them.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, NotRequired, TypedDict

import numpy as np

from proband.core.errors import ProbandError
from proband.core.metrics import Metric
from proband.core.suite import Contrast, Outcome, Where
from proband.core.types import Run, Tag
from proband.reporting.numbers import formatting
from proband.reporting.numbers.score_tables import keys_of
from proband.reporting.numbers.study import SPLIT, Codes, Study
from proband.stats import ONE_SEED, Difference, Mean, Scores, holm, on_common_items
from proband.stats import contrast as paired

ALPHA = 0.05
MOST_PAIRS = 45  # ten systems
ComparedRuns = TypedDict("ComparedRuns", {  # of `proband compare` in Python and with --json
    "a": str, "b": str, "systems": list[str], "asked": str, "suite": str, "metric": str, "unit": str, "better": str,
    "split": list[str], "left_out": dict[str, int], "unread": dict[str, Any], "by": str, "tags": int,
    "constant": list[str], "groups": list[dict[str, Any]], "equal": list[dict[str, Any]] | None,
    "until": dict[str, Any] | None, "legend": Any, "check": NotRequired[dict[str, Any]],
    "check failed": NotRequired[str],
})  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Comparison(Difference):
    """System a minus system b on the items of `group` that both answered."""

    group: Where = field(default_factory=dict)
    a: str = ""
    b: str = ""
    better: str = ""  # a or b, or empty where there is no difference at all
    p_holm: float | None  # corrected for the other comparisons of a and b
    tests: int = 1  # that are corrected together
    once: int = 0  # how many of the two are nets that were trained once

    @classmethod
    def of(cls, result: Difference, **own: Any) -> Comparison:
        """A difference that is not corrected for others."""
        return cls(**{each.name: getattr(result, each.name) for each in fields(result)}, p_holm=result.p, **own)

    @property
    def detectable(self) -> float | None:
        """The true difference that is found with a power of 80 %, after the same correction."""
        return self.detectable_among(self.tests)

    def record(self) -> dict[str, Any]:
        """Its numbers by name, with the verdict."""
        own = super().record()
        named = {"difference": own.pop("value"), "training": own.pop("note"), "verdict": self.verdict}
        return own | named | {"undecided": self.p is None}

    def turned(self) -> Comparison:
        """b minus a."""
        return replace(
            self, a=self.b, b=self.a, mean_a=self.mean_b, mean_b=self.mean_a,
            value=-self.value, low=-self.high, high=-self.low,
            changed=None if (c := self.changed) is None else (c[0], c[2], c[1], c[3]),
        )  # fmt: skip

    @property
    def clear(self) -> bool:
        """Significant: corrected p below 0.05 (then the interval leaves out zero)."""
        return self.p_holm is not None and self.p_holm < ALPHA

    @property
    def verdict(self) -> str:
        if self.p is None:
            return formatting.TOO_FEW if self.few else self.note
        result = f"{self.better} is better" if self.clear else "not significant"
        return f"{result} ({self.note})" if self.note else result


def compared(metric: Metric, a: Scores, b: Scores, *, group: Where, labels: tuple[str, str]) -> Comparison:
    """Two systems on the items that both have."""
    result = a.minus(b)
    ahead = labels[0] if metric.ahead(result.mean_a, result.mean_b) else labels[1]
    better, once = "" if result.mean_a == result.mean_b else ahead, sum(each.seeds.unknown for each in (a, b))
    return Comparison.of(result, group=group, a=labels[0], b=labels[1], better=better, once=once)


def scopes(study: Study, by: str = "") -> list[Where]:
    """Where two systems are compared: on all items that are scored, and in each column of the first table (or for each
    value of `by`)."""
    everything: Where = {}
    if by:
        values = sorted(study.tags[by].values, key=str) if by in study.tags else []
        return [everything, *({by: value} for value in values)] if len(values) > 1 else [everything]
    for table in study.suite.tables:
        tags = (*table.rows, *table.columns)
        if table.metric != study.main.name or not table.columns or any(name.startswith("run.") for name in tags):
            continue
        columns = [dict(zip(table.columns, key)) for key in keys_of(study, table, table.columns)]
        scored = [column for column in columns if column.get(SPLIT) in (None, *study.splits)]  # it may be by split
        if scored:
            parts = [{**table.where, **column} for column in scored]
            return [everything, *parts] if len(parts) > 1 else [everything]
    return [everything]


def pairs_of(
    study: Study, metric: Metric, where: Where, *, only: Collection[tuple[int, int]] | None = None
) -> list[Comparison]:
    """Every pair of systems (or only some), on the items that both have a number for."""
    scores, labels = study.scores(metric, where), study.system_labels
    pairs = []
    for a, b in itertools.combinations(sorted(scores), 2):
        one, other = on_common_items(scores[a], scores[b])
        if len(one) and (only is None or (a, b) in only):
            pairs.append(compared(metric, one, other, group=where, labels=(labels[a], labels[b])))
    return pairs


def comparisons(study: Study, metric: Metric | None = None, *, by: str = "", every: bool = False) -> list[Comparison]:
    """Every pair of systems in every scope, the better one first. All items come first, at their own p-value; the
    columns after them, corrected (Holm) among those of the pair that a test can decide, and none more significant than
    all items together. Of many systems not all pairs are compared, unless `every` one is wanted."""
    metric = metric or study.main
    if len(study.systems) < 2:
        return []
    only = None if every else _worth_comparing(study, metric)
    pairs = [pair for scope in scopes(study, by) for pair in pairs_of(study, metric, scope, only=only)]
    return [pair if pair.better in (pair.a, "") else pair.turned() for pair in holm_corrected(pairs)]


def holm_corrected(pairs: Sequence[Comparison], *, together: bool = False) -> list[Comparison]:
    """The pairs with corrected p-values: a gate (all items, then columns) for each pair of systems; `together`: for all
    pairs as one family, all items of every pair first."""

    def systems(pair: Comparison) -> frozenset[str]:
        return frozenset((pair.a, pair.b))

    out = list(pairs)
    for key in dict.fromkeys(frozenset() if together else systems(pair) for pair in pairs):
        own = [at for at, pair in enumerate(pairs) if pair.p is not None and (together or systems(pair) == key)]
        first: dict[frozenset[str], float] = {}  # over all items
        for part in ([at for at in own if not pairs[at].group], [at for at in own if pairs[at].group]):
            for at, p in zip(part, holm([pairs[at].p or 0.0 for at in part])):
                if not pairs[at].group:
                    first[systems(pairs[at])] = p
                out[at] = replace(pairs[at], p_holm=max(p, first.get(systems(pairs[at]), 0.0)), tests=len(part))
    return out


def _worth_comparing(study: Study, metric: Metric) -> set[tuple[int, int]] | None:
    """All pairs, if they are few; else each system with the best one and with its neighbour in rank."""
    count = len(study.systems)
    if count * (count - 1) // 2 <= MOST_PAIRS:
        return None
    sign = -1 if metric.better == "high" else 1
    means = sorted((sign * cell.mean, at) for at, cell in enumerate(study.cell(metric, {})) if cell)
    ranked = [at for _, at in means]
    pairs = [*itertools.pairwise(ranked), *((ranked[0], at) for at in ranked[1:])]
    return {(min(pair), max(pair)) for pair in pairs}


# ---- one contrast of a claim -----------------------------------------------------------------------------------------


Tested = tuple[float, float, float | None, str, float | None]  # both values, p, what was counted, detectable


def contrasted(study: Study, contrast: Contrast, a: int, b: int, group: Where) -> Outcome | None:
    """`above` of system a against `below` of system b, within the group; None where there is no data. The difference is
    how far `above` is ahead, the margin taken off."""
    metric = study.suite.metric(contrast.metric)
    wheres = [{**group, **contrast.where, **side} for side in (contrast.above, contrast.below)]
    above, below = (study.scores_of(at, metric, study.mask(where)) for at, where in zip((a, b), wheres))
    margin = contrast.margin if metric.better == "high" else -contrast.margin  # what the first side is moved by
    same = a == b
    if contrast.pair == "item":
        one, other = ({n: v for n, v in where.items() if not n.startswith("run.")} for where in wheres)
        if one != other:
            raise ProbandError(f"a contrast by item selects different items: {_side(wheres[0])} and {_side(wheres[1])}")
        result = _by_item(above, below, margin)
    elif contrast.pair or contrast.unit:
        tag = study.tags.get(contrast.pair or contrast.unit)
        parts = [_by_tag(side, tag) if tag else {} for side in (above, below)]
        name = formatting.name(contrast.pair or contrast.unit)
        if contrast.pair:
            result = _by_value((above, below), parts, margin, name, same=same)
        else:
            result = _by_group(parts, margin, name, seed=study.seed)
    else:
        result = _by_cluster(above, below, margin, metric, same=same)
    if result is None:
        return None
    first, second, p, counted, seen = result
    values = f"{formatting.value(first, metric)} against {formatting.value(second, metric)}"
    margin_text = f", margin {formatting.distance(contrast.margin, metric)}" if contrast.margin else ""
    runs = (study.runs[study.systems[at].runs[0]] for at in (a, b))
    what = " minus ".join(map(_side, (contrast.above, contrast.below), runs))

    def both_below(level: Callable[[Metric, Scores], float | None]) -> bool:
        levels = [level(metric, side) for side in (above, below)]
        return all(own is not None and value < own for value, own in zip((first, second), levels))

    return Outcome(
        difference=(first - second if metric.better == "high" else second - first) - contrast.margin,
        measured=first - second,
        p=p,
        evidence=f"{what}, {formatting.metric(metric)} {values}, {counted}{margin_text}",
        unit=metric.unit,
        detectable=seen,
        below_chance=both_below(study.chance),
        below_shortcut=both_below(lambda *of: None if (best := study.best_shortcut(*of)) is None else best.value),
    )


def _side(where: Where, run: Run | None = None) -> str:
    """In words; a model has the label of its run."""
    name = "run.net" if where.get("run.net") == "" else "run.model"  # no net: a model by itself
    label = {name: run.label} if run and run.label and isinstance(where.get(name), str) else {}
    return formatting.group({**where, **label}) if where else "all"


def _by_item(a: Scores, b: Scores, margin: float) -> Tested | None:
    """Two systems on the same items: the paired test of the report's comparisons."""
    one, other = on_common_items(a, b)
    if not len(one):
        return None
    result = one.minus(other, margin=margin)
    counted = f"{formatting.count(result.n, 'item')} in {formatting.count(result.clusters, 'cluster')}"
    return _decided(result, counted, decided=result.p is not None)


def _by_tag(scores: Scores, tag: Codes) -> dict[Tag, list[float]]:
    """The metric of a system within each value of a tag, in each of its runs."""
    codes = tag.codes[scores.items]
    there = [(name, codes == code) for code, name in enumerate(tag.values)]
    return {name: scores.only(mask, within=True).values.tolist() for name, mask in there if mask.any()}


Parts = Sequence[Mapping[Tag, list[float]]]  # of both sides


def _by_value(sides: Sequence[Scores], parts: Parts, margin: float, name: str, *, same: bool) -> Tested | None:
    """Value by value of a tag: the t-test of the differences."""
    both = [value for value in parts[0] if value in parts[1]]
    if len(both) < 2:
        return None
    scores = [
        Scores.of(np.array([values[v] for v in both]).T, estimator=Mean(), trained=side.trained)
        for values, side in zip(parts, sides)
    ]
    result = paired(scores, [1, -1], margin=margin, same_runs=same)
    return _decided(result, formatting.count(len(both), name), decided=_known(result, same=same))


def _by_group(parts: Parts, margin: float, name: str, *, seed: int) -> Tested | None:
    """Two separate groups of values of a tag: a permutation test of their means."""
    from scipy.stats import permutation_test

    a, b = (np.array([np.mean(v) for v in values.values()]) for values in parts)
    if len(a) < 2 or len(b) < 2:
        return None
    test = permutation_test(
        (a - margin, b),
        lambda x, y, axis: x.mean(axis=axis) - y.mean(axis=axis),
        vectorized=True,
        n_resamples=4999,
        rng=np.random.default_rng(seed),
    )
    return float(a.mean()), float(b.mean()), float(test.pvalue), f"{len(a)} and {formatting.count(len(b), name)}", None


def _by_cluster(a: Scores, b: Scores, margin: float, metric: Metric, *, same: bool) -> Tested | None:
    """Two selections of items, which may share clusters: each item's influence on the difference of the two means."""
    if metric.over == "set":
        raise ProbandError(f"a contrast of {metric.name!r}, a metric over sets, needs 'pair' or 'unit'")
    if not len(a) or not len(b):
        return None
    result = a.minus_selection(b, margin=margin, same_runs=same)
    counted = f"{len(a):,} and {formatting.count(len(b), 'item')} in {formatting.count(result.clusters, 'cluster')}"
    return _decided(result, counted, decided=_known(result, same=same))


def _known(result: Difference, *, same: bool) -> bool:
    """Enough clusters, and of two systems the training chance of both."""
    return not result.few and (same or result.note != ONE_SEED)


def _decided(result: Difference, counted: str, *, decided: bool) -> Tested:
    """The outcome of a comparison; none if there are too few clusters, or if a net was trained once, so that the seed
    variance is unknown."""
    note = formatting.TOO_FEW if result.few else result.note
    counted = f"{counted}: {note}" if note else counted
    return (
        result.mean_a,
        result.mean_b,
        *((result.p, counted, result.detectable) if decided else (None, counted, None)),
    )
