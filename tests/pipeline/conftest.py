"""A study of two builds, three kinds of runs and no training; commands."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.conftest import Proband

STUDY = """
[study]
title = "Two baselines"

[parameters]
k = "2,3"
models = ["solver:symbolic", "baseline:majority"]

[[build]]
name = "clean"
suite = "kinship"
options = { task = "clean", k = "{k}", per-k = 22 }

[[build]]
name = "noisy"
suite = "kinship"
options = { task = "irrelevant", k = "2", per-k = 22 }

[[run]]
items = ["clean", "noisy"]
models = "{models}"

[[run]]
items = ["clean"]
models = ["fake:script.json"]
solver = "likelihood"
grid = { norm = ["sum", "token"] }

[report]
tables = ["by_k"]
"""


@pytest.fixture
def study() -> str:
    return STUDY


@pytest.fixture
def file(study: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "script.json").write_text('{"default": -3.0}')
    path = tmp_path / "study.toml"
    path.write_text(study)
    return path


@pytest.fixture
def proband(capsys: pytest.CaptureFixture[str], fresh_cache: Path) -> Proband:
    return Proband(capsys)
