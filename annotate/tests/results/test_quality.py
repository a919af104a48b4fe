"""Who is careful: disputes, attention checks, very fast people."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from proband_annotate.create import init
from proband_annotate.results.collected import disputed
from proband_annotate.results.figures import people_figures, usual_seconds
from proband_annotate.results.reading import collected

if TYPE_CHECKING:
    from annotate.tests.visitors import questionnaires, simulate, write_lines
else:
    from visitors import questionnaires, simulate, write_lines


def study(tmp_path: Path, **settings: Any) -> Path:
    items = write_lines(tmp_path / "q.jsonl", questionnaires(3, 4))
    init(tmp_path / "study", kind="judge", items=items, settings_given=settings)
    return tmp_path / "study"


def test_disputes_are_complete_and_split(tmp_path: Path) -> None:
    """The rule of judgments needs four of five: with two of five answers all is open, and nothing is disputed."""
    folder = study(tmp_path, people={"overlap": 5})

    def say(worker: str, unit: dict[str, Any]) -> dict[str, Any]:
        names = [candidate["id"] for candidate in unit["body"]["candidates"]]
        odd = sorted({worker, *say.known})[0] == worker if say.known else True  # type: ignore[attr-defined]
        say.known.add(worker)  # type: ignore[attr-defined]
        return {"labels": {name: "no" if place == 0 and odd else "yes" for place, name in enumerate(names)}}

    say.known = set()  # type: ignore[attr-defined]
    simulate(folder, say, people=2)
    found = collected(folder)
    assert len(found.counted()) == 6
    assert all(label is None for label in found.labels.values())
    assert disputed(found, most=200) == []
    simulate(folder, say, people=5)
    rows = disputed(collected(folder), most=200)
    assert all(len(row["votes"]) > 1 for row in rows)
    assert len(rows) <= 3, "those of the first candidate of each question at most"


def test_attention_checks_of_two_studies_differ(tmp_path: Path) -> None:
    texts = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        folder = study(tmp_path / name, quality={"attention-every": 2})
        lines = (folder / "units.jsonl").read_text().splitlines()
        texts.append([line for line in lines if '"role":"attention"' in line])
    assert len(texts[0]) == len(texts[1]) == 6
    assert texts[0] != texts[1]


def test_very_fast_is_relative_to_the_kind_and_the_length(tmp_path: Path) -> None:
    folder = study(tmp_path, people={"overlap": 1})
    simulate(folder, lambda _, unit: {"labels": {c["id"]: "yes" for c in unit["body"]["candidates"]}}, people=1)
    found = collected(folder)
    assert any("very fast" in flag for flag in people_figures(found)[0]["flags"])
    usual = usual_seconds(found)
    assert all(100 < seconds < 260 for seconds in usual.values()), "180 s are expected"
