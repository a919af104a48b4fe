"""What `evaluate` says of models that cannot be asked: one line each, and no page."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

import proband
from proband.core.errors import ProbandError

Tiny = Callable[[str], Path]


def refused(model: Path, out: Path) -> str:
    with pytest.raises(ProbandError) as error:
        proband.evaluate(f"hf:{model}", out=out, size="quick", suite="kinship")
    assert not (out / "index.html").exists()
    text = str(error.value)
    assert "\n" not in text
    return text


def test_a_model_without_a_tokenizer(tiny: Tiny, tmp_path: Path) -> None:
    folder = shutil.copytree(tiny("gpt2"), tmp_path / "m")
    for name in ("tokenizer.json", "tokenizer_config.json"):
        (folder / name).unlink()
    assert "tokenizer" in refused(folder, tmp_path / "page")


@pytest.mark.nightly
def test_a_context_that_is_shorter_than_the_longest_item(tiny: Tiny, tmp_path: Path) -> None:
    assert "longer than the model's 128" in refused(tiny("gpt2"), tmp_path / "page")
