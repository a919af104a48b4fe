"""What a model can do is seen by its methods, each ability by itself."""

from __future__ import annotations

from typing import Any

import pytest

from proband.core.protocols import ABILITIES, Concurrent, Generates, HasVectors, LearnsFromItems, Model, ScoresText


def members(protocol: type) -> set[str]:
    own = {name for base in protocol.__mro__ if base not in (object,) for name in vars(base).get("__annotations__", {})}
    return own | {name for name in vars(protocol) if not name.startswith("_")}


@pytest.mark.parametrize("ability", ABILITIES, ids=lambda each: each.__name__)
def test_an_object_has_an_ability_if_it_has_all_its_members_and_no_other_one(ability: type) -> None:
    own = members(ability)
    assert own
    whole: Any = type("Whole", (), dict.fromkeys(own, lambda self: None))()
    assert isinstance(whole, ability)
    assert [each for each in ABILITIES if isinstance(whole, each) and not members(each) <= own] == []
    for name in own:
        lacking: Any = type("Lacking", (), dict.fromkeys(own - {name}, lambda self: None))()
        assert not isinstance(lacking, ability), name


def test_abilities_are_what_a_solver_may_need_of_a_model() -> None:
    """What is no ability says how a model is asked."""
    assert {ScoresText, Generates, HasVectors} <= ABILITIES.keys()
    assert not {Model, Concurrent, LearnsFromItems} & ABILITIES.keys()
    sentences = [f"a model that {does}" for does in ABILITIES.values()]
    assert len(set(sentences)) == len(sentences)
    assert not [each for each in sentences if each.endswith(".")]
