"""Options of a build: ranges, text, and what cannot be built."""

from __future__ import annotations

import pytest

from proband.core.errors import ProbandError
from proband.core.plugins import read_options
from proband.suites.kinship import SUITE
from proband.suites.kinship.generate.options import BuildOptions, make_plan, parse_range


def test_ranges() -> None:
    assert parse_range("2..4,7") == (2, 3, 4, 7)
    assert parse_range("3,3,2") == (3, 2)


def test_sizes_of_noise_are_those_listed() -> None:
    assert make_plan(BuildOptions(noise_size="5,2"), seed=0).noise_size["supporting"] == (2, 5)
    assert make_plan(BuildOptions(noise_size="2..4"), seed=0).noise_size["irrelevant"] == (2, 3, 4)


def test_options_are_read_as_text() -> None:
    """As the command line and a study file hand them over."""
    given = {"k": "2..3", "per-k": "12", "spread": "yes", "noise-size": "3"}
    assert read_options(SUITE.options, given, of="build kinship") == BuildOptions(
        k="2..3", per_k=12, spread=True, noise_size="3"
    )
    for wrong in (
        {"per-k": "0"},
        {"certify": "some"},
        {"perk": "3"},
        {"slices": "1"},
        {"workers": "0"},
    ):
        with pytest.raises(ProbandError, match="build kinship"):
            read_options(SUITE.options, wrong, of="build kinship")
