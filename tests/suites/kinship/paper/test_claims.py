"""The findings of section 3.5 against answers whose outcome is known, and through a small study."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import proband
from proband.core.files import read_json
from proband.pipeline.studies.study_file import StudyFile, read_study
from proband.suites.kinship import SUITE


def test_the_findings_of_the_thesis_are_all_asked() -> None:
    texts = "\n".join(claim.statement for claim in SUITE.claims)
    for finding in (
        "BERT-LSTM is the best text model",
        "bert does not benefit",
        "bert-lstm does not benefit",
        "only GAT",
    ):
        assert finding in texts
    assert "bert-lstm gains when" not in texts


def test_every_net_that_a_claim_names_is_one_of_the_suite() -> None:
    nets = {net.name for net in SUITE.nets}
    named = {
        str(side["run.model"]).partition("-")[2]
        for claim in SUITE.claims
        for contrast in claim.contrasts
        for side in (contrast.above, contrast.below, contrast.where)
        if "run.model" in side
    }
    assert named == {"bilstm-mean", "bilstm-attention", "relation-network", "rmc", "mac", "bert", "bert-lstm", "gat"}
    assert named <= nets


def test_claims_about_nets_are_not_asked_of_solvers(tmp_path: Path) -> None:
    proband.build("kinship", out=tmp_path / "items", k="2,9", per_k=6, task="clean,supporting,disconnected")
    proband.run(tmp_path / "items", model="solver:symbolic", out=tmp_path / "run")
    proband.report([tmp_path / "run"], out=tmp_path / "report", claims=True)
    claims = (tmp_path / "report" / "tables" / "claims.csv").read_text(encoding="utf-8")
    assert "GAT falls when supporting facts are added" in claims
    assert "accuracy falls with the length" in claims
    assert "solver:symbolic" not in claims


@pytest.mark.nightly
def test_a_small_study_of_structure_judges_its_claims(tmp_path: Path) -> None:
    small = {
        "seeds": "0",
        "story-seeds": "0",
        "epochs": 1,
        "per-k": 22,
        "test-per-k": 4,
        "nets": "bilstm-mean",
        "encoded-nets": "",
    }
    proband.study("kinship-structure", out=tmp_path, parameters=small)
    claims = (tmp_path / "tables" / "claims.csv").read_text(encoding="utf-8")
    assert "bilstm-mean is within 5 points of GAT" in claims
    assert "accuracy falls with the length" in claims
    assert (tmp_path / "index.html").exists()
    assert read_json(tmp_path / "study.json")["parameters"]["epochs"] == 1


@pytest.mark.parametrize("name", ["kinship-structure", "kinship-robustness"])
def test_studies_expand_to_every_net_and_seed(name: str, tmp_path: Path) -> None:
    planned = proband.study(
        name, out=tmp_path, dry_run=True, parameters={"per-k": 22, "test-per-k": 1, "seeds": "0,1", "story-seeds": "0"}
    )
    text = str(planned)
    for net in ("bilstm-mean", "bilstm-attention", "relation-network", "rmc", "mac", "gat"):
        assert f"-{net}-s1" in text


def test_the_paper_trains_and_runs_what_its_parts_do() -> None:
    """A parameter that several parts have means the same in each of them."""

    def named(study: StudyFile) -> list[Any]:
        return [*study.build, *((part.name, part.net, part.options) for part in study.train), *study.run]

    shipped = Path(proband.__file__).parent / "studies"
    whole = read_study(shipped / "kinship.toml", {})
    parts = [named(read_study(shipped / f"{name}.toml", {})) for name in whole.study.include]
    assert {repr(each) for each in named(whole)} == {repr(each) for part in parts for each in part}
    assert not [part.name for part in whole.train if "facts" in part.items and "gat" in part.net]
