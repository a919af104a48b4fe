"""Multiple-choice questions as they are published: stem, choices, answer."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest

from proband.core.errors import ProbandError
from proband.core.types import Item
from proband.suites.analogy.build import BuildOptions, example_options
from proband.suites.analogy.build import build as build_items
from proband.suites.analogy.multiple_choice import build, looks_like
from proband.suites.analogy.solvers.pseudo_perplexity import DEFAULT

ROW: dict[str, Any] = {
    "stem": ["word", "language"],
    "choice": [["paint", "portrait"], ["note", "music"], ["tale", "story"]],
    "answer": 1,
    "prefix": "190 FROM REAL SATs",
}


def items(folder: Path, *rows: dict[str, Any]) -> list[Item]:
    (folder / "sat.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return [each for each in build(folder / "sat.jsonl", template=DEFAULT).items if isinstance(each, Item)]


def test_a_question_keeps_its_order_and_its_answer(tmp_path: Path) -> None:
    item, other = items(tmp_path, ROW, {**ROW, "answer": 2, "prefix": None})
    assert (item.id, item.choices, item.gold) == ("sat.0001", ("paint : portrait", "note : music", "tale : story"), 1)
    assert item.facts["query"] == ["word", "language"]
    assert item.facts["options"][1] == ["note", "music"]
    assert (item.tags["relation"], item.tags["group"]) == ("190 FROM REAL SATs", "SAT")
    assert (other.id, other.gold, other.tags["relation"]) == ("sat.0002", 2, "sat")


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"answer": 3}, "sat.jsonl line 2: 'answer' is 3 but there are 3 choices"),
        ({"answer": -1}, "'answer' is -1"),
        ({"stem": ["word", ""]}, "'stem' and 'choice' must be pairs of words"),
        ({"choice": [["paint", "portrait"]]}, "line 2"),
        ({"stem": ["word"]}, "line 2"),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, change: dict[str, Any], reason: str) -> None:
    with pytest.raises(ProbandError, match=reason):
        items(tmp_path, ROW, {**ROW, **change})


def test_options_of_other_items_are_refused(tmp_path: Path) -> None:
    items(tmp_path, ROW)
    options = BuildOptions(data=str(tmp_path / "sat.jsonl"), template="colons")
    (item,) = build_items(options, seed=0).items
    assert isinstance(item, Item)
    assert item.facts["template"] == "colons"
    assert example_options(options) is None
    for change in ({"setting": "supervised"}, {"relations": "none"}, {"probes": "reverse"}, {"options": 3}):
        with pytest.raises(ProbandError, match=rf"sat.jsonl: '{next(iter(change))}' is not for multiple choice"):
            build_items(dataclasses.replace(options, **change), seed=0)


def test_a_file_is_known_by_its_first_line(tmp_path: Path) -> None:
    items(tmp_path, ROW)
    assert looks_like(tmp_path / "sat.jsonl")
    (tmp_path / "other.jsonl").write_text('{"question": "?"}\n{"stem": 1}\n')
    (tmp_path / "sat.txt").write_text(json.dumps(ROW))
    assert not any(looks_like(tmp_path / name) for name in ("other.jsonl", "sat.txt", "none.jsonl", ""))
