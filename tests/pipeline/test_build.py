"""What `build` must not do: write over another build, a run, or leave a folder without items behind."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.toy import toy_suite

import proband
from proband.core.errors import ProbandError
from proband.core.files import sha256_file
from proband.core.suite import Built
from proband.core.types import Item
from proband.pipeline.build import check_free, write_items


def test_another_build_is_not_written_over(tmp_path: Path) -> None:
    first = proband.build("questions", out=tmp_path)
    assert proband.build("questions", out=tmp_path) == first  # the same one is
    with pytest.raises(ProbandError, match=r"contains another build \(questions, seed 0\)"):
        proband.build("questions", out=tmp_path, seed=1)
    with pytest.raises(ProbandError, match=r"contains another build .*; choose another folder, or use --force"):
        proband.build("kinship", out=tmp_path, k="2", per_k=2)
    assert sha256_file(tmp_path / "items.jsonl") == first["sha256"]["items.jsonl"]
    assert proband.build("kinship", out=tmp_path, k="2", per_k=2, force=True)["suite"] == "kinship"


def test_the_folder_of_a_run_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text("{}")
    with pytest.raises(ProbandError, match="is the folder of a run"):
        proband.build("questions", out=tmp_path, force=True)


def test_items_without_a_manifest_are_another_build(tmp_path: Path) -> None:
    suite = toy_suite()
    check_free(tmp_path, suite=suite, seed=0, options={}, force=False)
    (tmp_path / "items.jsonl").write_text("")
    check_free(tmp_path, suite=suite, seed=0, options={}, force=True)
    with pytest.raises(ProbandError, match=r"another build \(items.jsonl without a manifest\)"):
        check_free(tmp_path, suite=suite, seed=0, options={}, force=False)


def test_no_items_and_inconsistent_items_leave_no_file(tmp_path: Path) -> None:
    path = tmp_path / "items.jsonl"
    with pytest.raises(ProbandError, match="these options give no items of toy"):
        write_items(path, Built(items=(), licence=""), suite="toy")
    wrong = Item(id="a", suite="toy", prompt="?", choices=("x", "y"), gold=5)
    with pytest.raises(ProbandError, match="item 'a': "):
        write_items(path, Built(items=[wrong], licence=""), suite="toy")
    assert not list(tmp_path.iterdir())


def test_a_dry_run_counts_and_writes_nothing(tmp_path: Path) -> None:
    counted = proband.build("kinship", out=tmp_path / "made", k="2,3", per_k=4, dry_run=True)
    assert counted["items"] == 8
    assert counted["counts"] == {"test": 8}
    release = proband.build("kinship", out=tmp_path / "made", release="1", slice="long,blended", dry_run=True)
    assert release["counts"] == {"test long": 132, "test blended": 144}
    assert not (tmp_path / "made").exists()
