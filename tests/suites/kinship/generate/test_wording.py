"""Names that are too alike do not meet in one story."""

from __future__ import annotations

from itertools import combinations

import pytest

from proband.suites.kinship.generate.build import build
from proband.suites.kinship.generate.options import BuildOptions
from proband.suites.kinship.generate.wording import likeness
from proband.suites.kinship.world.families import GENDER_OF

ALIKE = [
    ("Brian", "Bryan"),
    ("Sara", "Sarah"),
    ("Ann", "Anna"),
    ("Julia", "Julie"),
    ("Stephen", "Steven"),
    ("Joan", "John"),
    ("Leo", "Leonard"),
    ("Daniel", "Danielle"),
    ("Teresa", "Theresa"),
    ("Katherine", "Kathryn"),
]


@pytest.mark.parametrize(
    ("one", "other"),
    ALIKE,
)
def test_names_that_are_alike(one: str, other: str) -> None:
    assert likeness(one) & likeness(other)


def test_most_names_are_unlike() -> None:
    pairs = list(combinations(GENDER_OF, 2))
    assert sum(bool(likeness(a) & likeness(b)) for a, b in pairs) / len(pairs) < 0.01


def test_no_story_has_names_that_are_alike() -> None:
    """Also with the names of the test split, of which there are 30 of each gender."""
    options = BuildOptions(task="clean,all", k="2..10", per_k=22, test_per_k=22, hold_out="names", certify="none")
    stories = 0
    for item in build(options, seed=5).items:
        names = item.facts["names"]
        stories += 1
        assert not [(a, b) for a, b in combinations(names, 2) if likeness(a) & likeness(b)]
    assert stories > 700
