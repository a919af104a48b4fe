"""The lexicon of kinds: one kind per word, and what it gives for words one can check."""

from __future__ import annotations

import pytest

from proband.suites.script.metrics import CATEGORIES, category, lexicon


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        ("cutting board", "tool"),
        ("wooden spoons", "tool"),
        ("stove burner", "place"),
        ("half cup", "unit"),
        ("measuring cup", "tool"),
        ("gently place", "action"),
        ("slices", "unit"),
        ("sliced", "action"),
        ("twenty minutes", "unit"),
        ("tablespoons", "unit"),
        ("stirring", "action"),
        ("chopped", "action"),
        ("knives", "tool"),
        ("golden brown", "other"),
        ("slowly", "other"),
    ],
)
def test_kinds(words: str, kind: str) -> None:
    assert category(words.split()) == kind


def test_every_kind_is_used() -> None:
    assert set(lexicon().values()) | {"other"} == set(CATEGORIES)
