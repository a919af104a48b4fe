"""Every format keeps the splits apart, says what it left out, and takes the licence along."""

from __future__ import annotations

import csv
import json
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest

from proband.core.errors import ProbandError
from proband.core.types import Item
from proband.pipeline.export import FORMATS, export

Make = Callable[..., Item]
Folder = Callable[..., Path]


def splits_written(to: str, out: Path) -> dict[str, list[str]]:
    """The ids of each split, as the format tells them."""
    found: dict[str, list[str]] = {}
    if to == "csv":
        with open(out / "items.csv", newline="", encoding="utf-8") as file:
            for row in csv.DictReader(file):
                found.setdefault(row["split"], []).append(row["id"])
        return found
    for path in out.rglob("*.jsonl"):
        found[path.stem] = [json.loads(line)["id"] for line in path.read_text(encoding="utf-8").splitlines()]
    return found


@pytest.mark.parametrize("to", FORMATS)
def test_splits_stay_apart_and_the_licence_goes_along(to: str, three_splits: Path, tmp_path: Path) -> None:
    result = export(three_splits, to=to, out=tmp_path / "out")
    assert splits_written(to, tmp_path / "out") == {
        split: [f"{split}-{i}" for i in range(count)] for split, count in (("train", 5), ("valid", 2), ("test", 3))
    }
    assert result["splits"] == {"train": 5, "valid": 2, "test": 3}
    assert (result["items"], result["left_out"], result["licence"]) == (10, {}, "Apache-2.0 (ours)")
    assert "Licence of the items: Apache-2.0 (ours)" in (tmp_path / "out" / "LICENCE").read_text(encoding="utf-8")


@pytest.mark.parametrize("to", FORMATS)
def test_the_same_items_give_the_same_bytes(to: str, three_splits: Path, tmp_path: Path) -> None:
    for name in ("one", "two"):
        export(three_splits, to=to, out=tmp_path / name)
    files = [path.relative_to(tmp_path / "one") for path in (tmp_path / "one").rglob("*") if path.is_file()]
    assert files
    assert all((tmp_path / "one" / file).read_bytes() == (tmp_path / "two" / file).read_bytes() for file in files)


@pytest.mark.parametrize("to", ["lm-eval", "inspect"])
def test_what_is_no_question_is_left_out_and_counted(to: str, folder: Folder, story: Make, tmp_path: Path) -> None:
    items = folder([story(0), story(1, gold=None), story(2, gold=None, choices=()), story(3, gold=None, choices=())])
    result = export(items, to=to, out=tmp_path / "out")
    assert result["items"] == 1
    assert result["left_out"] == {
        "without a right answer (not judged yet)": 1,
        "without choices (open questions and cloze texts)": 2,
    }
    assert splits_written(to, tmp_path / "out") == {"test": ["test-0"]}


@pytest.mark.parametrize("to", ["csv", "hf"])
def test_tables_hold_open_items_too(to: str, folder: Folder, story: Make, tmp_path: Path) -> None:
    result = export(folder([story(0), story(1, gold=None, choices=())]), to=to, out=tmp_path / "out")
    assert (result["items"], result["left_out"]) == (2, {})
    assert splits_written(to, tmp_path / "out") == {"test": ["test-0", "test-1"]}


@pytest.mark.parametrize("to", ["lm-eval", "inspect"])
def test_nothing_to_evaluate_is_an_error_and_writes_nothing(
    to: str, folder: Folder, story: Make, tmp_path: Path
) -> None:
    with pytest.raises(ProbandError, match=f"{to} is for multiple choice, and all items are without choices"):
        export(folder([story(0, gold=None, choices=())]), to=to, out=tmp_path / "out")
    with pytest.raises(ProbandError, match="all items are for training"):
        export(folder([story(0, "train")]), to=to, out=tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_bad_item_leaves_no_half_of_an_export(three_splits: Path, tmp_path: Path) -> None:
    with open(three_splits / "items.jsonl", "a", encoding="utf-8") as file:
        file.write('{"id":"x","suite":"stories","prompt":"","choices":["a"],"gold":7}\n')
    with pytest.raises(ProbandError, match="line 11: 'gold' is 7 but there are 1 choices"):
        export(three_splits, to="hf", out=tmp_path / "out")
    assert not [path for path in (tmp_path / "out").rglob("*") if path.is_file()]


def test_a_suite_may_bring_a_format_of_its_own(three_splits: Path, tmp_path: Path) -> None:
    result = export(three_splits, to="pairs", out=tmp_path / "pairs.txt")
    assert result["items"] == 10
    assert (tmp_path / "pairs.txt").read_text(encoding="utf-8").splitlines()[0] == "train-0 train"
    assert "Apache-2.0" in (tmp_path / "pairs.licence.txt").read_text(encoding="utf-8")
    with pytest.raises(
        ProbandError, match="no format 'docx'; there are csv, hf, lm-eval, inspect, stepwise, every-eval-ever, pairs"
    ):
        export(three_splits, to="docx", out=tmp_path / "out")


@pytest.mark.parametrize("to", FORMATS)
@pytest.mark.nightly
def test_memory_does_not_grow_with_the_items(to: str, folder: Folder, story: Make, tmp_path: Path) -> None:
    peaks = []
    for count in (600, 3000):
        items = folder(story(i, facts={"text": "x" * 2000}) for i in range(count))
        tracemalloc.start()
        export(items, to=to, out=tmp_path / "out", force=True)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < peaks[0] + 1_500_000  # 3000 items are 6 MB
