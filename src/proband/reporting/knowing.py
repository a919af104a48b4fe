"""Knowing and using: an analogy rests on two facts. Is it right where the model recalls both, one, or neither?

Suites say which pairs of words an item rests on (`Suite.pairs`). Items that rest on one pair ask for a fact; those that
rest on several use facts. A model *knows* a pair if it recalls the fact more often than not over its wordings; what the
prior (the same wordings without the subject) gets right counts as known by chance, and stands beside it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from proband.core.statistics.scores import Scores
from proband.core.suite import Sheet
from proband.reporting.numbers import words
from proband.reporting.numbers.cells import Mask, Study

Pair = frozenset[str]
PRIOR = "prior"  # the solver that asks without the subject
NOTE = (
    "Items of other suites by how many of the facts they rest on the model recalls (in over half of the wordings), "
    "with 95% intervals. The last column is the difference between items of which all facts are recalled and items of "
    "which none is. A fact that is recalled may be guessed, and facts that are recalled are better known in other ways "
    "too (their words are more frequent): the difference is not the effect of knowing."
)


def knowing_and_using(studies: Sequence[Study]) -> Sheet | None:
    """A line per item set that uses facts, and model that was asked for them too; None if there is none."""
    rested = {id(study): _pairs(study) for study in studies}
    facts = [study for study in studies if _counts(rested[id(study)]) == {1}]
    rows = []
    for study in studies:
        if max(_counts(rested[id(study)]), default=0) < 2:
            continue
        for at, system in enumerate(study.systems):
            for known, how in _recalled(facts, rested, str(system.tags["run.model"])):
                row = _line(study, at, rested[id(study)], known)
                if row:
                    rows.append((study.name, study.labels[at], how, *row))
    header = ("items", "model", "recalled by", "all facts recalled", "some", "none", "all − none")
    return (
        Sheet(name="knowing", title="Knowing and using", header=header, rows=tuple(rows), note=NOTE) if rows else None
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


def _counts(pairs: Mapping[int, Sequence[Pair]]) -> set[int]:
    return {len(each) for each in pairs.values()}


def _recalled(
    facts: Sequence[Study], rested: Mapping[int, Mapping[int, Sequence[Pair]]], model: str
) -> list[tuple[dict[Pair, bool], str]]:
    """For each way in which the model was asked for facts: which of them it recalls."""
    results = []
    for study in facts:
        for at, system in enumerate(study.systems):
            if system.tags["run.model"] != model:
                continue
            own = study.scores_of(at, study.main, study.mask({}))
            known = {
                rested[id(study)][int(place)][0]: bool(right > 0.5)
                for place, right in zip(own.items, own.numbers.mean(0))
                if int(place) in rested[id(study)]
            }
            if known:
                solver = str(system.tags["run.solver"])
                results.append((known, f"{solver} (no subject)" if solver == PRIOR else solver))
    return results


def _line(
    study: Study, system: int, rested: Mapping[int, Sequence[Pair]], known: Mapping[Pair, bool]
) -> tuple[str, ...] | None:
    """Scores of the items of which all, some and no facts are recalled; None where none has facts that were asked."""
    share = np.full(study.arrays.count, np.nan)
    for at, pairs in rested.items():
        if all(pair in known for pair in pairs):
            share[at] = sum(known[pair] for pair in pairs) / len(pairs)
    scope = study.mask({}) & ~np.isnan(share)
    if not scope.any():
        return None
    parts: list[Mask] = [scope & (share == 1), scope & (share > 0) & (share < 1), scope & (share == 0)]
    scores = [study.scores_of(system, study.main, mask) for mask in parts]
    cells = [_cell(study, each) for each in scores]
    ends = [scores[0], scores[2]]
    if any(not len(each) or each.interval().few for each in ends):
        return (*cells, "too few to tell")
    gap = ends[0].minus_selection(ends[1], same_runs=True)
    if gap.few:
        return (*cells, "too few to tell")
    shown = f"{words.change(gap.value, study.main)} {words.interval(gap.low, gap.high, study.main)}"
    return (*cells, f"{shown}, p {words.p_is(gap.p)}")


def _cell(study: Study, scores: Scores) -> str:
    if not len(scores):
        return "–"
    estimate = scores.interval()
    shown = f"{words.figure(estimate.mean, study.main)} {words.span(estimate, study.main)}"
    return shown if estimate.few else f"{shown}, n = {estimate.n:,}"
