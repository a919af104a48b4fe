r"""Knowing and using: an analogy rests on two facts. Is it right where the model recalls both, one, or neither?

Suites say which pairs of words an item rests on (`Suite.pairs`); one of them asks for the pair itself (`recalls`). A
model *knows* a pair if it recalls the fact more often than not over its wordings. What else could make the difference
between items of which all facts are known and items of which none is, item by item:

    the prior     what is right without the subject too is known by the prior; those facts are left out in a second line
    popularity    within cells of the same kind (`Suite.alike`) and the same third of the frequency of their words:
                  \sum_c n_c (all_c - none_c) / \sum_c n_c,  n_c the smaller of the two sides of cell c
    chance        the same with the known facts shuffled among the pairs of their relation
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from proband.core.suite import Sheet
from proband.reporting.numbers import words
from proband.reporting.numbers.cells import Mask, Study
from proband.stats import Scores

Pair = frozenset[str]
Floats = NDArray[np.float64]
PRIOR = "prior"  # the solver that asks without the subject
BANDS, DRAWS, SHUFFLES = 3, 400, 100
NOTE = (
    "Items of other suites by how many of the facts they rest on the model recalls (in over half of the wordings), "
    "with 95% intervals; a second line leaves out the facts that it has without the subject too. All − none is the "
    "difference between items of which all facts are recalled and items of which none is. Like with like: the same "
    "within cells of one kind of item and one third of the frequency of its words (where wordfreq is installed), with "
    "a bootstrap over pairs of words. Shuffled: like with like, if which facts of a relation are recalled were chance "
    "(mean and 95% range of 100 shuffles). What is left may still be that facts which are recalled are better known "
    "in other ways."
)


@dataclass(frozen=True)
class Recalled:
    """Which pairs a model recalls, in which way it was asked, and what kind of fact each pair is."""

    how: str
    known: Mapping[Pair, bool]
    kinds: Mapping[Pair, tuple[str, ...]]


def knowing_and_using(studies: Sequence[Study]) -> Sheet | None:
    """Lines per item set that uses facts, and model that was asked for them too; None if there is none."""
    facts = [study for study in studies if study.items.suite.recalls]
    rows = []
    for study in studies if facts else ():
        rested = {} if study.items.suite.recalls else _pairs(study)
        for at, system in enumerate(study.systems) if rested else ():
            for recalled in _recalled(facts, str(system.tags["run.model"])):
                row = _line(study, at, rested, recalled)
                if row:
                    rows.append((study.name, study.labels[at], recalled.how, *row))
    header = ("items", "model", "recalled by", "all facts recalled", "some", "none", "all − none", "like with like")
    return (
        Sheet(name="knowing", title="Knowing and using", header=(*header, "shuffled"), rows=tuple(rows), note=NOTE)
        if rows
        else None
    )


def _pairs(study: Study) -> dict[int, tuple[Pair, ...]]:
    """Of each item by its place, the pairs it rests on, whichever way round."""
    suite = study.items.suite
    if suite.pairs is None:
        return {}
    folded = (
        tuple(frozenset(map(str.casefold, pair)) for pair in suite.pairs(item)) for item in study.items.raw_items()
    )
    return {at: pairs for at, pairs in enumerate(folded) if pairs}


def _recalled(facts: Sequence[Study], model: str) -> list[Recalled]:
    """For each way in which the model was asked for facts: which of them it recalls."""
    results = []
    for study in facts:
        pairs, kinds = _pairs(study), _kinds(study)
        kind_of = {pair: kinds[place] for place, (pair,) in pairs.items()}
        asked: dict[str, dict[Pair, bool]] = {}
        own_runs = [at for at, system in enumerate(study.systems) if system.tags["run.model"] == model]
        solvers = [str(study.systems[at].tags["run.solver"]) for at in own_runs]
        for at, solver in zip(own_runs, solvers):
            own = study.scores_of(at, study.main, study.mask({}))
            how = solver if solvers.count(solver) == 1 else study.labels[at]  # one solver with several settings
            asked[how] = {
                pairs[int(place)][0]: bool(right > 0.5)
                for place, right in zip(own.items, own.numbers.mean(0))
                if int(place) in pairs
            }
        by_prior, of = asked.get(PRIOR), f" ({study.name})" if len(facts) > 1 else ""
        for solver, known in asked.items():
            results.append(Recalled(f"{solver}{of}" + (", no subject" if solver == PRIOR else ""), known, kind_of))
            if by_prior is not None and solver != PRIOR:
                kept = {pair: right for pair, right in known.items() if not by_prior.get(pair, False)}
                results.append(Recalled(f"{solver}{of}, without what the prior has", kept, kind_of))
    return [each for each in results if each.known]


def _kinds(study: Study) -> list[tuple[str, ...]]:
    """Of each item, the values of the tags that make it alike to others."""
    names = study.items.suite.alike
    return [tuple(str(item.tags.get(name, "")) for name in names) for item in study.items.raw_items()]


def _line(
    study: Study, system: int, rested: Mapping[int, Sequence[Pair]], recalled: Recalled
) -> tuple[str, ...] | None:
    """Scores of the items of which all, some and no facts are recalled; None where none has facts that were asked."""
    share = np.full(study.arrays.count, np.nan)
    for at, pairs in rested.items():
        if all(pair in recalled.known for pair in pairs):
            share[at] = sum(recalled.known[pair] for pair in pairs) / len(pairs)
    scope = study.mask({}) & ~np.isnan(share)
    if not scope.any():
        return None
    parts: list[Mask] = [scope & (share == 1), scope & (share > 0) & (share < 1), scope & (share == 0)]
    scores = [study.scores_of(system, study.main, mask) for mask in parts]
    cells = [_cell(study, each) for each in scores]
    ends = [scores[0], scores[2]]
    if any(not len(each) or each.interval().few for each in ends):
        return (*cells, "too few to tell", "–", "–")
    gap = ends[0].minus_selection(ends[1], same_runs=True)
    if gap.p is None:
        return (*cells, "too few to tell", "–", "–")
    shown = f"{words.change(gap.value, study.main)} {words.interval(gap.low, gap.high, study.main)}"
    return (*cells, f"{shown}, p {words.p_is(gap.p)}", *_controls(study, system, scope, rested, recalled))


def _cell(study: Study, scores: Scores) -> str:
    if not len(scores):
        return "–"
    estimate = scores.interval()
    shown = f"{words.figure(estimate.mean, study.main)} {words.span(estimate, study.main)}"
    return shown if estimate.few else f"{shown}, n = {estimate.n:,}"


# ---- like with like ------------------------------------------------------------------------------------------------


def _controls(
    study: Study, system: int, scope: Mask, rested: Mapping[int, Sequence[Pair]], recalled: Recalled
) -> tuple[str, str]:
    """The difference within cells, and with shuffled facts; not for scores that only a set of items has."""
    if study.main.over == "set":
        return "–", "–"
    scores = study.scores_of(system, study.main, scope)
    used = Used(
        right=scores.numbers.mean(0),
        pairs=[rested[int(place)] for place in scores.items],
        cells=_cells(study, [int(place) for place in scores.items], rested),
    )
    rng = np.random.default_rng(study.seed)
    value = used.gap(recalled.known)
    if np.isnan(value):
        return "–", "–"
    shuffled = [used.gap(shuffle(recalled.known, recalled.kinds, rng)) for _ in range(SHUFFLES)]
    drawn = used.bootstrap(recalled.known, rng)
    return _shown(study, value, drawn), _shown(study, float(np.nanmean(shuffled)), shuffled)


def _shown(study: Study, value: float, values: Sequence[float]) -> str:
    low, high = np.nanquantile(values, (0.025, 0.975))
    return f"{words.change(value, study.main)} {words.interval(float(low), float(high), study.main)}"


def _cells(study: Study, places: Sequence[int], rested: Mapping[int, Sequence[Pair]]) -> NDArray[np.int64]:
    """A number for each kind of item and third of the mean frequency of its words."""
    kinds = _kinds(study)
    frequency = _frequency([rested[place] for place in places])
    bands = np.searchsorted(np.quantile(frequency, np.linspace(0, 1, BANDS + 1)[1:-1]), frequency)
    numbers: dict[tuple[object, ...], int] = {}
    return np.array([numbers.setdefault((*kinds[at], int(band)), len(numbers)) for at, band in zip(places, bands)])


def _frequency(pairs: Sequence[Sequence[Pair]]) -> Floats:
    try:
        from wordfreq import zipf_frequency
    except ImportError:
        return np.zeros(len(pairs))
    return np.array([np.mean([zipf_frequency(word, "en") for pair in own for word in sorted(pair)]) for own in pairs])


@dataclass(frozen=True)
class Used:
    """Items that use facts: how right each is, its pairs and its cell."""

    right: Floats
    pairs: Sequence[Sequence[Pair]]
    cells: NDArray[np.int64]

    @cached_property
    def distinct(self) -> list[Pair]:
        return sorted({pair for own in self.pairs for pair in own}, key=sorted)

    @cached_property
    def _flat(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The numbers of all pairs, item after item, and where each item begins."""
        number = {pair: at for at, pair in enumerate(self.distinct)}
        flat = np.array([number[pair] for own in self.pairs for pair in own])
        return flat, np.cumsum([0, *map(len, self.pairs[:-1])])

    def gap(self, known: Mapping[Pair, bool], weights: Floats | float = 1.0) -> float:
        """All known less none known, within cells; NaN where no cell has both."""
        flat, begins = self._flat
        each = np.array([known[pair] for pair in self.distinct])[flat]
        size, mean = [], []
        for of_side in (np.logical_and.reduceat(each, begins), ~np.logical_or.reduceat(each, begins)):
            side = weights * of_side
            size.append(np.bincount(self.cells, side))
            mean.append(np.bincount(self.cells, side * self.right) / np.maximum(size[-1], 1e-12))
        least = np.minimum(*size)
        return float(least @ (mean[0] - mean[1]) / least.sum()) if least.sum() else float("nan")

    def bootstrap(self, known: Mapping[Pair, bool], rng: np.random.Generator) -> list[float]:
        """Pairs are drawn, and an item counts as often as its pairs were drawn, times each other."""
        (flat, begins), count = self._flat, len(self.distinct)
        draws = (np.bincount(rng.integers(count, size=count), minlength=count) for _ in range(DRAWS))
        return [self.gap(known, np.multiply.reduceat(times[flat], begins).astype(np.float64)) for times in draws]


def shuffle(
    known: Mapping[Pair, bool], kinds: Mapping[Pair, tuple[str, ...]], rng: np.random.Generator
) -> dict[Pair, bool]:
    """As many known pairs in each relation, but others."""
    shuffled: dict[Pair, bool] = {}
    for kind in sorted({kinds[pair] for pair in known}):
        own = sorted((pair for pair in known if kinds[pair] == kind), key=sorted)
        shuffled |= dict(zip(own, rng.permutation([known[pair] for pair in own]).tolist()))
    return shuffled
