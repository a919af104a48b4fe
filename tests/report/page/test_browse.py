from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path

import pytest

from proband.core.errors import ProbandError
from proband.core.metrics import accuracy_of as accuracy
from proband.report import ItemSet
from proband.report.page import browse
from proband.report.numbers.cells import Study


def written(loaded: ItemSet, out: Path) -> dict[str, int]:
    return browse.write_browser(Study(loaded, seed=0, draws=100), out)


def test_the_shards_hold_every_item_and_answer(make_set: Callable[..., ItemSet], tmp_path: Path) -> None:
    loaded = make_set(browse.SHARD * 2 + 3, hostile=True)
    counts = written(loaded, tmp_path)
    key, index = browse.parse_script((tmp_path / "analogy-index.js").read_text("utf-8"))
    assert (key, index["count"]) == ("analogy", len(loaded.items_from))
    records = []
    for number in range(3):
        _, at, part = browse.parse_script((tmp_path / f"analogy-{number}.js").read_text("utf-8"))
        assert at == number
        records += part
    assert len(records) == len(loaded.items_from)
    for i, (item, record) in enumerate(zip(loaded.items_from, records)):
        assert (record["id"], record["prompt"], tuple(record["choices"]), record["gold"]) == (
            item.id,
            item.prompt,
            item.choices,
            item.gold,
        )
        for name, value in item.tags.items():
            tag = index["tags"][name]
            assert tag["values"][tag["codes"][i]] == str(value)
        for m, (_, answers) in enumerate(loaded.runs):
            assert record["answers"][m]["s"] == [round(score, 4) for score in answers[i].scores]
            assert index["right"][m][i] == {1.0: "1", 0.0: "0"}[accuracy(item, answers[i]) or 0.0]
        assert record["show"] == loaded.suite.show(item)
    assert counts == {"items": len(records), "texts": len(records), "drawings": browse.DRAWN}


def test_no_file_can_end_a_script_early(make_set: Callable[..., ItemSet], tmp_path: Path) -> None:
    written(make_set(40, hostile=True), tmp_path)
    for path in tmp_path.iterdir():
        assert "<" not in path.read_text("utf-8")


def test_what_is_no_drawing_is_refused(make_set: Callable[..., ItemSet], tmp_path: Path) -> None:
    loaded = make_set(8)
    suite = dataclasses.replace(loaded.suite, draw=lambda item, answer: "<p>no</p>")
    with pytest.raises(ProbandError, match="is not an SVG element"):
        written(dataclasses.replace(loaded, suite=suite), tmp_path)
