"""The demonstration: built once, run, reported; what is not installed is named and left out."""

from __future__ import annotations

from pathlib import Path

import pytest

from proband import models, suites
from proband.core.errors import ProbandError
from proband.core.suite import Demo
from proband.pipeline.demo import demo


@pytest.fixture
def only_kinship(monkeypatch: pytest.MonkeyPatch) -> None:
    """One small demonstration, with a model whose package is missing."""
    from dataclasses import replace

    plan = Demo(
        name="short",
        options={"k": "2", "per-k": 20},
        runs=(("solver:symbolic", None), ("hf:absent", None), ("baseline:random", "as-is")),
        limit=10,
    )
    suite, load = replace(suites.suite("kinship"), demo=(plan,)), models.load

    def without_torch(spec: str, given: object = None) -> object:
        if spec == "hf:absent":
            raise ModuleNotFoundError("no torch", name="torch")
        return load(spec)

    monkeypatch.setattr(suites, "names", lambda: ("kinship",))
    monkeypatch.setattr(suites, "suite", lambda name: suite)
    monkeypatch.setattr(models, "load", without_torch)


@pytest.mark.usefixtures("only_kinship")
def test_build_run_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    result = demo(tmp_path / "demo", cache=False)
    assert result["runs"] == 2
    assert result["left_out"] == [
        "hf:absent needs the package torch, which is not installed: pip install 'proband[models]'"
    ]
    assert Path(result["page"]).read_text(encoding="utf-8").count("Proband demonstration") > 0
    assert "left out: hf:absent" in capsys.readouterr().err
    items = tmp_path / "demo" / "items" / "kinship-short" / "items.jsonl"
    built = items.stat().st_mtime_ns
    demo(tmp_path / "demo", cache=False)
    assert items.stat().st_mtime_ns == built
    with pytest.raises(ProbandError, match="'seed' differs"):
        demo(tmp_path / "demo", seed=1, cache=False)
