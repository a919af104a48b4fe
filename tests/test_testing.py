"""Suites that are known for a while."""

from __future__ import annotations

from dataclasses import replace

import pytest

from proband import suites
from proband.core.errors import ProbandError
from proband.testing import known_suites


def test_a_suite_is_known_in_the_block_only_also_after_an_error() -> None:
    own = replace(suites.suite("questions"), name="mine", cites="Me")
    before = suites.names()
    with pytest.raises(ZeroDivisionError), known_suites(own):
        assert suites.names() == (*before, "mine")
        assert suites.suite("mine") is own
        assert suites.suite("kinship").name == "kinship"
        raise ZeroDivisionError
    assert suites.names() == before
    with pytest.raises(ProbandError, match="no suite 'mine'"):
        suites.suite("mine")


def test_it_comes_before_others_of_its_name() -> None:
    own = replace(suites.suite("questions"), cites="Me")
    with known_suites(own):
        assert suites.suite("questions").cites == "Me"
        assert suites.names().count("questions") == 1
