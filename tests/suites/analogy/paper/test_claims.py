"""The claims as data: they select something, and each says where the paper states it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from proband.core.suite import Claim
from proband.suites.analogy import SUITE
from proband.suites.analogy.paper.frequency import BY_ITEM, BY_TUPLE
from proband.suites.analogy.paper.tables import derive


def test_statements_differ_and_name_their_section() -> None:
    statements = [claim.statement for claim in SUITE.claims]
    assert len(set(statements)) == len(statements)
    assert all(claim.source.startswith("section ") for claim in SUITE.claims)
    assert {claim.test for claim in SUITE.claims if claim.test} == {BY_ITEM, BY_TUPLE}
    assert all(bool(claim.contrasts) != bool(claim.test) for claim in SUITE.claims)


@pytest.fixture(scope="module")
def tags(data: Path, built: Any) -> list[dict[str, Any]]:
    items = built(data=str(data / "bats"), faithful=True, per_relation=2)
    return [{**item.tags, **derive(item.tags)} for item in items]


@pytest.mark.data
@pytest.mark.parametrize("claim", [claim for claim in SUITE.claims if claim.contrasts], ids=lambda c: c.statement)
def test_both_sides_of_a_contrast_have_items_of_several_relations(tags: list[dict[str, Any]], claim: Claim) -> None:
    assert claim.per in ((), ("run.model", "setting"))
    for contrast in claim.contrasts:
        for side in (contrast.above, contrast.below):
            wanted = {**contrast.where, **side}
            assert wanted.pop("run.solver", "pppl") in {solver.name for solver in SUITE.solvers}
            found = {own["relation"] for own in tags if all(own[name] == value for name, value in wanted.items())}
            assert len(found) >= 2
