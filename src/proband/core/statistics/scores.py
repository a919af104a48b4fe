"""Scores of one system: the type that every interval and test of Proband is asked of.

    scores = Scores.of(correct, clusters=documents)       # one number per item, or a row of them per training seed
    scores.interval()                                     # its mean with a 95 % interval
    scores.minus(other)                                   # a paired test on the items that both have
    scores.against(0.25)                                  # a test against a constant
    scores.where(k=3), scores.by("relation")              # selections of its items

Reports, comparisons, plans, claims and the analyses of papers use it and nothing else. What it computes is described
in spread.py (one value), estimates.py (differences, metrics over sets and those that jump) and clusters.py (what items
share).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial, reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from proband.core.errors import ProbandError
from proband.core.metrics import Metric
from proband.core.statistics import estimates
from proband.core.statistics.clusters import LEAST_CLUSTERS, Clusters, Floats, Ints, Neighbours, clusters_of
from proband.core.statistics.estimates import DRAWS, MANY, draws_of, of_set, percentiles
from proband.core.statistics.spread import (
    Seeds,
    detectable,
    of_mean,
    quantile,
    seeds_of,
    seeds_part,
    share_of_trainings,
    standing_in,
    training,
    value_ends,
    value_p,
)
from proband.core.statistics.strata import FEWEST, strata_variance
from proband.core.types import Answer, Estimate, Item

MEAN = Metric(name="mean", of=float)
COLLAPSED, FAR_APART = 3.0, 0.1  # a gap between seeds, beside their spread on either side, and in itself
SMALL = 0.1  # p-values of a bootstrap that need more draws
ALL_OR_NOTHING = 0.9  # of the clusters
GRADED = 0.1  # of the numbers lie between 0 and 1: more are no zeros and ones with ties
Influence = tuple[Floats, Floats]  # values of the runs, and the influence of every item on them (runs x items)


@dataclass(frozen=True, kw_only=True)
class Difference:
    """a - b with its 95 % interval and p-value (below 0.05 if and only if the interval leaves out zero, or `margin`);
    `detectable` is the true difference that would be significant four times in five. `few`: too few clusters to tell
    anything. `from_seeds`: the share of the variance that is due to training seeds. `note` is what must be said where a
    trained system has one seed."""

    value: float
    low: float
    high: float
    p: float
    detectable: float
    mean_a: float
    mean_b: float
    n: int
    clusters: int
    few: bool
    from_seeds: float | None = None
    note: str = ""


@dataclass(frozen=True, kw_only=True, eq=False)
class Scores:
    """Numbers of one system (runs x items; of a metric over sets, runs x items x record). Its value is the mean over
    its runs of `metric`; with `strata` (a number from 0 per item) the mean over them of their values.

    `items` name what is scored (an item may stand several times: one number per blank); two systems are compared where
    their names are equal. `share`: the value cannot leave [0, 1]. `trained`: another training seed would have given
    another system. `sets`: of each item, which training it belongs to, where systems were trained on several sets;
    what seeds add is then found within each.
    """

    numbers: Floats
    items: NDArray[Any]
    clusters: Clusters
    places: Ints | None = None  # of the items among those that `clusters` is about; None: they are the same
    metric: Metric = MEAN
    share: bool = True
    trained: bool = False
    strata: Ints | None = None
    sets: Ints | None = None
    tags: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    known: dict[Any, Scores] = field(default_factory=dict, repr=False)  # the same under other metrics

    @classmethod
    def of(
        cls,
        numbers: Any,
        *,
        clusters: Any = None,
        items: Sequence[Hashable] | None = None,
        tags: Mapping[str, Sequence[Any]] | None = None,
        metric: Metric = MEAN,
        share: bool | None = None,
        trained: bool = False,
        sets: Ints | None = None,
    ) -> Scores:
        """From one number per item, or one row of them per run. `clusters`: what each item shares, as `Clusters.named`
        reads it; nothing, where none are given. `share`: whether the value lies between 0 and 1 (found out from the
        numbers of a mean unless said).

        >>> three = Scores.of([1] * 30 + [0] * 10)
        >>> found = three.interval()
        >>> found.mean, round(found.low, 3), round(found.high, 3), found.few
        (0.75, 0.598, 0.858, False)
        >>> [round(three.against(c).p, 3) for c in (0.59, 0.598, 0.75, 0.858)]
        [0.04, 0.05, 1.0, 0.05]
        """
        runs = np.asarray(numbers, dtype=np.float64)
        runs = runs[None] if runs.ndim == (1 if metric.over == "item" else 2) else runs
        names = _named(items, runs.shape[1])
        if share is None:
            share = metric.percent if metric is not MEAN else bool(((runs >= 0) & (runs <= 1)).all())
        return cls(
            numbers=runs,
            items=names,
            clusters=Clusters.named(clusters, len(names)),
            metric=metric,
            share=share,
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
        """A metric of a system's runs, where all that have some have a number (a record, of a metric over sets); None
        where there is none.

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
            metric=metric,
            trained=trained,
        )

    def __len__(self) -> int:
        return len(self.items)

    @cached_property
    def dependence(self) -> Neighbours:
        """How its items hang together."""
        return self.clusters.neighbours(self.places)

    # ---- its value ----

    @cached_property
    def runs(self) -> list[Floats]:
        """The numbers (or records) of each run."""
        return [np.ascontiguousarray(each) for each in self.numbers]

    @cached_property
    def values(self) -> Floats:
        """Of each run."""
        return np.array([_value(self.metric, each, self.strata) for each in self.runs])

    @property
    def value(self) -> float:
        return float(self.values.mean())

    @cached_property
    def binary(self) -> bool:
        """Whether the rule for shares applies: its numbers are zeros and ones, but for a few ties. Graded scores
        between 0 and 1 vary less than zeros and ones do."""
        if self.metric.over == "set" or not self.share:
            return self.share
        return float(((self.numbers > 0) & (self.numbers < 1)).mean()) <= GRADED

    @property
    def _on_logits(self) -> bool:
        """Of a metric over a set, which cannot leave [0, 1]."""
        return self.metric.over == "set" and self.share and self.strata is None

    @property
    def effective(self) -> float:
        """Clusters of equal size that would say as much, of the kind that has fewest."""
        return self.dependence.least

    @cached_property
    def influence(self) -> Floats:
        """Of every item on the value of each run."""
        if self.metric.over == "item":
            return np.stack([of_mean(each, self.strata)[1] for each in self.runs])
        return np.stack([of_set(self.metric.of, each, self.strata)[1] for each in self.runs])

    @cached_property
    def mean_influence(self) -> Floats:
        mean: Floats = self.influence[0] if len(self.influence) == 1 else self.influence.mean(axis=0)
        return mean

    @cached_property
    def draws(self) -> Floats | None:
        """Of a metric that jumps: its value in each draw of clusters (readings x draws)."""
        return self._drawn(DRAWS) if self.metric.jumps else None

    @cached_property
    def many_draws(self) -> Floats:
        """More of them, of which the first are the same."""
        return self._drawn(MANY)

    def _drawn(self, count: int) -> Floats:
        values = [partial(_value, self.metric, each, self.strata) for each in self.runs]
        return draws_of(values, self.dependence, count)

    @cached_property
    def seeds(self) -> Seeds:
        if len(self.runs) < 2:
            return Seeds(trained=self.trained)
        return _seeds(self._by_training, trained=self.trained)

    @property
    def _by_training(self) -> list[Influence]:
        """What each training set adds to the values of the runs, with its influence values."""
        if self.sets is None:
            return [(self.values, self.influence)]
        parts = []
        for number in np.unique(self.sets):
            own = self.only(self.sets == number)
            part = len(own) / len(self)
            parts.append((part * own.values, part * own.influence))
        return parts

    # ---- strata that weigh the same ----

    @cached_property
    def _of_strata(self) -> tuple[Floats, Floats]:
        """The mean over runs of the value of each stratum, and the influence of each item on its own stratum's."""
        assert self.strata is not None
        values, u = np.zeros(int(self.strata.max()) + 1), np.zeros(len(self))
        for stratum in range(len(values)):
            members = self.strata == stratum
            for run in self.runs:
                own = of_mean(run[members]) if self.metric.over == "item" else of_set(self.metric.of, run[members])
                values[stratum] += own[0] / len(self.runs)
                u[members] += own[1] / len(self.runs)
        return values, u

    def _over_strata(self, other: Scores | None = None) -> tuple[Floats, Floats]:
        """The variance of the mean over strata (or of its difference from another's), with its degrees of freedom."""
        assert self.strata is not None
        values, u = self._of_strata
        if other is not None:
            values, u = values - other._of_strata[0], u - other._of_strata[1]
        places = np.arange(len(self)) if self.places is None else self.places
        variance, freedom = strata_variance(
            values, u, self.strata, self.clusters, places, share=self.binary, difference=other is not None
        )
        return np.array(variance), np.array(freedom)

    @cached_property
    def few(self) -> bool:
        """Whether these are too few clusters (of any kind) or items to tell anything."""
        if self.strata is None or self.draws is not None:
            return self.dependence.few
        return self.dependence.few or float(self._over_strata()[1]) < FEWEST

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
            strata=None if self.strata is None else np.unique(self.strata[rows], return_inverse=True)[1],
            sets=None if self.sets is None else self.sets[rows],
            tags={name: values[rows] for name, values in self.tags.items()},
            known={},
        )

    def where(self, **tags: Any) -> Scores:
        """The items with these tags (a tuple: one of several values).

        >>> Scores.of([1, 0, 1], tags={"k": [2, 3, 3]}).where(k=3).value
        0.5
        """
        chosen = np.ones(len(self), dtype=bool)
        for name, wanted in tags.items():
            values = self._tag(name)
            chosen &= np.isin(values, np.array(wanted, dtype=values.dtype) if isinstance(wanted, tuple) else [wanted])
        return self.only(chosen, within=True)

    def by(self, tag: str) -> dict[Any, Scores]:
        """The scores of the items with each value of a tag, in the order in which they occur."""
        values = self._tag(tag)
        return {value: self.only(values == value, within=True) for value in dict.fromkeys(values.tolist())}

    def _tag(self, name: str) -> NDArray[Any]:
        if name not in self.tags:
            raise ProbandError(f"these scores have no tag {name!r}; they have {', '.join(self.tags) or 'none'}")
        return self.tags[name]

    def under(self, metric: Metric, *, share: bool | None = None) -> Scores:
        """The same records under another metric over sets, measured once."""
        share = metric.percent if share is None else share
        key = metric.name, share
        if key not in self.known:
            self.known[key] = replace(self, metric=metric, share=share, known={})
        return self.known[key]

    # ---- intervals and tests ----

    def interval(self) -> Estimate:
        """The value with its 95 % interval."""
        seeds, draws = self.seeds, self.draws
        if draws is not None:
            parts = [each.ends() for each in percentiles(self.value, draws, self.dependence, [seeds])]
            low, high = min(low for low, _ in parts), max(high for _, high in parts)
            low, high = (max(low, 0.0), min(high, 1.0)) if self.share else (low, high)
            own = float(draws.var(axis=1).max())
        else:
            value, u = np.array(self.value), self.mean_influence
            if self._on_logits:
                both = estimates.set_ends(value, u, self.dependence, seeds=seeds)
            else:
                least = None if self.strata is None else self._over_strata()
                both = value_ends(value, u, self.dependence, share=self.binary, seeds=seeds, least=least)
            low, high = map(float, both)
            low, high = (max(low, 0.0), min(high, 1.0)) if self.share else (low, high)
            several = self.dependence.readings if seeds.count > 1 else ()  # else nothing is due to seeds
            variances = [float(estimates.own_variance(value, u, each, share=self.binary)) for each in several]
            own = max(variances, default=0.0)
        return Estimate(
            metric=self.metric.name,
            mean=self.value,
            low=low,
            high=high,
            n=len(self),
            clusters=self.dependence.clusters,
            effective=self.effective,
            few=self.few,
            seeds=len(self.runs),
            from_seeds=seeds_part(own, [seeds]),
            note=self.doubt,
        )

    @cached_property
    def doubt(self) -> str:
        """Why its interval may be too short: training seeds that fall into two groups (one net in five collapses, and
        four seeds may not show it), or clusters of which nearly each is all right or all wrong."""
        if self.trained and len(self.runs) > 2:
            lower, upper = _two_groups(self.values)
            if lower and min(upper) - max(lower) > (FAR_APART if self.share else np.inf):
                apart = min(len(lower), len(upper))
                least, most = (100 * end for end in share_of_trainings(apart, len(self.runs)))
                seen = f"{apart} of {len(self.runs)} seeds fell apart from the rest"
                return f"{seen}, as {least:.0f} to {most:.0f} % of trainings may"
        if self.binary and self.metric.over == "item" and len(self.runs) == 1 and self.strata is None:
            sizes = self.dependence.cluster_sums(np.ones(len(self)))
            means = self.dependence.cluster_sums(self.runs[0])[sizes > 2] / sizes[sizes > 2]
            whole = (means == 0) | (means == 1)
            if len(means) >= LEAST_CLUSTERS and whole.mean() > ALL_OR_NOTHING and 0.02 < self.value < 0.98:
                return "most clusters are all right or all wrong: each tells no more than one item"
        return ""

    def against(self, constant: float) -> Difference:
        """The value less a constant; p is below 0.05 if and only if the interval leaves the constant out."""
        band, freedom = self.interval(), np.array(max(self.effective - 1, 1.0))
        wider = float(detectable(np.array(1.0), freedom) / quantile(freedom))
        return Difference(
            value=self.value - constant,
            low=band.low - constant,
            high=band.high - constant,
            p=self.p_against(constant),
            detectable=wider * (band.high - band.low) / 2,
            mean_a=self.value,
            mean_b=constant,
            n=len(self),
            clusters=self.dependence.clusters,
            few=band.few,
            from_seeds=band.from_seeds,
            note=training(self.seeds),
        )

    def p_against(self, constant: float) -> float:
        """The p-value of `against`, without the rest."""
        if self.draws is not None:
            p = self._p_drawn(constant, self.draws)
            return p if p >= 0.05 else min(self._p_drawn(constant, self.many_draws), float(np.nextafter(0.05, 0)))
        value, u = np.array(self.value), self.mean_influence
        if self._on_logits:
            return float(estimates.set_p(constant, value, u, self.dependence, seeds=self.seeds))
        least = None if self.strata is None else self._over_strata()
        return float(value_p(constant, value, u, self.dependence, share=self.binary, seeds=self.seeds, least=least))

    def _p_drawn(self, constant: float, draws: Floats) -> float:
        parts = percentiles(self.value, draws, self.dependence, [self.seeds])
        return max(each.p_against(constant) for each in parts)

    def minus(self, other: Scores, *, margin: float = 0.0) -> Difference:
        """This system less another one on the items that both have, tested against `margin`.

        >>> right, wrong = Scores.of([1.0] * 330), Scores.of([0.0] * 330)
        >>> ahead = right.minus(wrong)
        >>> round(ahead.low, 4), ahead.high, ahead.p < 1e-9
        (0.9925, 1.0, True)
        """
        a, b = on_common_items(self, other)
        if not len(a):
            raise ProbandError("the two systems have no item in common")
        seeds = (a.seeds, b.seeds)
        if a.draws is not None and b.draws is not None:
            value, apart = a.value - b.value, a.draws - b.draws
            both = estimates.drawn_ends(value, apart, a.dependence, margin=margin, seeds=standing_in(*seeds))
            if float(both.p) < SMALL:
                apart = a.many_draws - b.many_draws
                both = estimates.drawn_ends(value, apart, a.dependence, margin=margin, seeds=standing_in(*seeds))
            return _difference(both, [a, b], a.dependence, share=a.share, seeds=seeds)
        return contrast([a, b], [1, -1], margin=margin, share=a.share and b.share)

    def minus_selection(self, other: Scores, *, margin: float = 0.0, same_runs: bool = False) -> Difference:
        """The value on these items less that on other items, which may share clusters with them: two selections of one
        set. `same_runs`: both are answers of the same runs, whose training moves both."""
        if self.clusters is not other.clusters or self.places is None or other.places is None:
            raise ProbandError("two selections can be compared only if they were made from one set of items")
        dependence = self.clusters.neighbours(np.concatenate([self.places, other.places]))
        size, rest = len(self), len(other)
        every = size + rest

        def apart(a: Floats, b: Floats) -> Floats:
            """Each item's influence on the difference."""
            return np.concatenate([every / size * a, -every / rest * b], axis=1)

        seeds: Sequence[Seeds]
        if same_runs:
            parts = [(v - w, apart(x, y)) for (v, x), (w, y) in zip(self._by_training, other._by_training, strict=True)]
            seeds = [_seeds(parts, trained=self.trained)]
        else:
            seeds = [self.seeds, other.seeds]
        value, u = np.array(self.value - other.value), apart(self.mean_influence[None], other.mean_influence[None])[0]
        both = estimates.difference_ends(
            value,
            u,
            dependence,
            share=self.binary and other.binary,
            margin=margin,
            least=np.array(0.0),
            seeds=_counted(seeds),
        )
        return _difference(both, [self, other], dependence, share=self.share, seeds=seeds)


def _two_groups(values: Floats) -> tuple[list[float], list[float]]:
    """Values on both sides of their widest gap; none, where that is no wider than the rest suggests: less than three
    times the range on either side, and than Student's t at .995 times the standard deviation within both.

    >>> _two_groups(np.array([0.8, 0.82, 0.3, 0.79])), _two_groups(np.array([0.6, 0.65, 0.7, 0.8]))
    (([0.3], [0.79, 0.8, 0.82]), ([], []))
    """
    ordered = np.sort(values)
    gaps = np.diff(ordered)
    at = int(gaps.argmax()) + 1
    sides = ordered[:at], ordered[at:]
    within = np.sqrt(sum(len(side) * side.var() for side in sides) / (len(values) - 2))
    usual = min(COLLAPSED * max(map(np.ptp, sides)), float(quantile(np.array(len(values) - 2.0), 0.995)) * within)
    return (sides[0].tolist(), sides[1].tolist()) if gaps.max() > usual else ([], [])


def contrast(
    scores: Sequence[Scores],
    signs: Sequence[int],
    *,
    margin: float = 0.0,
    share: bool = False,
    same_runs: bool = False,
) -> Difference:
    """A sum of systems on the same items, each with a sign: a - b, or the difference of two differences. `same_runs`:
    all are answers of the same runs.

    >>> a, b = Scores.of([1.0, 1.0, 0.0, 1.0] * 5), Scores.of([1.0, 0.0, 0.0, 0.0] * 5)
    >>> contrast([a, b, b, a], [1, -1, -1, 1]).value
    1.0
    """
    value = float(sum(sign * each.value for sign, each in zip(signs, scores)))
    u: Any = sum(sign * each.mean_influence for sign, each in zip(signs, scores))
    dependence = scores[0].dependence
    own = sum(float((each.mean_influence**2).mean()) for each in scores) + value**2
    seeds: Sequence[Seeds] = [each.seeds for each in scores]
    if same_runs:
        values: Any = sum(sign * each.values for sign, each in zip(signs, scores))
        moved: Any = sum(sign * each.influence for sign, each in zip(signs, scores))
        seeds = [_seeds([(values, moved)], trained=scores[0].trained)]
    over_strata = scores[0]._over_strata(scores[1]) if scores[0].strata is not None and len(scores) == 2 else None
    both = estimates.difference_ends(
        np.array(value),
        u,
        dependence,
        share=share and all(each.binary for each in scores),
        margin=margin,
        least=np.array(own / dependence.items),
        seeds=_counted(seeds),
        over_strata=over_strata,
        of_sets=scores[0].metric.over == "set",
    )
    found = _difference(both, scores, dependence, share=share, seeds=seeds, value=value)
    return found if over_strata is None or float(over_strata[1]) >= FEWEST else replace(found, few=True)


def _difference(
    both: estimates.DifferenceEnds,
    sides: Sequence[Scores],
    dependence: Neighbours,
    *,
    share: bool,
    seeds: Sequence[Seeds],
    value: float | None = None,
) -> Difference:
    """A difference of shares lies between -1 and 1."""
    low, high = float(both.low), float(both.high)
    return Difference(
        value=sides[0].value - sides[1].value if value is None else value,
        low=max(low, -1.0) if share else low,
        high=min(high, 1.0) if share else high,
        p=float(both.p),
        detectable=float(both.detectable),
        mean_a=sides[0].value,
        mean_b=sides[1].value,
        n=dependence.items,
        clusters=dependence.clusters,
        few=dependence.few,
        from_seeds=seeds_part(float(both.own), _counted(seeds)),
        note=training(*seeds),
    )


def _counted(seeds: Sequence[Seeds]) -> Sequence[Seeds]:
    return standing_in(*seeds) if len(seeds) == 2 else seeds


def _seeds(parts: Sequence[Influence], *, trained: bool) -> Seeds:
    """What the runs of one system differ by: the sum over the sets it was trained on, which all add to what is known of
    that variance."""
    runs = len(parts[0][0])
    if runs < 2:
        return Seeds(trained=trained)
    variance = sum(float(seeds_of(values, u).variance) for values, u in parts)
    return Seeds(1 + len(parts) * (runs - 1), variance, trained)


def on_common_items(*scores: Scores) -> list[Scores]:
    """The systems on the items that all have, and only on those: as they are if each has as many numbers for an item,
    otherwise the mean of each item (a record of a set metric is one already). What anyone has for other items makes no
    difference."""
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
    if first.metric.over == "set":
        raise ProbandError("the systems have different numbers of records for an item")
    return [_item_means(each) for each in chosen]


def _item_means(scores: Scores) -> Scores:
    """One number for each item."""
    _, place, of = np.unique(scores.items, return_index=True, return_inverse=True)
    means = [np.bincount(of, weights=run) / np.bincount(of) for run in scores.runs]
    return replace(scores.only(place), numbers=np.stack(means))


def _value(metric: Metric, numbers: Floats, strata: Ints | None, weights: Floats | None = None) -> float:
    if metric.over == "item":
        return float(numbers.mean()) if strata is None else macro_mean(numbers, strata)
    weights = np.ones(len(numbers)) if weights is None else weights
    if strata is None:
        return float(metric.of(numbers, weights))
    members = (np.flatnonzero(strata == stratum) for stratum in range(int(strata.max()) + 1))
    return float(np.mean([metric.of(numbers[m], weights[m]) for m in members]))


def macro_mean(numbers: Floats, strata: Ints) -> float:
    return float((np.bincount(strata, weights=numbers) / np.bincount(strata)).mean())


def _named(values: Sequence[Any] | None, count: int) -> NDArray[Any]:
    """Names as an array; their numbers, where there are none."""
    if values is None:
        return np.arange(count)
    names = np.array(values) if all(isinstance(each, (str, int)) for each in values) else np.empty(count, dtype=object)
    if names.dtype == object:
        names[:] = list(values)
    if len(names) != count:
        raise ProbandError(f"{len(names)} names for {count} items")
    return names
