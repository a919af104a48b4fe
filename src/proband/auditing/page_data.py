"""What the page of an audit of rows shows, as plain data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

MEANING: Final = {
    "entailed": "the label holds in every world in which the text is true",
    "ambiguous": "it holds in some such worlds and not in others",
    "false": "it holds in none of them",
    "inconsistent": "there is no such world",
    "unread": "a sentence, the question or the label was not understood",
}
READINGS: Final = {
    "cautious": "it answers only what follows",
    "chance among the possible": "it guesses among the answers that are possible",
    "lenient": "any possible answer counts",
}
MOST_FINDINGS: Final = 60


def page_data(summary: Mapping[str, Any], *, worlds: Mapping[str, str], title: str) -> dict[str, Any]:
    """The values of the template web/audit/rows.html."""
    return {
        "title": title,
        "figures": summary,
        "meaning": MEANING,
        "readings": [(name, READINGS[name], score) for name, score in summary["readings"].items()],
        "findings": summary["finding"][:MOST_FINDINGS],
        "more": max(0, len(summary["finding"]) - MOST_FINDINGS),
        "worlds": worlds,
    }
