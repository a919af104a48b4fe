"""Several runs of one model: prompts as a source of chance, and repeats of a model that samples."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from proband.cli import main
from proband.reporting.several_runs import over_prompts
from proband.stats import Scores
from proband.stats.clusters import Clusters

SAMPLES = """
import random

class Samples:
    name = "samples"
    def identity(self): return {"kind": "test"}
    def generate(self, prompts, *, max_tokens, temperature=0.0, seed=0, stop=()):
        return [random.Random(f"{seed} {p}").choice(["father", "mother"]) if temperature else "father" for p in prompts]
"""


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A model that replies, by its place; at a temperature it samples."""
    (tmp_path / "a_sampler.py").write_text(SAMPLES)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("PROBAND_CACHE", str(tmp_path / ".cache"))
    return "a_sampler:Samples"


# ---- prompts: the mean over prompts with its interval ----------------------------------------------------------------


def test_the_interval_counts_prompts_and_items() -> None:
    rng = np.random.default_rng(0)
    spread = rng.normal(size=12) * 0.2
    x = (rng.random((300, 12)) < 0.5 + np.clip(spread, -0.4, 0.4)).astype(float)
    clusters = Clusters.of([(str(i),) for i in range(300)])
    whole = over_prompts({str(at): Scores.of(x[:, at], clusters=clusters) for at in range(12)}, share=True)
    one = over_prompts({str(at): Scores.of(x[:, 0], clusters=clusters) for at in range(12)}, share=True)
    assert whole.high - whole.low > 0.15 > one.high - one.low  # items alone would give about 0.11
    assert whole.mean == pytest.approx(x.mean())


def test_a_run_with_all_prompts_and_its_report(model: str, tmp_path: Path) -> None:
    assert main(["build", "kinship", "--k", "2", "--per-k", "22", "-o", str(tmp_path / "items")]) == 0
    words = ["run", str(tmp_path / "items"), "-m", model, "--prompt", "all"]
    assert main([*words, "-o", str(tmp_path / "whole")]) == 0
    answers = [path.read_bytes().count(b"\n") for path in (tmp_path / "whole").glob("*/answers.jsonl")]
    assert answers == [22] * 13
    assert main(["report", str(tmp_path / "whole"), "-o", str(tmp_path / "report")]) == 0
    (made,) = json.loads((tmp_path / "report/report.json").read_text())["sets"]
    (sheet,) = (each for each in made["sheets"] if each["name"] == "prompts")
    assert sheet["rows"][0][1] == 13


# ---- `run --repeat N` ------------------------------------------------------------------------------------------------


def table(folder: Path) -> dict[str, object]:
    assert main(["report", str(folder), "-o", str(folder.parent / f"{folder.name}-report")]) == 0
    (made,) = json.loads((folder.parent / f"{folder.name}-report/report.json").read_text())["sets"]
    (sheet,) = (each for each in made["sheets"] if each["name"] == "repeats")
    return dict(zip(sheet["header"][:5], sheet["rows"][0][:5]), passed=sheet["rows"][0][6])


@pytest.mark.nightly
def test_repeats_and_how_often_they_agree(model: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    items = str(tmp_path / "items")
    assert main(["build", "kinship", "--k", "2", "--per-k", "44", "-o", items]) == 0
    words = ["run", items, "-m", model, "-s", "generate", "--repeat", "4"]
    assert main([*words, "-o", str(tmp_path / "steady")]) == 0
    assert main([*words, "--set", "temperature=1", "-o", str(tmp_path / "sampled")]) == 0
    heads = [line.split()[0] for line in capsys.readouterr().out.splitlines() if "95 % interval" in line]
    assert heads.count("repetition") == 2  # a table of the repetitions for each command
    assert "prompt" not in heads
    assert [path.name for path in sorted((tmp_path / "sampled").iterdir())] == [f"repeat-{n}" for n in (1, 2, 3, 4)]
    steady, sampled = table(tmp_path / "steady"), table(tmp_path / "sampled")
    assert (steady["repeats"], steady["items"], steady["same every time"]) == (4, 44, "100.0")
    assert float(str(sampled["same every time"])) < 35  # 12.5 expected
    assert float(str(sampled["passed"])) <= float(str(sampled["score"]))
    capsys.readouterr()
    assert main([*words, "--prompt", "all", "-o", str(tmp_path / "both")]) == 2
    assert "--repeat takes one prompt" in capsys.readouterr().err
