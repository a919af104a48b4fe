"""Results in the tools that collect them: Every Eval Ever's validator, inspect's eval.yaml."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
import yaml

import proband


@pytest.fixture(scope="module")
def run(items: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("results") / "run"
    proband.run(items["kinship"], model="baseline:random", out=folder)
    return folder


@pytest.mark.skipif(find_spec("every_eval_ever") is None, reason="every_eval_ever needs Python 3.12")
def test_every_eval_ever_validates(run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    proband.export(run, to="every-eval-ever", out=tmp_path)
    monkeypatch.chdir(tmp_path)
    words = [sys.executable, "-m", "every_eval_ever", "validate", "--format", "json", "data/*/*/*/*"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    print(done.stdout[-400:])


def test_eval_yaml_is_a_task_of_inspect(items: dict[str, Path], tmp_path: Path, elsewhere: Path) -> None:
    from datasets import load_dataset
    from inspect_ai._eval.task.hf import HFTask, _record_to_sample_hf
    from inspect_ai.dataset import Sample

    proband.export(items["kinship"], to="hf", out=tmp_path / "hub")
    (config,) = yaml.safe_load((tmp_path / "hub" / "eval.yaml").read_text())["tasks"]
    task = HFTask.model_validate(config)
    rows = load_dataset(str(tmp_path / "hub"), split=task.split, cache_dir=str(tmp_path / "cache"))
    samples: list[Sample] = [_record_to_sample_hf(row, task.field_spec) for row in rows]
    letters = [chr(ord("A") + row["label"]) for row in rows]
    assert [sample.target for sample in samples] == letters
    print(f"{len(samples)} samples, targets {letters[:4]}")
