"""Table 1 from a manifest: the published figures stand beside KidsCook and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import proband
from proband.suites.script.paper.tables import corpus_statistics


def test_our_own_corpus(tmp_path: Path, results: Callable[..., Any]) -> None:
    manifest = proband.build("script", out=tmp_path)
    table, words, overlaps = corpus_statistics(results([], manifest=manifest), 0)
    assert [row[:3] for row in table.rows] == [
        ("train", "these items", 132),
        ("valid", "these items", 30),
        ("test", "these items", 30),
    ]
    assert len(words.rows) == 1
    assert ("captions train test", 0) in overlaps.rows


def test_without_counts_there_is_no_table(results: Callable[..., Any]) -> None:
    assert corpus_statistics(results([]), 0) == ()


@pytest.mark.data
@pytest.mark.nightly
def test_kidscook(data: Path, tmp_path: Path, results: Callable[..., Any]) -> None:
    """Sequences and lengths are those of the paper; tokens and types nearly."""
    manifest = proband.build("script", out=tmp_path, data=data / "kidscook", released=True)
    table, words, _ = corpus_statistics(results([], manifest=manifest), 0)
    found = {row[:2]: row[2:] for row in table.rows}
    for split, counts in {"train": (8125, 307524), "valid": (1014, 36827), "test": (1020, 37146)}.items():
        assert found[split, "released sequences"][:2] == counts
        printed, ours = found[split, "published (Bisk et al. 2019)"], found[split, "released sequences"]
        assert printed[0] == ours[0]
        assert printed[3:] == tuple(round(float(str(length)), 1) for length in ours[3:])
    assert [row[1:] for row in words.rows] == [(2316, 1536), (2331, 1563)]
