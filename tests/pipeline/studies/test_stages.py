"""A changed file of the package gives new keys to what depends on it."""

from __future__ import annotations

import csv
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from proband import suites
from proband.core.files import DATA
from proband.pipeline.studies import stages
from proband.pipeline.studies.stages import BuildStage, TrainStage, suite_data


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A copy of the package's data that a test may change."""
    copied = Path(shutil.copytree(DATA, tmp_path / "data"))
    monkeypatch.setattr(stages, "DATA", copied)
    suite_data.cache_clear()
    yield copied
    suite_data.cache_clear()


def keys(out: Path, suite: str = "kinship") -> tuple[str, ...]:
    suite_data.cache_clear()
    build = BuildStage(name="clean", suite=suite, out=out, seed=0, options={})
    trained = [TrainStage(name="n", out=out, items=build, net="gat", seed=0, options={})] if suite == "kinship" else []
    return tuple(stage.key for stage in (build, *trained))


def test_another_bank_is_another_key_of_the_build_and_of_what_follows(data: Path, tmp_path: Path) -> None:
    before, other = keys(tmp_path), keys(tmp_path, "analogy")
    assert keys(tmp_path) == before
    with open(data / "kinship" / "bank" / "town.toml", "a") as bank:
        bank.write("\n")
    assert all(now != then for now, then in zip(keys(tmp_path), before, strict=True))
    assert keys(tmp_path, "analogy") == other


def test_a_printed_figure_does_not_decide_a_build(data: Path, tmp_path: Path) -> None:
    before = keys(tmp_path)
    (data / "kinship" / "published.csv").write_text("table,model,task,k,value\n")
    assert keys(tmp_path) == before


def test_csv_files_are_printed_figures() -> None:
    found = sorted(DATA.rglob("*.csv"))
    assert {path.parent.name for path in found} == set(suites.BUILT_IN) - {"questions", "facts"}  # of no paper
    for path in found:
        assert "value" in next(csv.reader(path.read_text(encoding="utf-8").splitlines())), path
