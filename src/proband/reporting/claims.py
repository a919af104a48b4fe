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
from typing import Any, Literal

from proband.core.files import group_by_key
from proband.core.suite import Claim, Contrast, Outcome, Sheet, Where
from proband.core.types import Tag
from proband.reporting.numbers import formatting
from proband.reporting.numbers.comparisons import ALPHA, contrasted
from proband.reporting.numbers.formatting import is_baseline
from proband.reporting.numbers.study import Study, matches
from proband.stats import holm


@dataclass(frozen=True, kw_only=True)
class Verdict(Outcome):
    """The verdict on one claim for some runs of one item set."""

    statement: str
    source: str
    where: str  # the setting it is asked in
    items: str  # the item set
    systems: str
    shown: str  # the difference in the unit of the table
    verdict: Literal["holds", "fails", "open", "not interpretable"] = "open"
    p_holm: float | None = None


def judge(
    studies: Sequence[tuple[Study, Sequence[Sheet]]], claims: Mapping[str, Sequence[Claim]] | None = None
) -> list[Verdict]:
    """The verdicts on all claims of the suites (or on others, by suite), corrected together. Item sets of one suite
    share its claims: where one has data, the others are not mentioned."""
    verdicts: list[Verdict] = []
    suites = {study.suite.name: study.suite for study, _ in studies}
    for name, suite in suites.items():
        own = [each for each in studies if each[0].suite.name == name]
        for claim in suite.claims if claims is None else claims.get(name, ()):
            if claim.across is not None:
                outcomes = claim.across([study for study, _ in own])
                rows = list(_of_outcomes(own[0][0], claim, outcomes))
            else:
                rows = [row for study, sheets in own for row in _verdicts(study, claim, sheets)]
            known = [row for row in rows if row.difference is not None]
            verdicts += known or rows[:1] or [_no_data(claim, own[0][0])]
    corrected = iter(holm([row.p for row in verdicts if row.p is not None]))
    return [row if row.p is None else _decided(row, next(corrected)) for row in verdicts]


def _no_data(claim: Claim, study: Study, systems: str = "", why: str = "no data") -> Verdict:
    evidence = f"needs {claim.needs}" if claim.needs else why
    return _verdict(claim, study, systems, Outcome(difference=None, p=None, evidence=evidence))


def _verdict(claim: Claim, study: Study, systems: str, outcome: Outcome) -> Verdict:
    """The verdict on a claim before its p-value is corrected."""
    where = formatting.group(claim.where) if claim.where else ""
    about: dict[str, Any] = {"statement": claim.statement, "source": claim.source, "where": where, "items": study.key}
    return Verdict(**vars(outcome), **about, systems=systems, shown=_shown(outcome))


def _shown(outcome: Outcome) -> str:
    value = outcome.difference if outcome.measured is None else outcome.measured
    return "–" if value is None else formatting.change(value, outcome.unit)


def _decided(row: Verdict, p_holm: float) -> Verdict:
    """
    >>> row = Verdict(statement="", source="", where="", items="", systems="", difference=-0.1, shown="", p=0.01,
    ...               evidence="")
    >>> _decided(row, 0.02).verdict, _decided(row, 0.2).verdict
    ('fails', 'open')
    >>> _decided(replace(row, below_chance=True), 0.02).verdict
    'not interpretable'
    """
    if row.below_chance:
        return replace(row, p_holm=p_holm, verdict="not interpretable")
    if p_holm >= ALPHA or not row.difference:
        seen = None if row.detectable is None else formatting.distance(row.detectable, row.unit)
        more = f"; 80 % power to detect {seen} before correction" if seen else ""
        return replace(row, p_holm=p_holm, evidence=row.evidence + more)
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
        if not system.baseline or not of_runs
    )
    tags = study.tags
    values = [study.splits if name == "split" else tags[name].values if name in tags else () for name in of_items]
    return [
        ({**dict(zip(of_runs, run)), **dict(zip(of_items, items))}, systems)
        for run, systems in runs.items()
        for items in product(*values)
    ]


def _places(
    study: Study, claim: Claim, group: Mapping[str, Tag], systems: Sequence[int]
) -> Iterator[tuple[str, list[tuple[Contrast, list[tuple[int, int]]]]]]:
    """The systems that each contrast is between: a claim within a group is tested for each system if it selects no
    runs; for each pair of systems if it has one contrast between runs; for all of them together if it has several."""
    places = []  # of each contrast the pairs of different systems that it selects
    for each in claim.contrasts:
        above, below = (study.selected({**each.where, **side}) for side in (each.above, each.below))
        places.append((each, [(a, b) for a in above for b in below if a != b and {a, b} <= set(systems)]))
    named = [name for each in claim.contrasts for name in (*each.above, *each.below)]
    between_runs = any(name.startswith("run.") for name in named)
    if not between_runs and all(contrast.pair != "item" for contrast in claim.contrasts):
        for at in systems:
            yield study.system_labels[at], [(contrast, [(at, at)]) for contrast in claim.contrasts]
    elif len(places) == 1 and places[0][1]:
        ((contrast, pairs),) = places
        for a, b in pairs:
            yield f"{study.system_labels[a]} / {study.system_labels[b]}", [(contrast, [(a, b)])]
    else:
        runs = {name: value for name, value in group.items() if name.startswith("run.")}
        yield formatting.group(runs) if runs else "", places


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
        return _no_data(claim, study, systems)
    ps = {id(test): test.p for test in tests if test.p is not None}
    p: float | None = None
    if against := [test for test in tests if (test.difference or 0) < 0 and id(test) in ps]:
        decisive = min(against, key=lambda test: ps[id(test)])
        p = min(1.0, ps[id(decisive)] * len(tests))
    elif len(ps) < len(tests):  # an untestable claim cannot hold
        decisive = next(test for test in tests if id(test) not in ps)
    else:
        decisive = max(tests, key=lambda test: ps[id(test)])
        p = decisive.p
    below_chance = any(test.below_chance for test in ([decisive] if against else tests))
    evidence = [test.evidence for test in tests]
    if len(tests) > 1:
        evidence = [
            f"{t.evidence}: {_shown(t)}" + ("" if t.p is None else f", p {formatting.p_is(t.p)}") for t in tests
        ]
    if missing := sum(not any(each) for each in by_contrast):
        evidence.append(f"no data for {missing} of {len(claim.contrasts)} contrasts")
        p = p if against else None  # it cannot hold
    if below_chance:
        evidence.append("both sides below chance")
    elif all(test.below_shortcut for test in tests):
        evidence.append("both sides below the best shortcut that was run")
    outcome = replace(decisive, p=p, evidence="; ".join(evidence), below_chance=below_chance)
    return _verdict(claim, study, systems, outcome)


def _of_outcomes(study: Study, claim: Claim, by_label: Mapping[str, Outcome]) -> Iterator[Verdict]:
    baselines = {label for label, run in zip(study.labels, study.runs) if is_baseline(run.model)}
    baselines |= {system.label for system in study.systems if system.baseline}
    outcomes = [(label, outcome) for label, outcome in by_label.items() if label not in baselines]
    if not outcomes:
        yield _no_data(claim, study, why="the table it needs was not selected, or has no data")
    for label, outcome in outcomes:
        yield _verdict(claim, study, label, outcome)


def counts(verdicts: Sequence[Verdict]) -> str:
    """The number of statements by verdict: for the paper's own systems first, then for others. One statement about many
    systems is one finding."""
    parts = [f"{len({v.statement for v in verdicts})} statements"]
    whole = all(v.published for v in verdicts)
    for published, who in ((True, "all tests" if whole else "systems of the paper"), (False, "later systems")):
        own = Counter(v.verdict for v in verdicts if v.published is published)
        if own:
            lost = f", {own['not interpretable']} not interpretable" if own["not interpretable"] else ""
            parts.append(f"{who}: {own['holds']} hold, {own['fails']} fail, {own['open']} open{lost}")
    return "; ".join(parts)


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
    p, p_holm = ("–" if p is None else formatting.format_p(p) for p in (v.p, v.p_holm))
    about = (v.statement, v.source, v.where or "–", items, v.systems)
    return (*about, v.verdict, v.shown, p, p_holm, v.evidence)
