from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path

import pytest

from proband.core.errors import ProbandError
from proband.core.types import accuracy
from proband.report import Loaded, browse
from proband.report.cells import Study
from proband.report.collect import join


def written(loaded: Loaded, out: Path) -> dict[str, int]:
    return browse.write_browser(Study(join([loaded])[0], seed=0, draws=100), out)


def test_the_shards_hold_every_item_and_answer(make_loaded: Callable[..., Loaded], tmp_path: Path) -> None:
    loaded = make_loaded(browse.SHARD * 2 + 3, hostile=True)
    counts = written(loaded, tmp_path)
    key, index = browse.parse_script((tmp_path / "analogy-index.js").read_text("utf-8"))
    assert (key, index["count"]) == ("analogy", len(loaded.items))
    records = []
    for number in range(3):
        _, at, part = browse.parse_script((tmp_path / f"analogy-{number}.js").read_text("utf-8"))
        assert at == number
        records += part
    assert len(records) == len(loaded.items)
    for i, (item, record) in enumerate(zip(loaded.items, records)):
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


def test_no_file_can_end_a_script_early(make_loaded: Callable[..., Loaded], tmp_path: Path) -> None:
    written(make_loaded(40, hostile=True), tmp_path)
    for path in tmp_path.iterdir():
        assert "<" not in path.read_text("utf-8")


def test_what_is_no_drawing_is_refused(make_loaded: Callable[..., Loaded], tmp_path: Path) -> None:
    loaded = make_loaded(8)
    suite = dataclasses.replace(loaded.suite, draw=lambda item, answer: "<p>no</p>")
    with pytest.raises(ProbandError, match="is not an SVG element"):
        written(dataclasses.replace(loaded, suite=suite), tmp_path)
