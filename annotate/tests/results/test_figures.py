"""Who is very fast: relative to the kind and the length of what people answer."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import structs

from proband_annotate.project import Quotas
from proband_annotate.results.figures import figures, people_figures, quota_figures, usual_seconds
from proband_annotate.results.planning import plan
from proband_annotate.results.reading import collected

if TYPE_CHECKING:
    from annotate.tests.visitors import simulate, three_questions
else:
    from visitors import simulate, three_questions


def test_very_fast_is_relative_to_the_kind_and_the_length(tmp_path: Path) -> None:
    folder = three_questions(tmp_path, people={"overlap": 1})
    simulate(folder, lambda _, unit: {"labels": {c["id"]: "yes" for c in unit["body"]["candidates"]}}, people=1)
    found = collected(folder)
    assert any("very fast" in flag for flag in people_figures(found)[0]["flags"])
    usual = usual_seconds(found)
    assert all(100 < seconds < 260 for seconds in usual.values()), "180 s are expected"


def test_pay_per_visit_is_pay_per_hour_too(tmp_path: Path) -> None:
    """3.00 for the three units of a visit, 90 seconds each."""
    folder = three_questions(tmp_path, people={"overlap": 1}, pay={"per-unit": 0.0, "per-visit": 3.0})
    simulate(folder, lambda _, unit: {"labels": {c["id"]: "yes" for c in unit["body"]["candidates"]}}, people=1)
    found = collected(folder)
    found = replace(found, answers=[replace(each, seconds=90.0) for each in found.answers], memory={})
    assert figures(found)["money"]["per_hour"] == 40.0
    made = plan(found, half_width=0.2)
    assert (made["pay_per_unit"], made["pay_per_hour"]) == (1.0, 20.0), "180 s are expected until times are measured"


def test_experts_are_in_no_quota(tmp_path: Path) -> None:
    folder = three_questions(tmp_path)
    found = collected(folder)
    people = [{"panel": panel, "decision": "", "quota": "Female", "outcome": ""} for panel in ("crowd", "expert")]
    project = structs.replace(found.project, quotas=Quotas(most={"Female": 5}))
    assert quota_figures(replace(found, people=people, project=project)) == {"Female": "1 of 5"}
