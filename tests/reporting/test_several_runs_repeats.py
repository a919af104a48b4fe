"""`run --repeat N`: a model that samples, asked several times."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from proband.cli import main

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
    (tmp_path / "a_sampler.py").write_text(SAMPLES)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("PROBAND_CACHE", str(tmp_path / ".cache"))
    return "a_sampler:Samples"


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
