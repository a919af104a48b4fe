from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from proband.core.errors import ProbandError
from proband.core.files import write_text
from proband.core.metrics import accuracy_of as accuracy
from proband.core.types import Answer
from proband.reporting import ItemSet
from proband.reporting.numbers.study import Study
from proband.reporting.page import page


def parse_script(text: str) -> list[Any]:
    """The values handed over by a line of `script`."""
    values: list[Any] = json.loads(f"[{text[text.index('(') + 1 : text.rindex(')')]}]")
    return values


def written(loaded: ItemSet, out: Path) -> dict[str, int]:
    return page.write_browser(Study(loaded, seed=0), lambda name, text: write_text(out / Path(name).name, text))


def test_the_shards_hold_every_item_and_answer(make_set: Callable[..., ItemSet], tmp_path: Path) -> None:
    loaded = make_set(page.SHARD * 2 + 3, hostile=True)
    counts = written(loaded, tmp_path)
    key, index = parse_script((tmp_path / "analogy-index.js").read_text("utf-8"))
    assert (key, index["count"]) == ("analogy", len(list(loaded.items())))
    given = [list(loaded.raw_answers(run)) for run in range(len(loaded.answered))]
    records = []
    for number in range(3):
        _, at, part = parse_script((tmp_path / f"analogy-{number}.js").read_text("utf-8"))
        assert at == number
        records += part
    assert len(records) == len(list(loaded.items()))
    for i, (item, record) in enumerate(zip(loaded.items(), records)):
        assert (record["id"], record["prompt"], tuple(record["choices"]), record["gold"]) == (
            item.id,
            item.prompt,
            item.choices,
            item.gold,
        )
        for name, value in item.tags.items():
            tag = index["tags"][name]
            assert tag["values"][tag["codes"][i]] == str(value)
        for m in range(len(loaded.answered)):
            answers = given[m]
            assert record["answers"][m]["s"] == [round(score, 4) for score in answers[i].scores]
            assert index["right"][m][i] == {1.0: "1", 0.0: "0"}[accuracy(item, answers[i]) or 0.0]
        assert record["show"] == loaded.suite.show(item)
    assert counts == {"items": len(records), "shown": len(records), "drawings": page.DRAWN}


def test_only_items_that_were_asked_are_drawn(make_set: Callable[..., ItemSet], tmp_path: Path) -> None:
    loaded = make_set(40)
    some = [
        dataclasses.replace(each, answers=list(loaded.raw_answers(run))[20:30])
        for run, each in enumerate(loaded.answered)
    ]
    counts = written(dataclasses.replace(loaded, answered=some), tmp_path)
    _, index = parse_script((tmp_path / "analogy-index.js").read_text("utf-8"))
    assert counts["drawings"] == 10
    assert index["drawn"] == index["asked"]


def test_scores_that_differ_are_written_differently() -> None:
    written = page._answer(Answer(item_id="a", scores=(0.00003, 0.00001, -12.3456789)), 1.0)
    assert written is not None
    assert written["s"] == [3e-05, 1e-05, -12.3457]


def test_no_file_can_end_a_script_early(make_set: Callable[..., ItemSet], tmp_path: Path) -> None:
    written(make_set(40, hostile=True), tmp_path)
    for path in tmp_path.iterdir():
        assert "<" not in path.read_text("utf-8")


def test_what_is_no_drawing_is_refused(make_set: Callable[..., ItemSet], tmp_path: Path) -> None:
    loaded = make_set(8)
    suite = dataclasses.replace(loaded.suite, draw=lambda item, answer: "<p>no</p>")
    with pytest.raises(ProbandError, match="does not begin with <svg xmlns"):
        written(dataclasses.replace(loaded, suite=suite), tmp_path)


def test_of_a_large_set_the_browser_has_a_sample(
    make_set: Callable[..., ItemSet], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page, "SHOWN", 200)
    loaded = make_set(1200)
    counts = written(loaded, tmp_path)
    assert (counts["items"], counts["shown"]) == (1200, 200)
    _, index = parse_script((tmp_path / "analogy-index.js").read_text("utf-8"))
    _, _, records = parse_script((tmp_path / "analogy-0.js").read_text("utf-8"))
    whole = {item.id: (item, i) for i, item in enumerate(loaded.items())}
    answers = [list(loaded.raw_answers(run)) for run in range(len(loaded.answered))]
    for record, *signs in zip(records, *index["right"]):
        item, place = whole[record["id"]]
        assert record["prompt"] == item.prompt
        for given, sign, shown in zip(answers, signs, record["answers"]):
            assert shown["s"] == [round(score, 4) for score in given[place].scores]
            assert float(sign) == accuracy(item, given[place])
