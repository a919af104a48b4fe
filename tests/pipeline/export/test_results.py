"""Results of a run for Every Eval Ever; `make interop` runs its own validator."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import proband
from proband.core.errors import ProbandError
from proband.core.files import read_items, sha256_file


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("results")
    proband.build("questions", out=root / "items")
    proband.run(root / "items", model="baseline:random", out=root / "run")
    return root


def exported(folder: Path, out: Path, **named: Any) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    result = proband.export(folder / "run", to="every-eval-ever", out=out, **named)
    aggregate, samples = (out / file for file in result["files"])
    return json.loads(aggregate.read_text()), list(map(json.loads, samples.read_text().splitlines()))


def test_the_interval_is_the_uncertainty(folder: Path, tmp_path: Path) -> None:
    aggregate, samples = exported(folder, tmp_path / "out")
    (result,) = aggregate["evaluation_results"]
    (score, *_) = proband.read(folder / "run").scores().to_dicts()
    details = result["score_details"]
    between = details["uncertainty"]["confidence_interval"]
    assert (details["score"], between["lower"], between["upper"]) == (score["mean"], score["low"], score["high"])
    assert between["confidence_level"] == 0.95
    assert details["uncertainty"]["num_samples"] == len(samples) == 24
    assert sum(row["evaluation"]["score"] for row in samples) / 24 == pytest.approx(score["mean"])
    items = {item.id: item for item in read_items(folder / "items")}
    for row in samples:
        item = items[row["sample_id"]]
        assert row["input"]["reference"] == [item.choices[item.gold]]
        assert row["evaluation"]["is_correct"] == (
            row["answer_attribution"][0]["extracted_value"] == item.choices[item.gold]
        )


def test_files_are_where_the_collection_wants_them(folder: Path, tmp_path: Path) -> None:
    aggregate, samples = exported(folder, tmp_path / "out", model_id="org/Model-1B")
    (file,) = tmp_path.glob("out/data/proband_questions/org/Model-1B/*.json")
    assert re.fullmatch(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}", file.stem)
    reference = aggregate["detailed_evaluation_results"]
    assert tmp_path / "out" / reference["file_path"] == file.with_name(f"{file.stem}_samples.jsonl")
    assert reference["checksum"] == sha256_file(tmp_path / "out" / reference["file_path"])
    assert {row["evaluation_id"] for row in samples} == {aggregate["evaluation_id"]}
    assert {row["model_id"] for row in samples} == {aggregate["model_info"]["id"]} == {"org/Model-1B"}
    exported(folder, tmp_path / "again", model_id="org/Model-1B")
    again = tmp_path / "again" / file.relative_to(tmp_path / "out")
    assert again.read_bytes() == file.read_bytes()


def test_errors_in_one_line(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(ProbandError, match="--to every-eval-ever is for the folder of a run"):
        proband.export(folder / "items", to="every-eval-ever", out=tmp_path)
    with pytest.raises(ProbandError, match="must be DEVELOPER/NAME"):
        proband.export(folder / "run", to="every-eval-ever", out=tmp_path, model_id="mine")
