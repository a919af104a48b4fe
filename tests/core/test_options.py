"""Options in their former form: read for one release, with a line that says so."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest

from proband.cli import main
from proband.core.errors import ProbandError
from proband.core.files import read_json, write_json
from proband.core.options import Meta, described, formerly, read_options
from proband.pipeline.build import build
from proband.pipeline.studies.study_file import parameters


@dataclass(frozen=True, kw_only=True)
class Renamed:
    min_count: Annotated[int, Meta(description="fewest", ge=1, **formerly("least"))] = 5
    made_from: Annotated[Literal["right", "paper"], Meta(description="which", **formerly(printed="paper"))] = "right"


def test_former_names_and_values_are_read_and_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert read_options(Renamed, {"least": "2", "made-from": "printed"}, of="x") == Renamed(
        min_count=2, made_from="paper"
    )
    said = capsys.readouterr().err
    assert "x: option least is now called min-count" in said
    assert "x: made-from=printed is now called paper" in said
    assert read_options(Renamed, {"min-count": 2, "made_from": "paper"}, of="x").min_count == 2
    assert capsys.readouterr().err == ""
    assert [field.formerly for field in described(Renamed)] == ["least", ""]
    with pytest.raises(ProbandError, match="has no option 'most'; it has made-from, min-count"):
        read_options(Renamed, {"most": 1}, of="x")


def test_a_former_option_of_build_works_on_the_command_line(tmp_path: Path, capsys: Any) -> None:
    corpus = tmp_path / "c.tsv"
    corpus.write_text("".join(f"stir the pot {n} .\tstir the large pot {n} on the stove .\n" for n in range(9)))
    words = ["build", "script", "--data", str(corpus), "--hold-out", "0.3"]
    assert main([*words, "--min-count", "1", "--max-blanks", "2", "-o", str(tmp_path / "now")]) == 0
    assert "now called" not in capsys.readouterr().err
    assert main([*words, "--least", "1", "--most", "2", "-o", str(tmp_path / "former")]) == 0
    err = capsys.readouterr().err
    assert "option least is now called min-count" in err
    assert "option most is now called max-blanks" in err
    now, former = ((tmp_path / name / "items.jsonl").read_bytes() for name in ("now", "former"))
    assert now == former
    assert main(["build", "script", "--help"]) == 0
    assert "--least" not in capsys.readouterr().out


def test_a_former_option_of_a_suites_own_verb_is_read_and_said(tmp_path: Path, capsys: Any) -> None:
    questions = tmp_path / "questions.txt"
    words = ["inference", "candidates", str(tmp_path / "no-store"), "--questions", str(questions)]
    assert main([*words, "--least", "2", "--most", "3", "-o", str(tmp_path / "out")]) == 2
    err = capsys.readouterr().err
    assert "--least is now called --min-count" in err
    assert "--most is now called --max-candidates" in err


def test_a_build_of_before_is_the_same_build(tmp_path: Path) -> None:
    made = build("analogy", out=tmp_path, per_relation=1, relations="capital", faithful=True, made_from="paper")
    note = tmp_path / "manifest.json"
    assert made["options"]["made-from"] == "paper"
    write_json(note, {**read_json(note), "options": {**made["options"], "made-from": "printed"}})
    build("analogy", out=tmp_path, per_relation=1, relations="capital", faithful=True, made_from="paper")
    with pytest.raises(ProbandError, match="another 'made-from'"):
        build("analogy", out=tmp_path, per_relation=1, relations="capital", faithful=True, made_from="right")


def test_a_parameter_of_a_study_reads_its_former_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert parameters({"min-count": 5}, {"least": "2"}, file=tmp_path) == {"min-count": 2}
    assert "least is now called min-count" in capsys.readouterr().err
