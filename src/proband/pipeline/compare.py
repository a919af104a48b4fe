"""`proband compare`: two runs on the same items, by the same paired tests and the same correction as the report's."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from proband.core.errors import ProbandError
from proband.pipeline.report import item_sets


def compare(
    run_a: str | Path,
    run_b: str | Path,
    *,
    items: str | Path | None = None,
    by: str | None = None,
    metric: str | None = None,
    seed: int = 0,
) -> dict[str, Any]:
    """Paired, clustered tests of two runs on the same items: on all of them, and in each column of the suite's first
    table or for each value of the tag `by`. A folder may hold several runs of one network (other training seeds)."""
    from proband.report.numbers import words
    from proband.report.numbers.cells import Study
    from proband.report.numbers.comparisons import comparisons

    sides = [item_sets([run], items=items) for run in (run_a, run_b)]
    for run, sets in zip((run_a, run_b), sides):
        if len(sets) > 1:
            raise ProbandError(f"holds runs on {len(sets)} sets of items: name one", file=run)
    (one,), (other,) = sides
    if one.runs[0].items_sha != other.runs[0].items_sha:
        raise ProbandError(f"{run_a} and {run_b} answered different items")
    suite = one.suite
    chosen = suite.metric(metric or "")
    both = replace(one, answered=[*one.answered, *other.answered])
    study = Study(both, [chosen], seed=seed, pool=len(both.answered) > 2)
    if len(study.systems) != 2:
        raise ProbandError(f"{run_a} and {run_b} hold {len(study.systems)} systems: name two")
    compared = comparisons(study, chosen, by=by or "")
    if not compared:
        raise ProbandError(f"the two runs share no item that {chosen.name!r} applies to")
    a, b = study.labels
    groups = [asdict(each if each.a == a else each.turned()) | {"verdict": each.verdict} for each in compared]
    for each in groups:
        each["group"] = words.group(each["group"])
    return {"a": a, "b": b, "suite": suite.name, "metric": chosen.name, "unit": chosen.unit, "groups": groups}
