"""Controls: each takes one thing away."""

from __future__ import annotations

from pathlib import Path

import pytest

from proband.core.errors import ProbandError
from proband.core.files import DATA, read_items
from proband.pipeline.build import build
from proband.suites.inference.controls import controlled
from proband.suites.inference.gold import read_own


def test_both_directions_of_a_pair_get_the_same_new_arguments() -> None:
    examples, arguments = read_own(DATA / "inference")[1], dict[str, set[str]]()
    for each in controlled(examples, "swapped-entities", seed=0):
        assert arguments.setdefault(each.pair, {*each.premise[::2]}) == {*each.premise[::2]}


def test_a_premise_of_another_question_needs_another_question() -> None:
    examples = [each for each in read_own(DATA / "inference")[1] if each.split == "test"]
    one = [each for each in examples if each.question == examples[0].question]
    with pytest.raises(ProbandError, match="random-premise: split 'test' has too few relations of other questions"):
        controlled(one, "random-premise", seed=0)


def test_controls_take_one_thing_away(table: Path, tmp_path: Path) -> None:
    plain = build("inference", out=tmp_path / "plain", data=table)
    items = {}
    for control in ("hypothesis-only", "random-premise", "swapped-entities", "typed-placeholders"):
        build("inference", out=tmp_path / control, data=table, control=control)
        build("inference", out=tmp_path / "again", force=True, data=table, control=control)
        assert (tmp_path / control / "items.jsonl").read_bytes() == (tmp_path / "again" / "items.jsonl").read_bytes()
        items[control] = list(read_items(tmp_path / control))
    originals = list(read_items(tmp_path / "plain"))
    assert plain["items"] == 4
    for n, item in enumerate(originals):
        bare, random, other, typed = (items[control][n] for control in items)
        assert bare.gold == random.gold == other.gold == typed.gold == item.gold
        assert {each.facts["source"] for each in (bare, random, other, typed)} == {item.id}
        assert bare.tags["lemma"] == random.tags["lemma"] == item.tags["lemma"]
        assert sorted(each[-1] for each in typed.facts["premise"][::2]) == ["X", "Y"]
        assert set(typed.facts["premise"][::2]) == set(typed.facts["hypothesis"][::2])
        assert typed.facts["premise"][1] == item.facts["premise"][1]
        assert bare.facts["premise"] == ["", "", ""]
        assert "Premise" not in bare.prompt
        assert bare.facts["hypothesis"] == random.facts["hypothesis"] == item.facts["hypothesis"]
        assert random.facts["premise"][1] != item.facts["premise"][1]
        assert random.facts["premise"][::2] == item.facts["premise"][::2]
        assert other.facts["premise"][1] == item.facts["premise"][1]
        assert set(other.facts["premise"][::2]) == set(other.facts["hypothesis"][::2])
        assert other.facts["premise"][0] != item.facts["premise"][0]
