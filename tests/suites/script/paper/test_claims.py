"""The claims say what the paper found: its own figures bear out every one of them."""

from __future__ import annotations

import pytest

from proband.core.suite import Claim, Contrast, Where
from proband.suites.script import SUITE
from proband.suites.script.paper.claims import CLAIMS, SYSTEMS
from proband.suites.script.paper.published import rows

PRINTED = {(row["row"], row["column"]): float(row["value"]) for row in rows()}


def row_of(where: Where) -> str:
    return next(name for name, tags in SYSTEMS.items() if tags == where)


def advantage(contrast: Contrast) -> float:
    """How far the first system is ahead by the printed figures."""
    above, below = (PRINTED[row_of(side), contrast.metric] for side in (contrast.above, contrast.below))
    return above - below if SUITE.metric(contrast.metric).better == "high" else below - above


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.statement)
def test_the_published_figures_bear_it_out(claim: Claim) -> None:
    assert all(advantage(contrast) > contrast.margin for contrast in claim.contrasts)
    assert "section 4.2" in claim.source


def test_every_row_of_table_4_is_claimed_about() -> None:
    named = {row_of(side) for claim in CLAIMS for c in claim.contrasts for side in (c.above, c.below)}
    assert named == {row["row"] for row in rows() if row["table"] == "table4"}


def test_systems_are_compared_text_by_text() -> None:
    contrasts = [contrast for claim in CLAIMS for contrast in claim.contrasts]
    assert {contrast.pair for contrast in contrasts} == {"item"}
    assert {str(contrast.where["split"]) for contrast in contrasts} == {"test"}
