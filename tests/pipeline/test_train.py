"""What `train` refuses before it begins."""

from __future__ import annotations

from pathlib import Path

import pytest

import proband
from proband.core.errors import ProbandError


@pytest.fixture(scope="module")
def items(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("train") / "items"
    proband.build("kinship", out=folder, k="2", per_k=8, hold_out="clauses", test_per_k=2)
    return folder


def test_a_folder_with_other_files_is_left_alone(items: Path, tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(ProbandError, match="already exists and is not an empty folder"):
        proband.train(items, net="composer", out=tmp_path)
    with pytest.raises(ProbandError, match="already exists and is not a folder"):
        proband.train(items, net="composer", out=tmp_path / "thesis.txt")
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


def test_a_model_to_start_from_is_needed_or_refused(items: Path, tmp_path: Path) -> None:
    with pytest.raises(ProbandError, match="net composer starts from no model"):
        proband.train(items, net="composer", out=tmp_path / "a", model="embedded:glove")
    with pytest.raises(ProbandError, match="net bert starts from a model: name one with -m"):
        proband.train(items, net="bert", out=tmp_path / "b")
    with pytest.raises(ProbandError, match=r"net bert needs a model that .*; baseline:majority does not"):
        proband.train(items, net="bert", out=tmp_path / "c", model="baseline:majority")
    with pytest.raises(ProbandError, match="net composer has no option 'epoch'"):
        proband.train(items, net="composer", out=tmp_path / "d", options={"epoch": 1})
    assert not list(tmp_path.iterdir())
