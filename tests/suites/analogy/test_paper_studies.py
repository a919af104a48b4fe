"""The studies that ship with the suite: their files are consistent, and the paper's runs from end to end."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import proband
from proband.core.plugins import read_options
from proband.pipeline.studies.study_file import StudyFile, read_study
from proband.pipeline.study import study_path
from proband.suites.analogy import SUITE
from proband.suites.analogy.relations import Relation
from proband.suites.analogy.solvers.pseudo_perplexity import TEMPLATES

NAMES = ["analogy", "analogy-templates", "analogy-scoring"]
FILES = {
    "capital : country": "3_Encyclopedic_semantics/E01 [country - capital].txt",
    "person : occupation": "3_Encyclopedic_semantics/E05 [name - occupation].txt",
    "antonym": "4_Lexicographic_semantics/L10 [antonyms - binary].txt",
    "adjective + ness": "2_Derivational_morphology/D05 [adj+ness_reg].txt",
    "verb : gerund": "1_Inflectional_morphology/I06 [verb_inf - Ving].txt",
}


@pytest.mark.parametrize("name", NAMES)
def test_what_a_study_asks_for_exists(name: str) -> None:
    read: StudyFile = read_study(study_path(name), {})
    assert set(read.report.tables or ()) <= {table.name for table in SUITE.tables}
    for build in read.build:
        read_options(SUITE.options, build.options, of=name)
    for run in read.run:
        if run.run_options.get("solver"):
            solver = next(solver for solver in SUITE.solvers if solver.name in run.run_options["solver"].split(","))
            for option, values in run.grid.items():
                for value in values:
                    read_options(solver.options, {**run.run_options.get("options", {}), option: value}, of=name)


def test_every_study_and_every_table_on_request_is_used(root: Path) -> None:
    assert {p.stem for p in (root / "src" / "proband" / "studies").glob("analogy*.toml")} == set(NAMES)
    read = {name: read_study(study_path(name), {}) for name in NAMES}
    asked = {table for study in read.values() for table in study.report.tables or ()}
    assert {table.name for table in SUITE.tables if not table.always} <= asked
    assert read["analogy"].parameters["made-from"] == "right"  # as printed, random is a test of copying
    (run,) = read["analogy-templates"].run
    assert run.grid["template"] == list(TEMPLATES)


@pytest.fixture
def folder(own: list[Relation], tmp_path: Path) -> Path:
    """Our own lists, twelve tuples each, under BATS' file names."""
    for relation in own:
        if relation.name in FILES:
            path = tmp_path / "bats" / FILES[relation.name]
            path.parent.mkdir(parents=True, exist_ok=True)
            lines = [f"{t.head.replace(' ', '_')}\t{'/'.join(t.tails)}\n" for t in relation.tuples[:12]]
            path.write_text("".join(lines).replace("tennis player", "tennis_player"))
    return tmp_path


@pytest.mark.slow
@pytest.mark.nightly
def test_the_paper_from_end_to_end(folder: Path, tmp_path: Path) -> None:
    out, shots = tmp_path / "out", {"zero-shot": 0, "supervised": 0}
    found: dict[str, Any] = proband.paper("analogy", data=folder, out=out, models=["embedded:glove"], parameters=shots)
    assert [stage["state"] for stage in found["stages"]] == ["ran"] * 4
    manifests = [json.loads(path.read_text()) for path in sorted((out / "stages" / "build").glob("*/manifest.json"))]
    assert sorted(each["items"] for each in manifests) == [5 * 3 * 60, 5 * 3 * 120]
    assert {each["conditions"]["negatives"] for each in manifests} == {"made from the right tuple"}
    groups = "".join(path.read_text() for path in (out / "tables").glob("*groups.md"))
    assert "RoB-Large" not in groups  # published figures stand beside BATS itself, not beside lists with its file names
    assert groups.count("GloVe-6B-50d") == 2 * 5
    relations = "".join(path.read_text() for path in (out / "tables").glob("*relations.md"))
    assert "ES · country : capital" in relations
    verdicts = json.loads((out / "claims.json").read_text())["claims"]
    settings = {row["systems"] for row in verdicts if row["statement"] == "random is harder than reverse"}
    assert settings == {"GloVe-6B-50d · supervised"}  # where the paper found it
    again = proband.paper("analogy", data=folder, out=out, models=["embedded:glove"], parameters=shots)
    assert [stage["state"] for stage in again["stages"]] == ["done"] * 4
