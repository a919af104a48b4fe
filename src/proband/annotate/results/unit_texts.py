"""The texts of a unit as a reader of an export wants them: what stood on the page, and each part that has a label."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def unit_text(body: Mapping[str, Any]) -> str:
    """What the unit is about: a question, the facts to tell, a caption, a puzzle.

    >>> unit_text({"facts": ["Ann is the mother of Ben."], "implied_fact": "Ben is the son of Ann."})
    'Ann is the mother of Ben.'
    >>> unit_text({"question": "Which country borders Ethiopia?", "candidates": []})
    'Which country borders Ethiopia?'
    """
    if "stories" in body:
        return "\n\n".join(" ".join(story["facts"]) for story in body["stories"] if not story.get("erased"))
    if "facts" in body:
        return " ".join(body["facts"])
    return str(body.get("question") or body.get("caption") or body.get("prompt") or "")


def part_text(body: Mapping[str, Any], part: str) -> str:
    """What a label is about: a candidate answer or a story; empty where the unit is one whole.

    >>> part_text({"candidates": [{"id": "c1", "text": "[COUNTRY] invaded Ethiopia."}]}, "c1")
    '[COUNTRY] invaded Ethiopia.'
    """
    return part_texts(body).get(part, "")


def part_texts(body: Mapping[str, Any]) -> dict[str, str]:
    """Of all parts of a unit."""
    return {each["id"]: str(each.get("text", "")) for each in body.get("candidates") or body.get("stories") or ()}
