"""Verbs, voice and negation of relations as they occur."""

from __future__ import annotations

import pytest

from proband.suites.inference.items import phrase


@pytest.mark.parametrize(
    ("relation", "verbs", "passive", "negated"),
    [
        ("treats", {"treat"}, False, False),
        ("is the capital of", {"be"}, False, False),
        ("was widely used in", {"use"}, True, False),
        ("has been found in", {"find"}, True, False),
        ("have seized", {"seize"}, False, False),
        ("has", {"have"}, False, False),
        ("is bigger than", {"be"}, False, False),
        ("are members of", {"be"}, False, False),
        ("does not react with", {"react"}, False, True),
        ("began to occupy", {"begin", "occupy"}, False, False),
        ("worn by", {"wear"}, True, False),
        ("sat and played", {"sit", "play"}, False, False),
        ("are biting", {"bite"}, False, False),
        ("will never not eat", {"eat"}, False, False),
    ],
)
def test_a_relation_is_read(relation: str, verbs: set[str], passive: bool, negated: bool) -> None:
    found = phrase(relation)
    assert (set(found.verbs), found.passive, found.negated) == (verbs, passive, negated)
