"""Who is very fast: relative to the kind and the length of what people answer."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from proband_annotate.results.figures import people_figures, usual_seconds
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
