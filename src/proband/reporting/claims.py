"""Claims as tests: a paper's findings, each with a verdict for the systems of a study.

A claim *holds* if every one of its contrasts points the way it says at p < 0.05, *fails* if one points the other way at
p < 0.05, and is *open* otherwise, or where there is no data for it. It is asked only in the setting in which the paper
found it (`Claim.where`). Where both sides of the contrast that decides are below chance, the claim is *not
interpretable*: of two models that are misled, one is misled less. The p-value of a claim with several contrasts is
the largest of theirs (all must hold); if some point the other way, the smallest of those times their number. P-values
are corrected by Holm over all claims of one study. Differences are in the unit of the tables (percentage points, nats).
"""

from __future__ import annotations

from collections import ChainMap, Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Literal, cast

from proband.core.files import group_by_key
from proband.core.metrics import Metric
from proband.core.suite import Claim, Contrast, Outcome, Results, Sheet, Where
from proband.core.types import Tag
from proband.reporting.numbers import formatting
from proband.reporting.numbers.cells import ALPHA, Study, matches
from proband.reporting.numbers.comparisons import contrasted
from proband.stats import holm


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """What came of one claim for some runs of one item set."""

    statement: str
    source: str
    where: str  # the setting it is asked in
    items: str  # the item set
    systems: str
    verdict: Literal["holds", "fails", "open", "not interpretable"]
    difference: float | None  # on the metric's own scale; the sign that the claim expects is positive
    shown: str  # the difference in the unit of the table
    p: float | None
    p_holm: float | None
    evidence: str
    below_chance: bool = False  # both sides
    published: bool = True  # whether the paper says so of these systems
    detectable: str = ""  # in words: the difference that is found with a power of 80 %


def chosen(claims: Sequence[Claim], wanted: bool | Sequence[str]) -> list[Claim]:
    """All claims, or those whose statement contains one of these texts."""
    texts = ("",) if isinstance(wanted, bool) else wanted
    return [claim for claim in claims if any(text in claim.statement for text in texts)]


def judge(
    studies: Sequence[tuple[Study, Sequence[Sheet]]], claims: Mapping[str, Sequence[Claim]] | None = None
) -> list[Verdict]:
    """The verdicts on all claims of the suites (or on others, by suite), corrected together. Item sets of one suite
    share its claims: where one has data, the others are not mentioned."""
    verdicts: list[Verdict] = []
    suites = {study.items.suite.name: study.items.suite for study, _ in studies}
    for name, suite in suites.items():
        own = [each for each in studies if each[0].items.suite.name == name]
        for claim in suite.claims if claims is None else claims.get(name, ()):
            if claim.across is not None:
                outcomes = claim.across([cast(Results, replace(study.items, splits=study.splits)) for study, _ in own])
                rows = list(_of_outcomes(own[0][0], claim, outcomes))
            else:
                rows = [row for study, sheets in own for row in _verdicts(study, claim, sheets)]
            known = [row for row in rows if row.difference is not None]
            verdicts += known or rows[:1] or [_open(claim, own[0][0], "", _missing(claim, "no data"))]
    corrected = iter(holm([row.p for row in verdicts if row.p is not None]))
    return [row if row.p is None else _decided(row, next(corrected)) for row in verdicts]


def _missing(claim: Claim, otherwise: str) -> str:
    return f"needs {claim.needs}" if claim.needs else otherwise


def _open(claim: Claim, study: Study, systems: str, evidence: str) -> Verdict:
    return Verdict(
        statement=claim.statement,
        source=claim.source,
        where=formatting.group(claim.where) if claim.where else "",
        items=study.key,
        systems=systems,
        verdict="open",
        difference=None,
        shown="–",
        p=None,
        p_holm=None,
        evidence=evidence,
    )


def _decided(row: Verdict, p_holm: float) -> Verdict:
    """
    >>> row = Verdict(statement="", source="", where="", items="", systems="", verdict="open", difference=-0.1,
    ...               shown="", p=0.01, p_holm=None, evidence="")
    >>> _decided(row, 0.02).verdict, _decided(row, 0.2).verdict
    ('fails', 'open')
    >>> _decided(replace(row, below_chance=True), 0.02).verdict
    'not interpretable'
    """
    if row.below_chance:
        return replace(row, p_holm=p_holm, verdict="not interpretable")
    if p_holm >= ALPHA or not row.difference:
        seen = f"; 80 % power to detect {row.detectable} before correction" if row.detectable else ""
        return replace(row, p_holm=p_holm, evidence=row.evidence + seen)
    return replace(row, p_holm=p_holm, verdict="holds" if row.difference > 0 else "fails")


# ---- one claim -----------------------------------------------------------------------------------------------------


def _verdicts(study: Study, claim: Claim, sheets: Sequence[Sheet]) -> Iterator[Verdict]:
    """One verdict for each combination of the values of `per`, or more if it selects several systems; none where the
    items are of another setting."""
    if not study.mask({name: value for name, value in claim.where.items() if not name.startswith("run.")}).any():
        return
    if claim.test:
        by_label = ChainMap(*(dict(sheet.outcomes.get(claim.test, {})) for sheet in reversed(sheets)))
        yield from _of_outcomes(study, claim, by_label)
        return
    for group, systems in _groups(study, claim.per):
        if any(name in group and not matches(group[name], value) for name, value in claim.where.items()):
            continue
        within = {name: value for name, value in group.items() if not name.startswith("run.")}
        for runs, places in _places(study, claim, group, systems):
            names = " · ".join(each for each in (runs, formatting.group(within) if within else "") if each)
            yield _tested(study, claim, names, places, {**claim.where, **group})


def _groups(study: Study, per: Sequence[str]) -> list[tuple[dict[str, Tag], list[int]]]:
    """The values of `per` that occur, with the systems that have them; tags of items may be among them."""
    of_runs, of_items = [n for n in per if n.startswith("run.")], [n for n in per if not n.startswith("run.")]
    runs = group_by_key(
        (tuple(system.tags.get(name, "") for name in of_runs), at)
        for at, system in enumerate(study.systems)
        if not str(system.tags["run.model"]).startswith("baseline:") or not of_runs
    )
    values = [_values(study, name) for name in of_items]
    return [
        ({**dict(zip(of_runs, run)), **dict(zip(of_items, items))}, systems)
        for run, systems in runs.items()
        for items in product(*values)
    ]


def _values(study: Study, name: str) -> Sequence[Tag]:
    """The values of a tag of items; of the split those that are scored."""
    if name == "split":
        return study.splits
    return study.arrays.tags[name].values if name in study.arrays.tags else ()


def _places(
    study: Study, claim: Claim, group: Mapping[str, Tag], systems: Sequence[int]
) -> Iterator[tuple[str, list[tuple[Contrast, list[tuple[int, int]]]]]]:
    """The systems that each contrast is between: a claim within a group is asked of each system if it selects no runs;
    of each pair of systems if it has one contrast between runs; of all of them together if it has several."""
    places = [(contrast, _pairs(study, contrast, systems)) for contrast in claim.contrasts]
    if not any(_chooses(contrast) for contrast in claim.contrasts):
        for at in systems:
            yield study.labels[at], [(contrast, [(at, at)]) for contrast in claim.contrasts]
    elif len(places) == 1 and places[0][1]:
        ((contrast, pairs),) = places
        for a, b in pairs:
            yield f"{study.labels[a]} / {study.labels[b]}", [(contrast, [(a, b)])]
    else:
        runs = {name: value for name, value in group.items() if name.startswith("run.")}
        yield formatting.group(runs) if runs else "", places


def _chooses(contrast: Contrast) -> bool:
    """Whether a contrast is between different runs."""
    return contrast.pair == "item" or any(name.startswith("run.") for name in (*contrast.above, *contrast.below))


def _pairs(study: Study, contrast: Contrast, systems: Sequence[int]) -> list[tuple[int, int]]:
    """The pairs of different systems that a contrast between runs selects."""
    above, below = (study.selected({**contrast.where, **side}) for side in (contrast.above, contrast.below))
    return [(a, b) for a in above for b in below if a != b and a in systems and b in systems]


def _tested(
    study: Study,
    claim: Claim,
    systems: str,
    places: Sequence[tuple[Contrast, Sequence[tuple[int, int]]]],
    group: Where,
) -> Verdict:
    """The tests of all contrasts, of which one decides."""
    by_contrast = [[contrasted(study, contrast, a, b, group) for a, b in pairs] for contrast, pairs in places]
    tests = [test for each in by_contrast for test in each if test]
    if not tests:
        return _open(claim, study, systems, _missing(claim, "no data"))
    ps = {id(test): test.p for test in tests if test.p is not None}
    p: float | None = None
    if against := [test for test in tests if test.ahead < 0 and id(test) in ps]:
        decisive = min(against, key=lambda test: ps[id(test)])
        p = min(1.0, ps[id(decisive)] * len(tests))
    elif len(ps) < len(tests):  # what cannot be tested cannot hold
        decisive = next(test for test in tests if id(test) not in ps)
    else:
        decisive = max(tests, key=lambda test: ps[id(test)])
        p = decisive.p
    below_chance = any(test.below_chance for test in ([decisive] if against else tests))
    evidence = [test.evidence for test in tests]
    if len(tests) > 1:
        evidence = [
            f"{t.evidence}: {formatting.change(t.difference, t.metric)}"
            + ("" if t.p is None else f", p {formatting.p_is(t.p)}")
            for t in tests
        ]
    if missing := sum(not any(each) for each in by_contrast):
        evidence.append(f"no data for {missing} of {len(claim.contrasts)} contrasts")
        p = p if against else None  # it cannot hold
    if below_chance:
        evidence.append("both sides below chance")
    elif all(test.below_shortcut for test in tests):
        evidence.append("both sides below the best shortcut")
    shown = formatting.change(decisive.difference, decisive.metric)
    row = _open(claim, study, systems, "; ".join(evidence))
    seen = "" if decisive.detectable is None else formatting.distance(decisive.detectable, decisive.metric)
    return replace(row, difference=decisive.ahead, shown=shown, p=p, below_chance=below_chance, detectable=seen)


def _of_outcomes(study: Study, claim: Claim, by_label: Mapping[str, Outcome]) -> Iterator[Verdict]:
    outcomes = [(label, outcome) for label, outcome in by_label.items() if not label.startswith("baseline:")]
    if not outcomes:
        yield _open(claim, study, "", _missing(claim, "the analysis it needs was not asked for, or has no data"))
    for label, outcome in outcomes:
        row = _open(claim, study, label, outcome.evidence)
        unit = Metric(name="", of=len, unit=outcome.unit)
        shown = "–" if outcome.difference is None else formatting.change(outcome.difference, unit)
        seen = "" if outcome.detectable is None else formatting.distance(outcome.detectable, unit)
        row = replace(row, difference=outcome.difference, shown=shown, p=outcome.p, detectable=seen)
        yield replace(row, published=outcome.published)


# ---- in numbers ----------------------------------------------------------------------------------------------------


def counts(verdicts: Sequence[Verdict]) -> str:
    """How many statements there are, and what came of them: of the paper's own systems first, then of others. One
    statement asked of many systems is not many findings."""
    parts = [f"{len({v.statement for v in verdicts})} statements"]
    whole = all(v.published for v in verdicts)
    for published, who in ((True, "all tests" if whole else "systems of the paper"), (False, "later systems")):
        own = Counter(v.verdict for v in verdicts if v.published is published)
        if own:
            lost = f", {own['not interpretable']} not interpretable" if own["not interpretable"] else ""
            parts.append(f"{who}: {own['holds']} hold, {own['fails']} fail, {own['open']} open{lost}")
    return "; ".join(parts)


# ---- as a table ----------------------------------------------------------------------------------------------------


def claims_sheet(verdicts: Sequence[Verdict], names: Mapping[str, str]) -> Sheet:
    """All verdicts as a sheet of plain cells; `names` are those of the item sets."""
    return Sheet(
        name="claims",
        title="Claims",
        header=("claim", "source", "setting", "items", "runs", "verdict", "difference", "p", "p (Holm)", "evidence"),
        rows=tuple(_row(verdict, names[verdict.items]) for verdict in verdicts),
        note=(
            "A claim holds if its difference has the sign it states at p < 0.05 after Holm's correction over all "
            "claims of this study, fails if it has the other sign at p < 0.05, is not interpretable if both sides are "
            "below chance, and is open otherwise. " + counts(verdicts) + "."
        ),
    )


def _row(v: Verdict, items: str) -> tuple[str, ...]:
    p, p_holm = ("–" if p is None else formatting.p_value(p) for p in (v.p, v.p_holm))
    about = (v.statement, v.source, v.where or "–", items, v.systems)
    return (*about, v.verdict, v.shown, p, p_holm, v.evidence)
