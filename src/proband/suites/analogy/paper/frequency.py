"""Does word frequency explain the errors? (section 4, "Word Frequency")

The frequency of an output tuple is the harmonic mean of its two words' frequencies. For each relation, items of the
random probe answered rightly and wrongly are compared by a two-sample Kolmogorov-Smirnov test, as in the paper; forty
tests at once are corrected by Holm's method, and an effect size is given: Cliff's delta, P(right > wrong) - P(right <
wrong).

Items are not independent. A relation has 25 tuples in its test half; each occurs in 24 items as the right tuple, and
its words occur in negatives, which combine 25 heads with 25 tails. So the test by items finds effects where there are
none. Next to it is one whose unit is the tuple of the list: Spearman's correlation of a tuple's frequency with the
share of its items answered rightly, over the items whose output is that tuple.

The outcome tests the paper's sentence "for most relation types (over two thirds), p-values are higher than 0.05": the
share of relations without an effect minus two thirds, by a binomial test over relations.

Frequencies are those of the corpus that the items were built with (`build analogy --frequencies FILE`, kept in the
manifest), else wordfreq's.
"""

from __future__ import annotations

import warnings
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from proband.core.files import group_by_key
from proband.core.metrics import accuracy_of
from proband.core.suite import Outcome, Results, Sheet, Table
from proband.core.types import Answer, Item
from proband.stats import holm_where_tested
from proband.suites.analogy.frequencies import Frequency, from_counts, from_wordfreq
from proband.suites.analogy.relations import Pair, facts_of

ALPHA, TWO_THIRDS = 0.05, 2 / 3
BY_ITEM, BY_TUPLE = "frequency", "frequency by tuple"
EXCEPTIONS = "frequency matters for male : female and adjective : comparative"
EXCEPTED = ("male : female", "adjective : comparative", "adj : comparative")


def frequencies(results: Results) -> tuple[Frequency, str]:
    """The frequencies and their source."""
    own = results.manifest.get("frequencies")
    return (from_counts(own["counts"]), own["source"]) if own else (from_wordfreq(), "wordfreq")


def harmonic(pair: Pair, frequency: Frequency) -> float:
    """2 f(h) f(t) / (f(h) + f(t))

    >>> harmonic(("a", "b"), {"a": 1.0, "b": 3.0}.__getitem__)
    1.5
    """
    h, t = frequency(pair[0]), frequency(pair[1])
    return 2 * h * t / (h + t) if h > 0 and t > 0 else 0.0


# ---- the tests -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Effect:
    """One relation's tests; None where there was nothing to test."""

    relation: str
    right: int
    wrong: int
    gap: float | None  # the Kolmogorov-Smirnov statistic
    p: float | None
    delta: float | None  # Cliff's delta
    tuples: int  # tuples of the list
    rho: float | None  # Spearman's correlation over these tuples
    p_tuples: float | None


def output_pair(item: Item) -> Pair:
    """The tuple a model has to judge: the option of a true/false item, the right option of a choice."""
    facts = facts_of(item)
    return facts.option or facts.options[item.gold or 0]


def is_of_the_list(item: Item) -> bool:
    """Whether the output is a tuple of the relation rather than a negative made from two tuples."""
    return facts_of(item).option is None or item.gold == 0


def effects_of(answered: Iterable[tuple[Item, Answer]], frequency: Frequency, *, probe: str = "random") -> list[Effect]:
    """The tests of every relation."""
    by_relation: dict[str, list[tuple[float, Pair, bool]]] = defaultdict(list)
    known: dict[Pair, float] = {}
    for item, answer in answered:
        value = accuracy_of(item, answer)
        if value is not None and item.tags["paper_probe"] == probe:
            pair = output_pair(item)
            if pair not in known:
                known[pair] = harmonic(pair, frequency)
            by_relation[str(item.tags["relation"])].append((value, pair, is_of_the_list(item)))
    return [_effect(relation, rows, known) for relation, rows in by_relation.items()]


def _effect(relation: str, rows: Sequence[tuple[float, Pair, bool]], known: dict[Pair, float]) -> Effect:
    from scipy.stats import ks_2samp, spearmanr

    right, wrong = ([known[pair] for value, pair, _ in rows if (value > 0.5) is side] for side in (True, False))
    with warnings.catch_warnings():  # where the exact p-value cannot be computed, scipy takes the asymptotic one
        warnings.simplefilter("ignore", RuntimeWarning)
        test = ks_2samp(right, wrong) if right and wrong else None
    share = group_by_key((pair, value) for value, pair, listed in rows if listed)
    often, well = [known[pair] for pair in share], [float(np.mean(values)) for values in share.values()]
    vary = len(share) >= 4 and np.ptp(often) > 0 and np.ptp(well) > 0
    ranked = spearmanr(often, well) if vary else None
    return Effect(
        relation=relation,
        right=len(right),
        wrong=len(wrong),
        gap=float(test.statistic) if test else None,
        p=float(test.pvalue) if test else None,
        delta=cliffs_delta(right, wrong) if test else None,
        tuples=len(share),
        rho=float(ranked.statistic) if ranked else None,
        p_tuples=float(ranked.pvalue) if ranked else None,
    )


def cliffs_delta(a: ArrayLike, b: ArrayLike) -> float:
    """P(a > b) - P(a < b)

    >>> cliffs_delta([3, 4], [1, 3])
    0.75
    """
    x, y = np.asarray(a), np.sort(np.asarray(b))
    below = np.searchsorted(y, x, side="left").sum()
    above = (len(y) - np.searchsorted(y, x, side="right")).sum()
    return float((below - above) / (len(x) * len(y)))


# ---- the table and what claims refer to ----------------------------------------------------------------------------


def analysis(results: Results, seed: int) -> list[Sheet]:
    """One table over all runs; the tests draw nothing at random."""
    known, source = frequencies(results)
    setting = str(next(results.items()).tags["setting"])
    rows: list[tuple[str | float | int | None, ...]] = []
    outcomes: dict[str, dict[str, Outcome]] = {BY_ITEM: {}, BY_TUPLE: {}, EXCEPTIONS: {}}
    for number, label in enumerate(results.labels):
        effects = effects_of(results.scored(number), known)
        p, p_tuples = [e.p for e in effects], [e.p_tuples for e in effects]
        by_item, by_tuple = holm_where_tested(p), holm_where_tested(p_tuples)
        for e, holm_item, holm_tuple in zip(effects, by_item, by_tuple, strict=True):
            first = (label, e.relation, e.right, e.wrong, e.gap, e.p, holm_item, e.delta)
            rows.append((*first, e.tuples, e.rho, e.p_tuples, holm_tuple))
        outcomes[BY_ITEM][label] = outcome(setting, p, corrected=by_item, sizes=[e.delta for e in effects])
        outcomes[BY_TUPLE][label] = outcome(setting, p_tuples, corrected=by_tuple, sizes=[e.rho for e in effects])
        if (excepted := exceptions(effects)) is not None:
            outcomes[EXCEPTIONS][label] = excepted
    header = "run,relation,right,wrong,KS,p,p (Holm),delta,tuples,rho,p by tuple,p by tuple (Holm)"
    return [
        Sheet(
            name="frequency",
            title="Word frequency of right and wrong answers, random probe",
            header=tuple(header.split(",")),
            rows=tuple(rows),
            note=f"Frequencies: {source}. KS compares items, which share words and are not independent; rho compares "
            "the tuples of the list.",
            outcomes=outcomes,
        )
    ]


FREQUENCY = Table(
    name="frequency", title="does word frequency explain the errors? (section 4)", of=analysis, always=False
)


def outcome(
    setting: str, raw: Sequence[float | None], *, corrected: Sequence[float | None], sizes: Sequence[float | None]
) -> Outcome:
    """The share of relations without an effect (p >= 0.05), minus two thirds."""
    from scipy.stats import binomtest

    tested = [p for p in raw if p is not None]
    if not tested:
        return Outcome(difference=None, p=None, evidence=f"{setting}: no relation has both right and wrong answers")
    quiet = sum(p >= ALPHA for p in tested)
    after = sum(p is not None and p < ALPHA for p in corrected)
    size = float(np.median([abs(each) for each in sizes if each is not None]))
    counts = f"p < 0.05 in {len(tested) - quiet} of {len(tested)} relations, {after} after Holm"
    return Outcome(
        difference=quiet / len(tested) - TWO_THIRDS,
        p=float(binomtest(quiet, len(tested), TWO_THIRDS).pvalue),
        evidence=f"{setting}: {counts}; median effect {size:.2f}",
    )


def exceptions(effects: Sequence[Effect]) -> Outcome | None:
    """Test whether frequency matters, by tuple, for both of the paper's exceptions: the weaker correlation with its p.
    They are exceptions only if frequency matters for at most a third of the other relations."""
    tested = {each.relation: (each.rho, each.p_tuples) for each in effects if each.rho is not None}
    known = {relation: found for relation, found in tested.items() if relation in EXCEPTED}
    if not known:
        return None
    shown = ", ".join(f"{relation} rho {rho:+.2f}, p {p:.2g}" for relation, (rho, p) in known.items())
    if len(known) < 2:
        return Outcome(difference=None, p=None, evidence=f"{shown}: one of the two is missing")
    others = [p for relation, (_, p) in tested.items() if relation not in EXCEPTED]
    below = sum(p is not None and p < ALPHA for p in others)
    rho, p = min(known.values(), key=lambda found: abs(found[0] or 0.0))
    rare = 3 * below <= len(others)
    evidence = f"{shown}; p < 0.05 in {below} of {len(others)} other relations"
    return Outcome(difference=abs(rho or 0.0), p=p if rare else None, evidence=evidence, unit="count")
