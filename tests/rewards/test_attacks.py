"""Replies that only look right get nothing, and ones that are right are not among them."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.rewards.conftest import KINDS, filled, stream

from proband.core.types import Item
from proband.rewards.attacks import paid, read_kinds


@pytest.mark.parametrize("number", [pytest.param(1, marks=pytest.mark.nightly), 4])
def test_a_reply_that_only_looks_right_gets_nothing(number: int) -> None:
    item = stream()[number]
    rewarded = [kind for kind in KINDS if stream().reward(item, filled(kind, item)).total > 0]
    assert not rewarded


def test_there_are_as_many_kinds_as_are_told() -> None:
    assert len(set(KINDS)) == len(KINDS) == 551
    assert len({filled(kind, stream()[1]) for kind in KINDS}) >= 300


def test_ones_own_kinds_and_ones_own_reward(tmp_path: Path) -> None:
    """A reward that looks for the word alone pays for a denial."""
    item, own = stream()[1], tmp_path / "mine.txt"
    own.write_text('# mine\n"not {right}"\n"{wrong}"\n', encoding="utf-8")
    naive = lambda item, reply: float(item.choices[item.gold] in reply)  # noqa: E731
    assert paid(naive, [item], kinds=read_kinds(own)) == ["not {right}"]
    assert paid(lambda item, reply: stream().reward(item, reply).total, [item], question=stream().question) == []


def test_a_kind_that_is_the_right_answer_of_an_item_is_no_sham() -> None:
    item = Item(id="a", suite="questions", prompt="Is it so?", choices=("yes", "no"), gold=0)
    assert paid(lambda item, reply: float(reply in ("yes", "Yes.")), [item], kinds=["yes", "no", "Yes."]) == ["Yes."]
