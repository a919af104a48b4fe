"""The findings of section 4.2 as tests between runs, on the pairs that both answered, of the normalised area.

*Little* is a margin of ours: at most 0.05 of normalised area.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from proband.core.suite import Claim, Outcome
from proband.suites.inference.curves.measures import NORMALISED, RECALL_AT_80
from proband.suites.inference.curves.scored import (
    GRAPH,
    LEMMA,
    PPDB,
    RELATIONS,
    TYPED,
    WORDS,
    Method,
    Scored,
    difference,
)

LITTLE = 0.05  # of normalised area
MOST = 0.25  # recall at 80 % precision
ADDS_LITTLE, HELPS, UNION = "adds little to lemma", "the graph helps", "PPDB adds to the graph"
START, UNTYPED, CONTEXT = "rules are a better start", "types do not help", "context adds little"
NEEDS_LEMMA, UNDER = "lower without lemma", "under 25 % recall at 80 % precision"
Outcomes = dict[str, dict[str, Outcome]]


@dataclass(frozen=True)
class Found:
    """One system."""

    label: str
    method: Method
    scored: Scored

    def is_(self, *rules: str, base: tuple[str, str] = ("", "")) -> bool:
        return self.method.rules == rules and self.method.beside == base


def findings(runs: Sequence[Found], on: str) -> Mapping[str, Mapping[str, Outcome]]:
    """By the name that a claim has for its test, then by method and data set. Baselines are not asked."""
    asked = [run for run in runs if not run.label.startswith("baseline:")]
    found: Outcomes = {}
    for test, run, outcome in tested(asked):
        found.setdefault(test, {})[f"{run.method.name} on {on}"] = outcome
    return found


def tested(runs: Sequence[Found]) -> Iterator[tuple[str, Found, Outcome]]:
    for run in runs:
        if run.method.rules[:1] == (LEMMA,):
            yield UNDER, run, under(run.scored)
        for test, other, margin in beside(run, runs):
            outcome = ahead(run, other, margin=margin)
            if outcome is not None:
                yield test, run, outcome


def beside(run: Found, runs: Sequence[Found]) -> Iterator[tuple[str, Found, float | None]]:
    """The tests that a run takes part in: their name, the other run, and how much counts as little (None: the run must
    be ahead of the other)."""
    base = run.method.beside
    for other in runs:
        if run.is_(LEMMA, GRAPH) and other.is_(LEMMA):
            yield HELPS, other, None
        elif other.is_(LEMMA) and (run.is_(LEMMA, PPDB) or (run.method.rules == (LEMMA,) and base[0])):
            if not (run.method.kind == RELATIONS and run.method.how):
                yield ADDS_LITTLE, other, LITTLE
        elif run.is_(LEMMA, GRAPH, PPDB) and other.is_(LEMMA, GRAPH):
            yield UNION, other, None
        elif run.method.kind == WORDS and run.is_(LEMMA, GRAPH, PPDB, base=base) and other.is_(LEMMA, base=base):
            yield START, other, None
        elif run.is_(LEMMA, GRAPH) and other.is_(LEMMA, TYPED):
            yield UNTYPED, other, None
        elif run.method.kind == RELATIONS and run.method.how and other.is_(*run.method.rules, base=(base[0], "")):
            if LEMMA in run.method.rules:
                yield CONTEXT, other, LITTLE
        elif run.method.rules[:1] == (LEMMA,) and other.is_(*run.method.rules[1:], base=base):
            yield NEEDS_LEMMA, other, None


def ahead(run: Found, other: Found, *, margin: float | None) -> Outcome | None:
    """The run is ahead of the other; with a margin, it is ahead by no more than that."""
    if margin is None:
        found = difference(NORMALISED, run.scored, other.scored)
        gain = found.difference if found else 0.0
    else:  # the other way round: the other run plus the margin is ahead
        found = difference(NORMALISED, other.scored, run.scored, margin=-margin)
        gain = -found.difference if found else 0.0
    if found is None:
        return None
    pairs = len(frozenset(run.scored.ids) & frozenset(other.scored.ids))
    end = "" if margin is None else f"; little is at most {margin}"
    evidence = f"normalised area {gain:+.3f} beside {other.method.name}, {pairs:,} pairs{end}"
    return Outcome(difference=gain if margin is None else margin - gain, p=found.p, evidence=evidence)


def under(run: Scored) -> Outcome:
    """Recall at 80 % precision below MOST."""
    reached, band = run.interval(RECALL_AT_80)
    evidence = f"recall {100 * reached:.1f} % [{100 * band.low:.1f}, {100 * band.high:.1f}] at 80 % precision"
    if band.few:
        return Outcome(difference=MOST - reached, p=None, evidence=f"{evidence}: too few questions to tell")
    return Outcome(difference=MOST - reached, p=run.p_against(MOST, RECALL_AT_80), evidence=evidence)


CLAIMS = (
    Claim(
        statement="the method adds little to the lemma baseline (at most 0.05 of normalised area)",
        source="section 4.2: true of PPDB, relation embeddings and word embeddings; asked of later methods too",
        test=ADDS_LITTLE,
    ),
    Claim(
        statement="the entailment graph is better than the lemma baseline alone",
        source="section 4.2: the exception among the methods",
        test=HELPS,
    ),
    Claim(
        statement="the entailment graph with PPDB is better than the graph alone",
        source="section 4.2: slightly",
        test=UNION,
    ),
    Claim(
        statement="rules are a better start for word embeddings than the lemma baseline",
        source="section 4.2: significantly better",
        test=START,
    ),
    Claim(
        statement="the entailment graph is better without its types",
        source="section 4.1",
        test=UNTYPED,
    ),
    Claim(
        statement="arguments add little to relation embeddings (at most 0.05 of normalised area)",
        source="section 4.1: Melamud et al.'s measure did not improve performance",
        test=CONTEXT,
    ),
    Claim(
        statement="without the lemma baseline before it the method is worse",
        source="section 4.2: performance drops dramatically",
        test=NEEDS_LEMMA,
    ),
    Claim(
        statement="recall is under 25 % at 80 % precision",
        source="section 4.2: true of every method of the paper; asked of later methods too",
        test=UNDER,
    ),
)
