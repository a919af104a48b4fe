"""An item as a family tree: a family in which its story is true, with the question and its answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proband.core.errors import ProbandError
from proband.core.types import Answer, Item
from proband.suites.kinship.certify.filling_in import fill_in
from proband.suites.kinship.world.family_svg import family_svg
from proband.suites.kinship.world.kernel import lean


def draw_item(item: Item, answer: Answer | None = None) -> str | None:
    """A family in which the item's story is true, the question marked; None for items without such a family.

    With an answer the arc carries what was answered, and what is right where that differs.
    """
    facts: Mapping[str, Any] = item.facts
    try:
        edges = [(int(i), str(relation), int(j)) for i, relation, j in facts["edges"]]
        names, genders, (a, b) = list(facts["names"]), list(facts["genders"]), facts["query"]
        family = fill_in(genders, edges)
    except (KeyError, TypeError, ValueError, ProbandError):
        return None
    if family is None:
        return None
    noise = [tuple(edge) for edge, _ in facts.get("noise", ())]
    noisy = {x for i, _, j in noise for x in (i, j)}
    needed = {x for edge in edges if edge not in noise for x in edge[::2]}
    return family_svg(
        lean(family, edges, (a, b)),
        names,
        query=(a, b),
        answer=_verdict(item, answer),
        faint=noisy - needed,
        title=f"The family of {item.id}",
    )


def _verdict(item: Item, answer: Answer | None) -> str:
    right = str(item.facts.get("target", ""))
    if answer is None or len(answer.scores) != len(item.choices) or not answer.scores:
        return right
    said = item.choices[max(range(len(answer.scores)), key=lambda n: answer.scores[n])]
    return f"{right} ✓" if said == right else f"{said} ✗ ({right})"
