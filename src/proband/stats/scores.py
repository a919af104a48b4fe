"""Scores of several systems on the same items, with their intervals and tests.

    scores = Scores.of(correct, clusters=documents)       # one number per item, or a row of them per training seed
    scores.interval()                                     # its mean with a 95 % interval
    scores.minus(other)                                   # a paired test on the items that both have
    scores.against(0.25)                                  # a test against a constant
    scores.where(k=3), scores.by("relation")              # selections of its items

What is estimated is an `Estimator` (estimators/): a share, a mean, a macro mean or a metric over sets.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property, reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from proband.core.errors import ProbandError
from proband.core.metrics import Estimate, Metric
from proband.core.types import Answer, Item
from proband.stats.clusters import (
    ONE_SEED,
    Clusters,
    Design,
    DesignSummary,
    Floats,
    Ints,
    Seeds,
    clusters_of,
    seeds_of,
    seeds_part,
    shows_power,
)
from proband.stats.estimators.mean import Mean, Pieces, Result
from proband.stats.estimators.set_metric import SetMetric
from proband.stats.estimators.share import Share

Estimator = Mean  # the base of all of them
SHARE = Share()


def estimator_of(metric: Metric) -> Estimator:
    """The estimator of a metric."""
    if metric.over == "set":
        return SetMetric(name=metric.name, metric=metric)
    return Share(name=metric.name) if metric.percent else Mean(name=metric.name)


@dataclass(frozen=True, kw_only=True)
class Difference:
    """a - b with its 95 % interval and p-value (below 0.05 if and only if the interval leaves out zero, or `margin`).

    `p` and `detectable` are None where nothing is tested: `few` (too few clusters), or two trained systems of which one
    has one seed (`note` says so). `from_seeds`: the share of the variance that is due to training seeds. `changed`: of
    answers that are right or wrong, how many are right by both, by a alone, by b alone, by neither.
    """

    value: float
    low: float
    high: float
    p: float | None
    mean_a: float
    mean_b: float
    n: int
    clusters: int
    few: bool
    result: Result = field(repr=False, compare=False)
    from_seeds: float | None = None
    note: str = ""
    changed: tuple[int, int, int, int] | None = None

    def record(self) -> dict[str, Any]:
        """Its numbers by name."""
        return {each.name: getattr(self, each.name) for each in fields(self) if each.name != "result"} | {
            "detectable": self.detectable
        }

    def detectable_among(self, tests: int) -> float | None:
        """The true difference that is found with a power of 0.8, where so many tests are corrected together."""
        return None if self.p is None else self.result.detectable(tests)

    @property
    def detectable(self) -> float | None:
        return self.detectable_among(1)

    def equal_within(self, margin: float) -> float | None:
        """The p-value of two one-sided tests (Schuirmann 1987): the true difference is below `margin` either way."""
        return None if self.p is None else self.result.equal(margin)


@dataclass(frozen=True, kw_only=True, eq=False)
class Scores:
    """Numbers of one system (runs x items; of a metric over sets, runs x items x record).

    `items` name what is scored (an item may occur several times: one number per blank); two systems are compared where
    their names are equal. `trained`: another training seed would have given another system. `sets`: of each item, which
    training it belongs to, where systems were trained on several sets.
    """

    numbers: Floats
    items: NDArray[Any]
    clusters: Clusters
    places: Ints | None = None  # of the items among those that `clusters` is about; None: they are the same
    estimator: Estimator = SHARE
    trained: bool = False
    sets: Ints | None = None
    tags: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    known_as: dict[str, Scores] = field(default_factory=dict, repr=False)  # the same under other metrics

    @classmethod
    def of(
        cls,
        numbers: Any,
        *,
        clusters: Any = None,
        items: Sequence[Hashable] | None = None,
        tags: Mapping[str, Sequence[Any]] | None = None,
        estimator: Estimator | None = None,
        trained: bool = False,
        sets: Ints | None = None,
    ) -> Scores:
        """From one number per item, or one row of them per run. `clusters`: what each item shares, as `Clusters.named`
        reads it; nothing, where none are given. Without an estimator, numbers between 0 and 1 are a share and others a
        mean.

        >>> three = Scores.of([1] * 30 + [0] * 10)
        >>> found = three.interval()
        >>> found.mean, round(found.low, 3), round(found.high, 3), found.few
        (0.75, 0.591, 0.862, False)
        >>> [round(three.against(c).p or 0.0, 3) for c in (0.58, 0.75, 0.87)]
        [0.038, 1.0, 0.032]
        """
        runs = runs_of(numbers, records=estimator is not None and estimator.records)
        if estimator is None:
            estimator = Share() if ((runs >= 0) & (runs <= 1)).all() else Mean()
        names = _named(items, runs.shape[1])
        return cls(
            numbers=runs,
            items=names,
            clusters=Clusters.named(clusters, len(names)),
            estimator=estimator,
            trained=trained,
            sets=sets,
            tags={name: _named(values, len(names)) for name, values in (tags or {}).items()},
        )

    @classmethod
    def of_runs(
        cls,
        runs: Sequence[Iterable[tuple[Item, Answer]]],
        metric: Metric,
        *,
        tags: Sequence[str] = (),
        trained: bool = False,
    ) -> Scores | None:
        """The metric (of a metric over sets, the records) on the items that every run answered; runs without any number
        are ignored. None if no item is left.

        >>> items = [Item(id=name, suite="s", prompt="?", choices=("x", "y"), gold=0) for name in "abc"]
        >>> right = [(item, Answer(item_id=item.id, scores=(1.0, 0.0))) for item in items]
        >>> both = Scores.of_runs([right, right[1:]], Metric(name="first", of=lambda item, answer: answer.scores[0]))
        >>> both and (both.items.tolist(), both.numbers.tolist())
        (['b', 'c'], [[1.0, 1.0], [1.0, 1.0]])
        """
        numbers: list[dict[tuple[str, int], Any]] = []
        about: dict[tuple[str, int], tuple[tuple[str, ...], list[str]]] = {}  # clusters and tags
        for run in runs:
            own, seen = dict[tuple[str, int], Any](), Counter[str]()
            for item, answer in run:
                for number in metric.numbers(item, answer) if metric.each is None else [metric.each(item, answer)]:
                    if number is not None:
                        place = item.id, seen[item.id]
                        own[place], seen[item.id] = number, place[1] + 1
                        about[place] = clusters_of(item), [str(item.tags.get(name, "")) for name in tags]
            numbers.append(own)
        numbers = [each for each in numbers if each]
        common = [place for place in numbers[0] if all(place in each for each in numbers)] if numbers else []
        if not common:
            return None
        return cls.of(
            [[run[place] for place in common] for run in numbers],
            items=[name for name, _ in common],
            clusters=Clusters.of([about[place][0] for place in common]),
            tags={tag: [about[place][1][at] for place in common] for at, tag in enumerate(tags)},
            estimator=estimator_of(metric),
            trained=trained,
        )

    def __len__(self) -> int:
        return len(self.items)

    # ---- its value ----

    @cached_property
    def design(self) -> Design:
        """Which items share what, with the weight of each."""
        strata = None
        if self.estimator.by:
            strata = np.unique(self._tag(self.estimator.by), return_inverse=True)[1].astype(np.int64)
        return self.estimator.design(self.clusters, self.places, strata)

    @cached_property
    def values(self) -> Floats:
        """Of each run."""
        return np.array([self.estimator.value(np.ascontiguousarray(run), self.design) for run in self.numbers])

    @property
    def value(self) -> float:
        return float(self.values.mean())

    @cached_property
    def summary(self) -> DesignSummary:
        """The clusters and degrees of freedom."""
        return self.design.summary

    @cached_property
    def pieces(self) -> Pieces:
        if not len(self):
            raise ProbandError("a selection without items has no value")
        return self.estimator.pieces(np.ascontiguousarray(self.numbers), self.design)

    @cached_property
    def seeds(self) -> Seeds:
        return seeds_of(self.by_set, trained=self.trained)

    @cached_property
    def by_set(self) -> Floats:
        """What each set of items adds to the value of each run: runs x sets."""
        if self.sets is None:
            return self.values[:, None]
        if self.estimator.records:
            raise ProbandError("the value of a metric over sets is no sum over sets of items")
        weighted = self.numbers if self.design.uniform else self.numbers * self.design.weights * len(self)
        parts = [self.sets == number for number in np.unique(self.sets)]
        return np.stack([weighted[:, part].sum(axis=1) / len(self) for part in parts], axis=1)

    # ---- selections of items, other metrics ----

    def only(self, chosen: NDArray[Any], *, within: bool = False) -> Scores:
        """Some of its items: a mask, or their places. `within` the same set, so that two selections can be compared."""
        rows = np.flatnonzero(chosen) if chosen.dtype == bool else chosen
        if len(rows) == len(self) and (rows == np.arange(len(self))).all() and not within:
            return self
        places = rows if self.places is None else self.places[rows]
        return replace(
            self,
            numbers=self.numbers[:, rows],
            items=self.items[rows],
            clusters=self.clusters if within else self.clusters.only(places),
            places=places if within else None,
            sets=None if self.sets is None else self.sets[rows],
            tags={name: values[rows] for name, values in self.tags.items()},
            known_as={},
        )

    def where(self, **tags: Any) -> Scores:
        """The items with these tags (a tuple: one of several values).

        >>> Scores.of([1, 0, 1], tags={"k": [2, 3, 3]}).where(k=3).value
        0.5
        """
        chosen = np.ones(len(self), dtype=bool)
        for name, wanted in tags.items():
            values = self._tag(name)
            among = wanted if isinstance(wanted, tuple) else (wanted,)
            chosen &= np.isin(values, _named(among, len(among)))
        return self.only(chosen, within=True)

    def by(self, tag: str) -> dict[Any, Scores]:
        """The items with each value of a tag, in the order in which they occur."""
        values = self._tag(tag)
        return {value: self.only(values == value, within=True) for value in dict.fromkeys(values.tolist())}

    def _tag(self, name: str) -> NDArray[Any]:
        if name not in self.tags:
            raise ProbandError(f"these scores have no tag {name!r}; they have {', '.join(self.tags) or 'none'}")
        return self.tags[name]

    def under(self, metric: Metric) -> Scores:
        """The same records under another metric over sets, measured once."""
        if metric.name not in self.known_as:
            self.known_as[metric.name] = replace(self, estimator=estimator_of(metric), known_as={})
        return self.known_as[metric.name]

    # ---- intervals and tests ----

    def interval(self) -> Estimate:
        """The value with its 95 % interval."""
        found = self.estimator.result(self.pieces, [self.seeds])
        low, high = (max(found.low, 0.0), min(found.high, 1.0)) if self.estimator.share else (found.low, found.high)
        return Estimate(
            metric=self.estimator.name,
            mean=self.value,
            low=min(low, self.value),
            high=max(high, self.value),
            n=len(self),
            clusters=self.summary.clusters,
            effective=self.summary.freedom + 1,
            few=self.summary.few,
            seeds=len(self.numbers),
            from_seeds=seeds_part(found.own, [self.seeds]),
        )

    def against(self, constant: float) -> Difference:
        """The value less a constant; p is below 0.05 if and only if the interval leaves the constant out."""
        band, found = self.interval(), self.estimator.result(self.pieces, [self.seeds], constant)
        itself = _difference([self, self], found, [self.seeds], same_runs=True)
        low, high = band.low - constant, band.high - constant
        return replace(itself, value=self.value - constant, mean_b=constant, low=low, high=high)

    def minus(self, other: Scores, *, margin: float = 0.0) -> Difference:
        """This system less another one on the items that both have, tested against `margin`.

        >>> right, wrong = Scores.of([1.0] * 330), Scores.of([0.0] * 330)
        >>> ahead = right.minus(wrong)
        >>> round(ahead.low, 3), ahead.high, ahead.p, ahead.changed
        (0.982, 1.0, 0.0, (0, 330, 0, 0))
        """
        a, b = on_common_items(self, other)
        if not len(a):
            raise ProbandError("the two systems have no item in common")
        b = _aligned(b, a)
        of = a.estimator if b.estimator.share else b.estimator  # a share less a mean is no difference of shares
        found = of.difference(a.pieces.minus(b.pieces), [a.seeds, b.seeds], margin)
        return _difference([a, b], found, [a.seeds, b.seeds], changed=_changed(a, b))

    def minus_selection(self, other: Scores, *, margin: float = 0.0, same_runs: bool = False) -> Difference:
        """The value on these items less that on other items, which may share clusters with them: two selections of one
        set. `same_runs`: both are answers of the same runs, whose training moves both."""
        if self.clusters is not other.clusters or self.places is None or other.places is None:
            raise ProbandError("two selections can be compared only if they were made from one set of items")
        if self.estimator.records:
            raise ProbandError("two selections can be compared by a mean, not by a metric over sets")
        sides = (self, other)
        design = self.clusters.weighted(
            np.concatenate([self.places, other.places]),
            np.concatenate([each.design.weights for each in sides]) / 2,
            np.concatenate([self.design.blocks, other.design.blocks + 1 + int(self.design.blocks.max())]),
        )
        seeds = [each.seeds for each in sides]
        if same_runs:
            seeds = [seeds_of(self.by_set - other.by_set, trained=self.trained)]
        found = Mean().difference(self.pieces.apart(other.pieces, design), seeds, margin)
        return _difference([self, other], found, seeds, design=design, same_runs=same_runs)


def _aligned(scores: Scores, to: Scores) -> Scores:
    """The same with the clusters of another system on the same items, so that their sums can be subtracted."""
    if scores.clusters is to.clusters and (scores.places is to.places or np.array_equal(scores.places, to.places)):  # type: ignore[arg-type]
        return scores
    return replace(scores, clusters=to.clusters, places=to.places, tags=to.tags, known_as={})


def contrast(
    scores: Sequence[Scores], signs: Sequence[int], *, margin: float = 0.0, same_runs: bool = False
) -> Difference:
    """A sum of systems on the same items, each with a sign: a - b, or the difference of two differences. `same_runs`:
    all are answers of the same runs.

    >>> a, b = Scores.of([1.0, 1.0, 0.0, 1.0] * 5), Scores.of([1.0, 0.0, 0.0, 0.0] * 5)
    >>> contrast([a, b, b, a], [1, -1, -1, 1]).value
    1.0
    """
    first = scores[0]
    scores = [first, *(_aligned(each, first) for each in scores[1:])]
    value = float(sum(sign * each.value for sign, each in zip(signs, scores)))
    sums = [sum(s * x for s, x in zip(signs, parts)) for parts in zip(*(each.pieces.sums for each in scores))]
    kinds = [sum(s * x for s, x in zip(signs, parts)) for parts in zip(*(each.pieces.kinds for each in scores))]
    seeds = [each.seeds for each in scores]
    if same_runs:
        moved: Any = sum(sign * each.by_set for sign, each in zip(signs, scores))
        seeds = [seeds_of(moved, trained=first.trained)]
    found = Mean().difference(Pieces(value, first.design, sums, kinds), seeds, margin)
    return replace(_difference(scores, found, seeds, same_runs=same_runs), value=value)


def _difference(
    sides: Sequence[Scores],
    found: Result,
    seeds: Sequence[Seeds],
    *,
    design: Design | None = None,
    changed: tuple[int, int, int, int] | None = None,
    same_runs: bool = False,
) -> Difference:
    """A difference of shares lies between -1 and 1. There is no test if there are too few clusters, or if both systems
    are trained and one of them has a single seed."""
    about = (sides[0].design if design is None else design).summary
    share = len(sides) == 2 and all(each.estimator.share for each in sides)
    unknown = any(each.unknown for each in seeds)
    if not shows_power(about.freedom):
        found = replace(found, detectable=lambda tests: None)
    untested = about.few or (unknown and not same_runs and all(each.trained for each in sides))
    return Difference(
        value=sides[0].value - sides[1].value,
        low=max(found.low, -1.0) if share else found.low,
        high=min(found.high, 1.0) if share else found.high,
        p=None if untested else found.p,
        mean_a=sides[0].value,
        mean_b=sides[1].value,
        n=sides[0].design.items if design is None else design.items,
        clusters=about.clusters,
        few=about.few,
        result=found,
        from_seeds=seeds_part(found.own, seeds),
        note=ONE_SEED if unknown else "",
        changed=changed,
    )


def _changed(a: Scores, b: Scores) -> tuple[int, int, int, int] | None:
    """Of single runs of zeros and ones: right by both, a, b, neither."""
    if len(a.numbers) > 1 or len(b.numbers) > 1 or a.estimator.records or not a.estimator.share:
        return None
    x, y = a.numbers[0], b.numbers[0]
    if not (np.isin(x, (0, 1)).all() and np.isin(y, (0, 1)).all()):
        return None
    both, only_a, only_b = (int(n.sum()) for n in (x * y, x * (1 - y), (1 - x) * y))
    return both, only_a, only_b, len(x) - both - only_a - only_b


def on_common_items(*scores: Scores) -> list[Scores]:
    """The systems on the items that all of them have. Numbers are kept if each system has equally many per item;
    otherwise each item gets its mean (a record of a set metric is one number already). Other items have no influence
    on the result."""
    first = scores[0]
    if all(each.items is first.items or np.array_equal(first.items, each.items) for each in scores[1:]):
        return list(scores)
    common = reduce(np.intersect1d, (each.items for each in scores))
    chosen = [each.only(np.isin(each.items, common)) for each in scores]
    if all(np.array_equal(chosen[0].items, each.items) for each in chosen[1:]):
        return chosen
    if all(len(each) == len(common) for each in chosen):  # in another order
        place = {name: at for at, name in enumerate(chosen[0].items.tolist())}
        return [each.only(np.argsort([place[name] for name in each.items.tolist()])) for each in chosen]
    if first.estimator.records:
        raise ProbandError("the systems have different numbers of records for an item")
    return [_item_means(each) for each in chosen]


def _item_means(scores: Scores) -> Scores:
    """One number for each item."""
    _, place, of = np.unique(scores.items, return_index=True, return_inverse=True)
    means = [np.bincount(of, weights=run) / np.bincount(of) for run in scores.numbers]
    return replace(scores.only(place), numbers=np.stack(means))


def macro_mean(numbers: Floats, strata: Ints) -> float:
    return float((np.bincount(strata, weights=numbers) / np.bincount(strata)).mean())


def _named(values: Sequence[Any] | None, count: int) -> NDArray[Any]:
    """Names as an array; their numbers, where there are none."""
    if values is None:
        return np.arange(count)
    if len(values) != count:
        raise ProbandError(f"{len(values)} names for {count} items")
    if any(all(isinstance(each, kind) for each in values) for kind in (str, int)):
        return np.array(values)
    names = np.empty(count, dtype=object)
    names[:] = list(values)
    return names


def runs_of(values: Any, name: str = "scores", *, records: bool = False) -> Floats:
    """Training seeds x items (x records)."""
    wrong = f"{name} must be one number per item, or a row of them per training seed"
    try:
        runs = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise ProbandError(wrong) from None
    runs = runs[None] if runs.ndim == 1 + records else runs
    if runs.ndim != 2 + records or not runs.size:
        raise ProbandError(wrong)
    if not np.isfinite(runs).all():
        place = tuple(np.argwhere(~np.isfinite(runs))[0].tolist())
        raise ProbandError(f"{name}: item {place[1]} is {runs[place]}, which is not a score")
    return runs
