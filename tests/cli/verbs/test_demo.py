"""The demonstration: built once, run, reported; what is not installed is named and left out."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from proband import models, suites
from proband.cli.verbs.demo import demo, evaluated
from proband.core.errors import ProbandError
from proband.core.suite import Claim, Contrast, Demo
from proband.pipeline.asking.setup import LoadedModels
from proband.pipeline.evaluate import EvaluationJob


@pytest.fixture
def only_kinship(monkeypatch: pytest.MonkeyPatch) -> None:
    """One small demonstration, with a model whose package is missing."""
    from dataclasses import replace

    plan = Demo(
        name="short",
        options={"k": "2", "per-k": 20},
        runs=(("solver:symbolic", None), ("hf:absent", None), ("baseline:random", "direct")),
        limit=10,
        findings=(
            Claim(
                statement="Rules beat guessing.",
                source="As they must.",
                contrasts=(
                    Contrast(
                        above={"run.model": "solver:symbolic"}, below={"run.model": "baseline:random"}, pair="item"
                    ),
                ),
                per=(),
            ),
            Claim(
                statement="Rules beat a model that is absent.",
                source="",
                contrasts=(Contrast(above={"run.model": "solver:symbolic"}, below={"run.model": "hf:absent"}),),
                per=(),
            ),
        ),
    )
    audited = Demo(
        name="old",
        options={"rules": "clutrr", "certify": "none", "k": "6", "per-k": 12},
        audit=lambda headlines: f"{headlines['verdicts']['ambiguous']} labels do not follow.",
    )
    suite, load = replace(suites.suite("kinship"), demo=(plan, audited)), models.load

    def without_torch(spec: str, given: object = None) -> object:
        if spec == "hf:absent":
            raise ModuleNotFoundError("no torch", name="torch")
        return load(spec)

    monkeypatch.setattr(suites, "names", lambda: ("kinship",))
    monkeypatch.setattr(suites, "suite", lambda name: suite)
    monkeypatch.setattr(models, "load", without_torch)


@pytest.mark.usefixtures("only_kinship")
def test_build_run_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    result = demo(out=tmp_path / "demo")
    assert result["runs"] == 2
    assert result["left_out"] == [
        "hf:absent needs the package torch, which is not installed: pip install 'proband[models]'"
    ]
    assert Path(result["page"]).read_text(encoding="utf-8").count("Proband demonstration") > 0
    assert "left out: hf:absent" in capsys.readouterr().err
    assert result["learnt"][0] == "Rules beat guessing."
    assert int(result["learnt"][1].split()[0]) > 0
    first = Path(result["page"]).read_text(encoding="utf-8").partition('id="learnt"')[2].partition('class="cards"')[0]
    assert "<b>Rules beat guessing.</b>" in first
    assert "100.0\xa0% against" in first
    assert first.index("<details") < first.index("against")  # the numbers are folded: five findings fit one screen
    assert result["learnt"][1] in first
    assert (tmp_path / "demo" / "audit" / "kinship-old" / "index.html").exists()
    assert {path.suffix for path in (tmp_path / "demo" / "figures").iterdir()} == {".svg"}, "which the pages show"
    items = tmp_path / "demo" / "items" / "kinship-short" / "items.jsonl"
    built = items.stat().st_mtime_ns
    demo(out=tmp_path / "demo")
    assert items.stat().st_mtime_ns == built
    with pytest.raises(ProbandError, match="'seed' differs"):
        demo(out=tmp_path / "demo", seed=1)


def test_every_suite_shows_the_same_language_model_and_a_tested_finding() -> None:
    """But script: a causal model takes three seconds for each of its texts."""
    plans = {name: suites.suite(name).demo for name in suites.names() if suites.suite(name).demo}
    assert set(plans) == {"analogy", "facts", "inference", "kinship", "script"}
    for name, of_suite in plans.items():
        assert name == "script" or "embedded:smollm2" in {spec for plan in of_suite for spec, _ in plan.runs}, name
        findings = [claim for plan in of_suite for claim in plan.findings]
        asked = {spec for plan in of_suite for spec, _ in plan.runs}
        assert findings
        for contrast in (each for claim in findings for each in claim.contrasts):
            assert {contrast.above["run.model"], contrast.below["run.model"]} <= asked
    assert any(plan.audit for of_suite in plans.values() for plan in of_suite)


@pytest.fixture
def loaded() -> LoadedModels:
    made = LoadedModels()
    made["embedded:glove", ""] = models.load("embedded:glove")
    return made


@pytest.mark.nightly
def test_a_model_whose_answers_ship_is_evaluated(loaded: LoadedModels, tmp_path: Path) -> None:
    """The first sentence of its page is a finding of the demonstration."""
    ((sentence, page),) = evaluated(loaded, tmp_path / "evaluate")
    assert "GloVe" in sentence
    assert (tmp_path / page).exists()


def test_only_a_model_whose_answers_ship_is_evaluated(
    loaded: LoadedModels, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its answers are taken and not asked for; where they are those of another version, the model is left out."""
    said = (("", "About both."), ("embedded:glove", "First."), ("embedded:glove", "Second."))
    page = SimpleNamespace(profile=SimpleNamespace(sentences=said), page=Path("index.html"))
    monkeypatch.setattr(EvaluationJob, "answer", lambda self: None)
    monkeypatch.setattr(EvaluationJob, "write", lambda self, **settings: page)
    assert evaluated(loaded, tmp_path / "evaluate") == [("First.", "evaluate/index.html")]
    assert {path.parent.name for path in tmp_path.rglob("answers.jsonl")} == {"embedded-glove"}
    assert evaluated(LoadedModels(), tmp_path / "none") == []
    monkeypatch.setattr(loaded["embedded:glove", ""], "identity", lambda: {"kind": "another"})
    assert evaluated(loaded, tmp_path / "other") == []
